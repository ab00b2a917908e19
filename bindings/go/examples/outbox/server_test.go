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

	"paysvc.example/go/paysvc/internal/tested"
	"paysvc.example/go/paysvc/postgres"
)

// The PostgreSQL of all tests. It ends with this process.
type process struct {
	input  io.Writer
	output *bufio.Reader
	folder string // The folder of its socket.
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

// The PostgreSQL as one test uses it.
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
	tested.Need(io.WriteString(running.input, "crash\n"))(s, "ask for the crash")
	tested.Need(running.output.ReadString('\n'))(s, "start PostgreSQL again")
}

func (s *server) open(driver, options string) *sql.DB {
	s.Helper()
	db := tested.Need(sql.Open(driver, s.dsn+options))(s, "open the database")
	s.Cleanup(func() { db.Close() })
	return db
}

func (s *server) run(statement string) {
	s.Helper()
	tested.Need(s.db.Exec(statement))(s, "run "+statement)
}

func (s *server) number(query string) (found int) {
	s.Helper()
	tested.Must(s, "run "+query, s.db.QueryRow(query).Scan(&found))
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
