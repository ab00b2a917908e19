//go:build !cgo

package paysvc

// The package calls libpaysvc through cgo, which is off: CGO_ENABLED=0, or there is no C compiler, or this is a cross
// build. The compiler says this name, and nothing else of the package is compiled.
var _ = paysvc_needs_cgo_set_CGO_ENABLED_to_1_and_have_a_C_compiler
