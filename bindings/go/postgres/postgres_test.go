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

// A fake driver: it records its statements, and answers as a test sets it.
type server struct {
	replica bool
	written int64
	rows    []string
	err     error // After the rows.
	said    []string
}

func (s *server) Connect(context.Context) (driver.Conn, error) { return &conn{s}, nil }
func (s *server) Driver() driver.Driver                        { return nil }

type conn struct{ *server }

func (c *conn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("not used") }
func (c *conn) Close() error                        { return nil }
func (c *conn) Begin() (driver.Tx, error)           { return nil, errors.New("a transaction is begun") }

func (c *conn) ExecContext(_ context.Context, text string, _ []driver.NamedValue) (driver.Result, error) {
	c.said = append(c.said, text)
	return driver.RowsAffected(c.written), nil
}

func (c *conn) QueryContext(_ context.Context, text string, _ []driver.NamedValue) (driver.Rows, error) {
	c.said = append(c.said, text)
	if strings.Contains(text, "pg_is_in_recovery") {
		return &found{columns: 2, rows: [][]driver.Value{{false, c.replica}}, err: io.EOF}, nil
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

// The statements and their connections are tested with a real server: see examples/outbox.
func TestAppendSaysWhatTheDriverWrote(t *testing.T) {
	for written, want := range map[int64]paysvc.AppendResult{1: paysvc.Appended, 0: paysvc.AlreadyThere, 2: 0} {
		s := &server{written: written}
		if got, err := storeOf(t, s).Append(context.Background(), row); got != want || (err == nil) != (written < 2) {
			t.Error("rows written, and Append returned:", written, got, err)
		}
		if last := s.said[len(s.said)-1]; !strings.Contains(last, "INSERT INTO shop.journal ") {
			t.Error("the statement is about another table:", last)
		}
	}
}

func TestAReplicaIsRefused(t *testing.T) {
	s := &server{replica: true}
	if got, err := storeOf(t, s).Append(context.Background(), row); !errors.Is(err, postgres.ErrReplica) || got != 0 || len(s.said) != 2 {
		t.Error("Append returned, and the server got:", got, err, s.said)
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
	if _, err := store.Read(context.Background(), paysvc.StoreQuery{}); err == nil {
		t.Error("a query that is not known")
	}
	s.err = io.ErrUnexpectedEOF
	if got, err := store.Read(context.Background(), paysvc.StoreQuery{Kind: paysvc.QueryKey, Key: "k"}); err == nil || got != nil {
		t.Error("a broken connection, Read returned:", got, err)
	}
}
