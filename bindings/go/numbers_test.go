package paysvc_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"paysvc.example/go/paysvc"
)

func TestNamesOfNumbers(t *testing.T) {
	for got, want := range map[fmt.Stringer]string{
		paysvc.StatusTimeout: "E_TIMEOUT", paysvc.StatusOK: "OK", paysvc.Status(77): "Status(77)", paysvc.StatusNone: "NONE",
		paysvc.OutcomeUnknown: "UNKNOWN", paysvc.OutcomeNotSent: "NOT_SENT", paysvc.OutcomeNone: "NONE",
		paysvc.StateSuccessful: "SUCCESSFUL", paysvc.State(99): "State(99)",
	} {
		if got.String() != want {
			t.Errorf("%v is not called %s", got, want)
		}
	}
	for number, outcome := range map[int]paysvc.Outcome{
		-1: paysvc.OutcomeNotSent, 0: paysvc.OutcomeNone, 1: paysvc.OutcomeConfirmed, 2: paysvc.OutcomeRejected, 3: paysvc.OutcomeUnknown,
	} {
		if int(outcome) != number {
			t.Errorf("%v is %d", outcome, int(outcome))
		}
	}
}

// What nobody has set permits nothing.
func TestTheZeroValuesKnowNothing(t *testing.T) {
	var reply paysvc.Reply
	if reply.Status == paysvc.StatusOK || reply.Outcome == paysvc.OutcomeNotSent {
		t.Errorf("the zero reply is %v", reply)
	}
	for _, outcome := range []paysvc.Outcome{reply.Outcome, 17, -2} {
		err := &paysvc.Error{Reply: paysvc.Reply{Status: paysvc.StatusArgument, Outcome: outcome}}
		is(t, err, paysvc.ErrOutcomeUnknown)
		for _, wrong := range []error{paysvc.ErrOutcomeNotSent, paysvc.ErrOutcomeRejected, paysvc.ErrArgument} {
			if errors.Is(err, wrong) {
				t.Errorf("%v is %v", err, wrong)
			}
		}
	}
}

func TestOutcomesAreStoredByTheirNames(t *testing.T) {
	type stored struct {
		Outcome paysvc.Outcome
		Status  paysvc.Status
		State   paysvc.State
	}
	for _, row := range []stored{
		{}, {paysvc.OutcomeNotSent, paysvc.StatusConfig, paysvc.StateNone}, {paysvc.OutcomeConfirmed, paysvc.StatusOK, paysvc.StateSuccessful},
		{paysvc.OutcomeRejected, paysvc.StatusRejected, paysvc.StateFailed}, {paysvc.OutcomeUnknown, paysvc.StatusRateLimited, 99},
	} {
		text, err := json.Marshal(row)
		want := fmt.Sprintf(`{"Outcome":"%v","Status":"%v","State":"%v"}`, row.Outcome, row.Status, row.State)
		if string(text) != want || err != nil {
			t.Errorf("%s instead of %s: %v", text, want, err)
		}
		var read stored
		if err := json.Unmarshal(text, &read); err != nil || read != row {
			t.Errorf("%s is read as %v: %v", text, read, err)
		}
		outcome, _ := row.Outcome.Value()
		status, _ := row.Status.Value()
		state, _ := row.State.Value()
		read = stored{7, 7, 7}
		if err := errors.Join(read.Outcome.Scan(outcome), read.Status.Scan([]byte(status.(string))), read.State.Scan(state)); err != nil || read != row {
			t.Errorf("%s is scanned as %v: %v", text, read, err)
		}
	}
	kept := stored{paysvc.OutcomeUnknown, paysvc.StatusServer, paysvc.StatePending}
	read := kept
	for _, wrong := range []any{0, int64(0), int64(-1), 1.0, "", "0", "confirmed", "OK ", []byte("3"), "State(5)", "State(08)", "State(8", "8)"} {
		text, _ := json.Marshal(wrong)
		for what, err := range map[string]error{
			"scan": read.Outcome.Scan(wrong), "scan status": read.Status.Scan(wrong), "scan state": read.State.Scan(wrong),
			"json": json.Unmarshal(text, &read.Outcome), "json status": json.Unmarshal(text, &read.Status), "json state": json.Unmarshal(text, &read.State),
		} {
			if err == nil || read != kept {
				t.Errorf("%s of %#v: %v %v", what, wrong, read, err)
			}
		}
	}
	if err := errors.Join(read.Outcome.Scan(nil), read.Status.Scan(nil), read.State.Scan(nil)); err != nil || read != (stored{}) {
		t.Errorf("NULL is scanned as %v: %v", read, err)
	}
}
