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
		paysvc.Outcome(-1): "NOT_SENT", paysvc.Outcome(0): "NONE", paysvc.Outcome(1): "CONFIRMED", paysvc.Outcome(2): "REJECTED", paysvc.Outcome(3): "UNKNOWN",
		paysvc.StateSuccessful: "SUCCESSFUL", paysvc.State(99): "State(99)",
	} {
		if got.String() != want {
			t.Errorf("%v is not called %s", got, want)
		}
	}
	for number := -1; number < 30; number++ {
		var status paysvc.Status
		if name := paysvc.Status(number).String(); status.Scan(name) == nil && int(status) != number {
			t.Errorf("%s is %d, not %d", name, int(status), number)
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
	for _, wrong := range []any{int64(0), "", "0", "confirmed", []byte("3"), "State(5)", "State(08)", "State(8"} {
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
