//go:build cgo

package paysvc

/*
#include "binding.h"
*/
import "C"

import (
	"bytes"
	"context"
	"strings"
)

// JournalNext finds out what became of the next request that is open in the journal: its sender wrote no end, the outcome was
// [OutcomeUnknown], or a charge is not final. It asks the endpoint that knows, as [Client.Resolve] does, and moves no money. Call it
// when the program starts, and again every minute, in a loop:
//
//	for key, reply, err := client.JournalNext(ctx, ""); ; key, reply, err = client.JournalNext(ctx, key) {
//		if err != nil || key == "" {
//			break
//		}
//		log.Println(key, reply.Outcome, reply.Message)
//	}
//
// Record the reply before the next call: what the service's answer proves is written to the journal when this client is called again
// with that key, as the loop does at its next step. A program that is killed in between hears of the payment again.
//
// after is the key to go on after, "" for the first. next is the kind and the name of the next open key, e.g. "charge ORDER-1", or ""
// if none is left. The reply is about the request of that key, whatever its outcome, and never [OutcomeNotSent]; its body has
// the claim, for [Client.JournalSettle], in the object journal, with claim (the id), key, step, order, amount and currency. The error
// says that the journal could not be read, or that ctx is over, which ends the whole loop: next is after then. A damaged key is
// returned with a reply that is [StatusJournal]: go on after it.
func (c *Client) JournalNext(ctx context.Context, after string) (next string, reply *Reply, err error) {
	const name = "journal_next"
	if failure := c.unusable(name, ctx); failure != nil {
		return after, nil, unknown(failure)
	}
	if strings.Contains(after, "\x00") || len(after) >= C.PAYSVC_GO_KEY_SIZE {
		return after, nil, unknown(refuse(name, StatusArgument, "this is not a key that JournalNext returned", nil))
	}
	text := make([]byte, C.PAYSVC_GO_KEY_SIZE)
	copy(text, after)
	ctx, ended := c.begins(ctx, name)
	found, failure := c.performWith(ctx, name, text, nil)
	key, _, _ := bytes.Cut(text, []byte{0})
	next = string(key)
	if failure != nil && next == after {
		ended(&unknown(failure).Reply, failure)
		return after, nil, failure
	}
	if failure != nil {
		found = failure.Reply
	}
	ended(&found, nil)
	return next, &found, nil
}

// This call sent nothing. The earlier request may still have been executed.
func unknown(failure *Error) *Error {
	if failure.Outcome == OutcomeNotSent {
		failure.Outcome = OutcomeUnknown
	}
	return failure
}
