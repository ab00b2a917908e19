package paysvc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/paysvctest"
)

func start(t *testing.T, with ...paysvc.Option) (*paysvctest.Sandbox, *paysvc.Client) {
	t.Helper()
	sandbox := paysvctest.Start(t, "--seed", "7")
	client, err := paysvc.New(sandbox.Config, with...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return sandbox, client
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

// An order that is paid, so that it can be refunded. Its reference may ask for a fault.
func paid(sandbox *paysvctest.Sandbox, reference string) {
	sandbox.Post("/sandbox/orders", map[string]any{"reference": reference, "amount": "100.10", "paid": true}, nil)
}

// Returns once the sandbox has committed so much, which is before it answers, if it does.
func committed(sandbox *paysvctest.Sandbox, effect string) {
	for {
		for _, entry := range sandbox.Ledger() {
			if entry.Effect == effect {
				return
			}
		}
	}
}

func count(sandbox *paysvctest.Sandbox, effect string) (times int) {
	for _, entry := range sandbox.Ledger() {
		if entry.Effect == effect {
			times++
		}
	}
	return
}

func requests(sandbox *paysvctest.Sandbox) int {
	var log struct{ Requests []json.RawMessage }
	sandbox.Get("/sandbox/requests", &log)
	return len(log.Requests)
}

func TestRefundAndWhatItLeft(t *testing.T) {
	sandbox, client := start(t)
	paid(sandbox, "ORDER-1")
	reply, err := client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{
		Reference: "ORDER-1", Reason: paysvc.Ptr("<one> & \"two\""), Amount: paysvc.Ptr("25.50"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if reply.Status != paysvc.StatusOK || reply.Outcome != paysvc.OutcomeConfirmed || reply.State != paysvc.StatePending ||
		reply.HTTPStatus != 200 || reply.Attempts != 1 || reply.RetryAfter >= 0 || reply.Message == "" {
		t.Errorf("%+v", *reply)
	}
	if amount, ok := reply.Get("/data/amount_refunded"); !ok || amount != "25.50" {
		t.Error(amount, ok)
	}
	var body struct {
		Data struct {
			Amount string `json:"amount_refunded"`
		} `json:"data"`
	}
	if err := reply.Decode(&body); err != nil || body.Data.Amount != "25.50" {
		t.Error(body, err)
	}
	if last := sandbox.Ledger(); len(last) == 0 || last[len(last)-1].String() != "refund_made ORDER-1/25.50 25.50" {
		t.Error(last)
	}
}

func TestDecodeKeepsNumbersAsTheyStand(t *testing.T) {
	sandbox, client := start(t)
	var fund struct{ SessionID string }
	sandbox.Post("/sandbox/fund", map[string]any{"alias": "till", "amount": "2500.50", "senderName": "Ada"}, &fund)
	reply, err := client.TransactionDetails(context.Background(), paysvc.TransactionDetailsRequest{SessionID: fund.SessionID})
	if err != nil || reply.State != paysvc.StateSuccessful {
		t.Fatal(reply, err)
	}
	var body map[string]any
	if err := reply.Decode(&body); err != nil {
		t.Fatal(err)
	}
	if got := body["data"].(map[string]any)["totalAmountCharged"]; got != json.Number("2500.50") {
		t.Errorf("%T %v", got, got)
	}
}

func TestWhatIsWrongIsRefusedBeforeAnythingIsSent(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	refund := func(request paysvc.OrderRefundRequest) error {
		_, err := client.OrderRefund(ctx, request)
		return err
	}
	raw := func(function, json string) error {
		_, err := client.Call(ctx, function, []byte(json))
		return err
	}
	absent := func() error {
		_, err := client.Call(ctx, "order_refund", nil)
		return err
	}
	for name, err := range map[string]error{
		"no reference":      refund(paysvc.OrderRefundRequest{}),
		"an empty amount":   refund(paysvc.OrderRefundRequest{Reference: "R", Amount: paysvc.Ptr("")}),
		"not UTF-8":         refund(paysvc.OrderRefundRequest{Reference: "R\xff"}),
		"unknown member":    raw("order_refund", `{"reference":"R","amuont":"1"}`),
		"text after a NUL":  raw("order_refund", "{\"reference\":\"R\"}\x00{}"),
		"no JSON":           raw("order_refund", "reference=R"),
		"nothing":           absent(),
		"empty":             raw("order_refund", ""),
		"an unknown method": raw("order_steal", `{}`),
	} {
		t.Run(name, func(t *testing.T) {
			is(t, err, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent)
			failure := failure(t, err)
			if failure.Attempts != 0 || failure.RetryAfter >= 0 || !json.Valid(failure.Body) {
				t.Errorf("%+v %s", failure.Reply, failure.Body)
			}
			if errors.Is(err, paysvc.ErrOutcomeUnknown) || errors.Is(err, paysvc.ErrRejected) {
				t.Error("is everything")
			}
		})
	}
	if sent := requests(sandbox); sent != 0 {
		t.Errorf("%d sent", sent)
	}
}

func TestErrorsByKind(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	_, err := client.DirectDebitStatus(ctx, paysvc.DirectDebitStatusRequest{MandateCode: "none"})
	is(t, err, paysvc.ErrRejected, paysvc.ErrOutcomeRejected)
	if failure := failure(t, err); failure.HTTPStatus != 404 || failure.Function != "direct_debit_status" ||
		!strings.Contains(err.Error(), "paysvc: direct_debit_status: E_REJECTED, outcome REJECTED: ") {
		t.Error(err)
	}
	paid(sandbox, "sbx-commit_then_reset-1")
	_, err = client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "sbx-commit_then_reset-1"})
	is(t, err, paysvc.ErrTransport, paysvc.ErrOutcomeUnknown)
	wrong := sandbox.Config
	wrong.PublicKey = "PGW-PUBLICKEY-TEST-00000000000000000000000000000000"
	other, err := paysvc.New(wrong)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	_, err = other.DirectDebitStatus(ctx, paysvc.DirectDebitStatusRequest{MandateCode: "none"})
	is(t, err, paysvc.ErrUnauthorized, paysvc.ErrOutcomeRejected)
	wrong.BaseURL = "http://example.com"
	_, err = paysvc.New(wrong)
	is(t, err, paysvc.ErrConfig, paysvc.ErrOutcomeNotSent)
	_, err = paysvc.New(paysvc.Config{BaseURL: "https://127.0.0.1\xff"})
	is(t, err, paysvc.ErrConfig)
	_, err = paysvc.New(sandbox.Config, paysvc.WithMaxInFlight(0))
	is(t, err, paysvc.ErrArgument)
}

func TestAContextThatIsDoneSendsNothing(t *testing.T) {
	sandbox, client := start(t)
	paid(sandbox, "ORDER-1")
	cause := errors.New("the customer left")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "ORDER-1"})
	is(t, err, context.Canceled, cause, paysvc.ErrCancelled, paysvc.ErrOutcomeNotSent)
	late, cancelLate := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancelLate()
	_, err = client.OrderRefund(late, paysvc.OrderRefundRequest{Reference: "ORDER-1"})
	is(t, err, context.DeadlineExceeded, paysvc.ErrTimeout, paysvc.ErrOutcomeNotSent)
	if sent := requests(sandbox); sent != 0 {
		t.Errorf("%d sent", sent)
	}
}

func TestACancelAfterItWasSentIsUnknown(t *testing.T) {
	sandbox, client := start(t)
	paid(sandbox, "sbx-commit_then_timeout-1")
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		committed(sandbox, "refund_made")
		cancel()
	}()
	_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-1"})
	is(t, err, context.Canceled, paysvc.ErrCancelled, paysvc.ErrOutcomeUnknown)
	if count(sandbox, "refund_made") != 1 {
		t.Error(sandbox.Ledger())
	}
}

func TestADeadlineReachesTheLibrary(t *testing.T) {
	sandbox, client := start(t)
	paid(sandbox, "sbx-commit_then_timeout-1")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-1"})
	is(t, err, context.DeadlineExceeded, paysvc.ErrTimeout, paysvc.ErrOutcomeUnknown)
	if errors.Is(err, paysvc.ErrCancelled) || errors.Is(err, context.Canceled) {
		t.Error("a deadline is no cancel")
	}
	if count(sandbox, "refund_made") != 1 {
		t.Error(sandbox.Ledger())
	}
}

// Every moment at which a deadline can strike, from before the first byte to after the answer.
func TestADeadlineIsATimeoutWheneverItStrikes(t *testing.T) {
	_, client := start(t)
	struck := 0
	for i := 0; i < 300; i++ {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*10*time.Microsecond)
		_, err := client.DirectDebitHistory(ctx, paysvc.DirectDebitHistoryRequest{EmailAddress: "none@example.com"})
		cancel()
		if err != nil {
			struck++
			is(t, err, context.DeadlineExceeded, paysvc.ErrTimeout)
			if errors.Is(err, paysvc.ErrCancelled) {
				t.Error(err)
			}
		}
	}
	if struck == 0 {
		t.Error("none struck")
	}
}

// A context whose deadline shows only when it has passed.
type secretive struct{ context.Context }

func (secretive) Deadline() (time.Time, bool) { return time.Time{}, false }

func TestADeadlineThatAContextDoesNotTellIsATimeoutToo(t *testing.T) {
	sandbox, client := start(t)
	paid(sandbox, "sbx-commit_then_timeout-1")
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, err := client.OrderRefund(secretive{ctx}, paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-1"})
	is(t, err, context.DeadlineExceeded, paysvc.ErrTimeout, paysvc.ErrOutcomeUnknown)
}

// The answer's head has come, its body has not: the context still ends the call, and is what the error names.
func TestADeadlineAndACancelWithinTheBody(t *testing.T) {
	sandbox, client := start(t)
	for i, kinds := range [][]error{
		{context.DeadlineExceeded, paysvc.ErrTimeout, paysvc.ErrOutcomeUnknown},
		{context.Canceled, paysvc.ErrCancelled, paysvc.ErrOutcomeUnknown},
	} {
		reference := fmt.Sprintf("sbx-never_end-%d", i)
		paid(sandbox, reference)
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		if i == 1 {
			cancel()
			ctx, cancel = context.WithCancel(context.Background())
			time.AfterFunc(2*time.Second, cancel)
		}
		_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: reference})
		cancel()
		is(t, err, kinds...)
		if failure(t, err).HTTPStatus != 200 {
			t.Errorf("not within the body: %v", err)
		}
	}
}

// The client's own limit holds although the context has hours; and it is no error of the context.
func TestALongDeadlineDoesNotLengthenTheClientsOwn(t *testing.T) {
	sandbox := paysvctest.Start(t)
	config := sandbox.Config
	config.TimeoutMS = paysvc.Ptr[int64](1500)
	client, err := paysvc.New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	paid(sandbox, "sbx-commit_then_timeout-1")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Hour)
	defer cancel()
	_, err = client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-1"})
	is(t, err, paysvc.ErrTimeout, paysvc.ErrOutcomeUnknown)
	if errors.Is(err, context.DeadlineExceeded) {
		t.Error("blames the context")
	}
}

func TestCloseWithACallInFlight(t *testing.T) {
	sandbox, client := start(t)
	paid(sandbox, "sbx-slow_headers-1")
	ended := make(chan error)
	go func() {
		_, err := client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{Reference: "sbx-slow_headers-1"})
		ended <- err
	}()
	committed(sandbox, "refund_made")
	for i := 0; i < 3; i++ {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	}
	_, err := client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{Reference: "sbx-slow_headers-1"})
	is(t, err, paysvc.ErrClosed, paysvc.ErrOutcomeNotSent)
	if err := <-ended; err != nil {
		t.Errorf("the call in flight: %v", err)
	}
}

func TestWaitingForATurnHonoursTheContextAndClose(t *testing.T) {
	sandbox, client := start(t, paysvc.WithMaxInFlight(1))
	paid(sandbox, "sbx-commit_then_timeout-1")
	ctx, cancel := context.WithCancel(context.Background())
	call := func(ctx context.Context) chan error {
		ended := make(chan error, 1)
		go func() {
			_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-1"})
			ended <- err
		}()
		return ended
	}
	first := call(ctx)
	committed(sandbox, "refund_made")
	waits, stop := context.WithCancel(context.Background())
	second, third := call(waits), call(context.Background())
	stop()
	err := <-second
	is(t, err, context.Canceled, paysvc.ErrOutcomeNotSent)
	client.Close()
	is(t, <-third, paysvc.ErrClosed, paysvc.ErrOutcomeNotSent)
	cancel()
	is(t, <-first, paysvc.ErrOutcomeUnknown)
	if sent := requests(sandbox); sent != 1 {
		t.Errorf("%d sent", sent)
	}
}

// A call that holds the only slot for as long as the test wants.
func stalled(t *testing.T, config func(*paysvc.Config)) (sandbox *paysvctest.Sandbox, client *paysvc.Client, end func()) {
	t.Helper()
	sandbox = paysvctest.Start(t, "--seed", "7")
	config(&sandbox.Config)
	client, err := paysvc.New(sandbox.Config, paysvc.WithMaxInFlight(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	paid(sandbox, "sbx-commit_then_timeout-1")
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-1"})
	}()
	committed(sandbox, "refund_made")
	end = func() {
		cancel()
		<-ended
	}
	t.Cleanup(end)
	return sandbox, client, end
}

func TestWaitingForASlotCounts(t *testing.T) {
	sandbox, client, _ := stalled(t, func(*paysvc.Config) {})
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	began := time.Now()
	reply, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "ORDER-1"})
	took := time.Since(began)
	is(t, err, paysvc.ErrTimeout, context.DeadlineExceeded, paysvc.ErrOutcomeNotSent)
	failure := failure(t, err)
	if reply != nil || took < 500*time.Millisecond || took > 5*time.Second || failure.Attempts != 0 ||
		!strings.Contains(failure.Message, "all 1 slots of this client (WithMaxInFlight) were busy") || !json.Valid(failure.Body) {
		t.Errorf("after %v: %+v", took, failure)
	}
	if sent := requests(sandbox); sent != 1 {
		t.Errorf("%d sent", sent)
	}
}

// The context has no end: the client's own limit is the call's, the wait for a slot included. The call that holds the
// slot began half a limit earlier, so what the waiting one gets is the other half.
func TestTheClientsOwnLimitCountsTheWaitToo(t *testing.T) {
	sandbox, client, _ := stalled(t, func(config *paysvc.Config) { config.TimeoutMS = paysvc.Ptr[int64](2000) })
	paid(sandbox, "sbx-commit_then_timeout-2")
	time.Sleep(time.Second)
	began := time.Now()
	_, err := client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-2"})
	took := time.Since(began)
	is(t, err, paysvc.ErrTimeout, paysvc.ErrOutcomeUnknown)
	if errors.Is(err, context.DeadlineExceeded) {
		t.Error("blames the context")
	}
	if took > 2900*time.Millisecond {
		t.Errorf("%v: two seconds from when it had its slot", took)
	}
}

func TestTheClientsOwnLimitEndsTheWait(t *testing.T) {
	// One after the other they would take twelve seconds.
	sandbox, client, end := stalled(t, func(config *paysvc.Config) { config.TimeoutMS = paysvc.Ptr[int64](1500) })
	paid(sandbox, "sbx-commit_then_timeout-2")
	failures, began := make(chan error, 8), time.Now()
	for i := 0; i < cap(failures); i++ {
		go func() {
			_, err := client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-2"})
			failures <- err
		}()
	}
	notSent := 0
	for i := 0; i < cap(failures); i++ {
		err := <-failures
		is(t, err, paysvc.ErrTimeout)
		if errors.Is(err, paysvc.ErrOutcomeNotSent) {
			notSent++
		}
	}
	took := time.Since(began)
	end()
	if sent := requests(sandbox); notSent == 0 || sent > 1+cap(failures)-notSent || took > 6*time.Second {
		t.Errorf("%d not sent, %d seen, %v", notSent, sent, took)
	}
}

func TestTenThousandGoroutinesOnOneClient(t *testing.T) {
	_, client := start(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	before := runtime.NumGoroutine()
	var wait sync.WaitGroup
	failed := make(chan error, 10000)
	for i := 0; i < 10000; i++ {
		wait.Add(1)
		go func(email string) {
			defer wait.Done()
			reply, err := client.DirectDebitHistory(ctx, paysvc.DirectDebitHistoryRequest{EmailAddress: email})
			if err != nil || reply.Outcome != paysvc.OutcomeConfirmed {
				failed <- err
			}
		}(fmt.Sprintf("none@%d.example", i))
	}
	wait.Wait()
	close(failed)
	for err := range failed {
		t.Fatal(err)
	}
	for runtime.NumGoroutine() > before { // No call leaves one behind; the last may still be ending.
		runtime.Gosched()
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("only Linux counts its threads there")
	}
	var threads int
	for _, line := range strings.Split(string(status), "\n") {
		fmt.Sscanf(line, "Threads: %d", &threads)
	}
	if threads == 0 || threads > paysvc.DefaultMaxInFlight+100 {
		t.Errorf("%d threads", threads)
	}
}

func TestCancelsFromEverywhereAtOnce(t *testing.T) {
	_, client := start(t)
	var wait sync.WaitGroup
	for i := 0; i < 200; i++ {
		ctx, cancel := context.WithCancel(context.Background())
		wait.Add(2)
		go func() {
			defer wait.Done()
			_, err := client.DirectDebitHistory(ctx, paysvc.DirectDebitHistoryRequest{EmailAddress: "none@example.com"})
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}()
		go func() {
			defer wait.Done()
			cancel()
		}()
	}
	wait.Wait()
}

func TestLog(t *testing.T) {
	var text bytes.Buffer
	handler := slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug})
	sandbox, client := start(t, paysvc.WithLog(handler, slog.LevelDebug))
	card := paysvc.OrderCreateRequest{
		Reference: paysvc.Ptr("ORDER-1"), Paymentoption: paysvc.Ptr("C"), Country: paysvc.Ptr("NG"),
		Card: &paysvc.OrderCreateCard{Cardnumber: "4111111111111111", Expirymonth: "01", Expiryyear: "39", CVV: "193"},
	}
	if _, err := client.OrderCreate(context.Background(), card); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "level=DEBUG") && !strings.Contains(text.String(), "level=INFO") {
		t.Errorf("no log: %q", text.String())
	}
	for _, secret := range []string{"4111111111111111", sandbox.Config.SecretKey, sandbox.Config.PublicKey} {
		if strings.Contains(text.String(), secret) {
			t.Error("the log tells secrets")
		}
	}
}

type panicking struct {
	slog.Handler
	lines *int
}

func (panicking) Enabled(context.Context, slog.Level) bool { return true }
func (p panicking) Handle(context.Context, slog.Record) error {
	*p.lines++
	panic("a bug in a handler")
}

func TestAPanicInTheLogHandlerChangesNothing(t *testing.T) {
	lines := 0
	sandbox, client := start(t, paysvc.WithLog(panicking{lines: &lines}, slog.LevelDebug))
	paid(sandbox, "ORDER-1")
	_, err := client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{Reference: "ORDER-1"})
	if err != nil || lines == 0 {
		t.Error(err, lines)
	}
}

func TestNothingPrintsWhatIsSecret(t *testing.T) {
	card := paysvc.OrderCreateCard{Cardnumber: "4111111111111111", CVV: "4111111111111111"}
	for _, value := range []any{
		card, &card,
		paysvc.OrderCreateRequest{Card: &card}, &paysvc.OrderCreateRequest{Reference: paysvc.Ptr("4111111111111111")},
		paysvc.OrderPayDirectDebitPaymentRequest{OTP: "4111111111111111"},
		paysvc.Config{SecretKey: "4111111111111111"},
		paysvc.Request{Body: json.RawMessage("4111111111111111")},
		paysvc.Reply{Body: json.RawMessage("4111111111111111")}, &paysvc.Reply{Body: json.RawMessage("4111111111111111")},
		&paysvc.Error{Reply: paysvc.Reply{Body: json.RawMessage("4111111111111111")}},
	} {
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "value", value)
		slog.New(slog.NewTextHandler(&log, nil)).Info("m", "value", value)
		shown := fmt.Sprintf("%v %+v %#v %s %q %x", value, value, value, value, value, value) + log.String()
		for _, secret := range []string{"4111111111111111", fmt.Sprintf("%x", "4111111111111111")} {
			if strings.Contains(shown, secret) {
				t.Errorf("%T: %s", value, shown)
				break
			}
		}
	}
}

func TestOpenPayloadsAndTheOrderOfMembers(t *testing.T) {
	order := paysvc.OrderCreateRequest{
		Country:   paysvc.Ptr("<NG>"),
		Reference: paysvc.Ptr("ORDER-1 & é"),
		Card:      &paysvc.OrderCreateCard{Cardnumber: "4", Extra: map[string]json.RawMessage{"pin": json.RawMessage("1")}},
		Extra: map[string]json.RawMessage{
			"zone": json.RawMessage(`{ "a" : 98000.00 }`), "amount": json.RawMessage("98000.00"), "<>": nil,
		},
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(order); err != nil {
		t.Fatal(err)
	}
	want := `{"reference":"ORDER-1 & é","country":"<NG>",` +
		`"card":{"cardnumber":"4","expirymonth":"","expiryyear":"","cvv":"","pin":1},` +
		`"<>":null,"amount":98000.00,"zone":{"a":98000.00}}` + "\n"
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
	_, client := start(t)
	order.Extra = map[string]json.RawMessage{"reference": json.RawMessage(`"ORDER-2"`)}
	_, err := client.OrderCreate(context.Background(), order)
	is(t, err, paysvc.ErrArgument)
	order.Extra = map[string]json.RawMessage{"bad": json.RawMessage(`{`)}
	_, err = client.OrderCreate(context.Background(), order)
	is(t, err, paysvc.ErrArgument)
	order.Extra = map[string]json.RawMessage{"\xff": json.RawMessage(`1`)}
	_, err = client.OrderCreate(context.Background(), order)
	is(t, err, paysvc.ErrArgument)
}

func TestEncryptSendsNothing(t *testing.T) {
	sandbox, client := start(t)
	reply, err := client.Encrypt(json.RawMessage(`{"reference":"ORDER-1"}`))
	if err != nil || reply.Outcome != paysvc.OutcomeNotSent {
		t.Fatal(reply, err)
	}
	if data, ok := reply.Get("/data"); !ok || len(data) < 300 || requests(sandbox) != 0 {
		t.Error(data, ok)
	}
	_, err = client.Encrypt(json.RawMessage(`{"text":"` + strings.Repeat("x", 600) + `"}`))
	is(t, err, paysvc.ErrEncrypt, paysvc.ErrOutcomeNotSent)
}

// The same cases as the library's own test of paysvc_reply_get.
func TestGetFollowsRFC6901(t *testing.T) {
	deep := strings.Repeat("[", 20000) + strings.Repeat("]", 20000)
	reply := paysvc.Reply{Body: json.RawMessage(`{"deep":` + deep + `,"data":{"code":"M-1","n":100.10,"ok":true,"none":null,` +
		`"list":[{"x":1},2],"a/b":3,"m~n":4,"":5,"~1":6}}`)}
	for pointer, want := range map[string]string{
		"/data/code": "M-1", "/data/n": "100.10", "/data/ok": "true", "/data/list": `[{"x":1},2]`, "/data/list/0/x": "1",
		"/data/list/1": "2", "/data/a~1b": "3", "/data/m~0n": "4", "/data/": "5", "/data/~01": "6", "": string(reply.Body),
	} {
		if got, ok := reply.Get(pointer); !ok || got != want {
			t.Errorf("%s: %s %v", pointer, got, ok)
		}
	}
	for _, absent := range []string{
		"/data/none", "/data/absent", "/data/list/01", "/data/list/-", "/data/list/+1", "/data/list/2", "/data/list/-1",
		"/data/m~2n", "/data/m~", "data", "/data/code/x", "/data/n/0",
	} {
		if got, ok := reply.Get(absent); ok {
			t.Errorf("%s: %s", absent, got)
		}
	}
	if got, ok := (paysvc.Reply{}).Get(""); ok {
		t.Error(got)
	}
}

func TestNamesOfNumbers(t *testing.T) {
	for got, want := range map[fmt.Stringer]string{
		paysvc.StatusTimeout: "E_TIMEOUT", paysvc.StatusOK: "OK", paysvc.Status(77): "Status(77)",
		paysvc.OutcomeUnknown: "UNKNOWN", paysvc.StateSuccessful: "SUCCESSFUL", paysvc.State(99): "State(99)",
	} {
		if got.String() != want {
			t.Error(got, want)
		}
	}
}
