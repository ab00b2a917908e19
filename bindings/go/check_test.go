package paysvc_test

import (
	"context"
	"testing"

	"paysvc.example/go/paysvc"
)

type checks struct {
	Checks []struct {
		Check   string
		OK      bool
		Message string
	}
}

func TestCheckNamesWhatIsMissing(t *testing.T) {
	sandbox, client := start(t)
	reply, err := client.Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var found checks
	if err := reply.Decode(&found); err != nil || len(found.Checks) < 10 {
		t.Fatal(err, found)
	}
	for _, check := range found.Checks {
		if !check.OK {
			t.Error(check)
		}
	}
	config := sandbox.Config
	config.SecretKey = ""
	_, err = connect(t, config).Check(context.Background())
	is(t, err, paysvc.ErrConfig)
	failure := failure(t, err)
	if err := failure.Decode(&found); err != nil || found.Checks[2].Check != "secret_key" || found.Checks[2].OK {
		t.Error(err, found)
	}
}

// What sounds as if nothing had been executed is not found in an error that leaves that open.
func TestARefusedLookUpIsNoRefusal(t *testing.T) {
	for _, status := range []paysvc.Status{
		paysvc.StatusArgument, paysvc.StatusConfig, paysvc.StatusEncrypt, paysvc.StatusRejected, paysvc.StatusUnauthorized,
		paysvc.StatusRateLimited,
	} {
		err := &paysvc.Error{Reply: paysvc.Reply{Status: status, Outcome: paysvc.OutcomeUnknown}}
		is(t, err, paysvc.ErrOutcomeUnknown)
		for _, denial := range []error{
			paysvc.ErrArgument, paysvc.ErrConfig, paysvc.ErrEncrypt, paysvc.ErrRejected, paysvc.ErrUnauthorized,
			paysvc.ErrRateLimited, paysvc.ErrOutcomeRejected, paysvc.ErrOutcomeNotSent,
		} {
			if err.Is(denial) {
				t.Errorf("%v is %v", err, denial)
			}
		}
	}
	confirmed := &paysvc.Error{Reply: paysvc.Reply{Status: paysvc.StatusRejected, Outcome: paysvc.OutcomeConfirmed}}
	if confirmed.Is(paysvc.ErrRejected) {
		t.Error(confirmed)
	}
	is(t, &paysvc.Error{Reply: paysvc.Reply{Status: paysvc.StatusUnresolved, Outcome: paysvc.OutcomeUnknown}}, paysvc.ErrUnresolved)
	is(t, &paysvc.Error{Reply: paysvc.Reply{Status: paysvc.StatusRejected, Outcome: paysvc.OutcomeRejected}}, paysvc.ErrRejected)
}
