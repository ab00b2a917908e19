//go:build windows && paysvc_static

package paysvc

// MinGW compilers have one of two C runtimes, and an archive fits only programs of its own. The compiler reports this
// undefined name.
var _ = paysvc_is_linked_as_paysvc_dll_on_Windows_build_without_the_tag_paysvc_static
