//go:build cgo

// Package postgres keeps the journal in PostgreSQL 12 or later, through database/sql and any driver whose parameters are $1: pgx or
// lib/pq. [Table] makes the table.
//
//	db, err := sql.Open("pgx", "dbname=shop")
//	client, err := paysvc.New(config, paysvc.WithStore(postgres.New(db.Conn)))
//
// Rows are committed by statements of their own, never in a transaction of the program: to keep the journal in step with your own
// data, commit your row first, and then make the call with its key.
package postgres

import (
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"paysvc.example/go/paysvc"
)

// DefaultTable is the name of the table, unless [WithTable] names another.
const DefaultTable = "paysvc_journal"

// Errors of connections that would lose rows.
var (
	ErrInTransaction = errors.New("postgres: the journal's connection is in a transaction, which may be rolled back")
	ErrReplica       = errors.New("postgres: the journal's connection is to a replica: connect to the primary")
)

// Connect gives a connection to the primary that nobody else uses until it is closed, as [sql.DB.Conn] does.
type Connect func(context.Context) (*sql.Conn, error)

// Store is a [paysvc.Store] in a table of PostgreSQL. Goroutines may share it.
type Store struct {
	connect Connect
	table   string
}

// Option is an option of [New].
type Option func(*Store)

// WithTable names the table, perhaps with its schema. The name is put into statements as it is: never take it from outside.
func WithTable(name string) Option {
	return func(s *Store) { s.table = name }
}

// New makes a store. Each of its operations takes a connection and closes it, so that a [sql.DB] gets it back.
func New(connect Connect, with ...Option) *Store {
	store := &Store{connect: connect, table: DefaultTable}
	for _, option := range with {
		option(store)
	}
	return store
}

// Append is as [paysvc.Store] has it.
func (s *Store) Append(ctx context.Context, row paysvc.StoreRow) (result paysvc.AppendResult, err error) {
	err = s.with(ctx, func(conn *sql.Conn) error {
		done, err := conn.ExecContext(ctx, s.statement(insert), row.Key, row.Seq, row.Order, row.Open, row.JSON)
		if err != nil {
			return err
		}
		switch written, err := done.RowsAffected(); {
		case err != nil:
			return err
		case written == 1:
			result = paysvc.Appended
		case written == 0:
			result = paysvc.AlreadyThere
		default:
			return fmt.Errorf("postgres: the driver reports %d rows for an INSERT of one", written)
		}
		return nil
	})
	return result, err
}

// Read is as [paysvc.Store] has it.
func (s *Store) Read(ctx context.Context, query paysvc.StoreQuery) (rows []string, err error) {
	var statement string
	var values []any
	switch query.Kind {
	case paysvc.QueryKey:
		statement, values = keyed, []any{query.Key}
	case paysvc.QueryOrder:
		statement, values = ordered, []any{query.Order}
	case paysvc.QueryOpen:
		statement, values = open, []any{query.After, query.Limit}
	default:
		return nil, fmt.Errorf("postgres: this version does not know the query %d", query.Kind)
	}
	err = s.with(ctx, func(conn *sql.Conn) error {
		found, err := conn.QueryContext(ctx, s.statement(statement), values...)
		if err != nil {
			return err
		}
		defer found.Close()
		for found.Next() {
			var row string
			if err := found.Scan(&row); err != nil {
				return err
			}
			rows = append(rows, row)
		}
		return found.Err()
	})
	if err != nil {
		return nil, err // Some rows are not all.
	}
	return rows, nil
}

func (s *Store) statement(text string) string { return strings.ReplaceAll(text, "{table}", s.table) }

// A pool has no more connections that the server closed since they were used.
const mostDead = 100

// Gives a connection on which a row that is written stays.
func (s *Store) with(ctx context.Context, use func(*sql.Conn) error) error {
	var failed error
	for i := 0; i < mostDead; i++ {
		conn, err := s.connect(ctx)
		if err != nil {
			return err
		}
		failed = check(ctx, conn)
		if failed == nil || errors.Is(failed, ErrInTransaction) || errors.Is(failed, ErrReplica) {
			defer conn.Close()
			if failed == nil {
				return use(conn)
			}
			return failed
		}
		// Nothing was asked of it but this. The pool tries no other for a connection that it has given away, and keeps it otherwise.
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
		if ctx.Err() != nil {
			break
		}
	}
	return failed
}

// Fails for a connection that is broken or would lose rows.
func check(ctx context.Context, conn *sql.Conn) error {
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	word := fmt.Sprintf("%x", random)
	if _, err := conn.ExecContext(ctx, probe, word); err != nil {
		return err
	}
	var inTransaction, replica bool
	if err := conn.QueryRowContext(ctx, probed, word).Scan(&inTransaction, &replica); err != nil {
		return err
	}
	switch {
	case inTransaction:
		return ErrInTransaction
	case replica:
		return ErrReplica
	}
	return nil
}
