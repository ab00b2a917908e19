//go:build cgo

package paysvc

import (
	"database/sql/driver"
	"fmt"
)

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

// String is the name in paysvc.h, e.g. "E_TIMEOUT"; "NONE" of StatusNone.
func (n Status) String() string { return named("Status", int(n), n.name()) }

// String is the name in paysvc.h, e.g. "UNKNOWN"; "NONE" of OutcomeNone.
func (n Outcome) String() string { return named("Outcome", int(n), n.name()) }

// String is the name in paysvc.h, e.g. "SUCCESSFUL".
func (n State) String() string { return named("State", int(n), n.name()) }

func named(kind string, number int, name string) string {
	if name == "" {
		return fmt.Sprintf("%s(%d)", kind, number)
	}
	return name
}

// MarshalText is the name, for encoding/json too.
func (n Status) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// MarshalText is the name, for encoding/json too.
func (n Outcome) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// MarshalText is the name, for encoding/json too; "State(8)" of a number that this package does not know.
func (n State) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText takes a name; what has another one, or is a number in JSON, is refused.
func (n *Status) UnmarshalText(text []byte) error { return n.set(string(text)) }

// UnmarshalText takes a name; what has another one, or is a number in JSON, is refused.
func (n *Outcome) UnmarshalText(text []byte) error { return n.set(string(text)) }

// UnmarshalText takes what MarshalText has written; a number in JSON is refused.
func (n *State) UnmarshalText(text []byte) error { return n.read(string(text)) }

// A state that the service has added since is no error.
func (n *State) read(name string) error {
	var added State
	if _, err := fmt.Sscanf(name, "State(%d)", (*int)(&added)); err == nil && added.String() == name {
		*n = added
		return nil
	}
	return n.set(name)
}

// Value is the name, for database/sql.
func (n Status) Value() (driver.Value, error) { return n.String(), nil }

// Value is the name, for database/sql.
func (n Outcome) Value() (driver.Value, error) { return n.String(), nil }

// Value is the name, for database/sql.
func (n State) Value() (driver.Value, error) { return n.String(), nil }

// Scan takes a name from a database; NULL is StatusNone, and a number is refused.
func (n *Status) Scan(from any) error { return scanName(n.set, from) }

// Scan takes a name from a database; NULL is OutcomeNone, and a number is refused.
func (n *Outcome) Scan(from any) error { return scanName(n.set, from) }

// Scan takes a name from a database; NULL is StateNone, and a number is refused.
func (n *State) Scan(from any) error { return scanName(n.read, from) }

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
