package paysvctest_test

import (
	"context"
	"testing"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
	"paysvc.example/go/paysvc/paysvctest"
)

func TestTheLedgerOfASandboxWithTLS(t *testing.T) {
	sandbox := paysvctest.Start(t, "--tls")
	tested.Paid(sandbox, "ORDER-1")
	refund := paysvc.OrderRefundRequest{Reference: "ORDER-1", Amount: paysvc.Ptr("25.50")}
	tested.Need(tested.Connect(t, sandbox.Config).OrderRefund(context.Background(), refund))(t, "refund the order")
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
