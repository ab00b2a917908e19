//go:build cgo

package paysvc

import (
	"encoding/json"
	"math"
	"sort"
	"strconv"
	"sync"
)

// A JSON document, or the elements of a list in one, which are positions in the same text.
type document struct {
	text   string
	broken bool // The text is not a JSON document.

	list     value    // What the elements belong to.
	elements []uint32 // Where they begin.
	once     sync.Once
	pointer  string // Of the list.
}

// The place of a value. The zero value: it is absent.
type value struct {
	in *document
	// to is 0 for a member of something that is not an object, which is at from.
	from, to uint32
}

func (v value) raw() string {
	if v.to == 0 {
		return ""
	}
	return v.in.text[v.from:v.to]
}

// The value as it is written; an error if there is none.
func (v value) find() (string, error) {
	if v.in != nil && v.to == 0 {
		return "", v.unreadable("object")
	}
	if raw := v.raw(); raw != "" && raw != "null" {
		return raw, nil
	}
	return "", ErrAbsent
}

func (v value) json() []byte {
	if raw := v.raw(); raw != "" {
		return []byte(raw)
	}
	return []byte("null")
}

func (v value) unreadable(want string) *AnswerError {
	return &AnswerError{Pointer: v.in.pointerTo(v.from), Want: want, Found: v.in.typeAt(v.from)}
}

func (d *document) pointerTo(at uint32) string {
	s := scanner{in: d, text: d.text}
	if d.list.in == nil {
		return s.pointer(int(at))
	}
	d.once.Do(func() { d.pointer = d.list.in.pointerTo(d.list.from) })
	index := sort.Search(len(d.elements), func(i int) bool { return d.elements[i] > at }) - 1
	s.pos = int(d.elements[index])
	return d.pointer + "/" + strconv.Itoa(index) + s.pointer(int(at))
}

func (d *document) typeAt(at uint32) string {
	if d.broken || at >= uint32(len(d.text)) {
		return "no JSON document"
	}
	switch d.text[at] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// Reads a body of any origin as an answer.
func readBody[A any](body []byte) (answer A) {
	read(body, json.Valid(body), any(&answer).(slot))
	return answer
}

// Reads the body of a reply, which the library has checked.
func readReply[A any](reply *Reply) (answer A) {
	read(reply.Body, len(reply.Body) > 0, any(&answer).(slot))
	return answer
}

// The JSON of an answer that has not been read is null.
func unmarshal[A any](body []byte, into *A) error {
	if *into = *new(A); string(body) != "null" {
		*into = readBody[A](body)
	}
	return nil
}

func read(body []byte, valid bool, into slot) {
	// A copy, so that the texts of the answer are parts of it.
	in := &document{text: string(body), broken: !valid || uint64(len(body)) > math.MaxUint32}
	if in.broken {
		*into.place() = value{in: in}
		spread(into, value{in: in})
		return
	}
	s := scanner{in: in, text: in.text}
	s.element(into)
}
