package paysvc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"

	"paysvc.example/go/paysvc"
)

func TestWhatNobodyMadeIsAnErrorAndNoPanic(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	var nobody *paysvc.Client
	var none context.Context
	refund := paysvc.OrderRefundRequest{Reference: "R-1"}
	for _, client := range []*paysvc.Client{nobody, {}} {
		_, refunded := client.OrderRefund(ctx, refund)
		_, called := client.Call(ctx, "order_refund", json.RawMessage(`{"reference":"R-1"}`))
		_, paid := client.PayoutBulk(ctx, paysvc.PayoutBulkRequest{PayoutDetails: recipients(1)})
		_, encrypted := client.Encrypt(ctx, json.RawMessage("{}"))
		_, checked := client.Check(ctx)
		for _, err := range []error{refunded, called, paid, encrypted, checked, client.Warm(ctx)} {
			is(t, err, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent)
		}
		_, resolved := client.Resolve(ctx, refunded)
		_, waited := client.OrderWait(ctx, paysvc.OrderWaitRequest{Reference: "R-1"})
		is(t, errors.Join(resolved, waited), paysvc.ErrOutcomeUnknown)
		if err := errors.Join(client.Close(), client.Shutdown(ctx)); err != nil || client.HasSecretKey() {
			t.Error("closing what was not made:", err)
		}
	}
	is(t, client.Shutdown(none), paysvc.ErrArgument)
	err := fails(client.OrderRefund(none, refund))(t, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent)
	fails(client.Resolve(none, err))(t, paysvc.ErrOutcomeUnknown)
	var failed *paysvc.Error
	for _, about := range []error{nil, failed, fmt.Errorf("wrapped: %w", failed), io.EOF, paysvc.ErrRejected, paysvc.ErrOutcomeNotSent, &paysvc.Error{}} {
		err := fails(client.Resolve(ctx, about))(t, paysvc.ErrOutcomeUnknown)
		for _, wrong := range []error{paysvc.ErrRejected, paysvc.ErrOutcomeNotSent, paysvc.ErrArgument, context.Canceled} {
			if errors.Is(err, wrong) {
				t.Errorf("about %v: %v is %v", about, err, wrong)
			}
		}
	}
	fails(client.Resolve(ctx, err, nil))(t, paysvc.ErrOutcomeUnknown)
	for _, option := range []paysvc.Option{nil, paysvc.WithMaxInFlight(0), paysvc.WithMaxWaiting(0)} {
		fails(paysvc.New(sandbox.Config, option))(t, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent)
	}
	if sent := requests(sandbox); sent != 0 {
		t.Errorf("%d sent", sent)
	}
}
