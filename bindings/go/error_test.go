package paysvc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/paysvctest"
)

func TestErrorsByKind(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	_, err := client.DirectDebitStatus(ctx, paysvc.DirectDebitStatusRequest{MandateCode: "none"})
	is(t, err, paysvc.ErrRejected, paysvc.ErrOutcomeRejected)
	if failure := failure(t, err); failure.HTTPStatus != 404 || failure.Function != "direct_debit_status" ||
		!strings.Contains(err.Error(), "paysvc: direct_debit_status: E_REJECTED, outcome REJECTED: ") {
		t.Error("the error:", err)
	}
	paid(sandbox, "sbx-commit_then_reset-1")
	_, err = client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "sbx-commit_then_reset-1"})
	is(t, err, paysvc.ErrTransport, paysvc.ErrOutcomeUnknown)
	wrong := sandbox.Config
	wrong.PublicKey = paysvc.NewSecret("PGW-PUBLICKEY-TEST-00000000000000000000000000000000")
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

// With golang.org/x/sync/errgroup, the failure of one call is the cause for which the others are cancelled.
func TestTheRefusalOfAnotherCallIsNotThatOfThisOne(t *testing.T) {
	sandbox, client := start(t)
	paid(sandbox, "sbx-commit_then_timeout-1")
	_, refused := client.DirectDebitStatus(context.Background(), paysvc.DirectDebitStatusRequest{MandateCode: "none"})
	is(t, refused, paysvc.ErrRejected, paysvc.ErrOutcomeRejected)
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		committed(t, sandbox, "refund_made")
		cancel(errors.Join(io.ErrUnexpectedEOF, refused))
	}()
	_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-1"})
	is(t, err, paysvc.ErrOutcomeUnknown, paysvc.ErrCancelled, context.Canceled, io.ErrUnexpectedEOF)
	for _, other := range []error{paysvc.ErrRejected, paysvc.ErrOutcomeRejected} {
		if errors.Is(err, other) || errors.Is(errors.Unwrap(err), other) {
			t.Errorf("%v is %v", err, other)
		}
	}
	var found *paysvc.Error
	if errors.As(errors.Unwrap(err), &found) {
		t.Error("another call's error is found", found)
	}
}

func TestErrorsHasEveryMemberThatIsWrong(t *testing.T) {
	_, client := start(t)
	ctx := context.Background()
	_, err := client.PayoutInitiate(ctx, paysvc.PayoutInitiateRequest{PayoutDetails: make([]paysvc.PayoutInitiatePayoutDetails, 2)})
	wrong := failure(t, err).Errors()
	if len(wrong) != 14 || wrong["payoutDetails.1.bankCode"] != "must not be empty" || !strings.Contains(err.Error(), "(and 13 more, see errors)") {
		t.Error("the wrong members:", err, wrong)
	}
	_, err = client.DirectDebitStatus(ctx, paysvc.DirectDebitStatusRequest{MandateCode: "none"})
	if wrong := failure(t, err).Errors(); len(wrong) != 1 || wrong["mandateCode"] != "Mandate not found at the moment." {
		t.Error("the wrong members:", wrong)
	}
	for body, want := range map[string]string{
		"": "", "null": "", "[1]": "", `{"errors":["x"]}`: "", `{"errors":"x"}`: "", `{"errors":{}}`: "",
		`{"errors":{"a":"\u0041","b":["x",1],"c":null}}`: `a:A b:["x",1] c:null`,
	} {
		found := (&paysvc.Error{Reply: paysvc.Reply{Body: json.RawMessage(body)}}).Errors()
		if got := fmt.Sprint(found); got != "map["+want+"]" {
			t.Error("Errors:", body, got)
		}
	}
}

func TestAnErrorNamesItsCallInTextAndInLogs(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "req-17")
		w.WriteHeader(http.StatusInternalServerError)
	}))
	defer service.Close()
	config := paysvctest.Start(t, "--seed", "7").Config
	config.BaseURL = service.URL
	_, err := connect(t, config).OrderRefund(context.Background(), paysvc.OrderRefundRequest{Reference: "R-1"})
	failed := failure(t, err)
	if failed.RequestID != "req-17" || failed.CallID == "" {
		t.Errorf("%q %q", failed.RequestID, failed.CallID)
	}
	for _, part := range []string{"paysvc: order_refund: E_SERVER, outcome UNKNOWN: ", failed.Message, " [call " + failed.CallID + "]"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v has no %s", err, part)
		}
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Error("failed", "err", err, "reply", failed.Reply)
	var line struct{ Err, Reply map[string]any }
	must(t, "read the line of the log", json.Unmarshal(log.Bytes(), &line))
	want := map[string]any{
		"call_id": failed.CallID, "status": "E_SERVER", "outcome": "UNKNOWN", "state": "NONE", "http_status": 500.0, "attempts": 1.0,
		"request_id": "req-17", "message": failed.Message,
	}
	if !reflect.DeepEqual(line.Reply, want) {
		t.Error("the reply in the log:", line.Reply)
	}
	want["function"] = "order_refund"
	if !reflect.DeepEqual(line.Err, want) {
		t.Error("the error in the log:", line.Err)
	}
}
