package paysvc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"paysvc.example/go/paysvc"
)

func TestAWrongRequestIsRefusedBeforeAnythingIsSent(t *testing.T) {
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
		"no reference":     refund(paysvc.OrderRefundRequest{}),
		"an empty amount":  refund(paysvc.OrderRefundRequest{Reference: "R", Amount: paysvc.Ptr("")}),
		"not UTF-8":        refund(paysvc.OrderRefundRequest{Reference: "R\xff"}),
		"unknown field":    raw("order_refund", `{"reference":"R","amuont":"1"}`),
		"text after a NUL": raw("order_refund", "{\"reference\":\"R\"}\x00{}"),
		"no JSON":          raw("order_refund", "reference=R"),
		"nothing":          absent(),
		"empty":            raw("order_refund", ""),
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
	must(t, "encode the order", encoder.Encode(order))
	want := `{"reference":"ORDER-1 & é","country":"<NG>",` +
		`"card":{"cardnumber":"[hidden]","expirymonth":"","expiryyear":"","cvv":null,"pin":1},"order":null,` +
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

func TestEveryTextIsWrittenAsItIs(t *testing.T) {
	text := "é €\u2028\U0001f600\x7f\\\"</>&"
	for c := byte(0); c < ' '; c++ {
		text += string(rune(c))
	}
	written := need(paysvc.OrderCreateRequest{Reference: &text, Extra: map[string]json.RawMessage{text: json.RawMessage(`[]`)}}.MarshalJSON())(t, "encode the order")
	var read map[string]any
	if err := json.Unmarshal(written, &read); err != nil || read["reference"] != text || read[text] == nil {
		t.Error("written as:", string(written), err)
	}
}

func TestWarmConnectsAndSendsNothing(t *testing.T) {
	sandbox, client := start(t)
	if err := client.Warm(context.Background()); err != nil || requests(sandbox) != 0 {
		t.Fatal("Warm failed, or sent something:", err)
	}
	closed := need(paysvc.New(paysvc.Config{BaseURL: "http://127.0.0.1:1"}))(t, "make a client")
	defer closed.Close()
	is(t, closed.Warm(context.Background()), paysvc.ErrTransport, paysvc.ErrOutcomeNotSent)
	over, cancel := context.WithCancel(context.Background())
	cancel()
	is(t, closed.Warm(over), context.Canceled, paysvc.ErrOutcomeNotSent)
}

func TestEncryptSendsNothing(t *testing.T) {
	sandbox, client := start(t)
	reply, err := client.Encrypt(context.Background(), json.RawMessage(`{"reference":"ORDER-1"}`))
	if err != nil || reply.Outcome != paysvc.OutcomeNotSent {
		t.Fatal("Encrypt:", reply, err)
	}
	if data, ok := reply.Get("/data"); !ok || len(data) < 300 || requests(sandbox) != 0 {
		t.Error("the ciphertext:", data, ok)
	}
	_, err = client.Encrypt(context.Background(), json.RawMessage(`{"text":"`+strings.Repeat("x", 600)+`"}`))
	is(t, err, paysvc.ErrEncrypt, paysvc.ErrOutcomeNotSent)
}

func TestAChargeWithoutAPriceTakesAWord(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	forgotten := charge("ORDER-1", charged)
	forgotten.Order = nil
	_, err := client.OrderCreate(ctx, forgotten)
	is(t, err, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent)
	if !strings.Contains(err.Error(), "order is null: give it with its price") {
		t.Error("the message is another:", err)
	}
	both := charge("ORDER-1", charged)
	both.ExistingOrder = true
	_, err = client.OrderCreate(ctx, both)
	is(t, err, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent)
	if !strings.Contains(err.Error(), "Order and ExistingOrder contradict each other") || requests(sandbox) != 0 {
		t.Error("the message is another, or it was sent:", err)
	}
	forgotten.ExistingOrder = true
	// Nobody has named a price: nothing is charged.
	_, err = client.OrderCreate(ctx, forgotten)
	is(t, err, paysvc.ErrOutcomeRejected)
	sandbox.Post("/sandbox/orders", map[string]any{"reference": "ORDER-1", "amount": "12.50"}, nil)
	if _, err = client.OrderCreate(ctx, forgotten); err != nil || count(sandbox, "charge_made") != 1 {
		t.Error("not one charge:", err, sandbox.Ledger())
	}
}

func TestAnUnknownSaysFirstWhatItMeans(t *testing.T) {
	sandbox, client := start(t)
	err := lose(t, sandbox, client, "R-1", charged)
	if !strings.Contains(err.Error(), "the customer may have been charged; do not repeat it: ") {
		t.Error("the message is another:", err)
	}
	_, err = client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{Reference: "R-1"}, paysvc.WithKey("line-7 "))
	is(t, err, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent)
	_, err = client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{Reference: "R-1 "})
	is(t, err, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent)
	if !strings.Contains(err.Error(), "reference begins or ends with a blank") {
		t.Error("the message is another:", err)
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
