package paysvc_test

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
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
	reply := need(client.Check(context.Background()))(t, "check the client")
	var found checks
	if err := reply.Decode(&found); err != nil || len(found.Checks) < 10 {
		t.Fatal("the response of Check:", err, found)
	}
	for _, check := range found.Checks {
		if !check.OK {
			t.Error("the check failed:", check)
		}
	}
	config := sandbox.Config
	config.SecretKey = paysvc.Secret{}
	_, err := connect(t, config).Check(context.Background())
	is(t, err, paysvc.ErrConfig)
	failure := failure(t, err)
	if err := failure.Decode(&found); err != nil || found.Checks[2].Check != "secret_key" || found.Checks[2].OK {
		t.Error("the check of the secret key:", err, found)
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
		t.Error("a confirmed outcome is taken for a refusal:", confirmed)
	}
	for status, own := range map[paysvc.Status]error{
		paysvc.StatusUnresolved: paysvc.ErrUnresolved, paysvc.StatusKeyReused: paysvc.ErrKeyReused, paysvc.StatusJournal: paysvc.ErrJournal,
	} {
		err := &paysvc.Error{Reply: paysvc.Reply{Status: status, Outcome: paysvc.OutcomeUnknown}}
		is(t, err, own, paysvc.ErrOutcomeUnknown)
		if err.Is(paysvc.ErrArgument) || err.Is(paysvc.ErrRejected) || err.Is(paysvc.ErrOutcomeNotSent) {
			t.Errorf("%v denies", err)
		}
	}
	is(t, &paysvc.Error{Reply: paysvc.Reply{Status: paysvc.StatusRejected, Outcome: paysvc.OutcomeRejected}}, paysvc.ErrRejected)
}

func TestIsPaidComparesWithTheOrder(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	reply := need(client.Resolve(ctx, lose(t, sandbox, client, "R-1", charged)))(t, "resolve the charge")
	kept := *reply
	reply = nil
	runtime.GC()
	for _, is := range []struct{ reference, amount, currency, whyNot string }{
		{"R-1", "25.5", "NGN", ""},
		{"r-1", "25.50", paysvc.Anything, ""},
		{"R-2", "25.50", "NGN", "another order"},
		{"R-1", "25.05", "NGN", "amount"},
		{"R-1", "25.50", "USD", "currency"},
		{"R-1\x00", "25.50", "NGN", "U+0000"},
		{"R-1", "", "NGN", "decimal"},
	} {
		paid, whyNot := kept.IsPaid(is.reference, is.amount, is.currency)
		if paid != (is.whyNot == "") || !strings.Contains(whyNot, is.whyNot) {
			t.Errorf("%+v: %v %q", is, paid, whyNot)
		}
	}
	paid(sandbox, "R-2")
	refund := need(client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "R-2"}))(t, "refund the order")
	for _, other := range []paysvc.Reply{refund.Reply, {}, {Outcome: paysvc.OutcomeConfirmed, State: paysvc.StateSuccessful}} {
		if paid, whyNot := other.IsPaid("*", "*", "*"); paid || whyNot == "" {
			t.Error("IsPaid of a reply without a paid order:", other, whyNot)
		}
	}
}

// Only an order that is known to have no charge may be sent again.
func TestAnErrorKnowsWhetherItsRequestMayHaveCharged(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	for request, charged := range map[string]bool{
		`{"order":{"reference":"R-9","amount":"25.50","currency":"NGN"}}`:                                                                                           false,
		`{"order":{"reference":"R-9","amount":"25.50","currency":"NGN"},"card":{"cardnumber":"4111111111111111","expirymonth":"01","expiryyear":"39","cvv":"193"}}`: true,
		`{"order":{"reference":"R-9","amount":"25.50","currency":"NGN"},"paymentoption":"C"}`:                                                                       true,
		`{"order":{"reference":"R-9","amount":"25.50","currency":"NGN"},"cardToken":"t"}`:                                                                           true,
		`{"order":{"reference":"R-9","amount":"25.50","cardToken":"t"}}`:                                                                                            true,
	} {
		sandbox.Post("/sandbox/faults", map[string]any{"path": "/payment/order/create", "fault": "status_500"}, nil)
		_, err := client.Call(ctx, "order_create", json.RawMessage(request))
		is(t, err, paysvc.ErrOutcomeUnknown)
		_, err = client.Resolve(ctx, err)
		is(t, err, paysvc.ErrUnresolved, paysvc.ErrOutcomeUnknown)
		_, err = client.Resolve(ctx, err)
		if strings.Contains(err.Error(), "may be sent again") == charged {
			t.Errorf("%s: %v", request, err)
		}
	}
}
