package paysvc

// The archive comes first and has every symbol, so that the shared library, which pkg-config names too, is not needed.

/*
#cgo !paysvc_static pkg-config: paysvc
#cgo paysvc_static pkg-config: --static paysvc
#cgo paysvc_static LDFLAGS: -Wl,--as-needed -l:libpaysvc.a
*/
import "C"
