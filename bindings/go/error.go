//go:build cgo

package paysvc

import (
	"context"
	"errors"
	"fmt"
)

// ErrClosed is, for errors.Is, what a call on a closed client gives. Nothing was sent.
var ErrClosed = errors.New("paysvc: the client is closed")

// Error is a call that did not end with [StatusOK]. Ask its Outcome, or errors.Is with [ErrOutcomeUnknown], before you
// repeat anything.
//
// errors.Is also finds [context.Canceled] or [context.DeadlineExceeded] in it, and the cause of the cancel, when the
// context ended the call, and the variables of this package that begin with Err, by Status and Outcome: a context's
// deadline is [ErrTimeout] as well, its cancel [ErrCancelled].
type Error struct {
	// Function is that of the library, e.g. "order_refund"; "new" for [New].
	Function string
	Reply
	cause error
}

// Error names the function, the status and the outcome, and then says why; never a secret of the caller's.
func (e *Error) Error() string {
	return fmt.Sprintf("paysvc: %s: %v", e.Function, e.Reply)
}

// Unwrap gives what ended the call from outside: the context's error, or nil.
func (e *Error) Unwrap() error { return e.cause }

// Is compares with the variables of this package.
func (e *Error) Is(target error) bool {
	return target != nil && (target == e.Status.sentinel() || target == e.Outcome.sentinel())
}

// What is refused here, before the library was asked: nothing was sent.
func refuse(function string, status Status, message string, cause error) *Error {
	body, _ := encode(map[string]any{"status": false, "message": message, "errors": struct{}{}})
	reply := Reply{Status: status, Outcome: OutcomeNotSent, Message: message, Body: body, RetryAfter: notSaid}
	return &Error{Function: function, Reply: reply, cause: cause}
}

// What a context that ended before anything was sent gives.
func refuseDone(function string, ctx context.Context) *Error {
	status := StatusCancelled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		status = StatusTimeout
	}
	return refuse(function, status, ctx.Err().Error()+" before anything was sent", causeOf(ctx))
}

// What a call gives whose time was up, or whose context ended, while it waited for a slot.
func (c *Client) refuseWaited(function string, ctx context.Context) *Error {
	busy := fmt.Sprintf("all %d slots of this client (WithMaxInFlight) were busy", cap(c.slots))
	if ctx.Err() == nil {
		return refuse(function, StatusTimeout, busy+" until the time of this call was up; nothing was sent", nil)
	}
	failure := refuseDone(function, ctx)
	return refuse(function, failure.Status, failure.Message+": "+busy, failure.cause)
}

func causeOf(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return errors.Join(ctx.Err(), cause)
	}
	return ctx.Err()
}
