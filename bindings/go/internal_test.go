package paysvc

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// With a journal, the reply of a call that was lost has the response of its status query. The order's status is not the refund's.
func TestTheAnswerOfALookUpIsNotThatOfTheCall(t *testing.T) {
	found := Reply{AnswerOf: "order_verify", AnswerJSON: json.RawMessage(`{"status":"Successful"}`)}
	if reply, err := replyOf[OrderRefundReply]("order_refund")(&found, nil); err != nil || reply.Answer.Status != "" || reply.AnswerOf != "order_verify" {
		t.Error("the response of the status query was taken:", reply, err)
	}
}

func TestAReplyIsFreedAlsoIfSmallValuesThatWereMadeWithItAreUsed(t *testing.T) {
	var freed atomic.Int32
	var beside []*int64
	for i := 0; i < 100; i++ {
		runtime.SetFinalizer(&kept{}, func(*kept) { freed.Add(1) })
		beside = append(beside, new(int64))
	}
	for until := time.Now().Add(10 * time.Second); freed.Load() < 100 && time.Now().Before(until); time.Sleep(time.Millisecond) {
		runtime.GC()
	}
	if freed.Load() < 100 {
		t.Error("freed of 100:", freed.Load())
	}
	runtime.KeepAlive(beside)
}

// The library ignores quotes and blanks around the value of a variable.
func TestAClientKnowsTheTimeoutThatTheLibraryHasRead(t *testing.T) {
	t.Setenv("PAYSVC_TIMEOUT_MS", ` "1200" `)
	client, err := New(Config{})
	if err != nil {
		t.Fatal("cannot make a client:", err)
	}
	defer client.Close()
	if client.timeout != 1200*time.Millisecond {
		t.Error("the timeout is", client.timeout)
	}
}

// The callbacks themselves need the library; this is what they do with a store.
func TestAStoreThatFailsInAnyWayHasFailed(t *testing.T) {
	s, end := &stored{}, make(chan struct{})
	defer close(end)
	for name, act := range map[string]func(context.Context) error{
		"error":  func(context.Context) error { return errors.New("no disk") },
		"panic":  func(context.Context) error { panic("no disk") },
		"goexit": func(context.Context) error { runtime.Goexit(); return nil },
		"late":   func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		// Its driver waits for a machine that is silent, whatever the context says.
		"silent": func(context.Context) error { <-end; return nil },
	} {
		if done := s.succeeds("Append", 1, act); done {
			t.Error("a store function that failed counts as success:", name)
		}
	}
	if !s.succeeds("Append", 1000, func(context.Context) error { return nil }) {
		t.Error("no success")
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
	for _, wrong := range []string{`{"since":"k"}`, `[`} {
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

// The fields of two responses with the service's names.
type (
	payment struct {
		Status, StatusCode, Message string
		Data                        struct {
			PaymentDetail struct {
				RedirectURL, RecipientAccount, PaymentReference, CardToken string
			}
			OrderPayment struct {
				OrderID, StatusID                                                int64
				OrderPaymentReference, Currency, OrderPaymentInstrument, Remarks string
				OrderPaymentResponseCode, OrderPaymentResponseMessage            string
				TotalAmount, Fee                                                 json.Number
			}
		}
	}
	history struct {
		CustomerName            string
		HasExistingDebitMandate *bool
		DirectDebitMandates     []struct {
			AccountNumber, BankName, DateCreated, BankCode string
			DirectDebitID                                  int64
		}
	}
)

// BenchmarkAnswer compares a typed answer with encoding/json on the service's own text. benches/speed runs it, and gives the
// folder with the responses.
func BenchmarkAnswer(b *testing.B) {
	folder := os.Getenv("BENCH_STAGE")
	if folder == "" {
		b.Skip("BENCH_STAGE is the folder with the responses: benches/speed sets it")
	}
	b.Run("payment", func(b *testing.B) {
		request := OrderPayRequest{PaymentOption: "bank-transfer", Reference: "ORDER-20260101-000001", BankTransfer: &OrderPayBankTransfer{}}
		besideJSON(b, folder, "payment.json", "order_pay", request, func(ours *OrderPayReply, theirs *payment) bool {
			return ours.Answer.OrderPayment.TotalAmount == "100.25" && theirs.Data.OrderPayment.TotalAmount == "100.25"
		})
	})
	b.Run("history", func(b *testing.B) {
		request := DirectDebitHistoryRequest{EmailAddress: "ada@example.com"}
		besideJSON(b, folder, "history.json", "direct_debit_history", request, func(ours *DirectDebitHistoryReply, theirs *history) bool {
			return *ours.Answer.DirectDebitMandates[499].DirectDebitID == 500 && theirs.DirectDebitMandates[499].DirectDebitID == 500
		})
	})
}

// Both readers of one response; `right` has to find what they read.
func besideJSON[Theirs any, R ~struct {
	Reply
	Answer A
}, A any](b *testing.B, folder, file, function string, request any, right func(*R, *Theirs) bool) {
	text, err := os.ReadFile(filepath.Join(folder, file))
	key, failed := os.ReadFile(filepath.Join(folder, "key.txt"))
	if err != nil || failed != nil {
		b.Fatal(err, failed)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "application/json")
		w.Write(text)
	}))
	defer server.Close()
	client, err := New(Config{BaseURL: server.URL, PublicKey: NewSecret("public"), SecretKey: NewSecret("secret"),
		EncryptionKey: NewSecret(strings.TrimSpace(string(key)))})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	made, err := client.do(context.Background(), function, request)
	if err != nil {
		b.Fatal(err)
	}
	// The library's JSON about the reply, in its order.
	told, err := json.Marshal(struct {
		LookUp     *ResolveRequest `json:"look_up"`
		AnswerOf   string          `json:"answer_of"`
		Answer     json.RawMessage `json:"answer"`
		Unreadable []string        `json:"unreadable"`
	}{made.lookUp, made.AnswerOf, made.AnswerJSON, []string{}})
	if err != nil {
		b.Fatal(err)
	}
	var ours *R
	b.Run("ours", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			reply := &Reply{}
			reply.take(told)
			if ours, err = replyOf[R](function)(reply, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	var theirs *Theirs
	b.Run("theirs", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			theirs = new(Theirs)
			if err := json.Unmarshal(text, theirs); err != nil {
				b.Fatal(err)
			}
		}
	})
	if ours != nil && theirs != nil && !right(ours, theirs) {
		b.Error("another answer:", ours, theirs)
	}
}
