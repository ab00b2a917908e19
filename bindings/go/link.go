package paysvc

/*
#cgo !paysvc_static pkg-config: paysvc
#cgo paysvc_static pkg-config: paysvc-static
*/
import "C"
