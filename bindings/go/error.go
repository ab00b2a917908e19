//go:build cgo

package paysvc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrClosed is, for errors.Is, the error of a call with a closed client. Nothing was sent.
var ErrClosed = errors.New("paysvc: the client is closed")

// Error is a call whose status is not [StatusOK]. Look at its Outcome, or use errors.Is with [ErrOutcomeUnknown], before you
// repeat anything.
//
// errors.Is finds the variables of this package that begin with Err, by Status and Outcome. If the context ended the call, it
// also finds [context.Canceled] or [context.DeadlineExceeded], and the cause of the cancel. A context's deadline is
// [ErrTimeout] as well, its cancel [ErrCancelled].
type Error struct {
	// Function is the name of the library's function, e.g. "order_refund"; "new" for [New].
	Function string

	// Request has the members by which [Client.Resolve] looks the request up, as a JSON object; nil if there are none. It holds no
	// card data and no codes, so it may be stored. In an error of Resolve they are those of the request that was resolved.
	Request json.RawMessage

	Reply
	cause error

	// The request is known to make no charge, so that it may be sent again if the service does not know the order.
	uncharged bool

	earlier *Error // In an error of Resolve: the error that it was about.
}

// Error has the function, status, outcome and message; never a secret of the caller's.
func (e *Error) Error() string {
	return fmt.Sprintf("paysvc: %s: %v", e.Function, e.Reply)
}

// Unwrap returns the cause, or nil: the context's error, [ErrClosed], or why a request could not be encoded.
func (e *Error) Unwrap() error { return e.cause }

// Is compares with the variables of this package, for errors.Is. A status that sounds as if the request had not been executed is
// found only if that is so: of a look-up that was refused, the outcome stays unknown.
func (e *Error) Is(target error) bool {
	if target == nil || target == e.Outcome.sentinel() {
		return target != nil
	}
	contradicted := e.Status.denies() && e.Outcome == OutcomeUnknown ||
		e.Status == StatusRejected && e.Outcome != OutcomeRejected
	return !contradicted && target == e.Status.sentinel()
}

// The error of a call that this package refuses itself. Nothing was sent.
func refuse(function string, status Status, message string, cause error) *Error {
	body, _ := encode(map[string]any{"status": false, "message": message, "errors": struct{}{}})
	reply := Reply{Status: status, Outcome: OutcomeNotSent, Message: message, Body: body, RetryAfter: noRetryAfter}
	return &Error{Function: function, Reply: reply, cause: cause}
}

// The error of a call whose context ended before anything was sent.
func refuseDone(function string, ctx context.Context) *Error {
	status := StatusCancelled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		status = StatusTimeout
	}
	return refuse(function, status, ctx.Err().Error()+" before anything was sent", causeOf(ctx))
}

// The error of a call that timed out, or whose context ended, while it waited for a slot.
func (c *Client) refuseWaited(function string, ctx context.Context) *Error {
	busy := fmt.Sprintf("all %d slots of this client (WithMaxInFlight) were busy", cap(c.slots))
	if ctx.Err() == nil {
		return refuse(function, StatusTimeout, busy+" until the timeout of this call; nothing was sent", nil)
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
