//go:build cgo

package paysvc

// List is a list of objects of an answer. T is the struct of an element.
type List[T any] struct{ leaf }

// Get returns the elements. An element that is not an object has members that cannot be read. The error is [ErrAbsent], or an
// [*AnswerError] if it is not an array. Each Get reads the list again, so keep the result.
func (l List[T]) Get() ([]T, error) {
	raw, err := l.at.find()
	if err != nil {
		return nil, err
	}
	if raw[0] != '[' {
		return nil, l.at.unreadable("array")
	}
	in := &document{text: l.at.in.text[:l.at.to], list: l.at}
	s := scanner{in: in, text: in.text, pos: int(l.at.from)}
	elements := []T{}
	for s.next(']') {
		in.elements = append(in.elements, uint32(s.pos))
		elements = append(elements, *new(T))
		s.element(any(&elements[len(elements)-1]).(slot))
	}
	return elements, nil
}
