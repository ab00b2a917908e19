package paysvc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/paysvctest"
)

const (
	charged = "4111111111111111"
	refused = "4000000000000002"
)

func charge(reference, card string) paysvc.OrderCreateRequest {
	return paysvc.OrderCreateRequest{
		Reference:     &reference,
		Paymentoption: paysvc.Ptr("C"),
		Card: &paysvc.OrderCreateCard{
			Cardnumber: paysvc.NewSecret(card), Expirymonth: "01", Expiryyear: "39", CVV: paysvc.NewSecret("193"),
		},
		Order: &paysvc.OrderCreateOrder{Reference: reference, Amount: "25.50", Currency: paysvc.Ptr("NGN")},
	}
}

// Charges a card, and loses the response.
func lose(t *testing.T, sandbox *paysvctest.Sandbox, client *paysvc.Client, reference, card string) error {
	t.Helper()
	sandbox.Post("/sandbox/faults", map[string]any{"path": "/payment/order/create", "fault": "commit_then_reset"}, nil)
	_, err := client.OrderCreate(context.Background(), charge(reference, card))
	is(t, err, paysvc.ErrTransport, paysvc.ErrOutcomeUnknown)
	return err
}

func TestAnErrorKeepsWhatALookUpNeedsAndNoCardData(t *testing.T) {
	sandbox, client := start(t)
	lost := failure(t, lose(t, sandbox, client, "R-1", charged))
	want := `{"reference":"R-1","order":{"reference":"R-1","amount":"25.50","currency":"NGN"},"paymentoption":"C","card":{}}`
	if lost.Function != "order_create" || string(lost.Request) != want || lost.Attempts != 1 {
		t.Errorf("%s %s %d", lost.Function, lost.Request, lost.Attempts)
	}
	paid(sandbox, "sbx-commit_then_reset-1")
	_, err := client.Call(context.Background(), "order_refund", json.RawMessage(`{"reference":"sbx-commit_then_reset-1","reason":"r"}`))
	if got := string(failure(t, err).Request); got != `{"reference":"sbx-commit_then_reset-1"}` {
		t.Error("kept of the request:", got)
	}
	// Of a request that is looked up by nothing, nothing is kept.
	_, err = client.DirectDebitStatus(context.Background(), paysvc.DirectDebitStatusRequest{MandateCode: "none"})
	unkept := failure(t, err)
	if unkept.Request != nil {
		t.Errorf("%s", unkept.Request)
	}
	_, err = client.ResolveRequest(context.Background(), unkept.LookUp())
	is(t, err, paysvc.ErrUnresolved, paysvc.ErrOutcomeUnknown)
}

func TestALostAnswerIsResolved(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	err := lose(t, sandbox, client, "R-1", charged)
	reply, resolved := client.Resolve(ctx, fmt.Errorf("the till: %w", err), paysvc.WithExpect("25.50", "NGN"), paysvc.WithWait())
	if resolved != nil || reply.Outcome != paysvc.OutcomeConfirmed || reply.State != paysvc.StateSuccessful {
		t.Fatal("not resolved:", reply, resolved)
	}
	var order paysvc.OrderStatusAnswer
	if json.Unmarshal(reply.AnswerJSON, &order) != nil || reply.AnswerOf != "order_status" || order.IsFinalStatus == nil || !*order.IsFinalStatus {
		t.Errorf("the state is not final: %s", reply.AnswerJSON)
	}
	if count(sandbox, "charge_made") != 1 {
		t.Error("not one charge:", sandbox.Ledger())
	}
	// After a restart, from what was stored.
	stored := failure(t, err)
	reply, resolved = client.ResolveRequest(ctx, stored.LookUp())
	if resolved != nil || reply.State != paysvc.StateSuccessful {
		t.Error("not resolved:", reply, resolved)
	}
	// What is still unknown can be resolved in its turn.
	_, unknown := client.Resolve(ctx, err, paysvc.WithExpect("25.51", "NGN"))
	is(t, unknown, paysvc.ErrOutcomeUnknown, paysvc.ErrUnresolved)
	if got := failure(t, unknown); got.Function != "resolve" || string(got.Request) != string(stored.Request) || got.State != paysvc.StateSuccessful {
		t.Error("the error is about:", got.Function, string(got.Request), got.State)
	}
	if reply, err := client.Resolve(ctx, unknown); err != nil || reply.State != paysvc.StateSuccessful {
		t.Error("not resolved:", reply, err)
	}
}

// Before it was sent, of the error, of an error of Resolve, and of one of ResolveRequest: the same is stored.
func TestWhatIsStoredOfARequestResolvesItAtAnyTime(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	request := charge("R-1", charged)
	ahead := request.LookUp()
	lost := lose(t, sandbox, client, "R-1", charged)
	_, unresolved := client.Resolve(ctx, lost, paysvc.WithExpect("25.51", "NGN"))
	wrong := failure(t, unresolved).LookUp()
	wrong.Expect = &paysvc.ResolveExpect{Amount: paysvc.Ptr("25.51"), Currency: paysvc.Ptr("NGN")}
	_, again := client.ResolveRequest(ctx, wrong)
	is(t, again, paysvc.ErrOutcomeUnknown)
	want := `{"endpoint":"order_create","request":{"reference":"R-1","order":{"reference":"R-1","amount":"25.50","currency":"NGN"},` +
		`"paymentoption":"C","card":{}}}`
	for _, stored := range []paysvc.ResolveRequest{ahead, failure(t, lost).LookUp(), failure(t, unresolved).LookUp(), failure(t, again).LookUp()} {
		text, err := json.Marshal(stored)
		if err != nil || string(text) != want {
			t.Fatal("stored:", string(text), err)
		}
		var read paysvc.ResolveRequest
		must(t, "decode the stored request", json.Unmarshal(text, &read))
		if reply, err := client.ResolveRequest(ctx, read); err != nil || reply.State != paysvc.StateSuccessful {
			t.Error("not resolved:", reply, err)
		}
	}
	if reply, err := client.Resolve(ctx, again); err != nil || reply.State != paysvc.StateSuccessful {
		t.Error("not resolved:", reply, err)
	}
	// An order without a charge may be sent again, if the service does not know it.
	request.Card, request.Paymentoption = nil, nil
	if stored := request.LookUp(); stored.Charged == nil || *stored.Charged {
		t.Error("stored as charged:", stored.Charged)
	}
	// What the library refuses, or what cannot be written, is not sent either.
	twice, noText := request, request
	twice.Extra = map[string]json.RawMessage{"order": json.RawMessage(`{"reference":"R-2"}`)}
	noText.Order = &paysvc.OrderCreateOrder{Reference: "\xff"}
	for _, wrong := range []paysvc.OrderCreateRequest{twice, noText} {
		if stored := wrong.LookUp(); stored.Endpoint != "order_create" || stored.Request != nil || stored.Charged != nil {
			t.Error("stored:", stored.Endpoint, string(stored.Request), stored.Charged)
		}
	}
}

func TestARefusalIsRejectedOnlyIfAllAttemptsAreKnown(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	err := lose(t, sandbox, client, "R-1", refused)
	_, unknown := client.Resolve(ctx, err)
	is(t, unknown, paysvc.ErrOutcomeUnknown)
	_, two := client.Resolve(ctx, err, paysvc.WithAttempts(2))
	is(t, two, paysvc.ErrOutcomeUnknown)
	_, one := client.Resolve(ctx, err, paysvc.WithAttempts(1))
	is(t, one, paysvc.ErrOutcomeRejected, paysvc.ErrRejected)
	// The attempts are those of the charge, not of the status query.
	_, only := client.Resolve(ctx, unknown, paysvc.WithOnlyCall())
	is(t, only, paysvc.ErrOutcomeRejected)
}

func TestWhatCannotBeAskedIsUnknownAndNeverNotSent(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	lost := lose(t, sandbox, client, "R-1", charged)
	_, err := client.Resolve(ctx, errors.New("of something else"))
	is(t, err, paysvc.ErrOutcomeUnknown)
	_, err = client.Resolve(ctx, lost, paysvc.WithMember("reference", ""))
	is(t, err, paysvc.ErrOutcomeUnknown)
	_, err = client.Resolve(ctx, lost, paysvc.WithExpect("25,50", "NGN"))
	is(t, err, paysvc.ErrOutcomeUnknown)
	_, err = client.ResolveRequest(ctx, paysvc.ResolveRequest{Endpoint: "no_such_function"})
	is(t, err, paysvc.ErrOutcomeUnknown)
	_, err = client.Resolve(ctx, lost, paysvc.WithExpect("\xff", "NGN"))
	is(t, err, paysvc.ErrOutcomeUnknown)
	done, cancel := context.WithCancel(ctx)
	cancel()
	_, err = client.Resolve(done, lost)
	is(t, err, paysvc.ErrCancelled, context.Canceled, paysvc.ErrOutcomeUnknown)
	client.Close()
	_, err = client.Resolve(ctx, lost)
	is(t, err, paysvc.ErrClosed, paysvc.ErrOutcomeUnknown)
}

// A busy machine may not answer one look in time.
func openAtTheEnd(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, paysvc.ErrUnresolved) && !errors.Is(err, paysvc.ErrTimeout) {
		t.Errorf("%v", err)
	}
}

// An order whose payment is under way: the wait goes on for as long as the context lets it, and longer than the client's timeout.
func TestAWaitEndsWithTheContext(t *testing.T) {
	sandbox := paysvctest.Start(t, "--seed", "7")
	sandbox.Config.Timeout = 300 * time.Millisecond
	client := connect(t, sandbox.Config)
	sandbox.Post("/sandbox/orders", map[string]any{"reference": "R-1", "amount": "25.50"}, nil)
	looks := 0
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	late, cancelLate := context.WithTimeout(ctx, time.Minute)
	defer cancelLate()
	_, err := client.OrderWait(late, paysvc.OrderWaitRequest{Reference: "R-1", Progress: func(p paysvc.Progress) error {
		if p.Step != "look" || p.Done == 0 || p.Total != 0 {
			t.Errorf("%+v", p)
		}
		if looks = p.Done; looks == 3 {
			cancel()
		}
		return nil
	}})
	is(t, err, paysvc.ErrCancelled, context.Canceled, paysvc.ErrOutcomeUnknown)
	if looks != 3 {
		t.Errorf("%d looks", looks)
	}
	_, err = client.OrderWait(context.Background(), paysvc.OrderWaitRequest{Reference: "R-1"})
	openAtTheEnd(t, err)
	is(t, err, paysvc.ErrOutcomeUnknown)
	short, cancelShort := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancelShort()
	_, err = client.OrderWait(short, paysvc.OrderWaitRequest{Reference: "R-1"})
	openAtTheEnd(t, err)
	is(t, err, context.DeadlineExceeded)
	sandbox.Config.Timeout = 0
	client = connect(t, sandbox.Config)
	_, err = client.OrderWait(context.Background(), paysvc.OrderWaitRequest{Reference: "R-1", Progress: func(paysvc.Progress) error { return paysvc.ErrStop }})
	is(t, err, paysvc.ErrCancelled, paysvc.ErrOutcomeUnknown)
	if errors.Is(err, context.Canceled) {
		t.Error("the context did not end it")
	}
}

func TestReferencesAreNew(t *testing.T) {
	seen := map[string]bool{}
	for i := 0; i < 1000; i++ {
		made, err := paysvc.NewReference("T7")
		if err != nil || len(made) != 29 || !strings.HasPrefix(made, "T7-") || seen[made] {
			t.Fatal("made the reference:", made, err)
		}
		seen[made] = true
	}
	if made, err := paysvc.NewReference(""); err != nil || len(made) != 26 {
		t.Error("made the reference:", made, err)
	}
	for _, wrong := range []string{strings.Repeat("x", 33), "a b", "é", "a\x00b"} {
		if made, err := paysvc.NewReference(wrong); err == nil {
			t.Errorf("%q: %s", wrong, made)
		}
	}
}
