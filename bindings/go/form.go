//go:build cgo

package paysvc

import (
	"strings"
	"time"
)

// Whether a value is written as a number: nothing else in JSON begins like a number.
func isNumber(raw string) bool { return raw != "" && (raw[0] == '-' || isDigit(raw[0])) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// One digit or more, and nothing else.
func isNatural(text string) bool {
	for i := 0; i < len(text); i++ {
		if !isDigit(text[i]) {
			return false
		}
	}
	return text != ""
}

func isDecimal(text string) bool {
	whole, fraction, point := strings.Cut(text, ".")
	return len(text) <= maxDecimal && isNatural(strings.TrimPrefix(whole, "-")) && (!point || isNatural(fraction))
}

// Reads YYYY-MM-DD, T or a space, HH:MM:SS, a point and 1 to 9 digits or none, and Z, ±HH:MM or no zone, which is UTC. The zero
// time: midnight of 0001-01-01, in whatever zone. Not time.Parse, which takes other texts too.
func readTime(text string) (time.Time, bool) {
	const form = "0000-00-00T00:00:00"
	if len(text) < len(form) || !hasForm(text[:len(form)], form) {
		return time.Time{}, false
	}
	nanoseconds, zone, ok := readFraction(text[len(form):])
	offset, known := readZone(zone)
	if !ok || !known {
		return time.Time{}, false
	}
	year, month, day := number(text[0:4]), number(text[5:7]), number(text[8:10])
	hour, minute, second := number(text[11:13]), number(text[14:16]), number(text[17:19])
	read := time.Date(year, time.Month(month), day, hour, minute, second, nanoseconds, time.UTC)
	// time.Date turns the 30th of February into a day in March.
	if y, m, d := read.Date(); y != year || int(m) != month || d != day || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	if read.IsZero() {
		return read, true
	}
	return read.Add(-offset), 1900 <= year && year <= 9998
}

// Reads a point and 1 to 9 digits, or nothing, and returns what follows.
func readFraction(text string) (nanoseconds int, rest string, ok bool) {
	if !strings.HasPrefix(text, ".") {
		return 0, text, true
	}
	digits := 1
	for digits < len(text) && isDigit(text[digits]) {
		digits++
	}
	fraction, rest := text[1:digits], text[digits:]
	if fraction == "" || len(fraction) > 9 {
		return 0, "", false
	}
	return number((fraction + "00000000")[:9]), rest, true
}

func readZone(text string) (offset time.Duration, ok bool) {
	switch text {
	case "", "Z", "z":
		return 0, true
	}
	if !hasForm(text, "+00:00") && !hasForm(text, "-00:00") || text[1:3] > "23" || text[4:] > "59" {
		return 0, false
	}
	offset = time.Duration(number(text[1:3]))*time.Hour + time.Duration(number(text[4:]))*time.Minute
	if text[0] == '-' {
		offset = -offset
	}
	return offset, true
}

// Whether a text has the length of the form, a digit for every 0, T or a space for a T, and all else as it is.
func hasForm(text, form string) bool {
	if len(text) != len(form) {
		return false
	}
	for i := 0; i < len(form); i++ {
		c := text[i]
		if c != form[i] && !(form[i] == '0' && isDigit(c)) && !(form[i] == 'T' && c == ' ') {
			return false
		}
	}
	return true
}

// The number of a few digits.
func number(digits string) (n int) {
	for i := 0; i < len(digits); i++ {
		n = n*10 + int(digits[i]-'0')
	}
	return n
}
