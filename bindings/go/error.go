//go:build cgo

package paysvc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
)

// ErrClosed is, for errors.Is, the error of a call with a closed client. This call sent nothing; the outcome is about an
// earlier one.
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

	// Request has the fields by which [Client.Resolve] looks the request up, as a JSON object; nil if there are none. It holds no
	// card data and no codes. In an error of Resolve they are those of the request that was resolved. To store it, use LookUp.
	Request json.RawMessage

	// Reply is the result of the call. If Stopped is not nil, its status is [StatusCancelled], it has no state, and its outcome is
	// [OutcomeUnknown] unless nothing was sent; the body is that of Stopped.
	Reply

	// Stopped is the whole reply of a call that its [ProgressFunc] stopped; nil of every other call. It reports what was done until
	// then, which may be everything.
	Stopped *Reply

	cause error

	own int // The Attempts of the request that is looked up; 0: not known.
}

// Error has the function, status, outcome, message and call id; never a secret of the caller's.
func (e *Error) Error() string {
	return fmt.Sprintf("paysvc: %s: %v", e.Function, e.Reply)
}

// Format writes what Error returns, for every verb of fmt.
func (e Error) Format(state fmt.State, verb rune) { format(state, verb, e.Error()) }

// LogValue is a group: function, and what that of [Reply] has.
func (e *Error) LogValue() slog.Value {
	return slog.GroupValue(append([]slog.Attr{slog.String("function", e.Function)}, e.attributes()...)...)
}

// Errors returns every field of the request that is wrong, e.g. "card.cvv", and what is wrong about it, as this library or the
// service reports it; the Message has only the first. The service's texts may repeat what it was sent: do not log them.
func (e *Error) Errors() map[string]string {
	var body struct {
		Errors map[string]json.RawMessage `json:"errors"`
	}
	json.Unmarshal(e.Body, &body) // Another body names none.
	all := make(map[string]string, len(body.Errors))
	for member, what := range body.Errors {
		text := string(what)
		json.Unmarshal(what, &text) // A value that is no string stays as it is written.
		all[member] = text
	}
	return all
}

// Unwrap returns the cause, or nil: the context's error, [ErrClosed], or why a request could not be encoded. errors.Is and
// errors.As look into it, except for parts that are about another call: its [*Error], and the variables that Is compares with.
func (e *Error) Unwrap() error {
	if e.cause == nil {
		return nil
	}
	return cause{e.cause}
}

// A context may have been cancelled because another call was refused. The REJECTED of that call must not be taken for this one's.
type cause struct{ error }

func (c cause) Is(target error) bool { return !isVerdict(target) && errors.Is(c.error, target) }

func (c cause) As(target any) bool {
	_, other := target.(**Error)
	return !other && errors.As(c.error, target)
}

// Timeout is false, whatever ended the call: libraries that repeat what is a Timeout of net.Error must not repeat a payment, and would
// otherwise find [context.DeadlineExceeded] in the error. For a timeout use errors.Is with [ErrTimeout].
func (e *Error) Timeout() bool { return false }

// Temporary is false, as Timeout is.
func (e *Error) Temporary() bool { return false }

// Is compares with the variables of this package, for errors.Is. A status that sounds as if the request had not been executed is
// found only if the outcome agrees: for a status query that was refused, it stays unknown.
func (e *Error) Is(target error) bool {
	if target == nil || target == e.Outcome.sentinel() {
		return target != nil
	}
	notExecuted := e.Outcome == OutcomeRejected || e.Outcome == OutcomeNotSent && e.Status != StatusRejected
	return (notExecuted || !denies(e.Status)) && target == e.Status.sentinel()
}

// The error of a call that its progress function stopped. The reply is about the steps that were made.
func stopped(function string, whole *Reply, why error) *Error {
	reply, known := *whole, "nothing was sent"
	if whole.Outcome != OutcomeNotSent {
		reply.Outcome, known = OutcomeUnknown, "it may have been executed, Stopped has what was done"
	}
	reply.Status, reply.State, reply.kept = StatusCancelled, StateNone, nil
	reply.Code, reply.Message = "", known+": stopped by the progress function: "+why.Error()
	return &Error{Function: function, Reply: reply, Stopped: whole, cause: why}
}

// The error of a call that this package refuses itself. Nothing was sent.
func refuse(function string, status Status, message string, cause error) *Error {
	body, _ := encode(map[string]any{"status": false, "message": message, "errors": struct{}{}})
	reply := Reply{Status: status, Outcome: OutcomeNotSent, Message: message, Body: body, RetryAfter: noRetryAfter}
	return &Error{Function: function, Reply: reply, cause: cause}
}

// The error of a call that cannot be made at all; nil: it can.
func (c *Client) unusable(function string, ctx context.Context) *Error {
	switch {
	case !c.isMade():
		return refuse(function, StatusArgument, "the client was not made by New", nil)
	case ctx == nil:
		return refuse(function, StatusArgument, "the context is nil", nil)
	}
	return nil
}

// The error of a call whose context ended before anything was sent; waited names what it waited for.
func refuseDone(function string, ctx context.Context, waited string) *Error {
	status := StatusCancelled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		status = StatusTimeout
	}
	return refuse(function, status, ctx.Err().Error()+" before anything was sent"+waited, causeOf(ctx))
}

func causeOf(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return errors.Join(ctx.Err(), cause)
	}
	return ctx.Err()
}
