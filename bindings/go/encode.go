//go:build cgo

package paysvc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"sort"
	"unicode/utf8"
)

// Ptr returns a pointer to a value, for optional members.
func Ptr[T any](value T) *T { return &value }

// Embedded in every struct that may hold keys, card data or one-time codes, so that fmt and slog do not print them.
type redacted struct{}

// Format keeps the struct's members out of the output of fmt, for every verb.
func (redacted) Format(state fmt.State, _ rune) { io.WriteString(state, "(not shown)") }

// LogValue keeps the struct's members out of logs.
func (redacted) LogValue() slog.Value { return slog.StringValue("(not shown)") }

var errNotUTF8 = errors.New("a string is not UTF-8")

// Encodes as JSON, without HTML escapes, and refuses strings that are not UTF-8 instead of replacing them.
func encode(v any) ([]byte, error) {
	if !isUTF8(reflect.ValueOf(v)) {
		return nil, errNotUTF8
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

func isUTF8(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Pointer:
		return v.IsNil() || isUTF8(v.Elem())
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			if !isUTF8(v.Field(i)) {
				return false
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return true // json.RawMessage, which encoding/json checks.
		}
		for i := 0; i < v.Len(); i++ {
			if !isUTF8(v.Index(i)) {
				return false
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if !isUTF8(key) {
				return false
			}
		}
	}
	return true
}

// Appends further members to an object. One that it already has is then there twice, which the library refuses.
func withExtra(plain any, extra map[string]json.RawMessage) ([]byte, error) {
	out, err := encode(plain)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(extra))
	for name := range extra {
		names = append(names, name)
	}
	sort.Strings(names)
	out = out[:len(out)-1]
	for _, name := range names {
		if len(out) > 1 {
			out = append(out, ',')
		}
		quoted, err := encode(name)
		if err != nil {
			return nil, err
		}
		value, err := encode(extra[name])
		if err != nil {
			return nil, fmt.Errorf("Extra[%q]: %w", name, err)
		}
		out = append(append(append(out, quoted...), ':'), value...)
	}
	return append(out, '}'), nil
}
