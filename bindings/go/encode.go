//go:build cgo

package paysvc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Ptr returns a pointer to a value, for optional fields.
func Ptr[T any](value T) *T { return &value }

// Embedded in every struct that may hold personal data, so that fmt and slog do not print them.
type redacted struct{}

// Format keeps the struct's fields out of the output of fmt, for every verb.
func (redacted) Format(state fmt.State, _ rune) { io.WriteString(state, "(not shown)") }

// LogValue keeps the struct's fields out of logs.
func (redacted) LogValue() slog.Value { return slog.StringValue("(not shown)") }

var errNotUTF8 = errors.New("a string is not UTF-8")

// The JSON that the library gets, with the texts of secrets, which encoding/json cannot read. It has no HTML escapes. Strings that
// are not UTF-8 are refused, not replaced.
func encode(v any) ([]byte, error) {
	w := writer{out: make([]byte, 0, 1024)}
	err := w.value(reflect.ValueOf(v))
	return w.out, err
}

// The JSON of a request for everybody else, in the same order.
func encodeHidden(v any) ([]byte, error) {
	w := writer{hides: true}
	err := w.value(reflect.ValueOf(v))
	return w.out, err
}

type writer struct {
	out   []byte
	hides bool // The texts of secrets.
}

func (w *writer) value(v reflect.Value) error {
	if !v.IsValid() {
		w.out = append(w.out, "null"...)
		return nil
	}
	switch of := v.Interface().(type) {
	case Secret:
		return w.secret(of)
	case json.RawMessage:
		return w.raw(of)
	case time.Duration:
		w.out = strconv.AppendInt(w.out, inMilliseconds(of), 10)
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return w.value(v.Elem())
	case reflect.String:
		return w.text(v.String())
	case reflect.Bool:
		w.out = strconv.AppendBool(w.out, v.Bool())
	case reflect.Int, reflect.Int64:
		w.out = strconv.AppendInt(w.out, v.Int(), 10)
	case reflect.Slice:
		return w.list(v)
	case reflect.Struct:
		return w.structure(v)
	case reflect.Map:
		w.out = append(w.out, '{')
		if err := w.members(v); err != nil {
			return err
		}
		w.out = append(w.out, '}')
	default:
		return fmt.Errorf("a value of type %v cannot be written as JSON", v.Type())
	}
	return nil
}

// Rounded up: a time limit that was given is never none.
func inMilliseconds(of time.Duration) int64 {
	whole := int64(of / time.Millisecond)
	if of%time.Millisecond > 0 {
		whole++
	}
	return whole
}

// A time in JSON, where it is a number of milliseconds.
type milliseconds time.Duration

func (m *milliseconds) UnmarshalJSON(from []byte) error {
	var number int64
	if err := json.Unmarshal(from, &number); err != nil {
		return err
	}
	if limit := math.MaxInt64 / int64(time.Millisecond); number > limit || number < -limit {
		return fmt.Errorf("%d ms is no time limit", number)
	}
	*m = milliseconds(time.Duration(number) * time.Millisecond)
	return nil
}

func (w *writer) secret(of Secret) error {
	if of.text != nil && !w.hides {
		if strings.Contains(*of.text, hidden) {
			return errHidden
		}
		return w.text(*of.text)
	}
	text, err := of.MarshalJSON()
	if of.text == nil && !w.hides {
		text = []byte(`""`) // A required one, which the library refuses.
	}
	w.out = append(w.out, text...)
	return err
}

func (w *writer) raw(of json.RawMessage) error {
	if of == nil {
		of = json.RawMessage("null")
	}
	buffer := bytes.NewBuffer(w.out)
	err := json.Compact(buffer, of)
	w.out = buffer.Bytes()
	return err
}

func (w *writer) text(of string) error {
	if !utf8.ValidString(of) {
		return errNotUTF8
	}
	w.out = append(w.out, '"')
	for i := 0; i < len(of); i++ {
		switch c := of[i]; {
		case c == '"' || c == '\\':
			w.out = append(w.out, '\\', c)
		case c < ' ':
			w.out = fmt.Appendf(w.out, `\u%04x`, c)
		default:
			w.out = append(w.out, c)
		}
	}
	w.out = append(w.out, '"')
	return nil
}

func (w *writer) list(v reflect.Value) error {
	if v.IsNil() {
		w.out = append(w.out, "null"...)
		return nil
	}
	w.out = append(w.out, '[')
	for i := 0; i < v.Len(); i++ {
		w.comma()
		if err := w.value(v.Index(i)); err != nil {
			return err
		}
	}
	w.out = append(w.out, ']')
	return nil
}

// Writes the fields that are there, then Extra. A field of Extra that it already has is then there twice, which the library refuses.
func (w *writer) structure(v reflect.Value) error {
	w.out = append(w.out, '{')
	for i := 0; i < v.NumField(); i++ {
		of, field := v.Type().Field(i), v.Field(i)
		name, options, _ := strings.Cut(of.Tag.Get("json"), ",")
		// A pointer that is not left out has a word beside it for that. Without the word it is null, which the library
		// refuses: a forgotten price is no request.
		if options == "" && name != "-" && field.Kind() == reflect.Pointer {
			word := v.FieldByName("Existing" + of.Name)
			exists := word.IsValid() && word.Bool()
			if exists && !field.IsNil() {
				return fmt.Errorf("%s and Existing%s contradict each other: give one of them", of.Name, of.Name)
			}
			if exists {
				continue
			}
		}
		if !of.IsExported() || name == "-" || isLeftOut(field, options) {
			continue
		}
		if err := w.member(name, field); err != nil {
			return err
		}
	}
	if extra := v.FieldByName("Extra"); extra.IsValid() {
		if err := w.members(extra); err != nil {
			return err
		}
	}
	w.out = append(w.out, '}')
	return nil
}

// As for encoding/json; an empty secret of the configuration is left out like any other empty text.
func isLeftOut(field reflect.Value, options string) bool {
	secret, is := field.Interface().(Secret)
	switch {
	case is && strings.Contains(options, "omitempty"):
		return secret.text == nil || *secret.text == ""
	case field.Kind() == reflect.Slice:
		return options != "" && field.Len() == 0
	}
	return options != "" && field.IsZero()
}

// Writes the fields of a map in the order of their names.
func (w *writer) members(of reflect.Value) error {
	names := of.MapKeys()
	sort.Slice(names, func(i, j int) bool { return names[i].String() < names[j].String() })
	for _, name := range names {
		if err := w.member(name.String(), of.MapIndex(name)); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	return nil
}

func (w *writer) member(name string, value reflect.Value) error {
	w.comma()
	if err := w.text(name); err != nil {
		return err
	}
	w.out = append(w.out, ':')
	return w.value(value)
}

// Separates two fields or elements in the same object or list.
func (w *writer) comma() {
	switch w.out[len(w.out)-1] {
	case '{', '[':
	default:
		w.out = append(w.out, ',')
	}
}
