//go:build cgo

package paysvc

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// Secret is a text that must not be printed: a key, a card's number, a one-time code. fmt with any verb, log/slog, encoding/json
// and whatever else writes text print it as "[hidden]". Only this package reads the text, when it makes a request. The zero Secret is absent.
//
// It is no comparable type, because == would compare where the texts are kept: use Equal and IsZero.
type Secret struct {
	_ [0]func()
	// Not the text itself: fmt prints unexported members without asking their type, and of a pointer only the address.
	text *string
}

const hidden = "[hidden]"

var errHidden = errors.New(`paysvc: "` + hidden + `" stands for a secret, and is none`)

// isHidden reports whether the JSON of a program has a value that was written without its secret.
func isHidden(text []byte) bool { return bytes.Contains(text, []byte(`"`+hidden+`"`)) }

// NewSecret keeps a text from being printed. NewSecret("") is there, and empty: a request with it is refused. So is one with a text
// that has "[hidden]" in it, which was printed from a secret and is none.
func NewSecret(text string) Secret { return Secret{text: &text} }

// IsZero reports whether it is absent: the zero Secret.
func (s Secret) IsZero() bool { return s.text == nil }

// Equal compares the texts, in a time that reveals only their lengths.
func (s Secret) Equal(other Secret) bool {
	if s.text == nil || other.text == nil {
		return s.text == other.text
	}
	return subtle.ConstantTimeCompare([]byte(*s.text), []byte(*other.text)) == 1
}

// String is "[hidden]".
func (s Secret) String() string { return hidden }

// Format writes "[hidden]", for every verb of fmt.
func (s Secret) Format(state fmt.State, _ rune) { io.WriteString(state, hidden) }

// LogValue is "[hidden]".
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalJSON is "[hidden]", or null if it is absent.
func (s Secret) MarshalJSON() ([]byte, error) {
	if s.text == nil {
		return []byte("null"), nil
	}
	return []byte(`"` + hidden + `"`), nil
}

// MarshalText is "[hidden]", or empty if it is absent.
func (s Secret) MarshalText() ([]byte, error) {
	if s.text == nil {
		return nil, nil
	}
	return []byte(hidden), nil
}

// UnmarshalJSON reads a string; null is the zero Secret. "[hidden]" is refused: the secret was lost when it was written.
func (s *Secret) UnmarshalJSON(from []byte) error {
	var text *string
	if err := json.Unmarshal(from, &text); err != nil {
		return err
	}
	return s.set(text)
}

// UnmarshalText reads a text; an empty one is the zero Secret. "[hidden]" is refused.
func (s *Secret) UnmarshalText(from []byte) error {
	if len(from) == 0 {
		return s.set(nil)
	}
	text := string(from)
	return s.set(&text)
}

func (s *Secret) set(text *string) error {
	if text != nil && *text == hidden {
		return errHidden
	}
	s.text = text
	return nil
}
