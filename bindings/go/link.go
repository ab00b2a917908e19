package paysvc

// The define is for Go's build cache, to which the two ways of linking would be the same: it does not look at what
// pkg-config is asked for.

/*
#cgo !paysvc_static pkg-config: paysvc
#cgo paysvc_static pkg-config: paysvc-static
#cgo paysvc_static CFLAGS: -DPAYSVC_GO_STATIC
*/
import "C"
