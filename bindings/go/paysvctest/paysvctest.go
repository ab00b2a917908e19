// Package paysvctest starts the sandbox, which simulates the payments service, for tests.
//
//	func TestRefund(t *testing.T) {
//		sandbox := paysvctest.Start(t)
//		client, err := paysvc.New(sandbox.Config)
//		…
//		reply, err := client.OrderRefund(ctx, refund)
//		…
//		if amount := reply.Answer.AmountRefunded; amount != "25.50" {
//			t.Error(amount)
//		}
//		if moved := sandbox.Ledger(); len(moved) != 1 {
//			t.Errorf("moved %v", moved)
//		}
//	}
//
// The program paysvc-sandbox is the one that PAYSVC_SANDBOX names, else the one on the PATH. It moves no money, and sends
// nothing to other machines.
package paysvctest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"testing"

	"paysvc.example/go/paysvc"
)

// Sandbox is a running sandbox.
type Sandbox struct {
	// Config is the configuration for a client of this sandbox; a test may change it.
	Config paysvc.Config

	t testing.TB
}

// Effect is an entry of the ledger: something that the sandbox has really done.
type Effect struct {
	Effect string `json:"effect"`
	Key    string `json:"key"`
	// Amount is in major units; nil if the effect has none.
	Amount *string `json:"amount"`
}

// String has the effect, its subject and the amount.
func (e Effect) String() string {
	if e.Amount == nil {
		return e.Effect + " " + e.Key
	}
	return e.Effect + " " + e.Key + " " + *e.Amount
}

// Start starts a sandbox on a free port of this machine, and stops it at the end of the test. The arguments are options of
// paysvc-sandbox, e.g. "--seed", "1" for repeatable keys, or "--tls". The test fails if there is no such program.
func Start(t testing.TB, arguments ...string) *Sandbox {
	t.Helper()
	program := os.Getenv("PAYSVC_SANDBOX")
	if program == "" {
		program = "paysvc-sandbox"
	}
	command := exec.Command(program, append([]string{"--listen", "127.0.0.1:0", "--exit-with-parent"}, arguments...)...)
	command.Stderr = os.Stderr
	input, noInput := command.StdinPipe() // Closed when this process ends, which ends the sandbox.
	output, noOutput := command.StdoutPipe()
	if err := errors.Join(noInput, noOutput, command.Start()); err != nil {
		t.Fatalf("paysvctest: cannot start %s: %v; install paysvc-sandbox, or set PAYSVC_SANDBOX to its path", program, err)
	}
	t.Cleanup(func() {
		input.Close()
		command.Process.Kill()
		command.Wait()
	})
	line, err := bufio.NewReader(output).ReadBytes('\n')
	if err != nil {
		t.Fatalf("paysvctest: %s ended before it was ready: %v", program, err)
	}
	sandbox := &Sandbox{t: t}
	if err := json.Unmarshal(line, &sandbox.Config); err != nil {
		t.Fatalf("paysvctest: %s did not print its configuration: %v", program, err)
	}
	return sandbox
}

// Get calls the sandbox's admin interface, e.g. "/sandbox/otp/MDTC-1", and stores the response in the value that into points
// to.
func (s *Sandbox) Get(path string, into any) {
	s.t.Helper()
	s.ask(http.MethodGet, path, nil, into)
}

// Post calls the admin interface, e.g. "/sandbox/orders" with an order; into may be nil.
func (s *Sandbox) Post(path string, body, into any) {
	s.t.Helper()
	s.ask(http.MethodPost, path, body, into)
}

// Ledger returns what the sandbox has done, in order.
func (s *Sandbox) Ledger() []Effect {
	s.t.Helper()
	var answer struct {
		Ledger []Effect `json:"ledger"`
	}
	s.Get("/sandbox/ledger", &answer)
	return answer.Ledger
}

// PaidReply charges a card for an order with this reference, and returns the reply: its IsPaid is true for these three. A test gives it
// to a function of the program that asks IsPaid, which is false of every reply that was not made by a call. An amount is as in a
// request, e.g. "25.50". The charge is in the Ledger.
func (s *Sandbox) PaidReply(reference, amount, currency string) *paysvc.OrderCreateReply {
	s.t.Helper()
	client, err := paysvc.New(s.Config)
	s.must("make a client", err)
	defer client.Close()
	reply, err := client.OrderCreate(context.Background(), paysvc.OrderCreateRequest{
		Reference: &reference, Paymentoption: paysvc.Ptr("C"), Country: paysvc.Ptr("NG"),
		Order: &paysvc.OrderCreateOrder{Reference: reference, Amount: amount, Currency: &currency},
		Card: &paysvc.OrderCreateCard{
			Cardnumber: paysvc.NewSecret("4111111111111111"), Expirymonth: "01", Expiryyear: "39", CVV: paysvc.NewSecret("193"),
		},
	})
	s.must("charge the card", err)
	if paid, whyNot := reply.IsPaid(reference, amount, currency); !paid {
		s.t.Fatalf("paysvctest: %s is not paid: %s", reference, whyNot)
	}
	return reply
}

func (s *Sandbox) must(what string, err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("paysvctest: %s: %v", what, err)
	}
}

// It has a transport of its own: no proxy from the environment, and no connections kept between tests.
func (s *Sandbox) ask(method, path string, body, into any) {
	s.t.Helper()
	what, text := method+" "+path, []byte(nil)
	if body != nil {
		var err error
		text, err = json.Marshal(body)
		s.must(what, err)
	}
	request, err := http.NewRequest(method, s.Config.BaseURL+path, bytes.NewReader(text))
	s.must(what, err)
	request.Header.Set("content-type", "application/json")
	transport := &http.Transport{DisableKeepAlives: true}
	if s.Config.CAFile != "" { // Set for a sandbox with --tls.
		pem, err := os.ReadFile(s.Config.CAFile)
		s.must(what, err)
		transport.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
		transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(pem)
	}
	answer, err := (&http.Client{Transport: transport}).Do(request)
	s.must(what, err)
	defer answer.Body.Close()
	text, err = io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s: %s", answer.Status, text)
	}
	s.must(what, err)
	if into != nil {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		s.must(what, decoder.Decode(into))
	}
}
