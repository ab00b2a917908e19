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
	var w writer
	w.Grow(1024)
	err := w.value(reflect.ValueOf(v))
	return w.Bytes(), err
}

// The JSON of a request for everybody else, in the same order.
func encodeHidden(v any) ([]byte, error) {
	w := writer{hides: true}
	err := w.value(reflect.ValueOf(v))
	return w.Bytes(), err
}

type writer struct {
	bytes.Buffer
	hides bool // The texts of secrets.
}

func (w *writer) value(v reflect.Value) error {
	if !v.IsValid() || v.Kind() == reflect.Slice && v.IsNil() {
		w.WriteString("null")
		return nil
	}
	switch of := v.Interface().(type) {
	case Secret:
		return w.secret(of)
	case json.RawMessage:
		return json.Compact(&w.Buffer, of)
	case time.Duration: // Rounded up: a time limit that was given is never none.
		v = reflect.ValueOf((of + time.Millisecond - 1).Milliseconds())
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return w.value(v.Elem())
	case reflect.String:
		return w.text(v.String())
	case reflect.Bool, reflect.Int, reflect.Int64:
		_, err := fmt.Fprint(w, v)
		return err
	case reflect.Slice:
		w.WriteByte('[')
		for i := 0; i < v.Len(); i++ {
			w.comma()
			if err := w.value(v.Index(i)); err != nil {
				return err
			}
		}
		w.WriteByte(']')
		return nil
	case reflect.Struct:
		return w.structure(v)
	case reflect.Map:
		w.WriteByte('{')
		err := w.members(v)
		w.WriteByte('}')
		return err
	}
	return fmt.Errorf("a value of type %v cannot be written as JSON", v.Type())
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
	switch {
	case w.hides:
		text, err := of.MarshalJSON()
		w.Write(text)
		return err
	case of.text == nil:
		return w.text("") // A required one, which the library refuses.
	case strings.Contains(*of.text, hidden):
		return errHidden
	}
	return w.text(*of.text)
}

func (w *writer) text(of string) error {
	if !utf8.ValidString(of) {
		return errNotUTF8
	}
	out := append(w.AvailableBuffer(), '"')
	for _, c := range []byte(of) {
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c < ' ':
			out = fmt.Appendf(out, `\u%04x`, c)
		default:
			out = append(out, c)
		}
	}
	w.Write(append(out, '"'))
	return nil
}

// Writes the fields that are there, then Extra. A field of Extra that it already has is then there twice, which the library refuses.
func (w *writer) structure(v reflect.Value) error {
	w.WriteByte('{')
	for i := 0; i < v.NumField(); i++ {
		of, field := v.Type().Field(i), v.Field(i)
		name, options, _ := strings.Cut(of.Tag.Get("json"), ",")
		if !of.IsExported() || name == "-" || isLeftOut(field, options) {
			continue
		}
		// A price may have a word beside it, for an order that has one. Without both it is null, which the library refuses.
		if word := v.FieldByName("Existing" + of.Name); word.IsValid() && word.Bool() {
			if !field.IsZero() {
				return fmt.Errorf("%s and Existing%s contradict each other: give one of them", of.Name, of.Name)
			}
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
	w.WriteByte('}')
	return nil
}

// Like encoding/json; an empty secret of the configuration is left out like any other empty text.
func isLeftOut(field reflect.Value, options string) bool {
	if secret, is := field.Interface().(Secret); is && strings.Contains(options, "omitempty") {
		return secret.text == nil || *secret.text == ""
	}
	return options != "" && (field.IsZero() || field.Kind() == reflect.Slice && field.Len() == 0)
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
	w.WriteByte(':')
	return w.value(value)
}

// Separates two fields or elements in the same object or list.
func (w *writer) comma() {
	if last := w.Bytes()[w.Len()-1]; last != '{' && last != '[' {
		w.WriteByte(',')
	}
}
