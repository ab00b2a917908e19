package paysvc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
	"paysvc.example/go/paysvc/paysvctest"
)

// Starts a call that occupies the only slot of a client until the test ends it.
func stalled(t *testing.T, timeout time.Duration) (sandbox *paysvctest.Sandbox, client *paysvc.Client) {
	t.Helper()
	sandbox = paysvctest.Start(t, "--seed", "7")
	sandbox.Config.Timeout = timeout
	client = tested.Connect(t, sandbox.Config, paysvc.WithMaxInFlight(1))
	tested.Paid(sandbox, "sbx-commit_then_timeout-1")
	ctx, cancel := context.WithCancel(context.Background())
	ended := refunding(ctx, client, "sbx-commit_then_timeout-1")
	committed(t, sandbox, "refund_made")
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return sandbox, client
}

func refunding(ctx context.Context, client *paysvc.Client, reference string) chan error {
	ended := make(chan error, 1)
	go func() {
		_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: reference})
		ended <- err
	}()
	return ended
}

func TestTheWaitForASlotEndsWithTheContextAndWithClose(t *testing.T) {
	sandbox, client := stalled(t, 0)
	// A call that sends nothing waits for no slot.
	if _, err := client.Encrypt(context.Background(), json.RawMessage("{}")); err != nil {
		t.Errorf("Encrypt: %v", err)
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	err := <-refunding(ctx, client, "ORDER-1")
	is(t, err, paysvc.ErrTimeout, context.DeadlineExceeded, paysvc.ErrOutcomeNotSent)
	if took, failure := time.Since(began), failure(t, err); took < 500*time.Millisecond || took > 5*time.Second || failure.Attempts != 0 ||
		!strings.Contains(failure.Message, "all 1 slots of this client (WithMaxInFlight) were busy") || !json.Valid(failure.Body) {
		t.Errorf("after %v: %+v", took, failure)
	}
	waits, stop := context.WithCancel(context.Background())
	second, third := refunding(waits, client, "ORDER-1"), refunding(context.Background(), client, "ORDER-1")
	stop()
	is(t, <-second, context.Canceled, paysvc.ErrOutcomeNotSent)
	client.Close()
	is(t, <-third, paysvc.ErrClosed, paysvc.ErrOutcomeNotSent)
	if sent := requests(sandbox); sent != 1 {
		t.Errorf("%d sent", sent)
	}
}

// The call that occupies the slot began half a timeout earlier. So the waiting one gets the other half of its timeout.
func TestTheWaitForASlotCountsTowardsTheClientsTimeout(t *testing.T) {
	sandbox, client := stalled(t, 2*time.Second)
	tested.Paid(sandbox, "sbx-commit_then_timeout-2")
	time.Sleep(time.Second)
	began := time.Now()
	err := <-refunding(context.Background(), client, "sbx-commit_then_timeout-2")
	is(t, err, paysvc.ErrTimeout, paysvc.ErrOutcomeUnknown)
	if errors.Is(err, context.DeadlineExceeded) {
		t.Error("the error names the context")
	}
	if took := time.Since(began); took > 2900*time.Millisecond {
		t.Errorf("%v: the timeout must not start when the call gets its slot", took)
	}
}

func TestTenThousandGoroutinesOnOneClient(t *testing.T) {
	_, client := start(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	before := runtime.NumGoroutine()
	var wait sync.WaitGroup
	failed := make(chan error, 10000)
	for i := 0; i < 10000; i++ {
		wait.Add(1)
		go func(email string) {
			defer wait.Done()
			reply, err := client.DirectDebitHistory(ctx, paysvc.DirectDebitHistoryRequest{EmailAddress: email})
			if err != nil || reply.Outcome != paysvc.OutcomeConfirmed {
				failed <- err
			}
		}(fmt.Sprintf("none@%d.example", i))
	}
	wait.Wait()
	close(failed)
	for err := range failed {
		t.Fatal("a call failed:", err)
	}
	// Each call ends its own goroutine; the last may still be ending.
	tested.Eventually(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before })
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("the number of threads is known on Linux only")
	}
	var threads int
	for _, line := range strings.Split(string(status), "\n") {
		fmt.Sscanf(line, "Threads: %d", &threads)
	}
	if threads == 0 || threads > paysvc.DefaultMaxInFlight+100 {
		t.Errorf("%d threads", threads)
	}
}
