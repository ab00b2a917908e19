package main

// Package postgres with a real server, here because its own module needs no driver.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"testing"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
	"paysvc.example/go/paysvc/postgres"
)

var drivers = []string{"pgx", "postgres"} // The second is lib/pq's.

func refund(client *paysvc.Client, key string) (*paysvc.OrderRefundReply, error) {
	request := paysvc.OrderRefundRequest{Reference: "R-1", Amount: paysvc.Ptr("1.50")}
	return client.OrderRefund(context.Background(), request, paysvc.WithKey(key))
}

func TestBothDriversTellWhatWasWrittenAndReadIt(t *testing.T) {
	s, ctx := emptyTables(t), context.Background()
	for _, driver := range drivers {
		s.run("TRUNCATE paysvc_journal")
		store := postgres.New(s.open(driver, "").Conn)
		write := func(key string, seq int, order string, open bool, want paysvc.AppendResult) {
			t.Helper()
			row := paysvc.StoreRow{Key: key, Seq: seq, Order: order, Open: open, JSON: fmt.Sprint(key, seq)}
			if got, err := store.Append(ctx, row); err != nil || got != want {
				t.Error(driver, "Append returned", got, err)
			}
		}
		read := func(query paysvc.StoreQuery, want ...string) {
			t.Helper()
			if got, err := store.Read(ctx, query); err != nil || !slices.Equal(got, want) {
				t.Error(driver, "Read returned", got, err)
			}
		}
		write("k", 1, "R", true, paysvc.Appended)
		write("k", 1, "R", true, paysvc.AlreadyThere)
		write("k", 2, "", false, paysvc.Appended)
		write("K", 1, "R", true, paysvc.Appended)
		read(paysvc.StoreQuery{Kind: paysvc.QueryKey, Key: "k"}, "k1", "k2")
		read(paysvc.StoreQuery{Kind: paysvc.QueryOrder, Order: "R"}, "K1", "k1")
		read(paysvc.StoreQuery{Kind: paysvc.QueryOrder, Order: ""})
		read(paysvc.StoreQuery{Kind: paysvc.QueryOpen, Limit: 9}, "K1")
		read(paysvc.StoreQuery{Kind: paysvc.QueryOpen, After: "K", Limit: 9})
	}
}

// More connections than a pool tries by itself.
func TestConnectionsThatWereEndedAreReplaced(t *testing.T) {
	for _, driver := range drivers {
		s := emptyTables(t)
		db := s.open(driver, "")
		db.SetMaxIdleConns(5)
		sandbox, client := tested.PayingTwice(t, postgres.New(db.Conn))
		fill := func() {
			var held []*sql.Conn
			for i := 0; i < 5; i++ {
				held = append(held, tested.Need(db.Conn(context.Background()))(t, "open a connection with "+driver))
			}
			for _, conn := range held {
				conn.Close()
			}
		}
		for i, end := range []func(){s.endOthers, s.crash} {
			fill()
			end()
			if reply, err := refund(client, fmt.Sprint("refund-", i)); err != nil || reply.Replayed {
				t.Error(driver, i, "not refunded:", reply, err)
			}
		}
		if made := tested.Count(sandbox, "refund_made"); made != 2 {
			t.Error(driver, "refunds made:", made)
		}
	}
}

// Loses the response to the first row that is appended.
type losing struct {
	paysvc.Store
	lose func()
}

func (s *losing) Append(ctx context.Context, row paysvc.StoreRow) (paysvc.AppendResult, error) {
	result, err := s.Store.Append(ctx, row)
	if lose := s.lose; lose != nil {
		s.lose = nil
		lose()
		return 0, errors.New("the response was lost")
	}
	return result, err
}

func TestAClaimWhoseAnswerWasLostIsSentOnce(t *testing.T) {
	s := emptyTables(t)
	sandbox, client := tested.PayingTwice(t, &losing{postgres.New(s.open("pgx", "").Conn), s.endOthers})
	for again := range []int{0, 1} {
		if reply, err := refund(client, "refund-1"); err != nil || reply.Replayed != (again == 1) {
			t.Error("the refund:", reply, err)
		}
	}
	if made := tested.Count(sandbox, "refund_made"); made != 1 {
		t.Error("refunds made:", made)
	}
	if rows := s.number("SELECT count(*) FROM paysvc_journal"); rows != 2 {
		t.Error("rows of the journal:", rows)
	}
}

func TestARowOutlivesACrashWhateverTheDefaultOfTheConnection(t *testing.T) {
	s, ctx := emptyTables(t), context.Background()
	for _, driver := range drivers {
		db := s.open(driver, " options='-c synchronous_commit=off'")
		store := postgres.New(db.Conn)
		if got, err := store.Append(ctx, paysvc.StoreRow{Key: driver, Seq: 1, JSON: "{}"}); err != nil || got != paysvc.Appended {
			t.Fatal("Append returned", got, err)
		}
		s.crash()
		if rows, err := store.Read(ctx, paysvc.StoreQuery{Kind: paysvc.QueryKey, Key: driver}); err != nil || len(rows) != 1 {
			t.Error(driver, "the row is lost:", rows, err)
		}
	}
}

func TestAConnectionInATransactionIsRefused(t *testing.T) {
	s := emptyTables(t)
	for _, driver := range drivers {
		db := s.open(driver, "")
		begun := func(ctx context.Context) (*sql.Conn, error) {
			conn, err := db.Conn(ctx)
			if err == nil {
				_, err = conn.ExecContext(ctx, "BEGIN")
			}
			return conn, err
		}
		store := postgres.New(begun)
		if _, err := store.Append(context.Background(), paysvc.StoreRow{Key: "k", Seq: 1, JSON: "{}"}); !errors.Is(err, postgres.ErrInTransaction) {
			t.Error(driver, "Append was not refused:", err)
		}
		sandbox, client := tested.PayingTwice(t, store)
		if _, err := refund(client, "refund-1"); !errors.Is(err, paysvc.ErrJournal) {
			t.Error(driver, "the refund was not refused:", err)
		}
		if made := tested.Count(sandbox, "refund_made"); made != 0 {
			t.Error(driver, "refunds made:", made)
		}
	}
}
