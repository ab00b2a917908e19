package paysvc_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
	"paysvc.example/go/paysvc/paysvctest"
)

// Waits for an order whose payment is under way, until the context ends; looked gets a value at the first look.
func waitFor(ctx context.Context, client *paysvc.Client, looked chan<- struct{}) chan error {
	ended := make(chan error, 1)
	go func() {
		_, err := client.OrderWait(ctx, paysvc.OrderWaitRequest{Reference: "R-1", Progress: func(p paysvc.Progress) error {
			if p.Done == 1 {
				looked <- struct{}{}
			}
			return nil
		}})
		ended <- err
	}()
	return ended
}

func TestChargesGoOnWhileOrdersAreWaitedFor(t *testing.T) {
	sandbox := paysvctest.Start(t, "--seed", "7")
	sandbox.Config.Timeout = 2 * time.Second
	client := tested.Connect(t, sandbox.Config, paysvc.WithMaxInFlight(1), paysvc.WithMaxWaiting(1))
	sandbox.Post("/sandbox/orders", map[string]any{"reference": "R-1", "amount": "25.50"}, nil)
	tested.Paid(sandbox, "ORDER-1")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	looked := make(chan struct{}, 1)
	ended := waitFor(ctx, client, looked)
	<-looked // It has the slot now, and keeps it.
	if _, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "ORDER-1"}); err != nil {
		t.Error("a refund beside a wait:", err)
	}
	// One more waits for a slot of its own kind, and so do the others that are waits.
	order := paysvc.OrderWaitRequest{Reference: "R-1"}
	ask := paysvc.ResolveRequest{Endpoint: "order_refund", Request: []byte(`{"reference":"ORDER-1"}`)}
	wait := ask
	wait.Wait = paysvc.Ptr(true)
	busy := func(err error) {
		t.Helper()
		if is(t, err, paysvc.ErrTimeout); !strings.Contains(err.Error(), "all 1 slots of this client (WithMaxWaiting) were busy") {
			t.Error("the message is another:", err)
		}
	}
	for _, ask := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := client.OrderWait(ctx, order); return err },
		func(ctx context.Context) error { _, err := client.ResolveRequest(ctx, wait); return err },
		func(ctx context.Context) error {
			_, err := client.WebhookVerify(ctx, paysvc.WebhookVerifyRequest{Body: []byte(`{"orderReference":"R-1"}`)})
			return err
		},
	} {
		short, cancelShort := context.WithTimeout(ctx, 100*time.Millisecond)
		err := ask(short)
		cancelShort()
		busy(err)
		is(t, err, context.DeadlineExceeded)
	}
	_, err := client.OrderWait(ctx, order)
	busy(err)
	is(t, err, paysvc.ErrOutcomeUnknown)
	if errors.Is(err, context.DeadlineExceeded) {
		t.Error("the client's timeout is taken for the context's:", err)
	}
	reply, err := client.ResolveRequest(ctx, ask) // One look is no wait.
	if err != nil || reply.HTTPStatus != 200 {
		t.Error("one look:", reply, err)
	}
	cancel()
	is(t, <-ended, paysvc.ErrOutcomeUnknown)
}

func TestShutdownWaitsForCallsInFlight(t *testing.T) {
	sandbox, client := start(t)
	sandbox.Post("/sandbox/orders", map[string]any{"reference": "R-1", "amount": "25.50"}, nil)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	looked := make(chan struct{}, 1)
	ended := waitFor(ctx, client, looked)
	<-looked
	over, stop := context.WithCancel(context.Background())
	stop()
	if err := client.Shutdown(over); err != context.Canceled {
		t.Errorf("Shutdown did not wait: %v", err)
	}
	_, err := client.OrderStatus(context.Background(), paysvc.OrderStatusRequest{Reference: "R-1"})
	is(t, err, paysvc.ErrClosed, paysvc.ErrOutcomeNotSent)
	down := make(chan error, 1)
	go func() { down <- client.Shutdown(context.Background()) }()
	select {
	case err := <-ended:
		t.Errorf("Shutdown ended a call: %v", err)
	case err := <-down:
		t.Errorf("Shutdown did not wait: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	cancel()
	is(t, <-ended, context.Canceled, paysvc.ErrOutcomeUnknown)
	if err := <-down; err != nil {
		t.Error("Shutdown:", err)
	}
	if err := client.Shutdown(context.Background()); err != nil {
		t.Error("a second time:", err)
	}
}

func TestACopyIsTheSameClient(t *testing.T) {
	sandbox, client := start(t)
	tested.Paid(sandbox, "R-1")
	copied, ctx := *client, context.Background()
	tested.Need(copied.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "R-1"}))(t, "call a copy")
	tested.Must(t, "close", client.Close())
	_, err := copied.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "R-1"})
	is(t, err, paysvc.ErrClosed, paysvc.ErrOutcomeNotSent)
	tested.Must(t, "close a copy", errors.Join(copied.Close(), copied.Shutdown(ctx)))
}

func TestAClientThatIsDroppedIsClosed(t *testing.T) {
	var closed atomic.Bool
	server := httptest.NewUnstartedServer(nil)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed.Store(true)
		}
	}
	server.Start()
	defer server.Close()
	func() {
		client := tested.Need(paysvc.NewFromJSON([]byte(fmt.Sprintf(`{"base_url":%q}`, server.URL))))(t, "make a client")
		tested.Must(t, "open a connection", client.Warm(context.Background())) // It keeps the connection.
	}()
	tested.Eventually(t, "it is closed", func() bool {
		runtime.GC()
		return closed.Load()
	})
}
