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
	"paysvc.example/go/paysvc/internal/tested"
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

// Before it was sent, of the error, of an error of Resolve, and of one of ResolveRequest: the same is stored.
func TestWhatIsStoredOfARequestResolvesItAtAnyTime(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	request := charge("R-1", charged)
	ahead := request.LookUp()
	lost := lose(t, sandbox, client, "R-1", charged)
	_, unresolved := client.Resolve(ctx, fmt.Errorf("the till: %w", lost), paysvc.WithExpect("25.51", "NGN"))
	if of := failure(t, unresolved); of.Function != "resolve" || string(of.Request) != string(failure(t, lost).Request) || of.State != paysvc.StateSuccessful {
		t.Error("the error is about:", of.Function, string(of.Request), of.State)
	}
	wrong := failure(t, unresolved).LookUp()
	wrong.Expect = &paysvc.ResolveExpect{Amount: paysvc.Ptr("25.51"), Currency: paysvc.Ptr("NGN")}
	again := fails(client.ResolveRequest(ctx, wrong))(t, paysvc.ErrOutcomeUnknown)
	want := `{"endpoint":"order_create","request":{"reference":"R-1","order":{"reference":"R-1","amount":"25.50","currency":"NGN"},` +
		`"paymentoption":"C","card":{}}}`
	for _, stored := range []paysvc.ResolveRequest{ahead, failure(t, lost).LookUp(), failure(t, unresolved).LookUp(), failure(t, again).LookUp()} {
		text, err := json.Marshal(stored)
		if err != nil || string(text) != want {
			t.Fatal("stored:", string(text), err)
		}
		var read paysvc.ResolveRequest
		tested.Must(t, "decode the stored request", json.Unmarshal(text, &read))
		if reply, err := client.ResolveRequest(ctx, read); err != nil || reply.State != paysvc.StateSuccessful {
			t.Error("not resolved:", reply, err)
		}
	}
	if reply, err := client.Resolve(ctx, again); err != nil || reply.State != paysvc.StateSuccessful {
		t.Error("not resolved:", reply, err)
	}
	// An order without a charge may be sent again, if the service does not know it.
	request.Card, request.Paymentoption, request.Order.Reference, request.Reference = nil, nil, "R-9", nil
	if stored := request.LookUp(); stored.Charged == nil || *stored.Charged {
		t.Error("stored as charged:", stored.Charged)
	}
	sandbox.Post("/sandbox/faults", map[string]any{"path": "/payment/order/create", "fault": "status_500"}, nil)
	_, failed := client.OrderCreate(ctx, request)
	_, failed = client.Resolve(ctx, failed)
	_, failed = client.Resolve(ctx, failed)
	if is(t, failed, paysvc.ErrUnresolved); !strings.Contains(failed.Error(), "may be sent again") {
		t.Error("resolved as a charge:", failed)
	}
	// A request that the library refuses, or that cannot be written, is not stored either.
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
	unknown := fails(client.Resolve(ctx, err))(t, paysvc.ErrOutcomeUnknown)
	fails(client.Resolve(ctx, err, paysvc.WithAttempts(2)))(t, paysvc.ErrOutcomeUnknown)
	fails(client.Resolve(ctx, err, paysvc.WithAttempts(1)))(t, paysvc.ErrOutcomeRejected, paysvc.ErrRejected)
	// The attempts are those of the charge, not of the status query.
	fails(client.Resolve(ctx, unknown, paysvc.WithOnlyCall()))(t, paysvc.ErrOutcomeRejected)
}

func TestWhatCannotBeAskedIsUnknownAndNeverNotSent(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	lost := lose(t, sandbox, client, "R-1", charged)
	// A request that is looked up by nothing.
	_, err := client.DirectDebitStatus(ctx, paysvc.DirectDebitStatusRequest{MandateCode: "none"})
	unkept := failure(t, err)
	if unkept.Request != nil {
		t.Errorf("kept: %s", unkept.Request)
	}
	for _, about := range []paysvc.ResolveRequest{unkept.LookUp(), {Endpoint: unkept.Function}} {
		fails(client.ResolveRequest(ctx, about))(t, paysvc.ErrUnresolved, paysvc.ErrOutcomeUnknown)
	}
	before := requests(sandbox)
	for _, with := range []paysvc.ResolveOption{paysvc.WithMember("reference", ""), paysvc.WithExpect("25,50", "NGN"), paysvc.WithExpect("\xff", "NGN")} {
		fails(client.Resolve(ctx, lost, with))(t, paysvc.ErrOutcomeUnknown)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	err = fails(client.Resolve(done, lost))(t, paysvc.ErrCancelled, context.Canceled, paysvc.ErrOutcomeUnknown)
	if sent := requests(sandbox) - before; sent != 0 {
		t.Errorf("%d requests were sent", sent)
	}
	if _, err := client.Resolve(ctx, err); err != nil {
		t.Errorf("the error of the first Resolve cannot be resolved: %v", err)
	}
	client.Close()
	fails(client.Resolve(ctx, lost))(t, paysvc.ErrClosed, paysvc.ErrOutcomeUnknown)
}

// An order whose payment is under way: the wait goes on for as long as the context lets it, and longer than the client's timeout.
func TestAWaitEndsWithTheContext(t *testing.T) {
	sandbox := paysvctest.Start(t, "--seed", "7")
	sandbox.Config.Timeout = 300 * time.Millisecond
	client := tested.Connect(t, sandbox.Config)
	sandbox.Post("/sandbox/orders", map[string]any{"reference": "R-1", "amount": "25.50"}, nil)
	looks := 0
	late, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
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
	is(t, err, paysvc.ErrOutcomeUnknown)
	if errors.Is(err, context.DeadlineExceeded) {
		t.Error("the error names the context")
	}
	short, cancelShort := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancelShort()
	_, err = client.OrderWait(short, paysvc.OrderWaitRequest{Reference: "R-1"})
	is(t, err, context.DeadlineExceeded, paysvc.ErrOutcomeUnknown)
	sandbox.Config.Timeout = 0
	client = tested.Connect(t, sandbox.Config)
	_, err = client.OrderWait(context.Background(), paysvc.OrderWaitRequest{Reference: "R-1", Progress: func(paysvc.Progress) error { return paysvc.ErrStop }})
	is(t, err, paysvc.ErrCancelled, paysvc.ErrOutcomeUnknown)
	if errors.Is(err, context.Canceled) || failure(t, err).Stopped != nil {
		t.Error("the context did not end it, nor did an error:", err)
	}
}
