package paysvc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
)

func TestAWrongRequestIsRefusedBeforeAnythingIsSent(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	raw := func(json []byte) error {
		_, err := client.Call(ctx, "order_refund", json)
		return err
	}
	_, empty := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "R", Amount: paysvc.Ptr("")})
	_, notUTF8 := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "R\xff"})
	_, incomplete := client.PayoutInitiate(ctx, paysvc.PayoutInitiateRequest{PayoutDetails: make([]paysvc.PayoutInitiatePayoutDetails, 1)})
	for name, err := range map[string]error{
		"an empty element": incomplete,
		"an empty amount":  empty,
		"not UTF-8":        notUTF8,
		"text after a NUL": raw([]byte("{\"reference\":\"R\"}\x00{}")),
		"nothing":          raw(nil),
		"an empty text":    raw([]byte{}),
	} {
		t.Run(name, func(t *testing.T) {
			is(t, err, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent)
			failure := failure(t, err)
			if failure.Attempts != 0 || failure.RetryAfter >= 0 || !json.Valid(failure.Body) {
				t.Errorf("%+v %s", failure.Reply, failure.Body)
			}
			if errors.Is(err, paysvc.ErrOutcomeUnknown) || errors.Is(err, paysvc.ErrRejected) {
				t.Error("matches every error")
			}
		})
	}
	if sent := requests(sandbox); sent != 0 {
		t.Errorf("%d sent", sent)
	}
}

func TestExtraMembersAndTheirOrder(t *testing.T) {
	order := paysvc.OrderCreateRequest{
		Country:   paysvc.Ptr("<NG>"),
		Reference: paysvc.Ptr("ORDER-1 & é"),
		Card:      &paysvc.OrderCreateCard{Cardnumber: paysvc.NewSecret("4"), Extra: map[string]json.RawMessage{"pin": json.RawMessage("1")}},
		Extra: map[string]json.RawMessage{
			"zone": json.RawMessage(`{ "a" : 98000.00 }`), "amount": json.RawMessage("98000.00"), "<>": nil,
		},
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	tested.Must(t, "encode the order", encoder.Encode(order))
	want := `{"reference":"ORDER-1 & é","country":"<NG>",` +
		`"card":{"cardnumber":"[hidden]","expirymonth":"","expiryyear":"","cvv":null,"pin":1},"order":null,` +
		`"<>":null,"amount":98000.00,"zone":{"a":98000.00}}` + "\n"
	if out.String() != want {
		t.Errorf("%s", out.String())
	}
	_, client := start(t)
	for name, value := range map[string]string{"reference": `"ORDER-2"`, "bad": `{`, "\xff": `1`} {
		order.Extra = map[string]json.RawMessage{name: json.RawMessage(value)}
		fails(client.OrderCreate(context.Background(), order))(t, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent)
	}
}

func TestEveryTextIsWrittenAsItIs(t *testing.T) {
	text := "é €\u2028\U0001f600\x7f\\\"</>&"
	for c := byte(0); c < ' '; c++ {
		text += string(rune(c))
	}
	written := tested.Need(paysvc.OrderCreateRequest{Reference: &text, Extra: map[string]json.RawMessage{text: json.RawMessage(`[]`)}}.MarshalJSON())(t, "encode the order")
	var read map[string]any
	if err := json.Unmarshal(written, &read); err != nil || read["reference"] != text || read[text] == nil {
		t.Error("written as:", string(written), err)
	}
}

func TestWhatChangesNothingSendsNothingThatDoes(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	tested.Must(t, "connect in advance", client.Warm(ctx))
	reply := tested.Need(client.Encrypt(ctx, json.RawMessage(`{"reference":"ORDER-1"}`)))(t, "encrypt")
	if data, ok := reply.Get("/data"); !ok || len(data) < 300 || reply.Outcome != paysvc.OutcomeNotSent || requests(sandbox) != 0 {
		t.Error("the ciphertext, and what was sent:", data, reply, requests(sandbox))
	}
	if reply := tested.Need(client.Check(ctx))(t, "check the client"); !json.Valid(reply.Body) || len(sandbox.Ledger()) != 0 {
		t.Error("the check:", string(reply.Body), sandbox.Ledger())
	}
	closed := tested.Connect(t, nowhere)
	is(t, closed.Warm(ctx), paysvc.ErrTransport, paysvc.ErrOutcomeNotSent)
	fails(closed.Check(ctx))(t, paysvc.ErrConfig)
}

func TestAChargeWithoutAPriceTakesAWord(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	forgotten, both := charge("ORDER-1", charged), charge("ORDER-1", charged)
	forgotten.Order, both.ExistingOrder = nil, true
	for message, request := range map[string]paysvc.OrderCreateRequest{
		"order is null: give it with its price": forgotten, "Order and ExistingOrder contradict each other": both,
	} {
		_, err := client.OrderCreate(ctx, request)
		if is(t, err, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent); !strings.Contains(err.Error(), message) {
			t.Error("the message is another:", err)
		}
	}
	sandbox.Post("/sandbox/orders", map[string]any{"reference": "ORDER-1", "amount": "12.50"}, nil)
	forgotten.ExistingOrder = true
	if _, err := client.OrderCreate(ctx, forgotten); err != nil || tested.Count(sandbox, "charge_made") != 1 {
		t.Error("not one charge:", err, sandbox.Ledger())
	}
}

// The name may have been meant for a function about an earlier request.
func TestANameThatNoFunctionHasProvesNothing(t *testing.T) {
	sandbox, client := start(t)
	for _, name := range []string{"order_steal", "order_create\x00", ""} {
		_, err := client.Call(context.Background(), name, json.RawMessage("{}"))
		if is(t, err, paysvc.ErrOutcomeUnknown); failure(t, err).Status != paysvc.StatusArgument {
			t.Errorf("%q: %v", name, err)
		}
	}
	if sent := requests(sandbox); sent != 0 {
		t.Errorf("%d sent", sent)
	}
}
