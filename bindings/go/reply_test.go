package paysvc_test

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
)

func TestAReplyHasWhatTheLibraryFound(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	tested.Paid(sandbox, "ORDER-1")
	reply := tested.Need(client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "ORDER-1", Amount: paysvc.Ptr("25.50")}))(t, "refund the order")
	if reply.Status != paysvc.StatusOK || reply.Outcome != paysvc.OutcomeConfirmed || reply.State != paysvc.StatePending ||
		reply.HTTPStatus != 200 || reply.Attempts != 1 || reply.RetryAfter >= 0 || reply.Message == "" || reply.Replayed || reply.IsActive {
		t.Errorf("%+v", *reply)
	}
	var body struct {
		Data struct {
			Amount string `json:"amount_refunded"`
		} `json:"data"`
	}
	if err := reply.Decode(&body); err != nil || body.Data.Amount != "25.50" {
		t.Error("the decoded body:", body, err)
	}
	created := tested.Need(client.DirectDebitCreate(ctx, paysvc.DirectDebitCreateRequest{
		OrderReference: paysvc.Ptr("ORDER-1"), AccountNumber: paysvc.NewSecret("0123456789"), BankCode: paysvc.Ptr("044"),
	}))(t, "create a mandate")
	status := tested.Need(client.DirectDebitStatus(ctx, paysvc.DirectDebitStatusRequest{MandateCode: created.Answer.MandateCode}))(t, "check the mandate")
	if !status.IsActive {
		t.Error("the mandate is not active:", status)
	}
}

func TestDecodeKeepsNumbersExact(t *testing.T) {
	var body map[string]any
	tested.Must(t, "decode the body", paysvc.Reply{Body: json.RawMessage(`{"amount":2500.50}`)}.Decode(&body))
	if body["amount"] != json.Number("2500.50") {
		t.Errorf("%T %v", body["amount"], body)
	}
}

// The same cases as in the test of paysvc_reply_get.
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
		t.Error("Get of an empty reply:", got)
	}
}

func TestIsPaidComparesWithTheOrder(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	kept := tested.Need(client.OrderCreate(ctx, charge("R-1", charged)))(t, "charge the card").Reply
	runtime.GC()
	for _, is := range []struct{ reference, amount, currency, whyNot string }{
		{"R-1", "25.5", "NGN", ""},
		{paysvc.Anything, "25.50", paysvc.Anything, ""},
		{"R-2", "25.50", "NGN", "another order"},
		{"R-1", "25.05", "NGN", "amount"},
		{"R-1", "25.50", "USD", "currency"},
		{"R-1\x00", "25.50", "NGN", "U+0000"},
	} {
		paid, whyNot := kept.IsPaid(is.reference, is.amount, is.currency)
		if paid != (is.whyNot == "") || !strings.Contains(whyNot, is.whyNot) {
			t.Errorf("%+v: %v %q", is, paid, whyNot)
		}
	}
	tested.Paid(sandbox, "R-2")
	refund := tested.Need(client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "R-2"}))(t, "refund the order")
	for _, other := range []paysvc.Reply{refund.Reply, {}, {Outcome: paysvc.OutcomeConfirmed, State: paysvc.StateSuccessful}} {
		if paid, whyNot := other.IsPaid("*", "*", "*"); paid || whyNot == "" {
			t.Error("IsPaid of a reply without a paid order:", other, whyNot)
		}
	}
}
