package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paysvc.example/go/paysvc/internal/tested"
	"paysvc.example/go/paysvc/paysvctest"
)

const salaryOf = `{"accountNumber":"0690000031","bankCode":"000014","amount":"1500.75","description":"salary","accountName":"Ada",` +
	`"creditCurrency":"NGN","debitCurrency":"NGN"}`

// The example, its database and its service.
type example struct {
	*server
	sandbox  *paysvctest.Sandbox
	settings []string
}

func startExample(t *testing.T) *example {
	t.Helper()
	file := filepath.Join(t.TempDir(), "env")
	e := &example{server: emptyTables(t), sandbox: paysvctest.Start(t, "--seed", "7", "--pay-twice", "--env-file", file)}
	settings := tested.Need(os.ReadFile(file))(t, "read the sandbox's settings")
	e.settings = append(strings.Fields(string(settings)), "DATABASE="+e.dsn, "TEST_OUTBOX=1")
	return e
}

func (e *example) command(words ...string) *exec.Cmd {
	command := exec.Command(os.Args[0], words...)
	command.Env = append(os.Environ(), e.settings...)
	return command
}

func (e *example) runs(status int, words ...string) string {
	e.Helper()
	command := e.command(words...)
	told, _ := command.CombinedOutput()
	if command.ProcessState.ExitCode() != status {
		e.Fatalf("the example ended with %v: %s", command.ProcessState, told)
	}
	return string(told)
}

// Starts a worker, and kills it once this has happened.
func (e *example) killAWorkerOnce(happened func() bool) {
	e.Helper()
	worker := e.command("work")
	tested.Must(e, "start a worker", worker.Start())
	ended := make(chan error)
	go func() { ended <- worker.Wait() }()
	for until := time.Now().Add(time.Minute); !happened(); {
		if time.Now().After(until) {
			worker.Process.Kill()
			e.Fatal("the worker has not reached the point where it is killed, within a minute")
		}
		select {
		case err := <-ended:
			e.Fatal("the worker ended: ", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	worker.Process.Kill()
	<-ended
}

func (e *example) check(confirmed, paid int) {
	e.Helper()
	if got := e.number("SELECT count(*) FROM outbox WHERE outcome = 'CONFIRMED'"); got != confirmed {
		e.Error(got, "rows are CONFIRMED")
	}
	if got := tested.Count(e.sandbox, "payout_made"); got != paid {
		e.Error("paid", got, "times")
	}
}

func TestWorkersAtOncePayEachRowOnce(t *testing.T) {
	e := startExample(t)
	for _, key := range []string{"a", "b", "c"} {
		e.runs(0, "add", key, salaryOf)
	}
	workers := []*exec.Cmd{e.command("work"), e.command("work")}
	for _, worker := range workers {
		tested.Must(t, "start a worker", worker.Start())
	}
	for _, worker := range workers {
		worker.Wait()
	}
	e.runs(0, "work")
	e.check(3, 3)
}

func TestAWorkerThatIsKilledBeforeItHasWrittenTheOutcomePaysOnce(t *testing.T) {
	e := startExample(t)
	e.runs(0, "add", "a", salaryOf)
	other := tested.Need(e.db.Begin())(t, "begin a transaction")
	defer other.Rollback() // Otherwise the tests after a failure wait for it.
	// The worker can read its rows, and not change them.
	tested.Need(other.Exec("LOCK TABLE outbox IN EXCLUSIVE MODE"))(t, "lock the outbox")
	const waiting = " FROM pg_stat_activity WHERE query LIKE 'UPDATE outbox%' AND wait_event_type = 'Lock'"
	e.killAWorkerOnce(func() bool { return e.number("SELECT count(*)"+waiting) == 1 })
	// The server would not notice, and write it.
	e.number("SELECT count(pg_terminate_backend(pid))" + waiting)
	other.Rollback()
	e.check(0, 1)
	if told := e.runs(0, "work"); !strings.HasPrefix(told, "a CONFIRMED ") {
		t.Error("the next worker printed:", told)
	}
	e.check(1, 1)
}

func TestARowWhoseRequestWasUnderWayWhenItsWorkerWasKilledStaysOpen(t *testing.T) {
	e := startExample(t)
	e.runs(0, "add", "a", salaryOf)
	// The time that a claim of the killed worker may be under way.
	e.settings = append(e.settings, "PAYSVC_TIMEOUT_MS=5000")
	e.sandbox.Post("/sandbox/faults", map[string]any{"path": "/payout/initiate", "fault": "commit_then_timeout"}, nil)
	e.killAWorkerOnce(func() bool { return tested.Count(e.sandbox, "payout_made") == 1 })
	for i := 0; i < 2; i++ {
		if told := e.runs(2, "work"); !strings.HasPrefix(told, "a UNKNOWN ") {
			t.Error("the next worker printed:", told)
		}
	}
	e.check(0, 1)
}
