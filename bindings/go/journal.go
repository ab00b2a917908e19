//go:build cgo

package paysvc

import (
	"context"
	"errors"
	"strings"
)

// JournalEntry is a request that was open in the journal, and what became of it.
type JournalEntry struct {
	// Key is its name in the journal, for [Client.JournalSettle]: Kind and Reference, e.g. "charge ORDER-1".
	Key string

	// Kind is what the key is of: "charge", "authorization", "order", "payout"; "key": a key of the program, see [WithKey].
	Kind string

	// Reference is that of the order, of the attempt to pay, or of the recipient; or the key that the program gave.
	Reference string

	// Claim is the ID for [Client.JournalSettle]; "" of a damaged key.
	Claim string

	// Reply is about that request, whatever its outcome, which is never [OutcomeNotSent]. For a damaged key it is [StatusJournal].
	Reply *Reply
}

// JournalNext finds out what became of each request that is open in the journal: its sender wrote no end, the outcome was
// [OutcomeUnknown], or a charge is not final. It sends status queries, as [Client.Resolve] does, and moves no money. Range over
// it when the program starts, and again every minute:
//
//	for entry, err := range client.JournalNext(ctx) {
//		if err != nil {
//			return err // The journal cannot be read, or ctx is over.
//		}
//		log.Println(entry.Kind, entry.Reference, entry.Reply.Outcome, entry.Reply.Message)
//	}
//
// Record the reply in the body of the loop: what the service's response proves is written to the journal when the loop goes on to the
// next entry. After a break, or if the program is killed in the body, the next loop hears of the payment again.
//
// The error is the last that the loop gets. It is about the journal, so no outcome is known: [ErrOutcomeUnknown]. With Go 1.21 and
// 1.22, which have no range over a function, call the function that JournalNext returns: see examples/till.
func (c *Client) JournalNext(ctx context.Context) func(yield func(JournalEntry, error) bool) {
	return func(yield func(JournalEntry, error) bool) {
		for after := ""; ; {
			reply, err := c.do(ctx, "journal_next", map[string]string{"after": after})
			var failure *Error
			if errors.As(err, &failure) {
				reply = &failure.Reply
			}
			key, _ := reply.Get("/key")
			if err != nil && (key == "" || key == after) { // It is about the journal, not about a key.
				yield(JournalEntry{}, err)
				return
			}
			entry := JournalEntry{Key: key, Reply: reply}
			entry.Kind, entry.Reference, _ = strings.Cut(key, " ")
			entry.Claim, _ = reply.Get("/journal/claim")
			if key == "" || !yield(entry, nil) {
				return
			}
			after = key
		}
	}
}
