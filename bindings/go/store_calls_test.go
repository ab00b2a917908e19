package paysvc_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
)

// A store in memory, whose methods fail when a test sets it.
type memory struct {
	sync.Mutex
	rows  []paysvc.StoreRow
	fails string // The method, or "result": Append returns none; "": nothing.
}

func (m *memory) Append(_ context.Context, row paysvc.StoreRow) (paysvc.AppendResult, error) {
	m.Lock()
	defer m.Unlock()
	if m.fails == "Append" {
		return 0, errors.New("no append")
	}
	if slices.ContainsFunc(m.rows, func(other paysvc.StoreRow) bool { return other.Key == row.Key && other.Seq == row.Seq }) {
		return paysvc.AlreadyThere, nil
	}
	if m.fails == "result" {
		return 0, nil
	}
	m.rows = append(m.rows, row)
	return paysvc.Appended, nil
}

func (m *memory) Read(_ context.Context, query paysvc.StoreQuery) (found []string, err error) {
	m.Lock()
	defer m.Unlock()
	if m.fails == "Read" {
		return nil, errors.New("no read")
	}
	for _, row := range m.rows {
		if query.Kind == paysvc.QueryKey && row.Key == query.Key || query.Kind == paysvc.QueryOrder && row.Order == query.Order {
			found = append(found, row.JSON)
		}
	}
	return found, nil // Nobody asks for open keys here but to tell that there are some.
}

// The same call with the same context and the same option, as a program repeats it.
func TestARequestIsSentOnceForItsKey(t *testing.T) {
	sandbox, client := tested.PayingTwice(t, &memory{})
	ctx, key := context.Background(), paysvc.WithKey("refund-1")
	request := paysvc.OrderRefundRequest{Reference: "R-1", Amount: paysvc.Ptr("1.50")}
	for again := range [2]int{} {
		if reply, err := client.OrderRefund(ctx, request, key); err != nil || reply.Replayed != (again > 0) {
			t.Errorf("call %d: %v %v", again, reply, err)
		}
	}
	if reply, err := client.Call(ctx, "order_refund", []byte(`{"reference":"R-1","amount":"1.50"}`), key); err != nil || !reply.Replayed {
		t.Errorf("as JSON: %v %v", reply, err)
	}
	request.Amount = paysvc.Ptr("1.51")
	fails(client.OrderRefund(ctx, request, key))(t, paysvc.ErrKeyReused, paysvc.ErrOutcomeUnknown)
	if made := tested.Count(sandbox, "refund_made"); made != 1 {
		t.Errorf("%d refunds were made", made)
	}
}

func TestNothingIsSentUnlessTheClaimWasWrittenAndTheStoreRead(t *testing.T) {
	for method, outcome := range map[string]error{"Append": paysvc.ErrOutcomeNotSent, "result": paysvc.ErrOutcomeNotSent, "Read": paysvc.ErrOutcomeUnknown} {
		store := &memory{fails: method}
		sandbox, client := tested.PayingTwice(t, store)
		refund := func() (*paysvc.OrderRefundReply, error) {
			return client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{Reference: "R-1"}, paysvc.WithKey("refund-1"))
		}
		fails(refund())(t, paysvc.ErrJournal, outcome)
		if made := tested.Count(sandbox, "refund_made"); made != 0 {
			t.Errorf("%s failed, and %d refunds were made", method, made)
		}
		store.fails = ""
		if reply, err := refund(); err != nil || reply.Replayed {
			t.Errorf("after %s had failed: %v %v", method, reply, err)
		}
	}
}
