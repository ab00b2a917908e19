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
			t.Error(got, want)
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
		t.Error(reply)
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
	}
	for _, row := range []stored{
		{}, {paysvc.OutcomeNotSent, paysvc.StatusConfig}, {paysvc.OutcomeConfirmed, paysvc.StatusOK},
		{paysvc.OutcomeRejected, paysvc.StatusRejected}, {paysvc.OutcomeUnknown, paysvc.StatusRateLimited},
	} {
		text, err := json.Marshal(row)
		if want := fmt.Sprintf(`{"Outcome":"%v","Status":"%v"}`, row.Outcome, row.Status); string(text) != want || err != nil {
			t.Error(string(text), err)
		}
		var read stored
		if err := json.Unmarshal(text, &read); err != nil || read != row {
			t.Error(read, err)
		}
		outcome, _ := row.Outcome.Value()
		status, _ := row.Status.Value()
		read = stored{7, 7}
		if err := errors.Join(read.Outcome.Scan(outcome), read.Status.Scan([]byte(status.(string)))); err != nil || read != row {
			t.Error(read, err)
		}
	}
	read := stored{paysvc.OutcomeUnknown, paysvc.StatusServer}
	for _, wrong := range []any{0, int64(0), int64(-1), 1.0, "", "0", "confirmed", "OK ", []byte("3")} {
		text, _ := json.Marshal(wrong)
		for what, err := range map[string]error{
			"scan": read.Outcome.Scan(wrong), "scan status": read.Status.Scan(wrong),
			"json": json.Unmarshal(text, &read.Outcome), "json status": json.Unmarshal(text, &read.Status),
		} {
			if err == nil || read != (stored{paysvc.OutcomeUnknown, paysvc.StatusServer}) {
				t.Errorf("%s of %#v: %v %v", what, wrong, read, err)
			}
		}
	}
	if err := errors.Join(read.Outcome.Scan(nil), read.Status.Scan(nil)); err != nil || read != (stored{}) {
		t.Error(read, err)
	}
}
