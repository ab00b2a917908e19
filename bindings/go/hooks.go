//go:build cgo

package paysvc

import (
	"context"
	"time"
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
	Function string // The endpoint's, e.g. "order_status" in a call of "order_wait".
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

// Calls a hook of each of the hooks at the beginning of something, with the context that the one before it returned, if it did.
// The returned function calls one at the end, each with its own context, in the opposite order.
func (l *logging) around(
	ctx context.Context, begins func(Hooks, context.Context) context.Context,
) (last context.Context, ended func(ends func(Hooks, context.Context))) {
	contexts := make([]context.Context, len(l.hooks))
	for i, hooks := range l.hooks {
		guarded(func() {
			if own := begins(hooks, ctx); own != nil {
				ctx = own
			}
		})
		contexts[i] = ctx
	}
	return ctx, func(ends func(Hooks, context.Context)) {
		for i := len(l.hooks) - 1; i >= 0; i-- {
			guarded(func() { ends(l.hooks[i], contexts[i]) })
		}
	}
}

func guarded(hook func()) {
	defer func() { _ = recover() }()
	hook()
}

// Tells the hooks that a call begins. It gets this context, and ends with this function.
func (c *Client) begins(ctx context.Context, function string) (context.Context, func(*Reply, error)) {
	if !c.isMade() || ctx == nil || len(c.hooks) == 0 {
		return ctx, func(*Reply, error) {}
	}
	ctx, ended := c.around(ctx, func(hooks Hooks, ctx context.Context) context.Context {
		if hooks.CallBegins == nil {
			return nil
		}
		return hooks.CallBegins(ctx, function)
	})
	return ctx, func(reply *Reply, err error) {
		ended(func(hooks Hooks, ctx context.Context) {
			if hooks.CallEnded != nil {
				hooks.CallEnded(ctx, function, reply, err)
			}
		})
	}
}

// Tells the hooks about an attempt, from its line in the log.
func (r *activeCall) tell(read *line) {
	at := Attempt{CallID: read.CallID, Function: read.Endpoint, Number: read.Attempt}
	if read.Begins {
		_, ended := r.around(r.ctx, func(hooks Hooks, ctx context.Context) context.Context {
			if hooks.AttemptBegins == nil {
				return nil
			}
			return hooks.AttemptBegins(ctx, at)
		})
		r.begun, r.attempt = at, func(at Attempt) {
			ended(func(hooks Hooks, ctx context.Context) {
				if hooks.AttemptEnded != nil {
					hooks.AttemptEnded(ctx, at)
				}
			})
		}
		return
	}
	if at.Status.set(read.Status) != nil {
		at.Status = StatusInternal
	}
	if at.Outcome.set(read.Outcome) != nil {
		at.Outcome = OutcomeUnknown
	}
	at.HTTPStatus, at.RequestID = read.HTTPStatus, read.RequestID
	at.Duration = time.Duration(read.MS) * time.Millisecond
	if ended := r.attempt; ended != nil {
		r.attempt = nil
		ended(at)
	}
}
