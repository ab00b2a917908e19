//go:build cgo

package paysvc

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// What all members have that are not objects.
type leaf struct {
	redacted
	at value
}

// MarshalJSON writes what the service sent; null if the member is absent.
func (l leaf) MarshalJSON() ([]byte, error) { return l.at.json(), nil }

func (l *leaf) place() *value { return &l.at }
func (*leaf) object() bool    { return false }

// The text of a string without white space around it, or a literal as it is written. A blank string is absent.
func (l leaf) scalar() (string, error) {
	raw, err := l.at.find()
	text := strings.Trim(unquote(raw), whiteSpace)
	if err == nil && text == "" {
		err = ErrAbsent
	}
	return text, err
}

const whiteSpace = " \t\n\v\f\r"

// Text is a text of an answer. A number counts as the text that it is written as: 100.10 is "100.10".
type Text struct{ leaf }

// Get returns the text. The error is [ErrAbsent] or an [*AnswerError]. The text is a part of the whole body, which stays in
// memory as long as it does.
func (t Text) Get() (string, error) {
	raw, err := t.at.find()
	switch {
	case err != nil:
		return "", err
	case isString(raw), isNumber(raw):
		return unquote(raw), nil
	}
	return "", t.at.unreadable("string")
}

// Integer is an integer of an answer, as a number or in a string.
type Integer struct{ leaf }

// Get returns the integer. The error is [ErrAbsent] or an [*AnswerError].
func (i Integer) Get() (int64, error) {
	text, err := i.scalar()
	if err != nil {
		return 0, err
	}
	whole, fraction, point := strings.Cut(text, ".")
	if isNatural(strings.TrimPrefix(whole, "-")) && (!point || fraction != "" && strings.Trim(fraction, "0") == "") {
		if number, err := strconv.ParseInt(whole, 10, 64); err == nil {
			return number, nil
		}
	}
	return 0, i.at.unreadable("integer")
}

// Decimal is a decimal number of an answer, such as an amount of money, as a number or in a string.
type Decimal struct{ leaf }

// Get returns the number as text, exact as the service wrote it. The error is [ErrAbsent] or an [*AnswerError]: also for a
// number with an exponent, and for one of more than 64 characters.
func (d Decimal) Get() (Amount, error) {
	text, err := d.scalar()
	if err != nil {
		return "", err
	}
	if !isDecimal(text) {
		return "", d.at.unreadable("decimal number")
	}
	digits := strings.TrimPrefix(text, "-")
	significant := digits
	for len(significant) > 1 && significant[0] == '0' && significant[1] != '.' {
		significant = significant[1:]
	}
	if len(significant) < len(digits) {
		text = text[:len(text)-len(digits)] + significant
	}
	return Amount(text), nil
}

// Amount is a decimal number as text, such as "98000.000000", in major units if it is money: exact, without floating point.
type Amount string

// Rat returns the exact number, to compare it or to calculate with it: "25.5" and "25.50" are equal. It returns false for a
// text that is not a decimal number, which [Decimal.Get] never returns without an error.
func (a Amount) Rat() (*big.Rat, bool) {
	if !isDecimal(string(a)) {
		return nil, false
	}
	return new(big.Rat).SetString(string(a))
}

// Flag is a true or false of an answer, as such or in a string, in any case.
type Flag struct{ leaf }

// Get returns the flag. The error is [ErrAbsent] or an [*AnswerError]: also for 0 and 1.
func (f Flag) Get() (bool, error) {
	text, err := f.scalar()
	if err != nil {
		return false, err
	}
	if strings.EqualFold(text, "true") {
		return true, nil
	}
	if len(text) == len("false") && strings.EqualFold(text, "false") { // To EqualFold, ſ is an s.
		return false, nil
	}
	return false, f.at.unreadable("boolean")
}

// Time is a time of an answer.
type Time struct{ leaf }

// Get returns the time, in UTC. One that is written without a zone is taken for UTC: the service documents UTC for one
// member, and no zone for the others. The error is [ErrAbsent], also for 0001-01-01T00:00:00, with which the service says
// that there is no time; or an [*AnswerError].
func (t Time) Get() (time.Time, error) {
	text, err := t.scalar()
	if err != nil {
		return time.Time{}, err
	}
	if raw := t.at.raw(); isString(raw) {
		if read, ok := readTime(text); ok && read.IsZero() {
			return time.Time{}, ErrAbsent
		} else if ok {
			return read, nil
		}
	}
	return time.Time{}, t.at.unreadable("time")
}

// Raw is a member of an answer whose shape is not known: any JSON.
type Raw struct{ leaf }

// Get returns the JSON as the service sent it. The error is [ErrAbsent], or an [*AnswerError] if the object that should have
// the member is not an object.
func (r Raw) Get() (json.RawMessage, error) {
	raw, err := r.at.find()
	if err != nil {
		return nil, err
	}
	return json.RawMessage(raw), nil
}
