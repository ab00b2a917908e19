package paysvc

/*
#include "binding.h"
*/
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"time"
	"unsafe"
)

// Call calls a function of the library by its name in paysvc.h without the prefix, e.g. "order_refund", with a request
// as JSON. It is the way for payloads that come as JSON, and for members in an order of their own.
func (c *Client) Call(ctx context.Context, function string, request json.RawMessage) (*Reply, error) {
	if request == nil {
		request = json.RawMessage("null") // Refused as no object; a NULL would be no JSON at all.
	}
	return c.do(ctx, function, request)
}

// Request sends a request that has no method of its own yet. What the library knows of a path is still held to: its
// key, its encryption, and that it is not repeated.
func (c *Client) Request(ctx context.Context, request Request) (*Reply, error) {
	return c.send(ctx, "request", request)
}

// Encrypt encrypts a payload without sending anything: the reply's body is {"data":"<base64>"}, the request body of
// every encrypted endpoint.
func (c *Client) Encrypt(plaintext json.RawMessage) (*Reply, error) {
	return c.Call(context.Background(), "encrypt", plaintext)
}

func (c *Client) send(ctx context.Context, function string, request any) (*Reply, error) {
	text, err := encode(request)
	if err != nil {
		return nil, refuse(function, StatusArgument, err.Error(), err)
	}
	defer clear(text)
	return c.do(ctx, function, text)
}

// One call: waits for its slot, lets the context reach the library, and returns only when the library has.
func (c *Client) do(ctx context.Context, name string, request []byte) (*Reply, error) {
	f := function(name)
	if f == nil {
		return nil, refuse(name, StatusArgument, "libpaysvc has no function of this name", nil)
	}
	text, err := cText(request)
	if err != nil {
		return nil, refuse(name, StatusArgument, err.Error(), err)
	}
	defer clear(text)
	if ctx.Err() != nil {
		return nil, refuseDone(name, ctx)
	}
	limit := c.timeout
	select {
	case c.slots <- struct{}{}:
	default:
		began := time.Now()
		if failure := c.wait(ctx, name); failure != nil {
			return nil, failure
		}
		limit -= time.Since(began) // What is left of its time is what the call gets.
	}
	defer func() { <-c.slots }()
	client := c.begin()
	if client == nil {
		return nil, refuse(name, StatusArgument, "the client is closed", ErrClosed)
	}
	defer c.end()
	call, release, err := c.watch(ctx, name, limit)
	if err != nil {
		return nil, err
	}
	defer release()

	var got *C.paysvc_reply
	// Bound late: whatever happens from here on, what C gave is freed once.
	defer func() { C.paysvc_reply_free(got) }()
	C.paysvc_go_invoke(f, client, (*C.char)(unsafe.Pointer(&text[0])), call, &got)
	reply := newReply(got)
	if reply.Status == StatusOK {
		return &reply, nil
	}
	cause := endedBy(ctx, reply)
	if reply.Status == StatusCancelled && errors.Is(cause, context.DeadlineExceeded) {
		reply.Status = StatusTimeout // Of a context that tells its deadline only when it has passed.
	}
	return nil, &Error{Function: name, Reply: reply, cause: cause}
}

// Waits for a slot, no longer than the call may take in all; nil: the slot is the caller's.
func (c *Client) wait(ctx context.Context, name string) *Error {
	timer := time.NewTimer(c.timeout)
	defer timer.Stop()
	select {
	case c.slots <- struct{}{}:
		if ctx.Err() == nil { // A select with two ways open takes either.
			return nil
		}
		<-c.slots
		return c.refuseWaited(name, ctx)
	case <-ctx.Done():
		return c.refuseWaited(name, ctx)
	case <-timer.C:
		return c.refuseWaited(name, ctx)
	case <-c.done:
		return refuse(name, StatusArgument, "the client is closed", ErrClosed)
	}
}

// A token through which the context reaches the library, nil when nothing but the client's own time limits the call;
// release frees it.
func (c *Client) watch(ctx context.Context, name string, limit time.Duration) (token *C.paysvc_call, release func(), err error) {
	if ctx.Done() == nil && limit == c.timeout {
		return nil, func() {}, nil
	}
	token = C.paysvc_call_new()
	if token == nil {
		return nil, nil, refuse(name, StatusInternal, "no token for the context", nil)
	}
	deadline, has := ctx.Deadline()
	if has {
		limit = min(limit, time.Until(deadline))
	}
	if limit < c.timeout {
		// Rounded up, so that the context's own end comes first; a later one leaves the client's own limit in force.
		C.paysvc_call_set_timeout_ms(token, C.int(max(limit, 0).Milliseconds()+1))
	}
	if ctx.Done() == nil {
		return token, func() { C.paysvc_call_free(token) }, nil
	}
	cancelled := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(cancelled)
		if !has || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			C.paysvc_call_cancel(token) // A deadline is the library's own to keep, and to name.
		}
	})
	return token, func() {
		if !stop() {
			<-cancelled // It has begun, and still uses the token.
		}
		C.paysvc_call_free(token)
	}, nil
}

// The service's own timeout, which is nobody's deadline here.
const http408 = 408

// The context's error, when it was what ended the call.
func endedBy(ctx context.Context, reply Reply) error {
	if reply.Status != StatusTimeout && reply.Status != StatusCancelled || reply.HTTPStatus == http408 {
		return nil
	}
	if ctx.Err() != nil {
		return causeOf(ctx)
	}
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded // The library's clock was first.
	}
	return nil
}
