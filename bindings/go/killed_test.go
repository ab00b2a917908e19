package paysvc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/paysvctest"
)

// What a program does that may be killed: it stores the status query, and charges. Run again, it resolves what was stored.
func till(folder string) error {
	client, err := paysvc.New(paysvc.Config{})
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, file := context.Background(), filepath.Join(folder, "pending.json")
	if text, err := os.ReadFile(file); err == nil {
		var stored paysvc.ResolveRequest
		if err := json.Unmarshal(text, &stored); err != nil {
			return err
		}
		reply, err := client.ResolveRequest(ctx, stored)
		if err != nil {
			return err
		}
		fmt.Println(reply.IsPaid("R-1", "25.50", "NGN"))
		return nil
	}
	request := charge("R-1", charged)
	text, err := json.Marshal(request.LookUp())
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	_, err = client.OrderCreate(ctx, request)
	return err
}

// The program of the test below, in a process of its own.
func TestTill(t *testing.T) {
	folder := os.Getenv("TEST_TILL")
	if folder == "" {
		t.Skip("run by TestAKilledProgramResolvesWhatItStored")
	}
	must(t, "run the till", till(folder))
}

func TestAKilledProgramResolvesWhatItStored(t *testing.T) {
	folder := t.TempDir()
	settings := filepath.Join(folder, "env")
	sandbox := paysvctest.Start(t, "--seed", "7", "--env-file", settings)
	sandbox.Post("/sandbox/faults", map[string]any{"path": "/payment/order/create", "fault": "commit_then_timeout"}, nil)
	environment := need(os.ReadFile(settings))(t, "read the sandbox's settings")
	run := func() *exec.Cmd {
		command := exec.Command(os.Args[0], "-test.run", "^TestTill$", "-test.v")
		command.Env = append(append(os.Environ(), strings.Fields(string(environment))...), "TEST_TILL="+folder)
		// What counts the handles that this process frees would miss those of a process that is killed.
		command.Env = append(command.Env, "LD_PRELOAD=")
		return command
	}
	first := run()
	must(t, "start the till", first.Start())
	committed(t, sandbox, "charge_made")
	must(t, "kill the till", first.Process.Kill())
	first.Wait()
	stored, err := os.ReadFile(filepath.Join(folder, "pending.json"))
	if err != nil || strings.Contains(string(stored), charged) || strings.Contains(string(stored), "cvv") {
		t.Fatal("what the till stored:", string(stored), err)
	}
	output, err := run().CombinedOutput()
	if err != nil || !strings.Contains(string(output), "\ntrue \n") || count(sandbox, "charge_made") != 1 {
		t.Error("the second run did not resolve one charge:", err, string(output), sandbox.Ledger())
	}
}
