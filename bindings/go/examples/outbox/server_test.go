package main

import (
	"bufio"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/paysvctest"
	"paysvc.example/go/paysvc/postgres"
)

// The PostgreSQL of all tests. It ends with this process.
type process struct {
	input  io.Writer
	output *bufio.Reader
	folder string // Of its socket.
}

var running process

// This program is the example as well.
func TestMain(m *testing.M) {
	if os.Getenv("TEST_OUTBOX") != "" {
		main()
	}
	command := exec.Command("sh", "../../../../scripts/postgres.sh")
	command.Stderr = os.Stderr
	input, _ := command.StdinPipe()
	output, _ := command.StdoutPipe()
	err := command.Start()
	if err == nil {
		running = process{input: input, output: bufio.NewReader(output)}
		running.folder, err = running.output.ReadString('\n')
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "PostgreSQL did not start:", err)
		os.Exit(1)
	}
	code := m.Run()
	input.Close()
	command.Wait()
	os.Exit(code)
}

// What a test does with it.
type server struct {
	*testing.T
	dsn string
	db  *sql.DB // For what a test asks by itself.
}

// With both tables, empty.
func emptyTables(t *testing.T) *server {
	t.Helper()
	s := &server{T: t}
	s.dsn = fmt.Sprintf("host=%s port=5432 user=postgres dbname=postgres sslmode=disable", strings.TrimSpace(running.folder))
	s.db = s.open("pgx", "")
	s.run("DROP TABLE IF EXISTS outbox, paysvc_journal")
	s.run(table)
	s.run(postgres.Table)
	return s
}

// Ends the server without its last writes, and starts it again.
func (s *server) crash() {
	s.Helper()
	if _, err := io.WriteString(running.input, "crash\n"); err != nil {
		s.Fatal("cannot ask for the crash:", err)
	}
	if _, err := running.output.ReadString('\n'); err != nil {
		s.Fatal("PostgreSQL did not start again:", err)
	}
}

func (s *server) open(driver, options string) *sql.DB {
	s.Helper()
	db, err := sql.Open(driver, s.dsn+options)
	if err != nil {
		s.Fatal("cannot open the database:", err)
	}
	s.Cleanup(func() { db.Close() })
	return db
}

func (s *server) run(statement string) {
	s.Helper()
	if _, err := s.db.Exec(statement); err != nil {
		s.Fatalf("%s: %v", statement, err)
	}
}

func (s *server) number(query string) (found int) {
	s.Helper()
	if err := s.db.QueryRow(query).Scan(&found); err != nil {
		s.Fatalf("%s: %v", query, err)
	}
	return found
}

// Ends all other connections.
func (s *server) endOthers() {
	s.Helper()
	const query = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
	if s.number(query) == 0 {
		s.Error("there was no other connection")
	}
}

// A sandbox that executes every request that reaches it, and has a paid order R-1.
func payingTwice(t *testing.T) *paysvctest.Sandbox {
	t.Helper()
	sandbox := paysvctest.Start(t, "--seed", "7", "--pay-twice")
	sandbox.Post("/sandbox/orders", map[string]any{"reference": "R-1", "amount": "100", "paid": true}, nil)
	return sandbox
}

func count(sandbox *paysvctest.Sandbox, effect string) (times int) {
	for _, entry := range sandbox.Ledger() {
		if entry.Effect == effect {
			times++
		}
	}
	return times
}

func connect(t *testing.T, sandbox *paysvctest.Sandbox, store paysvc.Store) *paysvc.Client {
	t.Helper()
	client, err := paysvc.New(sandbox.Config, paysvc.WithStore(store))
	if err != nil {
		t.Fatal("cannot make a client:", err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}
