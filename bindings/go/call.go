package paysvc

/*
#include "binding.h"
*/
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"runtime/cgo"
	"strings"
	"time"
)

// Call calls a function of the library by its name in paysvc.h without the prefix, e.g. "order_refund", with a request
// as JSON text, which is sent with its fields in their order. A name that the library does not have proves nothing: its outcome is
// [OutcomeUnknown], because the name may have been meant for a function about an earlier request.
func (c *Client) Call(ctx context.Context, function string, request json.RawMessage, with ...CallOption) (*Reply, error) {
	return c.do(ctx, function, request, with...)
}

// Request sends a request that has no method of its own yet. At the path of an endpoint its API key and its encryption still
// apply, and at or below the path of an endpoint that changes something no request is repeated.
func (c *Client) Request(ctx context.Context, request Request, with ...CallOption) (*Reply, error) {
	return c.do(ctx, "request", request, with...)
}

// Check checks whether everything is ready for the first sale: call it when a program starts. It looks at configuration, keys,
// connection, TLS, the service's response and the clock, moves no money and changes nothing. Its error is that of the first
// check that is not ok. The Body of both is {"checks":[{"check":"tls","ok":true,"message":"done"}, …]} with every check; a
// message has the remedy.
func (c *Client) Check(ctx context.Context) (*Reply, error) {
	return c.Call(ctx, "client_check", json.RawMessage("{}"))
}

// Encrypt encrypts a payload without sending anything. The reply's body is {"data":"<base64>"}, which is the request body
// of every encrypted endpoint. It waits for no slot.
func (c *Client) Encrypt(ctx context.Context, plaintext json.RawMessage) (*Reply, error) {
	return c.Call(ctx, "encrypt", plaintext)
}

// Warm connects in advance, so that the next request that moves money does not wait for the DNS lookup, TCP and TLS: call it
// when the cashier begins. It sends no request: if it fails, nothing has happened, and that request connects by itself.
// The connection is used for 10 seconds, by one request; at most MaxIdleConnections are kept.
func (c *Client) Warm(ctx context.Context) error {
	_, err := c.Call(ctx, "client_warm", json.RawMessage("{}"))
	return err
}

// Makes a call with a request, which is JSON already or a struct of this package. Its error keeps what is needed to resolve it.
func (c *Client) do(ctx context.Context, name string, request any, with ...CallOption) (*Reply, error) {
	text, isJSON := request.(json.RawMessage)
	if !isJSON {
		written, err := encode(request)
		if err != nil {
			return nil, about(name, refuse(name, StatusArgument, err.Error(), err))
		}
		defer clear(written)
		text = written
	}
	ctx, ended := c.begins(ctx, name)
	reply, failure := c.perform(ctx, name, text, with)
	if failure != nil {
		failure.keep(text)
		ended(&about(name, failure).Reply, failure)
		return nil, failure
	}
	ended(reply, nil)
	return reply, nil
}

// This call sent nothing. An earlier request, which the function is about, or for which a wrong name was meant, may have been executed.
func about(name string, failure *Error) *Error {
	if failure.Outcome == OutcomeNotSent && (aboutEarlier(name) || strings.Contains(name, "\x00")) {
		failure.Outcome = OutcomeUnknown
	}
	return failure
}

// Waits for a slot, passes on the context's deadline and cancel, and returns when the library has.
func (c *Client) perform(ctx context.Context, name string, request []byte, with []CallOption) (*Reply, *Error) {
	if failure := c.unusable(name, ctx); failure != nil {
		return nil, failure
	}
	if isHidden(request) {
		return nil, refuse(name, StatusArgument, errHidden.Error(), errHidden)
	}
	var set calling
	if why := set.set(ctx, with); why != "" {
		return nil, refuse(name, StatusArgument, why, nil)
	}
	if ctx.Err() != nil {
		return nil, refuseDone(name, ctx, "")
	}
	limit := c.timeout
	if slots := c.slotsOf(name, request); slots != nil {
		waited, failure := c.take(ctx, name, slots)
		if failure != nil {
			return nil, failure
		}
		defer func() { <-slots.taken }()
		limit -= waited // The call gets the remaining time.
	}
	client := c.begin()
	if client == nil {
		return nil, refuse(name, StatusArgument, "the client is closed", ErrClosed)
	}
	defer c.end()
	call, release, failure := c.start(ctx, name, limit, set)
	if failure != nil {
		return nil, failure
	}
	defer release()
	reply, failure := invoke(client, name, request, call)
	if failure != nil {
		return nil, failure
	}
	if call.why != nil && !errors.Is(call.why, ErrStop) { // Even if the call itself went well.
		return nil, stopped(name, reply, call.why)
	}
	if reply.Status == StatusOK {
		return reply, nil
	}
	cause := endedBy(ctx, reply)
	if reply.Status == StatusCancelled && errors.Is(cause, context.DeadlineExceeded) {
		reply.Status = StatusTimeout // The context hid its deadline until it passed.
	}
	return nil, &Error{Function: name, Reply: *reply, cause: cause}
}

// Calls a function of the library. The error is about the texts.
func invoke(client *C.paysvc_client, name string, request []byte, call *activeCall) (*Reply, *Error) {
	function, err := cText([]byte(name))
	if err != nil {
		return nil, refuse(name, StatusArgument, "the name of the function holds a NUL byte", nil)
	}
	text, err := cText(request)
	if err != nil {
		return nil, refuse(name, StatusArgument, err.Error(), err)
	}
	defer clear(text)
	var got *C.paysvc_reply
	// A closure, because got is set later: the reply is freed once, whatever happens.
	defer func() { C.paysvc_reply_free(got) }()
	C.paysvc_go_invoke(client, char(function), char(text), call.token, C.uintptr_t(call.handle), &got)
	return newReply(&got), nil
}

// Limits how many calls of a kind run at a time.
type slots struct {
	taken  chan struct{}
	option string // It sets how many.
}

// Waits have slots of their own, because they may take minutes and must not hold up charges. nil: it needs none, as it is over at once.
func (c *Client) slotsOf(name string, request []byte) *slots {
	var asked struct{ Wait bool }
	if name == "encrypt" {
		return nil
	}
	if takesSteps(name) && !timeoutOfStep(name) && (name != "resolve" || json.Unmarshal(request, &asked) == nil && asked.Wait) {
		return c.waits
	}
	return c.slots
}

// Takes a slot, and returns how long that took: at most the timeout of the call.
func (c *Client) take(ctx context.Context, name string, slots *slots) (time.Duration, *Error) {
	select {
	case slots.taken <- struct{}{}:
		return 0, nil
	default:
	}
	began, timer := time.Now(), time.NewTimer(c.timeout)
	defer timer.Stop()
	select {
	case slots.taken <- struct{}{}:
		if ctx.Err() == nil { // With both ready, select takes either.
			return time.Since(began), nil
		}
		<-slots.taken
	case <-ctx.Done():
	case <-timer.C:
	case <-c.done:
		return 0, refuse(name, StatusArgument, "the client is closed", ErrClosed)
	}
	busy := fmt.Sprintf("all %d slots of this client (%s) were busy", cap(slots.taken), slots.option)
	if ctx.Err() != nil {
		return 0, refuseDone(name, ctx, ": "+busy)
	}
	return 0, refuse(name, StatusTimeout, busy+" until the timeout of this call; nothing was sent", nil)
}

// A call that the library makes, as its callbacks find it.
type activeCall struct {
	*logging
	ctx      context.Context
	token    *C.paysvc_call // nil: only the client's own timeout applies.
	handle   cgo.Handle     // 0: it has no callbacks.
	progress ProgressFunc
	why      error         // The progress function stopped it; nil: it did not.
	attempt  func(Attempt) // Ends the attempt that has begun; nil: none.
	begun    Attempt
}

// A call with nothing but its request.
var plain = &activeCall{}

// Prepares a call: the library gets what was set for it, and the context's deadline and cancel. release frees it.
func (c *Client) start(ctx context.Context, name string, limit time.Duration, set calling) (call *activeCall, release func(), failure *Error) {
	if ctx.Done() == nil && limit == c.timeout && c.level == 0 && set.progress == nil && set.trace == "" && set.keys == nil {
		return plain, func() {}, nil
	}
	token := C.paysvc_call_new()
	if token == nil {
		return nil, nil, refuse(name, StatusInternal, "the library could not allocate a call token", nil)
	}
	if why := set.give(token); why != "" {
		C.paysvc_call_free(token)
		return nil, nil, refuse(name, StatusArgument, why, nil)
	}
	call = &activeCall{logging: &c.logging, ctx: ctx, token: token, progress: set.progress}
	if c.level > 0 || call.progress != nil {
		call.handle = cgo.NewHandle(call)
		C.paysvc_call_keep_log(token, C.int(c.level))
	}
	if call.progress != nil {
		C.paysvc_call_set_progress(token, C.paysvc_progress_fn(C.paysvcGoProgress), nil)
	}
	deadline, has := ctx.Deadline()
	extends := has && takesSteps(name)
	if left := time.Until(deadline); extends || has && left < limit {
		limit = left
	}
	if extends || limit < c.timeout && !timeoutOfStep(name) {
		// Rounded up, so that the context ends before the library's timeout.
		C.paysvc_call_set_timeout_ms(token, C.int(min(max(limit, 0).Milliseconds()+1, math.MaxInt32)))
	}
	cancelled := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(cancelled)
		if !has || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			C.paysvc_call_cancel(token) // The library enforces a deadline itself, and reports a timeout.
		}
	})
	return call, func() {
		call.endLog()
		if !stop() {
			<-cancelled // It has begun, and may still use the token.
		}
		C.paysvc_call_free(token)
		if call.handle != 0 {
			call.handle.Delete()
		}
	}, nil
}

// The context's error, if it ended the call.
func endedBy(ctx context.Context, reply *Reply) error {
	ended := reply.Status == StatusTimeout || reply.Status == StatusCancelled || reply.Status == StatusUnresolved
	if !ended || reply.HTTPStatus == http.StatusRequestTimeout { // This timeout is the service's, not the context's.
		return nil
	}
	if ctx.Err() != nil {
		return causeOf(ctx)
	}
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded // The library noticed it before the context did.
	}
	return nil
}
