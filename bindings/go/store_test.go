package paysvc_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/paysvctest"
)

type noRows struct{}

func (noRows) Append(context.Context, paysvc.StoreRow) (paysvc.AppendResult, error) {
	return paysvc.Appended, nil
}

func (noRows) Read(context.Context, paysvc.StoreQuery) ([]string, error) { return nil, nil }

// Nothing listens there.
var nowhere = paysvc.Config{BaseURL: "http://127.0.0.1:1", SecretKey: paysvc.NewSecret("s")}

// With a new journal in a file.
func withJournal(t testing.TB, config paysvc.Config) paysvc.Config {
	t.Helper()
	// Beside the sandbox: a journal may not be in memory, as the folder for temporary files perhaps is.
	folder := need(os.MkdirTemp(filepath.Dir(os.Getenv("PAYSVC_SANDBOX")), "journal"))(t, "make a folder for the journal")
	t.Cleanup(func() { os.RemoveAll(folder) })
	config.Journal, config.JournalCreate = filepath.Join(folder, "pay.db"), paysvc.Ptr(true)
	return config
}

func TestAClientTakesAStoreAndNotAJournalAsWell(t *testing.T) {
	client := need(paysvc.New(nowhere, paysvc.WithStore(noRows{})))(t, "make a client with a store")
	client.Close()
	_, err := paysvc.New(withJournal(t, nowhere), paysvc.WithStore(noRows{}))
	is(t, err, paysvc.ErrConfig, paysvc.ErrOutcomeNotSent)
	if !strings.Contains(err.Error(), "journal is configured") {
		t.Error("the message is another:", err)
	}
}

// A refund that is open, as the library writes it; the last field is a checksum of the others.
const openRow = `{"version":2,"key":"key refund-1","key_as_given":"key refund-1","seq":1,"id":"CLAIM-1","time_ms":1,"account":"-  -","open":true,` +
	`"kind":"claim","step":"other","function":"order_refund","explicit":true,"has_page":false,"boot":"b","from_ms":1,"for_ms":1,"digests":{},"check":"cb195271e49eee03e4fff9fc457e176c"}`

type oneOpen struct{ noRows }

func (oneOpen) Read(_ context.Context, query paysvc.StoreQuery) ([]string, error) {
	if query.Kind == paysvc.QueryOpen && query.After == "key refund-1" {
		return nil, nil
	}
	return []string{openRow}, nil
}

type broken struct{ noRows }

func (broken) Read(context.Context, paysvc.StoreQuery) ([]string, error) {
	return nil, errors.New("no database")
}

func TestWhatIsOpenIsToldOneKeyAfterTheOther(t *testing.T) {
	ctx := context.Background()
	open := func(store paysvc.Store) *paysvc.Client {
		client := need(paysvc.New(nowhere, paysvc.WithStore(store)))(t, "make a client with a store")
		t.Cleanup(func() { client.Close() })
		return client
	}
	entries, err := journaled(ctx, open(oneOpen{}))
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d entries: %v", len(entries), err)
	}
	entry := entries[0]
	if entry.Key != "key refund-1" || entry.Kind != "key" || entry.Reference != "refund-1" || entry.Claim != "CLAIM-1" ||
		entry.Reply.Outcome != paysvc.OutcomeUnknown || !strings.Contains(entry.Reply.Message, "CLAIM-1") {
		t.Errorf("found %+v", entry)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for name, failed := range map[string]func() ([]paysvc.JournalEntry, error){
		"broken":     func() ([]paysvc.JournalEntry, error) { return journaled(ctx, open(broken{})) },
		"no journal": func() ([]paysvc.JournalEntry, error) { return journaled(ctx, connect(t, nowhere)) },
		"no client":  func() ([]paysvc.JournalEntry, error) { return journaled(ctx, new(paysvc.Client)) },
		"no time":    func() ([]paysvc.JournalEntry, error) { return journaled(ended, open(oneOpen{})) },
	} {
		entries, err := failed()
		if is(t, err, paysvc.ErrOutcomeUnknown); len(entries) != 0 || errors.Is(err, paysvc.ErrJournal) != (name == "broken") {
			t.Errorf("%s: %v %v", name, entries, err)
		}
	}
}

// What the journal has, and how its loop ended.
func journaled(ctx context.Context, client *paysvc.Client) (entries []paysvc.JournalEntry, failed error) {
	client.JournalNext(ctx)(func(entry paysvc.JournalEntry, err error) bool {
		if failed = err; err == nil {
			entries = append(entries, entry)
		}
		return true
	})
	return entries, failed
}

// An end that a loop has not gone on from is told again.
func TestWhatALoopStoppedAtIsToldAgain(t *testing.T) {
	sandbox := paysvctest.Start(t, "--seed", "7")
	client, ctx := connect(t, withJournal(t, sandbox.Config)), context.Background()
	lose(t, sandbox, client, "R-1", charged)
	reply := need(client.Call(ctx, "journal_next", []byte("{}")))(t, "find the next open key")
	if key, _ := reply.Get("/key"); key != "charge R-1" {
		t.Errorf("the key is %q", key)
	}
	for _, goesOn := range []bool{false, false, true} {
		told := 0
		client.JournalNext(ctx)(func(entry paysvc.JournalEntry, err error) bool {
			told++
			if err != nil || entry.Key != "charge R-1" || entry.Reply.Outcome != paysvc.OutcomeConfirmed || entry.Claim == "" {
				t.Errorf("told %+v %v", entry, err)
			}
			return goesOn
		})
		if told != 1 {
			t.Errorf("told %d times", told)
		}
	}
	if entries, err := journaled(ctx, client); len(entries) != 0 || err != nil {
		t.Errorf("after its end: %v %v", entries, err)
	}
}

// Its driver waits for a machine that is silent, whatever the context says.
type silent struct {
	noRows
	ends chan struct{}
}

func (s silent) Read(context.Context, paysvc.StoreQuery) ([]string, error) {
	<-s.ends
	return nil, nil
}

func TestACallEndsInTimeAlsoIfItsStoreDoesNot(t *testing.T) {
	store := silent{ends: make(chan struct{})}
	t.Cleanup(func() { close(store.ends) })
	client := need(paysvc.New(nowhere, paysvc.WithStore(store)))(t, "make a client with a store")
	t.Cleanup(func() { client.Close() })
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "R"}, paysvc.WithKey("refund-1"))
	// Nothing was read, so it is not known whether it was sent before.
	is(t, err, paysvc.ErrOutcomeUnknown)
}

func TestAKeyIsNeverIgnored(t *testing.T) {
	client, ctx := connect(t, nowhere), context.Background()
	refund := paysvc.OrderRefundRequest{Reference: "R"}
	key := paysvc.WithKey("refund-1")
	_, err := client.OrderRefund(ctx, refund, key)
	is(t, err, paysvc.ErrConfig, paysvc.ErrOutcomeNotSent)
	_, err = client.Request(ctx, paysvc.Request{Method: "POST", Path: "/new", Key: "secret"}, key)
	is(t, err, paysvc.ErrConfig, paysvc.ErrOutcomeNotSent)
	with := [][]paysvc.CallOption{{key, key}, {key, paysvc.WithKey("refund-2")}, {nil}}
	for _, key := range []string{"", "a\nb", "a\x00b", "\xff", strings.Repeat("k", 201)} {
		with = append(with, []paysvc.CallOption{paysvc.WithKey(key)})
	}
	for _, with := range with {
		_, err := client.OrderRefund(ctx, refund, with...)
		is(t, err, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent)
	}
}

func TestAReferenceThatTheClientMadeIsChargedWithoutALookUp(t *testing.T) {
	sandbox := paysvctest.Start(t, "--seed", "7")
	client := connect(t, withJournal(t, sandbox.Config))
	for _, reference := range []struct {
		make func(string) (string, error)
		sent int
	}{{client.NewReference, 1}, {paysvc.NewReference, 2}} {
		made, err := reference.make("T7")
		if err != nil || !strings.HasPrefix(made, "T7-") {
			t.Fatal("made the reference:", made, err)
		}
		before := requests(sandbox)
		reply := need(client.OrderCreate(context.Background(), charge(made, charged)))(t, "charge the card")
		if paid, why := reply.IsPaid(made, "25.50", "NGN"); !paid {
			t.Error("not paid:", why)
		}
		if sent := requests(sandbox) - before; sent != reference.sent {
			t.Errorf("%d requests instead of %d", sent, reference.sent)
		}
	}
	if made, err := client.NewReference("a b"); err == nil || errors.Is(err, paysvc.ErrConfig) {
		t.Error("made the reference:", made, err)
	}
	client.Close()
	_, err := client.NewReference("T7")
	is(t, err, paysvc.ErrClosed)
}

func TestAReferenceThatIsRememberedNeedsAJournal(t *testing.T) {
	_, err := connect(t, nowhere).NewReference("T7")
	is(t, err, paysvc.ErrConfig, paysvc.ErrOutcomeNotSent)
	if !strings.Contains(err.Error(), "needs a journal") {
		t.Error("the message is another:", err)
	}
	_, err = new(paysvc.Client).NewReference("T7")
	is(t, err, paysvc.ErrArgument)
}
