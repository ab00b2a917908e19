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

// UnmarshalText takes a name; what has another one, or is a number in JSON, is refused.
func (n *Status) UnmarshalText(text []byte) error { return n.set(string(text)) }

// UnmarshalText takes a name; what has another one, or is a number in JSON, is refused.
func (n *Outcome) UnmarshalText(text []byte) error { return n.set(string(text)) }

// Value is the name, for database/sql.
func (n Status) Value() (driver.Value, error) { return n.String(), nil }

// Value is the name, for database/sql.
func (n Outcome) Value() (driver.Value, error) { return n.String(), nil }

// Scan takes a name from a database; NULL is StatusNone, and a number is refused.
func (n *Status) Scan(from any) error { return scanName(n, from) }

// Scan takes a name from a database; NULL is OutcomeNone, and a number is refused.
func (n *Outcome) Scan(from any) error { return scanName(n, from) }

func scanName(into interface{ set(name string) error }, from any) error {
	switch name := from.(type) {
	case nil:
		return into.set("NONE")
	case string:
		return into.set(name)
	case []byte:
		return into.set(string(name))
	}
	return fmt.Errorf("paysvc: a %T is not a name of paysvc.h", from)
}

func noName(kind, name string) error { return fmt.Errorf("paysvc: %s has no name %q", kind, name) }
