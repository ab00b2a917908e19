package paysvc_test

import (
	"context"
	"strings"
	"testing"

	"paysvc.example/go/paysvc"
)

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
	_, err = connect(t, wrong).DirectDebitStatus(ctx, paysvc.DirectDebitStatusRequest{MandateCode: "none"})
	is(t, err, paysvc.ErrUnauthorized, paysvc.ErrOutcomeRejected)
	wrong.BaseURL = "http://example.com"
	_, err = paysvc.New(wrong)
	is(t, err, paysvc.ErrConfig, paysvc.ErrOutcomeNotSent)
	_, err = paysvc.New(paysvc.Config{BaseURL: "https://127.0.0.1\xff"})
	is(t, err, paysvc.ErrConfig)
	_, err = paysvc.New(sandbox.Config, paysvc.WithMaxInFlight(0))
	is(t, err, paysvc.ErrArgument)
}
