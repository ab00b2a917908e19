package paysvctest_test

import (
	"context"
	"testing"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/paysvctest"
)

func TestTheLedgerOfASandboxWithTLS(t *testing.T) {
	sandbox := paysvctest.Start(t, "--tls")
	client, err := paysvc.New(sandbox.Config)
	if err != nil {
		t.Fatal("cannot make a client:", err)
	}
	defer client.Close()
	sandbox.Post("/sandbox/orders", map[string]any{"reference": "ORDER-1", "amount": "100.00", "paid": true}, nil)
	refund := paysvc.OrderRefundRequest{Reference: "ORDER-1", Amount: paysvc.Ptr("25.50")}
	if _, err := client.OrderRefund(context.Background(), refund); err != nil {
		t.Fatal("cannot refund the order:", err)
	}
	if moved := sandbox.Ledger(); len(moved) == 0 || moved[len(moved)-1].String() != "refund_made ORDER-1/25.50 25.50" {
		t.Errorf("moved %v", moved)
	}
}

func TestAPaidReplyIsPaidAsOrdered(t *testing.T) {
	reply := paysvctest.Start(t).PaidReply("ORDER-1", "25.50", "USD")
	if paid, whyNot := reply.IsPaid("ORDER-1", "25.05", "USD"); paid {
		t.Error("another amount is paid:", whyNot)
	}
}
