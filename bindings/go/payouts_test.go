package paysvc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
	"paysvc.example/go/paysvc/paysvctest"
)

func recipients(count int) []paysvc.PayoutInitiatePayoutDetails {
	list := make([]paysvc.PayoutInitiatePayoutDetails, count)
	for i := range list {
		list[i] = paysvc.PayoutInitiatePayoutDetails{
			ClientReference: paysvc.Ptr(fmt.Sprintf("SALARY-%d", i)), AccountNumber: paysvc.NewSecret(fmt.Sprintf("06900%03d31", i)),
			BankCode: "000014", Amount: "10.50", Description: "salary", AccountName: "Ada", CreditCurrency: "NGN", DebitCurrency: "NGN",
		}
	}
	return list
}

// The first step before anything was sent, one in the middle, the last one after everything has been paid.
func TestACallThatItsProgressStoppedIsUnknownUnlessNothingWasSent(t *testing.T) {
	sandbox := paysvctest.Start(t, "--seed", "7", "--pay-twice")
	bug := errors.New("a bug of the caller")
	for _, at := range []int{0, 1, 5} {
		for name, stop := range map[string]func() error{
			"error":  func() error { return fmt.Errorf("cannot write: %w", bug) },
			"panic":  func() error { panic(bug) },
			"Goexit": func() error { runtime.Goexit(); return nil },
		} {
			sandbox.Post("/sandbox/reset", map[string]any{}, nil)
			client := tested.Connect(t, withJournal(t, sandbox.Config))
			_, err := client.PayoutBulk(context.Background(), paysvc.PayoutBulkRequest{PayoutDetails: recipients(5), Progress: func(p paysvc.Progress) error {
				if p.Total != 5 {
					t.Errorf("%+v", p)
				}
				if p.Done >= at && (p.Step == "after" || at == 0) {
					return stop()
				}
				return nil
			}})
			failed := failure(t, err)
			outcome, sentinel := paysvc.OutcomeUnknown, paysvc.ErrOutcomeUnknown
			if at == 0 {
				outcome, sentinel = paysvc.OutcomeNotSent, paysvc.ErrOutcomeNotSent
			}
			is(t, err, sentinel, paysvc.ErrCancelled)
			for _, kind := range []error{
				paysvc.ErrOutcomeNotSent, paysvc.ErrOutcomeRejected, paysvc.ErrOutcomeUnknown, paysvc.ErrRejected, context.Canceled,
			} {
				if errors.Is(err, kind) && kind != sentinel {
					t.Errorf("%s at %d: %v is %v", name, at, err, kind)
				}
			}
			for _, text := range []string{err.Error(), failed.Message, fmt.Sprintf("%+v %#v", err, failed)} {
				if strings.Contains(text, "CONFIRMED") || !strings.Contains(text, bug.Error()) && name != "Goexit" {
					t.Errorf("%s at %d says %s", name, at, text)
				}
			}
			var panicked *paysvc.PanicError
			if errors.Is(err, bug) != (name != "Goexit") || errors.As(err, &panicked) != (name == "panic") ||
				panicked != nil && !strings.Contains(string(panicked.Stack), "payouts_test.go") {
				t.Errorf("%s at %d wraps something else: %v", name, at, err)
			}
			var report paysvc.PayoutBulkAnswer
			tested.Must(t, "read the report", json.Unmarshal(failed.AnswerJSON, &report))
			whole, made := failed.Stopped, tested.Count(sandbox, "payout_made")
			if failed.Outcome != outcome || (whole.Outcome == paysvc.OutcomeConfirmed) != (at == 5) || (made == 0) != (at == 0) || made != int(*report.Accepted) {
				t.Errorf("%s at %d: outcome %v, %d made, %v %s", name, at, failed.Outcome, made, whole, failed.Body)
			}
		}
	}
}
