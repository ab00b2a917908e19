//go:build cgo

package paysvc

import (
	"math/big"
	"strings"
)

// Amount is a decimal number as text, such as "98000.000000", in major units if it is money: exact, without floating point. "": the
// response has none.
type Amount string

// Rat returns the exact number, to compare it or to calculate with it: "25.5" and "25.50" are equal. It returns false for a
// text that is not a decimal number, such as that of an absent amount.
func (a Amount) Rat() (*big.Rat, bool) {
	whole, fraction, point := strings.Cut(strings.TrimPrefix(string(a), "-"), ".")
	if !isNatural(whole) || point && !isNatural(fraction) { // SetString takes exponents and fractions, too.
		return nil, false
	}
	return new(big.Rat).SetString(string(a))
}

// One digit or more, and nothing else.
func isNatural(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
