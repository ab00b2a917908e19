package paysvc

// Windows has no pkg-config of its own: there, CGO_CFLAGS and CGO_LDFLAGS name the folders of the header and of the import
// library. The define is for Go's build cache, to which the two ways of linking would be the same: it does not look at
// what pkg-config is asked for.

/*
#cgo !windows,!paysvc_static pkg-config: paysvc
#cgo !windows,paysvc_static pkg-config: paysvc-static
#cgo !windows,paysvc_static CFLAGS: -DPAYSVC_GO_STATIC
#cgo windows LDFLAGS: -lpaysvc
*/
import "C"
