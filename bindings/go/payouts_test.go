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
	"paysvc.example/go/paysvc/paysvctest"
)

// A client with a journal.
func payer(t *testing.T) (*paysvctest.Sandbox, *paysvc.Client) {
	t.Helper()
	sandbox := paysvctest.Start(t, "--seed", "7", "--pay-twice")
	return sandbox, connect(t, withJournal(t, sandbox.Config))
}

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

// A list of others with each number.
func others(number int) []paysvc.PayoutInitiatePayoutDetails {
	list := recipients(5)
	for i := range list {
		list[i].ClientReference = paysvc.Ptr(fmt.Sprintf("SALARY-%d-%d", number, i))
	}
	return list
}

func report(t *testing.T, reply paysvc.Reply) (report paysvc.PayoutBulkAnswer) {
	t.Helper()
	if err := json.Unmarshal(reply.AnswerJSON, &report); err != nil {
		t.Fatal("there is no report:", err)
	}
	return report
}

func outcomes(t *testing.T, reply paysvc.Reply) (all []string) {
	t.Helper()
	for _, payout := range report(t, reply).Payouts {
		all = append(all, payout.Outcome)
	}
	return all
}

func accepted(t *testing.T, reply paysvc.Reply) (times int) {
	t.Helper()
	for _, outcome := range outcomes(t, reply) {
		if outcome == "ACCEPTED" {
			times++
		}
	}
	return times
}

func TestEveryRecipientIsInTheReport(t *testing.T) {
	sandbox, client := payer(t)
	ctx := context.Background()
	var steps []string
	reply, err := client.PayoutBulk(ctx, paysvc.PayoutBulkRequest{PayoutDetails: recipients(5), Progress: func(p paysvc.Progress) error {
		steps = append(steps, fmt.Sprintf("%s %d of %d", p.Step, p.Done, p.Total))
		return nil
	}})
	if err != nil || accepted(t, reply.Reply) != 5 || count(sandbox, "payout_made") != 5 {
		t.Fatal("not all were paid:", err, sandbox.Ledger())
	}
	if steps[0] != "before 0 of 5" || steps[len(steps)-1] != "after 5 of 5" {
		t.Error("other steps:", steps)
	}
	if total := reply.Answer.Total; total == nil || *total != 5 || len(reply.Answer.Payouts) != 5 {
		t.Error("another total:", total)
	}
}

func TestWhatStopsPayoutsIsWrappedAndTheSameListPaysTheRest(t *testing.T) {
	sandbox, client := payer(t)
	ctx := context.Background()
	full := errors.New("the disk is full")
	for number, stop := range []func() error{
		func() error { return fmt.Errorf("cannot write: %w", full) },
		func() error { panic(full) },
		func() error { return fmt.Errorf("enough: %w", paysvc.ErrStop) },
	} {
		sandbox.Post("/sandbox/reset", map[string]any{}, nil)
		list := others(number)
		_, err := client.PayoutBulk(ctx, paysvc.PayoutBulkRequest{PayoutDetails: list, Progress: func(p paysvc.Progress) error {
			if p.Step == "after" {
				return stop()
			}
			return nil
		}})
		if number == 2 {
			is(t, err, paysvc.ErrCancelled, paysvc.ErrOutcomeUnknown)
		} else {
			is(t, err, full, paysvc.ErrOutcomeUnknown)
		}
		made, failed := count(sandbox, "payout_made"), failure(t, err)
		if made == 0 || made == 5 || accepted(t, failed.Reply) != made {
			t.Fatal("made, and reported:", made, string(failed.Body))
		}
		reply, err := client.PayoutBulk(ctx, paysvc.PayoutBulkRequest{PayoutDetails: list})
		if err != nil || accepted(t, reply.Reply) != 5 || count(sandbox, "payout_made") != 5 {
			t.Fatal("the same list did not pay the rest:", err, sandbox.Ledger())
		}
	}
}

func TestAListGoesOnWithAnotherOneOnlyIfItSaysSo(t *testing.T) {
	sandbox, client := payer(t)
	ctx := context.Background()
	need(client.PayoutBulk(ctx, paysvc.PayoutBulkRequest{PayoutDetails: recipients(2)}))(t, "pay the two recipients")
	_, err := client.PayoutBulk(ctx, paysvc.PayoutBulkRequest{PayoutDetails: recipients(3)})
	is(t, err, paysvc.ErrKeyReused, paysvc.ErrOutcomeUnknown)
	if made := count(sandbox, "payout_made"); made != 2 || !strings.Contains(err.Error(), "SALARY-0 was paid on ") {
		t.Error("made, and refused with:", made, err)
	}
	longer := paysvc.PayoutBulkRequest{PayoutDetails: recipients(3), Continue: paysvc.Ptr(true)}
	reply, err := client.PayoutBulk(ctx, longer)
	if err != nil || count(sandbox, "payout_made") != 3 {
		t.Fatal("the longer list did not pay the third:", err, sandbox.Ledger())
	}
	first := reply.Answer.Payouts[0]
	if first.Replayed == nil || !*first.Replayed || len(first.Date) != len("2026-01-31") {
		t.Error("replayed, and day:", first.Replayed, first.Date)
	}
	without := connect(t, sandbox.Config)
	_, err = without.PayoutBulk(ctx, longer)
	is(t, err, paysvc.ErrConfig, paysvc.ErrOutcomeNotSent)
}

// The first step before anything was sent, one in the middle, the last one after everything has been paid.
func TestACallThatItsProgressStoppedIsUnknownUnlessNothingWasSent(t *testing.T) {
	sandbox, client := payer(t)
	number := 0
	for _, at := range []int{0, 1, 5} {
		for name, stop := range map[string]func() error{
			"error":  func() error { return errors.New("a bug of the caller") },
			"panic":  func() error { panic("a bug of the caller") },
			"Goexit": func() error { runtime.Goexit(); return nil },
		} {
			sandbox.Post("/sandbox/reset", map[string]any{}, nil)
			number++
			_, err := client.PayoutBulk(context.Background(), paysvc.PayoutBulkRequest{PayoutDetails: others(number), Progress: func(p paysvc.Progress) error {
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
				if strings.Contains(text, "CONFIRMED") || !strings.Contains(text, "a bug of the caller") && name != "Goexit" {
					t.Errorf("%s at %d says %s", name, at, text)
				}
			}
			var panicked *paysvc.PanicError
			if errors.As(err, &panicked) != (name == "panic") || panicked != nil && !strings.Contains(string(panicked.Stack), "payouts_test.go") {
				t.Errorf("%s at %d wraps another panic: %v", name, at, err)
			}
			whole, made := failed.Stopped, count(sandbox, "payout_made")
			if failed.Outcome != outcome || (whole.Outcome == paysvc.OutcomeConfirmed) != (at == 5) || (made == 0) != (at == 0) || made != accepted(t, failed.Reply) {
				t.Errorf("%s at %d: outcome %v, %d made, %v %s", name, at, failed.Outcome, made, whole, failed.Body)
			}
		}
	}
}

// The second batch, if it is sent at all, gets no response until the cancel has reached it.
func TestACancelEndsTheList(t *testing.T) {
	sandbox, client := payer(t)
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
	unknown := report(t, stopped.Reply).Unknown
	made, known := count(sandbox, "payout_made"), accepted(t, stopped.Reply)
	if unknown == nil || known == 0 || made < known || made > known+int(*unknown) || made == 5 {
		t.Error("made, and reported:", made, string(stopped.Body))
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
		reply := need(client.WebhookVerify(context.Background(), paysvc.WebhookVerifyRequest{Body: json.RawMessage(body), Expect: expect}))(t, "verify the event")
		if event := reply.Webhook; event == nil || event.Authentic == nil || *event.Authentic != want || (event.Key != "") != want ||
			event.Match == nil || event.About != "R-1" || reply.AnswerOf != "order_verify" {
			t.Errorf("what the event is found to be: %s", reply.Body)
		}
	}
}
