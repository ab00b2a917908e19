//go:build cgo

package paysvc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ErrAbsent is the error of a member that the answer does not have, or that is null. For all kinds but [Text] and [Raw], a
// blank string is absent too.
var ErrAbsent = errors.New("paysvc: the answer has no such member, or it is null")

// AnswerError is a member of an answer that cannot be read, because its JSON type or its form is wrong.
// It never has the value, which may be personal data. Only this member is not known; the rest of the reply is not affected.
type AnswerError struct {
	// Pointer is the JSON pointer of what cannot be read, e.g. "/data/fee"; "" is the whole answer. For the members of an
	// object it is the object's own pointer if something else stands there.
	Pointer string

	// Want is what should be there, e.g. "decimal number".
	Want string

	// Found is the JSON type of what is there, e.g. "string".
	Found string
}

// Error has the pointer, what should be there and what was found; never a value.
func (e *AnswerError) Error() string {
	of := "the answer"
	if e.Pointer != "" {
		of = e.Pointer + " of the answer"
	}
	return fmt.Sprintf("paysvc: cannot read %s: want %s, found %s", of, e.Want, e.Found)
}

// Object is an object of an answer: every struct of an answer embeds it. As personal data may be in it, fmt and log/slog
// print it, and each of its members, as "(not shown)". encoding/json encodes it as the service sent it.
type Object struct {
	redacted
	at value
}

// Present says whether the answer has the object. All members of an object that is absent or null are absent, so a chain
// such as answer.Data.OrderPayment.Fee needs no check on the way.
func (o Object) Present() bool { return strings.HasPrefix(o.at.raw(), "{") }

// Raw returns the object as the service sent it, with the members that its struct does not have. The error is [ErrAbsent] or
// an [*AnswerError].
func (o Object) Raw() (json.RawMessage, error) {
	raw, err := o.at.find()
	if err == nil && !o.Present() {
		err = o.at.unreadable("object")
	}
	if err != nil {
		return nil, err
	}
	return json.RawMessage(raw), nil
}

// MarshalJSON writes what the service sent; null if the object is absent.
func (o Object) MarshalJSON() ([]byte, error) { return o.at.json(), nil }

// UnmarshalJSON fails: only a whole answer can be read.
func (*Object) UnmarshalJSON([]byte) error {
	return errors.New("paysvc: only a whole answer can be read from JSON")
}

func (o *Object) place() *value { return &o.at }
func (*Object) object() bool    { return true }
