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
)

func recipients(count int) *[]paysvc.PayoutBulkPayoutDetails {
	list := make([]paysvc.PayoutBulkPayoutDetails, count)
	for i := range list {
		list[i] = paysvc.PayoutBulkPayoutDetails{
			ClientReference: paysvc.Ptr(fmt.Sprintf("SALARY-%d", i)), AccountNumber: paysvc.NewSecret(fmt.Sprintf("06900%03d31", i)),
			BankCode: "000014", Amount: "10.50", Description: "salary", AccountName: "Ada", CreditCurrency: "NGN", DebitCurrency: "NGN",
		}
	}
	return &list
}

func outcomes(t *testing.T, report json.RawMessage) (all []string) {
	t.Helper()
	payouts, err := paysvc.ParsePayoutBulkAnswer(report).Payouts.Get()
	if err != nil {
		t.Fatal(err)
	}
	for _, payout := range payouts {
		outcome, err := payout.Outcome.Get()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, outcome)
	}
	return all
}

func accepted(t *testing.T, report json.RawMessage) (times int) {
	t.Helper()
	for _, outcome := range outcomes(t, report) {
		if outcome == "ACCEPTED" {
			times++
		}
	}
	return times
}

func TestEveryRecipientIsInTheReport(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	var steps []string
	reply, err := client.PayoutBulk(ctx, paysvc.PayoutBulkRequest{PayoutDetails: recipients(5), Progress: func(p paysvc.Progress) error {
		steps = append(steps, fmt.Sprintf("%s %d of %d", p.Step, p.Done, p.Total))
		return nil
	}})
	if err != nil || accepted(t, reply.Body) != 5 || count(sandbox, "payout_made") != 5 {
		t.Fatal(err, sandbox.Ledger())
	}
	if steps[0] != "before 0 of 5" || steps[len(steps)-1] != "after 5 of 5" {
		t.Error(steps)
	}
	if total, err := reply.Answer().Total.Get(); err != nil || total != 5 {
		t.Error(total, err)
	}
	// Where states stand in the answer is guessed, so none is final.
	_, err = client.PayoutBulkStatus(ctx, reply.Body)
	is(t, err, paysvc.ErrUnresolved, paysvc.ErrOutcomeUnknown)
	states := paysvc.ParsePayoutBulkAnswer(failure(t, err).Body)
	if raw, err := states.States.Get(); err != nil || !strings.HasPrefix(string(raw), "{") {
		t.Error(string(raw), err)
	}
}

// By the report, or by the steps that were written down: they are as good.
func TestWhatStopsPayoutsIsWrappedAndTheRestCanBeSentLater(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	full := errors.New("the disk is full")
	for name, stop := range map[string]func() error{
		"error": func() error { return fmt.Errorf("cannot write: %w", full) },
		"panic": func() error { panic(full) },
		"stop":  func() error { return fmt.Errorf("enough: %w", paysvc.ErrStop) },
	} {
		for _, written := range []bool{false, true} {
			sandbox.Post("/sandbox/reset", map[string]any{}, nil)
			var steps []json.RawMessage
			_, err := client.PayoutBulk(ctx, paysvc.PayoutBulkRequest{PayoutDetails: recipients(5), Progress: func(p paysvc.Progress) error {
				steps = append(steps, p.JSON)
				if p.Step == "after" {
					return stop()
				}
				return nil
			}})
			if name == "stop" {
				is(t, err, paysvc.ErrCancelled, paysvc.ErrOutcomeUnknown)
			} else {
				is(t, err, full)
			}
			earlier := failure(t, err).Body
			made := count(sandbox, "payout_made")
			if made == 0 || made == 5 || accepted(t, earlier) != made {
				t.Fatal(made, string(earlier))
			}
			if written {
				earlier, _ = json.Marshal(steps)
			}
			reply, err := client.PayoutBulk(ctx, paysvc.PayoutBulkRequest{PayoutDetails: recipients(5), Earlier: earlier})
			if err != nil || accepted(t, reply.Body) != 5 || count(sandbox, "payout_made") != 5 {
				t.Fatal(err, sandbox.Ledger())
			}
		}
	}
}

// The first step before anything was sent, one in the middle, the last one after everything has been paid.
func TestACallThatItsProgressStoppedHasNoOutcomeAndTheWholeReply(t *testing.T) {
	sandbox, client := start(t)
	for _, at := range []int{0, 1, 5} {
		for name, stop := range map[string]func() error{
			"error":  func() error { return errors.New("a bug of the caller") },
			"panic":  func() error { panic("a bug of the caller") },
			"Goexit": func() error { runtime.Goexit(); return nil },
		} {
			sandbox.Post("/sandbox/reset", map[string]any{}, nil)
			_, err := client.PayoutBulk(context.Background(), paysvc.PayoutBulkRequest{PayoutDetails: recipients(5), Progress: func(p paysvc.Progress) error {
				if p.Done >= at && (p.Step == "after" || at == 0) {
					return stop()
				}
				return nil
			}})
			failed := failure(t, err)
			for _, kind := range []error{
				paysvc.ErrOutcomeNotSent, paysvc.ErrOutcomeRejected, paysvc.ErrOutcomeUnknown, paysvc.ErrRejected, paysvc.ErrCancelled,
			} {
				if errors.Is(err, kind) {
					t.Errorf("%s at %d: %v is %v", name, at, err, kind)
				}
			}
			for _, text := range []string{err.Error(), failed.Message, fmt.Sprintf("%+v %#v", err, failed)} {
				if strings.Contains(text, "CONFIRMED") || !strings.Contains(text, "a bug of the caller") && name != "Goexit" {
					t.Error(text)
				}
			}
			var panicked *paysvc.PanicError
			if errors.As(err, &panicked) != (name == "panic") || panicked != nil && !strings.Contains(string(panicked.Stack), "payouts_test.go") {
				t.Error(err)
			}
			whole, made := failed.Stopped, count(sandbox, "payout_made")
			if failed.Outcome != paysvc.OutcomeNone || (whole.Outcome == paysvc.OutcomeConfirmed) != (at == 5) || (made == 0) != (at == 0) || made != accepted(t, failed.Body) {
				t.Error(name, at, made, whole, string(failed.Body))
			}
		}
	}
}

// The second batch, if it is sent at all, gets no answer until the cancel has reached it.
func TestACancelEndsTheList(t *testing.T) {
	sandbox, client := start(t)
	sandbox.Post("/sandbox/faults", map[string]any{"path": "/payout/initiate", "fault": "commit_then_timeout", "nth": 2}, nil)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := client.PayoutBulk(ctx, paysvc.PayoutBulkRequest{PayoutDetails: recipients(5), Progress: func(p paysvc.Progress) error {
		if p.Step == "after" {
			cancel()
		}
		return nil
	}})
	is(t, err, paysvc.ErrCancelled, context.Canceled)
	stopped := failure(t, err)
	unknown, err := paysvc.ParsePayoutBulkAnswer(stopped.Body).Unknown.Get()
	made, known := count(sandbox, "payout_made"), accepted(t, stopped.Body)
	if err != nil || known == 0 || made < known || made > known+int(unknown) || made == 5 {
		t.Error(made, string(stopped.Body))
	}
}

func TestAWebhookIsTrueOnlyIfTheServiceSaysSo(t *testing.T) {
	sandbox, client := start(t)
	paid(sandbox, "R-1")
	expect := &paysvc.WebhookVerifyExpect{Reference: paysvc.Ptr("R-1"), Amount: paysvc.Ptr("100.10")}
	for body, want := range map[string]bool{
		`{"data":{"orderReference":"R-1","statusId":5,"orderAmount":100.10}}`:      true,
		`{"data":{"orderReference":"R-1","statusId":5,"totalAmountCharged":9000}}`: false,
	} {
		reply, err := client.WebhookVerify(context.Background(), paysvc.WebhookVerifyRequest{Body: json.RawMessage(body), Expect: expect})
		if err != nil {
			t.Fatal(err)
		}
		answer := reply.Answer()
		authentic, err := answer.Authentic.Get()
		if err != nil || authentic != want {
			t.Error(body, authentic, err)
		}
		if _, err := answer.Key.Get(); (err == nil) != want {
			t.Error(err)
		}
	}
}
