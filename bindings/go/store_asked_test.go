package paysvc

import (
	"context"
	"errors"
	"runtime"
	"testing"
)

// The callbacks themselves need the library; this is what they do with a store.
func TestAStoreThatPanicsOrEndsItsGoroutineHasFailed(t *testing.T) {
	s := &stored{}
	for name, act := range map[string]func(context.Context) error{
		"error":  func(context.Context) error { return errors.New("no disk") },
		"panic":  func(context.Context) error { panic("no disk") },
		"goexit": func(context.Context) error { runtime.Goexit(); return nil },
		"late":   func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		if done := s.succeeds("Append", 1, act); done {
			t.Error("a store function that failed counts as success:", name)
		}
	}
	if !s.succeeds("Append", 1000, func(context.Context) error { return nil }) {
		t.Error("no success")
	}
}

func TestOnlyAKnownResultIsAnAnswerOfAppend(t *testing.T) {
	for result, want := range map[AppendResult]error{Appended: nil, AlreadyThere: nil, 0: errNoResult, 3: errNoResult} {
		if err := result.check(); !errors.Is(err, want) {
			t.Error("the check of an append result:", result, err)
		}
	}
}

func TestQueriesAndRowsAreReadFromTheirJSON(t *testing.T) {
	for text, want := range map[string]StoreQuery{
		`{"key":"k"}`:                         {Kind: QueryKey, Key: "k"},
		`{"order":""}`:                        {Kind: QueryOrder},
		`{"open":true,"after":"k","limit":5}`: {Kind: QueryOpen, After: "k", Limit: 5},
	} {
		if got, err := queryOf([]byte(text)); err != nil || got != want {
			t.Error("the query:", text, got, err)
		}
	}
	for _, wrong := range []string{`{}`, `{"since":"k"}`, `[`} {
		if _, err := queryOf([]byte(wrong)); err == nil {
			t.Error("a wrong query was accepted:", wrong)
		}
	}
	row := StoreRow{Key: "k", Seq: 2, JSON: `{"order":"R","open":true}`}
	if err := row.read(); err != nil || row.Order != "R" || !row.Open {
		t.Error("the row:", row, err)
	}
	row.JSON = `{"open":1}`
	if row.read() == nil {
		t.Error("a row that cannot be read")
	}
}
