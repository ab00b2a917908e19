package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"paysvc.example/go/paysvc"
)

// A call for the till: what it is, for whom, and how long it took.
type step struct {
	what, of string
	began    time.Time
	took     time.Duration
}

func begin(what, of string) *step { return &step{what: what, of: of, began: time.Now()} }

// Prints the failure of a call; nil: there is none.
func (t *till) ended(made *step, err error) *paysvc.Error {
	made.took = time.Since(made.began)
	var failure *paysvc.Error
	if errors.As(err, &failure) {
		made.show(failure.Reply, failure.Message)
		fmt.Printf("%-21s %v\n", "", failure)
		t.failed = true
	}
	return failure
}

// Prints a line: step, subject, one value of the response, outcome, time.
func (s *step) show(reply paysvc.Reply, value string) {
	fmt.Printf("%-21s %-19s %-42.42s %-9v %5d ms\n", s.what, s.of, value, reply.Outcome, s.took.Milliseconds())
}

// A text of a response for a person.
func shown[T ~string](text T) string {
	if text == "" {
		return "not in the response"
	}
	return string(text)
}

// Prints whether to hand over the goods: only for a payment that is CONFIRMED and SUCCESSFUL, and as ordered.
func (t *till) handOver(reply paysvc.Reply, what ordered) {
	paid, whyNot := reply.IsPaid(what.reference, what.amount, what.currency)
	advice := ""
	switch {
	case paid:
		advice = fmt.Sprintf("paid: %v; hand over the goods", what)
	case reply.Outcome == paysvc.OutcomeConfirmed: // If it is under way, a real till now waits with OrderWait.
		advice = fmt.Sprintf("NOT PAID (%v): keep the goods: %s", reply.State, whyNot)
		switch reply.State {
		case paysvc.StateInitiated, paysvc.StatePending, paysvc.StateAwaiting, paysvc.StateProcessing:
		default:
			t.failed = true
		}
	case reply.Outcome == paysvc.OutcomeRejected:
		advice = "this request was not executed, but an earlier one may have been: see the message"
	case reply.Outcome == paysvc.OutcomeNotSent:
		advice = "nothing was sent: it may be repeated"
	default:
		advice = "it may have been charged: find out with Resolve before you charge again"
	}
	fmt.Printf("%-21s %s\n", "", advice)
}

// What the customer or the bank would know, from the sandbox or typed in by you.
func (t *till) learn(ctx context.Context, question string, request paysvc.Request, pointer string) string {
	if t.sandbox {
		reply, err := t.client.Request(ctx, request)
		var failure *paysvc.Error
		if errors.As(err, &failure) { // A response of the admin interface has no field that means success.
			reply = &failure.Reply
		}
		value, _ := reply.Get(pointer)
		return value
	}
	fmt.Print(question, ": ")
	line, _ := t.input.ReadString('\n')
	return strings.TrimSpace(line)
}
