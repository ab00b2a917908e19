//go:build go1.23

package paysvc_test

import (
	"context"
	"fmt"
	"log"

	"paysvc.example/go/paysvc"
)

// The response to a charge was lost, and the program has ended. When it starts again, it asks what became of the charge.
func ExampleClient_JournalNext() {
	sandbox, client := sandboxForExample(withJournal)
	defer sandbox.stop()
	sandbox.Post("/sandbox/faults", map[string]any{"path": "/payment/order/create", "fault": "commit_then_reset"}, nil)
	ctx := context.Background()
	client.OrderCreate(ctx, charge("ORDER-1", "4111111111111111"))

	for entry, err := range client.JournalNext(ctx) {
		if err != nil {
			log.Fatal(err) // The journal cannot be read: do not sell.
		}
		fmt.Println(entry.Kind, entry.Reference, entry.Reply.Outcome)
		if entry.Reply.Outcome == paysvc.OutcomeUnknown {
			fmt.Println("ask a person, who settles the claim", entry.Claim)
		}
	}
	// Output: charge ORDER-1 CONFIRMED
}
