//go:build cgo

package paysvc

import "fmt"

// The status of a number of paysvc.h, in which 0 is success.
func statusOf(number int) Status {
	if number == 0 {
		return StatusOK
	}
	return Status(number)
}

// The outcome of a number of paysvc.h, in which 0 is NOT_SENT. One that this package does not know proves nothing.
func outcomeOf(number int) Outcome {
	switch n := Outcome(number); {
	case number == 0:
		return OutcomeNotSent
	case number > 0 && n.name() != "":
		return n
	}
	return OutcomeUnknown
}

func named(kind string, number int, name string) string {
	if name == "" {
		return fmt.Sprintf("%s(%d)", kind, number)
	}
	return name
}

// A state that the service has added since is no error: String writes it.
func (n *State) setAdded(name string) error {
	var added State
	if _, err := fmt.Sscanf(name, "State(%d)", (*int)(&added)); err != nil || added.String() != name {
		return noName("State", name)
	}
	*n = added
	return nil
}

func scanName(set func(name string) error, from any) error {
	switch name := from.(type) {
	case nil:
		return set("NONE")
	case string:
		return set(name)
	case []byte:
		return set(string(name))
	}
	return fmt.Errorf("paysvc: a %T is not a name of paysvc.h", from)
}

func noName(kind, name string) error { return fmt.Errorf("paysvc: %s has no name %q", kind, name) }
