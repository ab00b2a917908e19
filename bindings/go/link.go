package paysvc

// pkg-config names the shared library too. The archive, which comes first, has every symbol, so --as-needed drops it.

/*
#cgo !paysvc_static pkg-config: paysvc
#cgo paysvc_static pkg-config: --static paysvc
#cgo paysvc_static LDFLAGS: -Wl,--as-needed -l:libpaysvc.a
*/
import "C"
