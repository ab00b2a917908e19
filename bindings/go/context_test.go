package paysvc_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
	"paysvc.example/go/paysvc/paysvctest"
)

func TestAContextThatIsDoneSendsNothing(t *testing.T) {
	sandbox, client := start(t)
	tested.Paid(sandbox, "ORDER-1")
	cause := errors.New("the customer left")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "ORDER-1"})
	is(t, err, context.Canceled, cause, paysvc.ErrCancelled, paysvc.ErrOutcomeNotSent)
	late, cancelLate := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancelLate()
	_, err = client.OrderRefund(late, paysvc.OrderRefundRequest{Reference: "ORDER-1"})
	is(t, err, context.DeadlineExceeded, paysvc.ErrTimeout, paysvc.ErrOutcomeNotSent)
	noRepetition(t, err)
	if sent := requests(sandbox); sent != 0 {
		t.Errorf("%d sent", sent)
	}
}

// As libraries ask that repeat what has failed.
func noRepetition(t *testing.T, err error) {
	t.Helper()
	var network net.Error
	var temporary interface{ Temporary() bool }
	if errors.As(err, &network) && network.Timeout() || errors.As(err, &temporary) && temporary.Temporary() || os.IsTimeout(err) {
		t.Errorf("%v is a timeout of the network, or temporary", err)
	}
}

// With golang.org/x/sync/errgroup, the failure of one call is the cause for which the others are cancelled.
func TestACancelAfterTheRequestWasSentIsUnknownWhateverItsCause(t *testing.T) {
	sandbox, client := start(t)
	tested.Paid(sandbox, "sbx-commit_then_timeout-1")
	_, refused := client.DirectDebitStatus(context.Background(), paysvc.DirectDebitStatusRequest{MandateCode: "none"})
	is(t, refused, paysvc.ErrRejected, paysvc.ErrOutcomeRejected)
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		committed(t, sandbox, "refund_made")
		cancel(errors.Join(io.ErrUnexpectedEOF, refused))
	}()
	_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-1"})
	is(t, err, paysvc.ErrOutcomeUnknown, paysvc.ErrCancelled, context.Canceled, io.ErrUnexpectedEOF)
	for _, other := range []error{paysvc.ErrRejected, paysvc.ErrOutcomeRejected} {
		if errors.Is(err, other) || errors.Is(errors.Unwrap(err), other) {
			t.Errorf("%v is %v", err, other)
		}
	}
	var found *paysvc.Error
	if errors.As(errors.Unwrap(err), &found) {
		t.Error("another call's error is found", found)
	}
	if tested.Count(sandbox, "refund_made") != 1 {
		t.Error("not one refund:", sandbox.Ledger())
	}
}

// A context that hides its deadline until it has passed.
type hiddenDeadline struct{ context.Context }

func (hiddenDeadline) Deadline() (time.Time, bool) { return time.Time{}, false }

// The head of the response has arrived, its body has not.
func TestADeadlineIsATimeoutAndInvitesNoRepetition(t *testing.T) {
	sandbox, client := start(t)
	for reference, hidden := range map[string]bool{"sbx-never_end-1": false, "sbx-never_end-2": true} {
		tested.Paid(sandbox, reference)
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if hidden {
			ctx = hiddenDeadline{ctx}
		}
		_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: reference})
		is(t, err, context.DeadlineExceeded, paysvc.ErrTimeout, paysvc.ErrOutcomeUnknown)
		noRepetition(t, err)
		if errors.Is(err, paysvc.ErrCancelled) || errors.Is(err, context.Canceled) || failure(t, err).HTTPStatus != 200 {
			t.Error("a deadline is taken for a cancel, or not within the body:", err)
		}
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

// The client's own timeout applies, and is not an error of the context.
func TestALongDeadlineDoesNotExtendTheClientsTimeout(t *testing.T) {
	sandbox := paysvctest.Start(t)
	sandbox.Config.Timeout = 1500 * time.Millisecond
	client := tested.Connect(t, sandbox.Config)
	tested.Paid(sandbox, "sbx-commit_then_timeout-1")
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
		wait.Add(1)
		go func() {
			defer wait.Done()
			_, err := client.DirectDebitHistory(ctx, paysvc.DirectDebitHistoryRequest{EmailAddress: "none@example.com"})
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Error("neither done nor cancelled:", err)
			}
		}()
		go cancel()
	}
	wait.Wait()
}
