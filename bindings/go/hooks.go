package paysvc

/*
#include "binding.h"
*/
import "C"

import (
	"context"
	"time"
	"unsafe"
)

// Hooks are functions that a client calls for each call and each attempt, on the goroutine of the call; any may be nil. They must
// return, and must not end their goroutine. A panic in one is recovered and ignored: it does not change the result of a call.
type Hooks struct {
	// CallBegins is called before a call, with its function, e.g. "order_refund". The call gets the context that it returns, and
	// so does the log.
	CallBegins func(ctx context.Context, function string) context.Context

	// CallEnded is called after it, with the context of CallBegins, and the reply, or the [*Error] and its reply.
	CallEnded func(ctx context.Context, function string, reply *Reply, err error)

	// AttemptBegins is called before each request of a call is sent, also before it is sent again. AttemptEnded gets the context
	// that it returns.
	AttemptBegins func(ctx context.Context, attempt Attempt) context.Context

	// AttemptEnded is called once for each AttemptBegins, when the attempt has ended.
	AttemptEnded func(ctx context.Context, attempt Attempt)
}

// Attempt is one request of a call. At its beginning only CallID, Function and Number are known.
type Attempt struct {
	CallID   string
	Function string // Of the endpoint, e.g. "order_status" in a call of "order_wait".
	Number   int    // 1 is the first of a call.

	// Status and Outcome are those of this attempt. An attempt whose end is not known has the OutcomeUnknown.
	Status  Status
	Outcome Outcome

	HTTPStatus int           // 0: no response.
	Duration   time.Duration // In whole milliseconds.
	RequestID  string        // The number that the service gave to it; "": none.
}

func (l *logging) wantAttempts() bool {
	for _, hooks := range l.hooks {
		if hooks.AttemptBegins != nil || hooks.AttemptEnded != nil {
			return true
		}
	}
	return false
}

// Tells the hooks that a call begins. It gets this context, and ends with this function.
func (c *Client) begins(ctx context.Context, function string) (context.Context, func(*Reply, error)) {
	if !c.isMade() || ctx == nil || len(c.hooks) == 0 {
		return ctx, func(*Reply, error) {}
	}
	contexts := make([]context.Context, len(c.hooks))
	for i, hooks := range c.hooks {
		ctx = called(ctx, hooks.CallBegins, function)
		contexts[i] = ctx
	}
	return ctx, func(reply *Reply, err error) {
		for i := len(c.hooks) - 1; i >= 0; i-- {
			if ended := c.hooks[i].CallEnded; ended != nil {
				guarded(func() { ended(contexts[i], function, reply, err) })
			}
		}
	}
}

// Tells the hooks about an attempt, from its line in the log.
func (c *callLog) tell(read *line) {
	at := Attempt{CallID: read.CallID, Function: read.Endpoint, Number: read.Attempt}
	if !read.Begins {
		if at.Status.set(read.Status) != nil {
			at.Status = StatusInternal
		}
		if at.Outcome.set(read.Outcome) != nil {
			at.Outcome = OutcomeUnknown
		}
		at.HTTPStatus, at.RequestID = read.HTTPStatus, read.RequestID
		at.Duration = time.Duration(read.MS) * time.Millisecond
		if ended := c.attempt; ended != nil {
			c.attempt = nil
			ended(at)
		}
		return
	}
	ctx, contexts := c.ctx, make([]context.Context, len(c.hooks))
	for i, hooks := range c.hooks {
		ctx = called(ctx, hooks.AttemptBegins, at)
		contexts[i] = ctx
	}
	c.begun, c.attempt = at, func(at Attempt) {
		for i := len(c.hooks) - 1; i >= 0; i-- {
			if ended := c.hooks[i].AttemptEnded; ended != nil {
				guarded(func() { ended(contexts[i], at) })
			}
		}
	}
}

// The context that a hook returns, or that one if it returns none.
func called[T any](ctx context.Context, hook func(context.Context, T) context.Context, of T) (made context.Context) {
	made = ctx
	if hook != nil {
		guarded(func() {
			if own := hook(ctx, of); own != nil {
				made = own
			}
		})
	}
	return made
}

func guarded(hook func()) {
	defer func() { _ = recover() }()
	hook()
}

type traceKey struct{}

// ContextWithTraceparent makes calls with this context send that header traceparent (W3C Trace Context) with every request, e.g.
// "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01". "": none. A malformed one is [ErrArgument], and nothing is sent.
func ContextWithTraceparent(ctx context.Context, traceparent string) context.Context {
	return context.WithValue(ctx, traceKey{}, traceparent)
}

func setTrace(token *C.paysvc_call, traceparent string) bool {
	text, err := cText([]byte(traceparent))
	return err == nil && C.paysvc_call_set_traceparent(token, (*C.char)(unsafe.Pointer(&text[0]))) == C.PAYSVC_OK
}
