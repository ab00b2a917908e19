package paysvc_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
)

// A service that asks to try again at first, and numbers its responses; and the header traceparent of each request.
func busyOnce(t *testing.T) (config paysvc.Config, traces func() []string) {
	t.Helper()
	var mu sync.Mutex
	var got []string
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.Header.Get("traceparent"))
		w.Header().Set("x-request-id", fmt.Sprintf("r-%d", len(got)))
		if len(got) == 1 {
			w.Header().Set("retry-after", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		}
		fmt.Fprint(w, `{"status":true,"message":"done","data":{}}`)
	}))
	t.Cleanup(service.Close)
	return paysvc.Config{BaseURL: service.URL, PublicKey: paysvc.NewSecret("PGW-PUBLICKEY-TEST-1")}, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return got
	}
}

type nameKey struct{}

func named(ctx context.Context) string { return fmt.Sprint(ctx.Value(nameKey{})) }

// Keeps lines with the name in the context, without what differs from run to run. It needs no lock: a call passes on its log itself.
type records struct {
	slog.Handler
	got []string
	ids map[string]string // By call id the name in the context.
}

func (*records) Enabled(context.Context, slog.Level) bool { return true }

func (r *records) Handle(ctx context.Context, record slog.Record) error {
	text := fmt.Sprintf("%v %s:", record.Level, named(ctx))
	id := ""
	record.Attrs(func(attribute slog.Attr) bool {
		switch attribute.Key {
		case "call_id":
			id = attribute.Value.String()
		case "ms":
		default:
			text += " " + attribute.String()
		}
		return true
	})
	if r.ids == nil {
		r.ids = map[string]string{}
	}
	if other, ok := r.ids[id]; ok && other != named(ctx) || !strings.HasPrefix(record.Message, id+" ") {
		text += " IN THE WRONG CONTEXT OR CALL"
	}
	r.ids[id] = named(ctx)
	r.got = append(r.got, text)
	return nil
}

func TestTheLogHasAttributesAndTheContextOfTheCall(t *testing.T) {
	config, _ := busyOnce(t)
	log := &records{}
	client := tested.Connect(t, config, paysvc.WithLog(log, slog.LevelDebug))
	ctx := context.WithValue(context.Background(), nameKey{}, "till 7")
	reply := tested.Need(client.DirectDebitHistory(ctx, paysvc.DirectDebitHistoryRequest{EmailAddress: "none@example.com"}))(t, "ask for the history")
	want := []string{
		"DEBUG till 7: endpoint=direct_debit_history attempt=1 begins=true",
		"WARN till 7: endpoint=direct_debit_history attempt=1 status=E_RATE_LIMITED outcome=REJECTED http_status=429 request_id=r-1",
		"INFO till 7:",
		"DEBUG till 7: endpoint=direct_debit_history attempt=2 begins=true",
		"INFO till 7: endpoint=direct_debit_history attempt=2 status=OK outcome=CONFIRMED http_status=200 request_id=r-2",
	}
	if !reflect.DeepEqual(log.got, want) || log.ids[reply.CallID] != "till 7" {
		t.Errorf("%s\n%v", strings.Join(log.got, "\n"), log.ids)
	}
}

func TestALineOfTheLogComesWhileTheCallGoesOn(t *testing.T) {
	log := &records{}
	sandbox, client := start(t, paysvc.WithLog(log, slog.LevelInfo))
	sandbox.Post("/sandbox/orders", map[string]any{"reference": "R-1", "amount": "25.50"}, nil)
	_, err := client.OrderWait(context.Background(), paysvc.OrderWaitRequest{Reference: "R-1", Progress: func(paysvc.Progress) error {
		if !strings.Contains(strings.Join(log.got, "\n"), "endpoint=order_status attempt=1 status=OK") {
			t.Error("the log during the call:", log.got)
		}
		return paysvc.ErrStop
	}})
	is(t, err, paysvc.ErrCancelled)
}

// The program's log is at its least detailed level meanwhile.
func TestHooksAreCalledWithTheContextsOfEachOther(t *testing.T) {
	config, _ := busyOnce(t)
	var got []string
	within := func(ctx context.Context, name string) context.Context {
		return context.WithValue(ctx, nameKey{}, strings.TrimPrefix(named(ctx)+"/"+name, "<nil>/"))
	}
	note := func(ctx context.Context, format string, of ...any) {
		got = append(got, named(ctx)+" "+fmt.Sprintf(format, of...))
	}
	log := &records{}
	var ids [3]string
	hooks := paysvc.Hooks{
		CallBegins: func(ctx context.Context, function string) context.Context { return within(ctx, function) },
		CallEnded: func(ctx context.Context, function string, reply *paysvc.Reply, err error) {
			ids[0] = reply.CallID
			note(ctx, "%s %v %s %v", function, reply.Outcome, reply.RequestID, err)
		},
		AttemptBegins: func(ctx context.Context, attempt paysvc.Attempt) context.Context {
			ids[attempt.Number] = attempt.CallID
			return within(ctx, fmt.Sprint(attempt.Number))
		},
		AttemptEnded: func(ctx context.Context, attempt paysvc.Attempt) {
			if attempt.Duration < 0 || attempt.Duration > time.Minute {
				t.Error("the duration of the attempt:", attempt)
			}
			note(ctx, "%s %v %v %d %s", attempt.Function, attempt.Status, attempt.Outcome, attempt.HTTPStatus, attempt.RequestID)
		},
	}
	outer := paysvc.Hooks{
		CallBegins: func(ctx context.Context, function string) context.Context { return within(ctx, "outer") },
		CallEnded:  func(ctx context.Context, function string, _ *paysvc.Reply, _ error) { note(ctx, "ended") },
	}
	client := tested.Connect(t, config, paysvc.WithLog(log, slog.LevelError), paysvc.WithHooks(outer), paysvc.WithHooks(hooks))
	tested.Need(client.DirectDebitHistory(context.Background(), paysvc.DirectDebitHistoryRequest{EmailAddress: "none@example.com"}))(t, "ask for the history")
	err := fails(client.OrderStatus(context.Background(), paysvc.OrderStatusRequest{}))(t, paysvc.ErrConfig)
	want := []string{
		"outer/direct_debit_history/1 direct_debit_history E_RATE_LIMITED REJECTED 429 r-1",
		"outer/direct_debit_history/2 direct_debit_history OK CONFIRMED 200 r-2",
		"outer/direct_debit_history direct_debit_history CONFIRMED r-2 <nil>",
		"outer ended",
		"outer/order_status order_status NOT_SENT  " + err.Error(),
		"outer ended",
	}
	if !reflect.DeepEqual(got, want) || len(log.got) != 0 {
		t.Errorf("%s\n%v", strings.Join(got, "\n"), log.got)
	}
	if ids[1] == "" || ids[1] != ids[2] {
		t.Error("call ids of the call and its attempts:", ids)
	}
}

// A hook that makes a call with the same client, on the thread of the call that it is told about.
func TestACallWithinAHookHasItsOwnContext(t *testing.T) {
	config, _ := busyOnce(t)
	log := &records{}
	var client *paysvc.Client
	request := paysvc.DirectDebitHistoryRequest{EmailAddress: "none@example.com"}
	client = tested.Connect(t, config, paysvc.WithLog(log, slog.LevelDebug), paysvc.WithHooks(paysvc.Hooks{
		AttemptBegins: func(ctx context.Context, attempt paysvc.Attempt) context.Context {
			if named(ctx) == "outer" {
				client.DirectDebitHistory(context.WithValue(ctx, nameKey{}, "inner"), request)
			}
			return nil
		},
	}))
	ctx := context.WithValue(context.Background(), nameKey{}, "outer")
	tested.Need(client.DirectDebitHistory(ctx, request))(t, "ask for the history")
	all := strings.Join(log.got, "\n")
	if strings.Contains(all, "WRONG") || strings.Count(all, " inner:") < 3 || strings.Count(all, " outer:") < 2 {
		t.Error("the log:", all)
	}
}

// Enabled for all lines, and panics at each.
type panicking struct {
	records
	lines int
}

func (p *panicking) Handle(context.Context, slog.Record) error {
	p.lines++
	panic("a bug in a handler")
}

func TestAPanicInAHookOrALogHandlerDoesNotFailTheCall(t *testing.T) {
	config, _ := busyOnce(t)
	panics, handler := 0, &panicking{}
	fail := func() { panics++; panic("a bug in a hook") }
	client := tested.Connect(t, config, paysvc.WithLog(handler, slog.LevelDebug), paysvc.WithHooks(paysvc.Hooks{
		CallBegins:    func(context.Context, string) context.Context { fail(); return nil },
		CallEnded:     func(context.Context, string, *paysvc.Reply, error) { fail() },
		AttemptBegins: func(context.Context, paysvc.Attempt) context.Context { fail(); return nil },
		AttemptEnded:  func(context.Context, paysvc.Attempt) { fail() },
	}))
	_, err := client.DirectDebitHistory(context.Background(), paysvc.DirectDebitHistoryRequest{EmailAddress: "none@example.com"})
	if err != nil || panics != 6 || handler.lines < 4 {
		t.Error("the call, panics, and lines that the handler got:", err, panics, handler.lines)
	}
}

func TestTheTraceOfTheContextIsSentWithEveryRequest(t *testing.T) {
	config, traces := busyOnce(t)
	client := tested.Connect(t, config)
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	request := paysvc.DirectDebitHistoryRequest{EmailAddress: "none@example.com"}
	for _, wrong := range []string{"00-1-2-01", trace + "\x00"} {
		_, err := client.DirectDebitHistory(paysvc.ContextWithTraceparent(context.Background(), wrong), request)
		is(t, err, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent)
	}
	ctx := paysvc.ContextWithTraceparent(context.Background(), trace)
	for _, ctx := range []context.Context{ctx, paysvc.ContextWithTraceparent(ctx, "")} {
		tested.Need(client.DirectDebitHistory(ctx, request))(t, "ask for the history")
	}
	if got := traces(); !reflect.DeepEqual(got, []string{trace, trace, ""}) {
		t.Error("traceparent of each request:", got)
	}
}
