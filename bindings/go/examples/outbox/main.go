// Command outbox pays salaries that are rows of the program's own table in PostgreSQL, each once.
//
//	outbox setup             makes the tables
//	outbox add KEY PAYOUT    commits a salary to pay: an element of payoutDetails of payout_initiate, as JSON
//	outbox work              pays what is open; several workers may run at once
//
// The row is committed first, in the program's own transaction, with its key. A worker then calls the library with the row's key, as
// often as it needs to, and writes the outcome into the row. The library's journal is a table in the same database, on connections
// of its own: whatever is killed in between, a key is paid once.
//
// Status 0: no row is open. 2: rows are open: run the worker again. A row that stays UNKNOWN needs a person, who asks the service and
// then calls paysvc_journal_settle. 3: it could not run, see the error.
//
// DATABASE has pgx's connection string, and PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY
// configure the client.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	_ "github.com/jackc/pgx/v5/stdlib"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/postgres"
)

const table = "CREATE TABLE outbox (key text PRIMARY KEY, payout text NOT NULL, outcome text, message text)"

func add(db *sql.DB, key, payout string) error {
	own, err := db.Begin()
	if err != nil {
		return err
	}
	defer own.Rollback()
	// Everything else about this salary is written in the same transaction.
	if _, err := own.Exec("INSERT INTO outbox (key, payout) VALUES ($1, $2)", key, payout); err != nil {
		return err
	}
	return own.Commit()
}

// The next row without an outcome. No transaction, and so no lock, is held while its request is under way.
func next(db *sql.DB, after string) (key, payout string, err error) {
	const query = "SELECT key, payout FROM outbox WHERE outcome IS NULL AND key > $1 ORDER BY key LIMIT 1"
	err = db.QueryRow(query, after).Scan(&key, &payout)
	return key, payout, err
}

func pay(client *paysvc.Client, key, payout string) (paysvc.Outcome, string, error) {
	var salary paysvc.PayoutInitiatePayoutDetails
	if err := json.Unmarshal([]byte(payout), &salary); err != nil {
		return 0, "", err
	}
	request := paysvc.PayoutInitiateRequest{PayoutDetails: []paysvc.PayoutInitiatePayoutDetails{salary}}
	reply, err := client.PayoutInitiate(context.Background(), request, paysvc.WithKey(key))
	var failed *paysvc.Error
	switch {
	case err == nil:
		return reply.Outcome, reply.Message, nil
	case errors.As(err, &failed):
		return failed.Outcome, failed.Message, nil
	default:
		return 0, "", err
	}
}

func work(db *sql.DB) (status int, err error) {
	client, err := paysvc.New(paysvc.Config{}, paysvc.WithStore(postgres.New(db.Conn)))
	if err != nil {
		return 3, err
	}
	defer client.Close()
	for key, payout := "", ""; ; {
		if key, payout, err = next(db, key); errors.Is(err, sql.ErrNoRows) {
			return status, nil
		} else if err != nil {
			return 3, err
		}
		outcome, message, err := pay(client, key, payout)
		if err != nil {
			return 3, err
		}
		fmt.Println(key, outcome, message)
		if outcome != paysvc.OutcomeConfirmed && outcome != paysvc.OutcomeRejected {
			// NOT_SENT, or UNKNOWN: it may have been paid. The row stays open, and never gets a new key.
			status = 2
			continue
		}
		// REJECTED is the final result of this key: another attempt is another row.
		if _, err := db.Exec("UPDATE outbox SET outcome = $1, message = $2 WHERE key = $3", outcome.String(), message, key); err != nil {
			return 3, err
		}
	}
}

func main() {
	db, err := sql.Open("pgx", os.Getenv("DATABASE"))
	status, words := 0, append(os.Args[1:], "")
	switch {
	case err != nil:
	case words[0] == "setup":
		_, err = db.Exec(table + ";" + postgres.Table)
	case words[0] == "add" && len(words) == 4:
		err = add(db, words[1], words[2])
	case words[0] == "work":
		status, err = work(db)
	default:
		err = errors.New("give setup, add with a key and a payout, or work")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 3
	}
	os.Exit(status)
}
