package paysvc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"paysvc.example/go/paysvc"
)

// Errors that sound as if nothing had been executed are not found in an error that leaves that open.
func TestARefusalIsOneOnlyIfTheOutcomeSaysSo(t *testing.T) {
	denials := map[paysvc.Status]error{
		paysvc.StatusArgument: paysvc.ErrArgument, paysvc.StatusConfig: paysvc.ErrConfig, paysvc.StatusEncrypt: paysvc.ErrEncrypt,
		paysvc.StatusRejected: paysvc.ErrRejected, paysvc.StatusUnauthorized: paysvc.ErrUnauthorized, paysvc.StatusRateLimited: paysvc.ErrRateLimited,
	}
	of := func(status paysvc.Status, outcome paysvc.Outcome) error {
		return &paysvc.Error{Reply: paysvc.Reply{Status: status, Outcome: outcome}}
	}
	// The zero value and numbers that this package does not know, too: an outcome that nobody has set permits nothing.
	for _, outcome := range []paysvc.Outcome{paysvc.OutcomeUnknown, paysvc.Reply{}.Outcome, 17, -2} {
		for status := range denials {
			err := of(status, outcome)
			is(t, err, paysvc.ErrOutcomeUnknown)
			for _, denial := range denials {
				if errors.Is(err, denial) || errors.Is(err, paysvc.ErrOutcomeRejected) || errors.Is(err, paysvc.ErrOutcomeNotSent) {
					t.Errorf("%v is %v", err, denial)
				}
			}
		}
	}
	for status, denial := range denials {
		is(t, of(status, paysvc.OutcomeRejected), denial, paysvc.ErrOutcomeRejected)
		if errors.Is(of(status, paysvc.OutcomeConfirmed), denial) {
			t.Error("a confirmed outcome is taken for a refusal:", status)
		}
	}
	for status, own := range map[paysvc.Status]error{
		paysvc.StatusUnresolved: paysvc.ErrUnresolved, paysvc.StatusKeyReused: paysvc.ErrKeyReused, paysvc.StatusJournal: paysvc.ErrJournal,
	} {
		is(t, of(status, paysvc.OutcomeUnknown), own, paysvc.ErrOutcomeUnknown)
	}
	if (paysvc.Reply{}).Status == paysvc.StatusOK {
		t.Error("the zero reply is", paysvc.Reply{})
	}
}

func TestErrorsHasEveryMemberThatIsWrong(t *testing.T) {
	for body, want := range map[string]string{
		"": "", `{"errors":["x"]}`: "", `{"errors":{"a":"\u0041","b":["x",1],"c":null}}`: `a:A b:["x",1] c:null`,
	} {
		found := (&paysvc.Error{Reply: paysvc.Reply{Body: json.RawMessage(body)}}).Errors()
		if got := fmt.Sprint(found); got != "map["+want+"]" {
			t.Error("Errors:", body, got)
		}
	}
}

func TestAnErrorNamesItsCallInTextAndInLogs(t *testing.T) {
	reply := paysvc.Reply{
		Status: paysvc.StatusServer, Outcome: paysvc.OutcomeUnknown, HTTPStatus: 500, Attempts: 1, CallID: "c-1", RequestID: "req-17", Message: "no response",
	}
	err := &paysvc.Error{Function: "order_refund", Reply: reply}
	const text = "paysvc: order_refund: E_SERVER, outcome UNKNOWN: no response [call c-1]"
	if got := fmt.Sprintf("%v %#v %q", err, *err, err); got != text+" "+text+` "`+text+`"` {
		t.Error("the error says", got)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: withoutTime})).Error("failed", "err", err, "reply", reply)
	want := "level=ERROR msg=failed err.function=order_refund"
	for _, of := range []string{" err.", " reply."} {
		for _, field := range []string{"call_id=c-1", "status=E_SERVER", "outcome=UNKNOWN", "state=NONE", "http_status=500", "attempts=1", "request_id=req-17", `message="no response"`} {
			want += of + field
		}
	}
	if log.String() != want+"\n" {
		t.Error("the log:", log.String())
	}
}
