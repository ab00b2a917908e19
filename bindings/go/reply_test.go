package paysvc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/paysvctest"
)

func TestRefund(t *testing.T) {
	sandbox, client := start(t)
	paid(sandbox, "ORDER-1")
	reply := need(client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{
		Reference: "ORDER-1", Reason: paysvc.Ptr("<one> & \"two\""), Amount: paysvc.Ptr("25.50"),
	}))(t, "refund the order")
	if reply.Status != paysvc.StatusOK || reply.Outcome != paysvc.OutcomeConfirmed || reply.State != paysvc.StatePending ||
		reply.HTTPStatus != 200 || reply.Attempts != 1 || reply.RetryAfter >= 0 || reply.Message == "" {
		t.Errorf("%+v", *reply)
	}
	if amount, ok := reply.Get("/data/amount_refunded"); !ok || amount != "25.50" {
		t.Error("amount_refunded:", amount, ok)
	}
	var body struct {
		Data struct {
			Amount string `json:"amount_refunded"`
		} `json:"data"`
	}
	if err := reply.Decode(&body); err != nil || body.Data.Amount != "25.50" {
		t.Error("the decoded body:", body, err)
	}
	if last := sandbox.Ledger(); len(last) == 0 || last[len(last)-1].String() != "refund_made ORDER-1/25.50 25.50" {
		t.Error("the end of the ledger:", last)
	}
}

func TestCallIDs(t *testing.T) {
	var log bytes.Buffer
	handler := slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})
	_, client := start(t, paysvc.WithLog(handler, slog.LevelDebug))
	seen := map[string]bool{}
	for i := 0; i < 3; i++ {
		reply := need(client.DirectDebitHistory(context.Background(), paysvc.DirectDebitHistoryRequest{EmailAddress: "none@example.com"}))(t, "ask for the history")
		seen[reply.CallID] = true
		if len(reply.CallID) < 10 || len(reply.CallID) > 40 || !strings.Contains(log.String(), reply.CallID) {
			t.Error("the call id, and the log:", reply.CallID, log.String())
		}
	}
	_, err := client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{})
	seen[failure(t, err).CallID] = true
	if len(seen) != 4 || seen[""] {
		t.Error("call ids:", seen)
	}
	client.Close()
	_, err = client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{})
	if id := failure(t, err).CallID; id != "" {
		t.Error("a closed client made the call id:", id)
	}
}

func TestDecodeKeepsNumbersExact(t *testing.T) {
	sandbox, client := start(t)
	var fund struct{ SessionID string }
	sandbox.Post("/sandbox/fund", map[string]any{"alias": "till", "amount": "2500.50", "senderName": "Ada"}, &fund)
	reply, err := client.TransactionDetails(context.Background(), paysvc.TransactionDetailsRequest{SessionID: fund.SessionID})
	if err != nil || reply.State != paysvc.StateSuccessful {
		t.Fatal("the details of the transfer:", reply, err)
	}
	var body map[string]any
	must(t, "decode the body", reply.Decode(&body))
	if got := body["data"].(map[string]any)["totalAmountCharged"]; got != json.Number("2500.50") {
		t.Errorf("%T %v", got, got)
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

func TestIsActive(t *testing.T) {
	sandbox := paysvctest.Start(t, "--activation", "manual")
	client := connect(t, sandbox.Config)
	paid(sandbox, "ORDER-1")
	created := need(client.DirectDebitCreate(context.Background(), paysvc.DirectDebitCreateRequest{
		OrderReference: paysvc.Ptr("ORDER-1"), AccountNumber: paysvc.NewSecret("0123456789"), BankCode: paysvc.Ptr("044"),
	}))(t, "create a mandate")
	code, _ := created.Get("/data/mandateCode")
	for _, active := range []bool{false, true} {
		reply, err := client.DirectDebitStatus(context.Background(), paysvc.DirectDebitStatusRequest{MandateCode: code})
		if err != nil || reply.IsActive != active {
			t.Error("the status of the mandate:", err, active, reply)
		}
		sandbox.Post("/sandbox/mandates/"+code+"/activate", nil, nil)
	}
}
