//go:build !cgo

package paysvc

// The package needs cgo, which is off: CGO_ENABLED=0, no C compiler, or a cross build. The compiler reports this undefined
// name, and nothing else.
var _ = paysvc_needs_cgo_set_CGO_ENABLED_to_1_and_have_a_C_compiler
