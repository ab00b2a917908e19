// Package tested has what the tests of several packages and modules do.
package tested

import (
	"testing"
	"time"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/paysvctest"
)

// Must ends the test, with what it could not do, if there is an error.
func Must(t testing.TB, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("cannot %s: %v", what, err)
	}
}

// Need passes on what a function returned: Need(f())(t, "call f").
func Need[T any](value T, err error) func(t testing.TB, what string) T {
	return func(t testing.TB, what string) T {
		t.Helper()
		Must(t, what, err)
		return value
	}
}

// Connect makes a client, and closes it at the end of the test.
func Connect(t testing.TB, config paysvc.Config, with ...paysvc.Option) *paysvc.Client {
	t.Helper()
	client := Need(paysvc.New(config, with...))(t, "make a client")
	t.Cleanup(func() { client.Close() })
	return client
}

// Eventually waits until something is so. It may be called on another goroutine than the test's, which it therefore does not end.
func Eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Errorf("not within a minute: %s", what)
			return
		}
	}
}

// Count returns the number of times the sandbox has this effect in its ledger.
func Count(sandbox *paysvctest.Sandbox, effect string) (times int) {
	for _, entry := range sandbox.Ledger() {
		if entry.Effect == effect {
			times++
		}
	}
	return
}

// Paid makes a paid order, which can be refunded. Its reference may select a fault.
func Paid(sandbox *paysvctest.Sandbox, reference string) {
	sandbox.Post("/sandbox/orders", map[string]any{"reference": reference, "amount": "100.10", "paid": true}, nil)
}

// PayingTwice starts a sandbox that executes every request that reaches it, and has a paid order R-1; and a client with a store.
func PayingTwice(t testing.TB, store paysvc.Store) (*paysvctest.Sandbox, *paysvc.Client) {
	t.Helper()
	sandbox := paysvctest.Start(t, "--seed", "7", "--pay-twice")
	Paid(sandbox, "R-1")
	return sandbox, Connect(t, sandbox.Config, paysvc.WithStore(store))
}
