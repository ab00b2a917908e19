package postgres_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/postgres"
)

// A driver that is made up: it knows what was said to it, and answers what a test wants.
type server struct {
	inTransaction, replica bool
	written                int64
	rows                   []string
	err                    error // After the rows.
	said                   []string
	values                 []driver.NamedValue
}

func (s *server) Connect(context.Context) (driver.Conn, error) { return &conn{s}, nil }
func (s *server) Driver() driver.Driver                        { return nil }

type conn struct{ *server }

func (c *conn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("not used") }
func (c *conn) Close() error                        { return nil }
func (c *conn) Begin() (driver.Tx, error)           { return nil, errors.New("a transaction is begun") }

func (c *conn) ExecContext(_ context.Context, text string, values []driver.NamedValue) (driver.Result, error) {
	c.said, c.values = append(c.said, text), values
	return driver.RowsAffected(c.written), nil
}

func (c *conn) QueryContext(_ context.Context, text string, values []driver.NamedValue) (driver.Rows, error) {
	c.said, c.values = append(c.said, text), values
	if strings.Contains(text, "pg_is_in_recovery") {
		return &found{columns: 2, rows: [][]driver.Value{{c.inTransaction, c.replica}}, err: io.EOF}, nil
	}
	rows := &found{columns: 1, err: io.EOF}
	for _, row := range c.rows {
		rows.rows = append(rows.rows, []driver.Value{row})
	}
	if c.err != nil {
		rows.err = c.err
	}
	return rows, nil
}

type found struct {
	columns int
	rows    [][]driver.Value
	err     error
}

func (f *found) Columns() []string { return make([]string, f.columns) }
func (f *found) Close() error      { return nil }

func (f *found) Next(row []driver.Value) error {
	if len(f.rows) == 0 {
		return f.err
	}
	copy(row, f.rows[0])
	f.rows = f.rows[1:]
	return nil
}

func storeOf(t *testing.T, s *server) *postgres.Store {
	db := sql.OpenDB(s)
	t.Cleanup(func() { db.Close() })
	return postgres.New(db.Conn, postgres.WithTable("shop.journal"))
}

var row = paysvc.StoreRow{Key: "k", Seq: 1, Order: "R-1", Open: true, JSON: `{"key":"k"}`}

func TestARowIsInsertedDurablyOrWasThere(t *testing.T) {
	for written, want := range map[int64]paysvc.AppendResult{1: paysvc.Appended, 0: paysvc.AlreadyThere} {
		s := &server{written: written}
		if got, err := storeOf(t, s).Append(context.Background(), row); err != nil || got != want {
			t.Error("Append returned:", got, err)
		}
		last := s.said[len(s.said)-1]
		for _, part := range []string{"INSERT INTO shop.journal ", "set_config('synchronous_commit', 'on', true)", "ON CONFLICT (key, seq) DO NOTHING"} {
			if !strings.Contains(last, part) {
				t.Error("the statement lacks a part:", part, "is not in", last)
			}
		}
		if len(s.values) != 5 || s.values[2].Value != "R-1" || s.values[3].Value != true || s.values[4].Value != row.JSON {
			t.Error("the values of the statement:", s.values)
		}
	}
	if got, err := storeOf(t, &server{written: 2}).Append(context.Background(), row); err == nil {
		t.Error("two rows written, Append returned:", got)
	}
}

func TestAConnectionThatWouldLoseRowsIsRefused(t *testing.T) {
	for _, s := range []*server{{inTransaction: true}, {replica: true}} {
		want := postgres.ErrReplica
		if s.inTransaction {
			want = postgres.ErrInTransaction
		}
		if got, err := storeOf(t, s).Append(context.Background(), row); !errors.Is(err, want) || got != 0 {
			t.Error("Append returned:", got, err)
		}
		if len(s.said) != 2 {
			t.Error("statements that the server got:", s.said)
		}
	}
}

func TestRowsAreReadWholeOrNotAtAll(t *testing.T) {
	s := &server{rows: []string{"1", "2"}}
	store := storeOf(t, s)
	for _, query := range []paysvc.StoreQuery{
		{Kind: paysvc.QueryKey, Key: "k"}, {Kind: paysvc.QueryOrder, Order: "R"}, {Kind: paysvc.QueryOpen, After: "k", Limit: 5},
	} {
		if got, err := store.Read(context.Background(), query); err != nil || !reflect.DeepEqual(got, s.rows) {
			t.Error("Read returned:", query, got, err)
		}
	}
	if len(s.values) != 2 || s.values[0].Value != "k" || s.values[1].Value != int64(5) {
		t.Error("the values of the query:", s.values)
	}
	if _, err := store.Read(context.Background(), paysvc.StoreQuery{}); err == nil {
		t.Error("a query that is not known")
	}
	s.err = io.ErrUnexpectedEOF
	if got, err := store.Read(context.Background(), paysvc.StoreQuery{Kind: paysvc.QueryKey, Key: "k"}); err == nil || got != nil {
		t.Error("a broken connection, Read returned:", got, err)
	}
}
