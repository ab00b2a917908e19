package paysvc_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
	"paysvc.example/go/paysvc/paysvctest"
)

// Nothing listens there.
var nowhere = paysvc.Config{BaseURL: "http://127.0.0.1:1", SecretKey: paysvc.NewSecret("s")}

// With a new journal in a file.
func withJournal(t testing.TB, config paysvc.Config) paysvc.Config {
	t.Helper()
	// Beside the sandbox: a journal may not be in memory, as the folder for temporary files perhaps is.
	folder := tested.Need(os.MkdirTemp(filepath.Dir(os.Getenv("PAYSVC_SANDBOX")), "journal"))(t, "make a folder for the journal")
	t.Cleanup(func() { os.RemoveAll(folder) })
	config.Journal, config.JournalCreate = filepath.Join(folder, "pay.db"), paysvc.Ptr(true)
	return config
}

func TestAClientTakesAStoreAndNotAJournalAsWell(t *testing.T) {
	_, err := paysvc.New(withJournal(t, nowhere), paysvc.WithStore(&memory{}))
	is(t, err, paysvc.ErrConfig, paysvc.ErrOutcomeNotSent)
}

// An end that a loop has not gone on from is told again.
func TestWhatIsOpenIsToldUntilALoopHasGoneOnFromIt(t *testing.T) {
	sandbox := paysvctest.Start(t, "--seed", "7")
	client, ctx := tested.Connect(t, withJournal(t, sandbox.Config)), context.Background()
	lose(t, sandbox, client, "R-1", charged)
	lose(t, sandbox, client, "R-2", refused) // It stays unknown, which is no error of the loop.
	for round, goesOn := range []bool{false, false, true, true} {
		var keys []string
		client.JournalNext(ctx)(func(entry paysvc.JournalEntry, err error) bool {
			keys = append(keys, entry.Key)
			isPaid := entry.Reply.Outcome == paysvc.OutcomeConfirmed
			if err != nil || entry.Kind != "charge" || entry.Key != "charge "+entry.Reference || isPaid != (entry.Reference == "R-1") || entry.Claim == "" {
				t.Errorf("told %+v %v", entry, err)
			}
			return goesOn
		})
		if told, want := strings.Join(keys, ","), []string{"charge R-1", "charge R-1", "charge R-1,charge R-2", "charge R-2"}[round]; told != want {
			t.Errorf("round %d told %q", round, told)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for name, failed := range map[string]func(func(paysvc.JournalEntry, error) bool){
		"broken":     tested.Connect(t, nowhere, paysvc.WithStore(&memory{fails: "Read"})).JournalNext(ctx),
		"no journal": tested.Connect(t, nowhere).JournalNext(ctx),
		"no client":  new(paysvc.Client).JournalNext(ctx),
		"no time":    client.JournalNext(ended),
	} {
		times := 0
		failed(func(_ paysvc.JournalEntry, err error) bool {
			times++
			if is(t, err, paysvc.ErrOutcomeUnknown); errors.Is(err, paysvc.ErrJournal) != (name == "broken") {
				t.Errorf("%s: %v", name, err)
			}
			return true
		})
		if times != 1 {
			t.Errorf("%s: told %d times", name, times)
		}
	}
}

func TestAKeyIsNeverIgnored(t *testing.T) {
	client, ctx := tested.Connect(t, nowhere), context.Background()
	refund := paysvc.OrderRefundRequest{Reference: "R"}
	key := paysvc.WithKey("refund-1")
	fails(client.OrderRefund(ctx, refund, key))(t, paysvc.ErrConfig, paysvc.ErrOutcomeNotSent)
	_, err := client.Request(ctx, paysvc.Request{Method: "POST", Path: "/new", Key: "secret"}, key)
	is(t, err, paysvc.ErrConfig, paysvc.ErrOutcomeNotSent)
	with := [][]paysvc.CallOption{{key, key}, {nil}, {paysvc.WithKey("")}, {paysvc.WithKey("a\x00b")}}
	for _, with := range with {
		fails(client.OrderRefund(ctx, refund, with...))(t, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent)
	}
}

func TestAReferenceThatTheClientMadeIsChargedWithoutALookUp(t *testing.T) {
	sandbox := paysvctest.Start(t, "--seed", "7")
	client := tested.Connect(t, withJournal(t, sandbox.Config))
	for _, reference := range []struct {
		make func(string) (string, error)
		sent int
	}{{client.NewReference, 1}, {paysvc.NewReference, 2}} {
		made, err := reference.make("T7")
		if err != nil || !strings.HasPrefix(made, "T7-") || len(made) != 29 {
			t.Fatal("made the reference:", made, err)
		}
		before := requests(sandbox)
		tested.Need(client.OrderCreate(context.Background(), charge(made, charged)))(t, "charge the card")
		if sent := requests(sandbox) - before; sent != reference.sent {
			t.Errorf("%d requests instead of %d", sent, reference.sent)
		}
		for _, wrong := range []string{"a b", "a\x00b"} {
			if made, err := reference.make(wrong); err == nil || errors.Is(err, paysvc.ErrConfig) {
				t.Error("made the reference:", made, err)
			}
		}
	}
	client.Close()
	fails(client.NewReference("T7"))(t, paysvc.ErrClosed)
	fails(tested.Connect(t, nowhere).NewReference("T7"))(t, paysvc.ErrConfig, paysvc.ErrOutcomeNotSent)
	fails(new(paysvc.Client).NewReference("T7"))(t, paysvc.ErrArgument)
}
