package paysvc

/*
#include "binding.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// NewReference makes a reference that no other program and no other till makes: the prefix, "-", and 26 letters and digits.
// References are ordered by time, and nobody can guess them. The prefix, e.g. of a till, may be empty; it has at most 32 letters,
// digits, "-", "_" and ".".
func NewReference(prefix string) (string, error) {
	var text [128]byte
	given, err := cText([]byte(prefix))
	length := 0
	if err == nil {
		from, to := (*C.char)(unsafe.Pointer(unsafe.SliceData(given))), (*C.char)(unsafe.Pointer(&text[0]))
		length = int(C.paysvc_reference_new(from, to, C.size_t(len(text))))
	}
	if length <= 0 {
		return "", fmt.Errorf("paysvc: no reference can be made with the prefix %q", prefix)
	}
	return strings.Clone(string(text[:length])), nil
}
