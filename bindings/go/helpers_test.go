package paysvc_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"testing"
	"time"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
	"paysvc.example/go/paysvc/paysvctest"
)

// The library's replies that a paid reply keeps are freed by the garbage collector: the test of ownership waits for it.
func TestMain(m *testing.M) {
	code := m.Run()
	for i := 0; i < 5; i++ {
		runtime.GC()
		time.Sleep(20 * time.Millisecond)
	}
	os.Exit(code)
}

func start(t *testing.T, with ...paysvc.Option) (*paysvctest.Sandbox, *paysvc.Client) {
	t.Helper()
	sandbox := paysvctest.Start(t, "--seed", "7")
	return sandbox, tested.Connect(t, sandbox.Config, with...)
}

func failure(t *testing.T, err error) *paysvc.Error {
	t.Helper()
	var failure *paysvc.Error
	if !errors.As(err, &failure) {
		t.Fatalf("not an *Error: %v", err)
	}
	return failure
}

func is(t *testing.T, err error, kinds ...error) {
	t.Helper()
	for _, kind := range kinds {
		if !errors.Is(err, kind) {
			t.Errorf("%v is not %v", err, kind)
		}
	}
}

// Checks what a function's error is, and passes it on: fails(f())(t, kinds...).
func fails[T any](_ T, err error) func(t *testing.T, kinds ...error) error {
	return func(t *testing.T, kinds ...error) error {
		t.Helper()
		is(t, err, kinds...)
		return err
	}
}

// Waits until the sandbox has this effect in its ledger, which is before it answers, if it does.
func committed(t testing.TB, sandbox *paysvctest.Sandbox, effect string) {
	t.Helper()
	tested.Eventually(t, "an effect "+effect, func() bool { return tested.Count(sandbox, effect) > 0 })
}

func requests(sandbox *paysvctest.Sandbox) int {
	var log struct{ Requests []json.RawMessage }
	sandbox.Get("/sandbox/requests", &log)
	return len(log.Requests)
}

// A sandbox for an example, which has no test.
type exampleSandbox struct {
	*paysvctest.Sandbox
	stop func()
}

type exampleTest struct {
	testing.TB
	cleanups []func()
}

func (*exampleTest) Helper()                           {}
func (*exampleTest) Fatal(args ...any)                 { panic(fmt.Sprint(args...)) }
func (*exampleTest) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (t *exampleTest) Cleanup(cleanup func())          { t.cleanups = append(t.cleanups, cleanup) }

func sandboxForExample(change ...func(testing.TB, paysvc.Config) paysvc.Config) (exampleSandbox, *paysvc.Client) {
	t := &exampleTest{}
	sandbox := paysvctest.Start(t, "--seed", "7")
	config := sandbox.Config
	for _, change := range change {
		config = change(t, config)
	}
	client := tested.Need(paysvc.New(config))(t, "make a client")
	return exampleSandbox{sandbox, func() {
		client.Close()
		for _, cleanup := range t.cleanups {
			cleanup()
		}
	}}, client
}

func withoutTime(_ []string, attribute slog.Attr) slog.Attr {
	if attribute.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return attribute
}
