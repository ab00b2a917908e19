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
	"testing"
	"time"

	"paysvc.example/go/paysvc"
)

// Waits for an order whose payment is under way, until the context ends; looked gets a value after the first look.
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
	sandbox, client := start(t, paysvc.WithMaxInFlight(1), paysvc.WithMaxWaiting(20))
	sandbox.Post("/sandbox/orders", map[string]any{"reference": "R-1", "amount": "25.50"}, nil)
	paid(sandbox, "ORDER-1")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	looked, ended := make(chan struct{}, 21), make([]chan error, 20)
	for i := range ended {
		ended[i] = waitFor(ctx, client, looked)
	}
	for range ended {
		select {
		case <-looked: // It has a slot now, and keeps it.
		case <-ctx.Done():
			t.Fatal("not all have a slot")
		}
	}
	if _, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "ORDER-1"}); err != nil {
		t.Error("a refund beside waits:", err)
	}
	// One more waits for a slot of its own kind, and so do the others that are waits.
	short, cancelShort := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancelShort()
	ask := paysvc.ResolveRequest{Endpoint: "order_refund", Request: []byte(`{"reference":"ORDER-1"}`)}
	wait := ask
	wait.Wait = paysvc.Ptr(true)
	_, waited := client.OrderWait(short, paysvc.OrderWaitRequest{Reference: "R-1"})
	_, resolved := client.ResolveRequest(short, wait)
	_, verified := client.WebhookVerify(short, paysvc.WebhookVerifyRequest{Body: []byte(`{"orderReference":"R-1"}`)})
	for i, err := range []error{waited, resolved, verified} {
		is(t, err, context.DeadlineExceeded, paysvc.ErrTimeout)
		if i == 0 && !strings.Contains(err.Error(), "all 20 slots of this client (WithMaxWaiting) were busy") {
			t.Error("the message is another:", err)
		}
	}
	reply, err := client.ResolveRequest(ctx, ask) // One look is no wait.
	if err != nil || reply.HTTPStatus != 200 {
		t.Error("one look:", reply, err)
	}
	cancel()
	for _, ended := range ended {
		is(t, <-ended, paysvc.ErrOutcomeUnknown)
	}
	_, err = paysvc.New(sandbox.Config, paysvc.WithMaxWaiting(0))
	is(t, err, paysvc.ErrArgument)
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
	paid(sandbox, "R-1")
	copied, ctx := *client, context.Background()
	another := copied
	if _, err := copied.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "R-1"}); err != nil {
		t.Fatalf("a copy makes no call: %v", err)
	}
	if err := client.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	_, err := copied.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "R-1"})
	is(t, err, paysvc.ErrClosed, paysvc.ErrOutcomeNotSent)
	if err := errors.Join(copied.Close(), another.Shutdown(ctx)); err != nil {
		t.Errorf("Close and Shutdown of copies: %v", err)
	}
}

func TestAClientThatIsDroppedIsClosed(t *testing.T) {
	closed := make(chan bool, 1)
	server := httptest.NewUnstartedServer(nil)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- true
		}
	}
	server.Start()
	defer server.Close()
	func() {
		client := need(paysvc.NewFromJSON([]byte(fmt.Sprintf(`{"base_url":%q}`, server.URL))))(t, "make a client")
		must(t, "open a connection", client.Warm(context.Background())) // It keeps the connection.
	}()
	for until := time.Now().Add(time.Minute); ; {
		runtime.GC()
		select {
		case <-closed:
			return
		case <-time.After(10 * time.Millisecond):
			if time.Now().After(until) {
				t.Fatal("it was not closed")
			}
		}
	}
}
