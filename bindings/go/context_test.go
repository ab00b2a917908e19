package paysvc_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/paysvctest"
)

func TestAContextThatIsDoneSendsNothing(t *testing.T) {
	sandbox, client := start(t)
	paid(sandbox, "ORDER-1")
	cause := errors.New("the customer left")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "ORDER-1"})
	is(t, err, context.Canceled, cause, paysvc.ErrCancelled, paysvc.ErrOutcomeNotSent)
	late, cancelLate := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancelLate()
	_, err = client.OrderRefund(late, paysvc.OrderRefundRequest{Reference: "ORDER-1"})
	is(t, err, context.DeadlineExceeded, paysvc.ErrTimeout, paysvc.ErrOutcomeNotSent)
	if sent := requests(sandbox); sent != 0 {
		t.Errorf("%d sent", sent)
	}
}

func TestACancelAfterTheRequestWasSentIsUnknown(t *testing.T) {
	sandbox, client := start(t)
	paid(sandbox, "sbx-commit_then_timeout-1")
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		committed(t, sandbox, "refund_made")
		cancel()
	}()
	_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-1"})
	is(t, err, context.Canceled, paysvc.ErrCancelled, paysvc.ErrOutcomeUnknown)
	if count(sandbox, "refund_made") != 1 {
		t.Error("not one refund:", sandbox.Ledger())
	}
}

func TestADeadlineReachesTheLibrary(t *testing.T) {
	sandbox, client := start(t)
	paid(sandbox, "sbx-commit_then_timeout-1")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-1"})
	is(t, err, context.DeadlineExceeded, paysvc.ErrTimeout, paysvc.ErrOutcomeUnknown)
	if errors.Is(err, paysvc.ErrCancelled) || errors.Is(err, context.Canceled) {
		t.Error("a deadline is not a cancel")
	}
	if count(sandbox, "refund_made") != 1 {
		t.Error("not one refund:", sandbox.Ledger())
	}
}

// As libraries ask that repeat what has failed.
func TestNoErrorInvitesARepetition(t *testing.T) {
	sandbox, client := start(t)
	paid(sandbox, "sbx-commit_then_timeout-1")
	for name, within := range map[string]time.Duration{"sent": 2 * time.Second, "not sent": -time.Second} {
		ctx, cancel := context.WithTimeout(context.Background(), within)
		_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-1"})
		cancel()
		is(t, err, context.DeadlineExceeded, paysvc.ErrTimeout)
		var network net.Error
		var temporary interface{ Temporary() bool }
		if errors.As(err, &network) && network.Timeout() || errors.As(err, &temporary) && temporary.Temporary() || os.IsTimeout(err) {
			t.Errorf("%s: %v is a timeout of the network, or temporary", name, err)
		}
	}
}

func TestResolveWithAContextThatHasEndedAsksNothing(t *testing.T) {
	sandbox, client := start(t)
	ended, cancel := context.WithCancel(context.Background())
	unknown := lose(t, sandbox, client, "R-1", charged)
	cancel()
	before := requests(sandbox)
	_, err := client.Resolve(ended, unknown)
	is(t, err, paysvc.ErrOutcomeUnknown, context.Canceled)
	if sent := requests(sandbox) - before; sent != 0 {
		t.Errorf("%d requests were sent", sent)
	}
	if _, err := client.Resolve(context.WithoutCancel(ended), err); err != nil {
		t.Errorf("the error of the first Resolve cannot be resolved: %v", err)
	}
}

// The deadlines range from before the first byte to after the response.
func TestADeadlineIsATimeoutAtAnyMoment(t *testing.T) {
	_, client := start(t)
	expired := 0
	for i := 0; i < 300; i++ {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*10*time.Microsecond)
		_, err := client.DirectDebitHistory(ctx, paysvc.DirectDebitHistoryRequest{EmailAddress: "none@example.com"})
		cancel()
		if err != nil {
			expired++
			is(t, err, context.DeadlineExceeded, paysvc.ErrTimeout)
			if errors.Is(err, paysvc.ErrCancelled) {
				t.Error("a deadline is taken for a cancel:", err)
			}
		}
	}
	if expired == 0 {
		t.Error("no deadline expired in a call")
	}
}

// A context that does not tell its deadline before it has passed.
type hiddenDeadline struct{ context.Context }

func (hiddenDeadline) Deadline() (time.Time, bool) { return time.Time{}, false }

func TestADeadlineThatTheContextDoesNotTellIsATimeoutToo(t *testing.T) {
	sandbox, client := start(t)
	paid(sandbox, "sbx-commit_then_timeout-1")
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, err := client.OrderRefund(hiddenDeadline{ctx}, paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-1"})
	is(t, err, context.DeadlineExceeded, paysvc.ErrTimeout, paysvc.ErrOutcomeUnknown)
}

// The head of the response has arrived, its body has not. The context still ends the call, and the error says so.
func TestADeadlineAndACancelWithinTheBody(t *testing.T) {
	sandbox, client := start(t)
	for i, kinds := range [][]error{
		{context.DeadlineExceeded, paysvc.ErrTimeout, paysvc.ErrOutcomeUnknown},
		{context.Canceled, paysvc.ErrCancelled, paysvc.ErrOutcomeUnknown},
	} {
		reference := fmt.Sprintf("sbx-never_end-%d", i)
		paid(sandbox, reference)
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		if i == 1 {
			cancel()
			ctx, cancel = context.WithCancel(context.Background())
			time.AfterFunc(2*time.Second, cancel)
		}
		_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: reference})
		cancel()
		is(t, err, kinds...)
		if failure(t, err).HTTPStatus != 200 {
			t.Errorf("not within the body: %v", err)
		}
	}
}

// The client's own timeout applies, and is not an error of the context.
func TestALongDeadlineDoesNotExtendTheClientsTimeout(t *testing.T) {
	sandbox := paysvctest.Start(t)
	config := sandbox.Config
	config.Timeout = 1500 * time.Millisecond
	client := connect(t, config)
	paid(sandbox, "sbx-commit_then_timeout-1")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Hour)
	defer cancel()
	_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-1"})
	is(t, err, paysvc.ErrTimeout, paysvc.ErrOutcomeUnknown)
	if errors.Is(err, context.DeadlineExceeded) {
		t.Error("the error names the context")
	}
}

func TestConcurrentCancels(t *testing.T) {
	_, client := start(t)
	var wait sync.WaitGroup
	for i := 0; i < 200; i++ {
		ctx, cancel := context.WithCancel(context.Background())
		wait.Add(2)
		go func() {
			defer wait.Done()
			_, err := client.DirectDebitHistory(ctx, paysvc.DirectDebitHistoryRequest{EmailAddress: "none@example.com"})
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Error("neither done nor cancelled:", err)
			}
		}()
		go func() {
			defer wait.Done()
			cancel()
		}()
	}
	wait.Wait()
}
