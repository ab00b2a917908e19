package paysvc

// Windows has no pkg-config of its own: there, CGO_CFLAGS and CGO_LDFLAGS name the folders of the header and of the import
// library.

/*
#cgo !windows,!paysvc_static pkg-config: paysvc
#cgo !windows,paysvc_static pkg-config: paysvc-static
#cgo windows LDFLAGS: -lpaysvc
*/
import "C"
