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
	"paysvc.example/go/paysvc/paysvctest"
)

func TestCloseWithACallInFlight(t *testing.T) {
	sandbox, client := start(t)
	paid(sandbox, "sbx-slow_headers-1")
	ended := make(chan error)
	go func() {
		_, err := client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{Reference: "sbx-slow_headers-1"})
		ended <- err
	}()
	committed(t, sandbox, "refund_made")
	for i := 0; i < 3; i++ {
		if err := client.Close(); err != nil {
			t.Error("Close:", err)
		}
	}
	_, err := client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{Reference: "sbx-slow_headers-1"})
	is(t, err, paysvc.ErrClosed, paysvc.ErrOutcomeNotSent)
	if err := <-ended; err != nil {
		t.Errorf("the call in flight: %v", err)
	}
}

func TestTheWaitForASlotEndsWithTheContextAndWithClose(t *testing.T) {
	sandbox, client := start(t, paysvc.WithMaxInFlight(1))
	paid(sandbox, "sbx-commit_then_timeout-1")
	ctx, cancel := context.WithCancel(context.Background())
	call := func(ctx context.Context) chan error {
		ended := make(chan error, 1)
		go func() {
			_, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-1"})
			ended <- err
		}()
		return ended
	}
	first := call(ctx)
	committed(t, sandbox, "refund_made")
	waits, stop := context.WithCancel(context.Background())
	second, third := call(waits), call(context.Background())
	stop()
	err := <-second
	is(t, err, context.Canceled, paysvc.ErrOutcomeNotSent)
	client.Close()
	is(t, <-third, paysvc.ErrClosed, paysvc.ErrOutcomeNotSent)
	cancel()
	is(t, <-first, paysvc.ErrOutcomeUnknown)
	if sent := requests(sandbox); sent != 1 {
		t.Errorf("%d sent", sent)
	}
}

// Starts a call that occupies the only slot of a client until the test ends it.
func stalled(t *testing.T, config func(*paysvc.Config)) (sandbox *paysvctest.Sandbox, client *paysvc.Client, end func()) {
	t.Helper()
	sandbox = paysvctest.Start(t, "--seed", "7")
	config(&sandbox.Config)
	client = connect(t, sandbox.Config, paysvc.WithMaxInFlight(1))
	paid(sandbox, "sbx-commit_then_timeout-1")
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-1"})
	}()
	committed(t, sandbox, "refund_made")
	end = func() {
		cancel()
		<-ended
	}
	t.Cleanup(end)
	return sandbox, client, end
}

func TestTheWaitForASlotCountsTowardsTheDeadline(t *testing.T) {
	sandbox, client, _ := stalled(t, func(*paysvc.Config) {})
	// What sends nothing waits for no slot.
	if _, err := client.Encrypt(context.Background(), json.RawMessage("{}")); err != nil {
		t.Errorf("Encrypt: %v", err)
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	reply, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "ORDER-1"})
	took := time.Since(began)
	is(t, err, paysvc.ErrTimeout, context.DeadlineExceeded, paysvc.ErrOutcomeNotSent)
	failure := failure(t, err)
	if reply != nil || took < 500*time.Millisecond || took > 5*time.Second || failure.Attempts != 0 ||
		!strings.Contains(failure.Message, "all 1 slots of this client (WithMaxInFlight) were busy") || !json.Valid(failure.Body) {
		t.Errorf("after %v: %+v", took, failure)
	}
	if sent := requests(sandbox); sent != 1 {
		t.Errorf("%d sent", sent)
	}
}

// The call that occupies the slot began half a timeout earlier. So the waiting one gets the other half of its timeout.
func TestTheWaitForASlotCountsTowardsTheClientsTimeout(t *testing.T) {
	sandbox, client, _ := stalled(t, func(config *paysvc.Config) { config.Timeout = 2 * time.Second })
	paid(sandbox, "sbx-commit_then_timeout-2")
	time.Sleep(time.Second)
	began := time.Now()
	_, err := client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-2"})
	took := time.Since(began)
	is(t, err, paysvc.ErrTimeout, paysvc.ErrOutcomeUnknown)
	if errors.Is(err, context.DeadlineExceeded) {
		t.Error("the error names the context")
	}
	if took > 2900*time.Millisecond {
		t.Errorf("%v: the timeout must not start when the call gets its slot", took)
	}
}

func TestTheClientsTimeoutEndsTheWait(t *testing.T) {
	// On a busy machine, each call of a round may get the slot just before its time ends.
	for round := 0; round < 5; round++ {
		if waitersNotSent(t) > 0 {
			return
		}
	}
	t.Error("every call got the slot")
}

func waitersNotSent(t *testing.T) (notSent int) {
	// One after the other, the calls would take twelve seconds.
	sandbox, client, end := stalled(t, func(config *paysvc.Config) { config.Timeout = 1500 * time.Millisecond })
	paid(sandbox, "sbx-commit_then_timeout-2")
	failures, began := make(chan error, 8), time.Now()
	for i := 0; i < cap(failures); i++ {
		go func() {
			_, err := client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{Reference: "sbx-commit_then_timeout-2"})
			failures <- err
		}()
	}
	for i := 0; i < cap(failures); i++ {
		err := <-failures
		is(t, err, paysvc.ErrTimeout)
		if errors.Is(err, paysvc.ErrOutcomeNotSent) {
			notSent++
		}
	}
	took := time.Since(began)
	end()
	if sent := requests(sandbox); sent > 1+cap(failures)-notSent || took > 6*time.Second {
		t.Errorf("%d not sent, %d seen, %v", notSent, sent, took)
	}
	return
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
	for until := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(until) {
			t.Fatalf("%d goroutines a minute after the calls, %d before them", runtime.NumGoroutine(), before)
		}
	}
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
