//go:build cgo

package paysvc

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Goes over a JSON document once, and notes where the values of typed members stand. The document is valid: the library
// has checked it, or [readBody] has. Any other text is gone over without a panic, and without a promise of what is found.
type scanner struct {
	in   *document
	text string // Of the document.
	pos  int    // At most len(text).
}

// What a member of an answer is read into: a leaf, a list, or a rendered struct, which has typed members of its own.
type slot interface {
	place() *value
	object() bool
}

// The names of the members of the rendered structs that have been read, from the tags of their fields. The field before
// them is [Object].
var layouts sync.Map // []string by reflect.Type

func layoutOf(of reflect.Type) []string {
	if known, ok := layouts.Load(of); ok {
		return known.([]string)
	}
	var names []string
	for i := 1; i < of.NumField(); i++ {
		names = append(names, of.Field(i).Tag.Get("json"))
	}
	layouts.Store(of, names)
	return names
}

func slotAt(object reflect.Value, member int) slot {
	return object.Field(member + 1).Addr().Interface().(slot)
}

// Reads the next value. A slot that has its value keeps it: of two members with the same name, the first counts.
func (s *scanner) read(into slot) {
	at := into.place()
	if at.in != nil {
		s.skip()
		return
	}
	begins, object := s.peek(), into.object()
	from := s.pos
	if object && begins == '{' {
		s.object(into)
	} else {
		s.skip()
	}
	*at = value{s.in, uint32(from), uint32(s.pos)}
	if object && begins != '{' && begins != 'n' {
		spread(into, *at)
	}
}

// Reads what must be an object: an element of a list, or the whole answer. Not even null is taken for an absent one.
func (s *scanner) element(into slot) {
	if s.peek() == '{' {
		s.read(into)
		return
	}
	at := value{s.in, uint32(s.pos), 0}
	s.skip()
	*into.place() = at
	spread(into, at)
}

// Makes all that is below an object unreadable, because something else stands in its place.
func spread(object slot, at value) {
	if !object.object() {
		return
	}
	at.to = 0
	fields := reflect.ValueOf(object).Elem()
	for member := range layoutOf(fields.Type()) {
		below := slotAt(fields, member)
		*below.place() = at
		spread(below, at)
	}
}

func (s *scanner) object(into slot) {
	fields := reflect.ValueOf(into).Elem()
	layout := layoutOf(fields.Type())
	for s.next('}') {
		if member := slices.Index(layout, s.name()); member >= 0 {
			s.read(slotAt(fields, member))
		} else {
			s.skip()
		}
	}
}

// From an opening bracket or from behind a value to the next value or name; false, behind the closing bracket, if there is
// none.
func (s *scanner) next(end byte) bool {
	if s.peek() != end && s.pos < len(s.text) {
		s.pos++ // The opening bracket, or a comma.
	}
	if s.peek() == end {
		s.pos++
		return false
	}
	return s.pos < len(s.text)
}

// Reads the name of a member, and its colon.
func (s *scanner) name() string {
	s.peek()
	from := s.pos
	s.skip()
	name := unquote(s.text[from:s.pos])
	if s.peek() == ':' {
		s.pos++
	}
	return name
}

// The next byte that is no white space; 0 at the end of the text.
func (s *scanner) peek() byte {
	for ; s.pos < len(s.text); s.pos++ {
		if c := s.text[s.pos]; c > ' ' {
			return c
		}
	}
	return 0
}

// Goes past the next value, however deeply it is nested.
func (s *scanner) skip() {
	switch s.peek() {
	case '"':
		s.skipString()
	case '{', '[':
		s.skipNested()
	default:
		for ; s.pos < len(s.text); s.pos++ {
			switch c := s.text[s.pos]; {
			case c <= ' ', c == ',', c == '}', c == ']', c == ':':
				return
			}
		}
	}
}

func (s *scanner) skipString() {
	text := s.text
	for i := s.pos + 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			s.pos = i + 1
			return
		case '\\':
			i++
		}
	}
	s.pos = len(text)
}

func (s *scanner) skipNested() {
	for depth := 0; s.pos < len(s.text); {
		switch s.text[s.pos] {
		case '"':
			s.skipString()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.pos++
		if depth == 0 {
			return
		}
	}
}

func isString(raw string) bool { return len(raw) >= 2 && raw[0] == '"' }

// The text of a JSON string; anything else as it is.
func unquote(raw string) string {
	if !isString(raw) {
		return raw
	}
	inner := raw[1 : len(raw)-1]
	for i := 0; i < len(inner); i++ {
		if inner[i] == '\\' {
			var text string
			_ = json.Unmarshal([]byte(raw), &text) // It does not fail: the document is valid.
			return text
		}
	}
	return inner
}

// The JSON pointer from the next value to the one within it that stands at a place.
func (s *scanner) pointer(to int) string {
	steps := ""
	for s.peek(); s.pos < to; s.peek() {
		step := s.enter(to)
		if step == "" {
			break // Not reached in a valid document.
		}
		steps += step
	}
	return steps
}

// Moves to the member or element that a place belongs to, and returns the step of the pointer.
func (s *scanner) enter(to int) string {
	object := s.peek() == '{'
	if !object && s.peek() != '[' {
		return ""
	}
	end := byte(']')
	if object {
		end = '}'
	}
	for index := 0; s.next(end); index++ {
		step := strconv.Itoa(index)
		if object {
			step = escapeStep.Replace(s.name())
		}
		s.peek()
		from := s.pos
		s.skip()
		if to < s.pos {
			s.pos = from
			return "/" + step
		}
	}
	return ""
}

var escapeStep = strings.NewReplacer("~", "~0", "/", "~1")
