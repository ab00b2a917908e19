package paysvc

// pkg-config names the shared library too. The archive, which comes first, has every symbol, so --as-needed drops it.
// Windows has no pkg-config of its own: CGO_CFLAGS and CGO_LDFLAGS name the folders there.

/*
#cgo !windows,!paysvc_static pkg-config: paysvc
#cgo !windows,paysvc_static pkg-config: --static paysvc
#cgo !windows,paysvc_static LDFLAGS: -Wl,--as-needed -l:libpaysvc.a
#cgo windows LDFLAGS: -lpaysvc
*/
import "C"
