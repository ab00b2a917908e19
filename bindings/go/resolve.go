package paysvc

/*
#include "binding.h"
*/
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"unsafe"
)

// ResolveOption is an option of [Client.Resolve].
type ResolveOption func(*resolving)

type resolving struct {
	request ResolveRequest
	own     int
	members map[string]json.RawMessage
}

// WithOnlyCall says that no other call, by anyone, may have charged this order, so that the attempts of the error are all there
// were: see [WithAttempts].
func WithOnlyCall() ResolveOption {
	return func(r *resolving) {
		if r.own > 0 {
			r.request.Attempts = Ptr(int64(r.own))
		}
	}
}

// WithAttempts says how many requests that may charge this order were begun, by anyone, each resend included: the sum of the
// Attempts of all replies and errors. Only with 1 can the outcome be [OutcomeRejected], because another attempt may still be under
// way.
func WithAttempts(all int) ResolveOption {
	return func(r *resolving) { r.request.Attempts = Ptr(int64(all)) }
}

// WithExpect says which price was asked for. If the service says another, the outcome is [OutcomeUnknown].
func WithExpect(amount, currency string) ResolveOption {
	return func(r *resolving) { r.request.Expect = &ResolveExpect{Amount: &amount, Currency: &currency} }
}

// WithWait asks again until the outcome is known, or the time of the context is over.
func WithWait() ResolveOption {
	return func(r *resolving) { r.request.Wait = Ptr(true) }
}

// WithMember gives a text by which the request is looked up, and which the error does not know, e.g. "batchReference".
func WithMember(name, text string) ResolveOption {
	return func(r *resolving) {
		quoted, err := encode(text)
		if err != nil {
			quoted = []byte("null") // The library refuses it.
		}
		r.members[name] = quoted
	}
}

// Resolve finds out what became of the request of an error whose outcome is [OutcomeUnknown]. It moves no money. The error may
// be that of an earlier Resolve, too.
//
// It returns a reply if the request was executed: ask its IsPaid. Otherwise the error is [ErrOutcomeRejected], if the request
// was not executed, or still [ErrOutcomeUnknown]; never [ErrOutcomeNotSent]. A request is taken for a charge, unless the error
// knows that it made an order without one.
func (c *Client) Resolve(ctx context.Context, err error, with ...ResolveOption) (*Reply, error) {
	var made *Error
	if errors.As(err, &made) && made == nil {
		err = nil // A nil *Error, into which errors.Is must not look.
	}
	if made == nil {
		return nil, about("resolve", refuse("resolve", StatusArgument, "Resolve needs an error of a call of this package", err))
	}
	if made.earlier != nil {
		made = made.earlier
	}
	set := resolving{request: made.LookUp(), own: made.Attempts, members: map[string]json.RawMessage{}}
	json.Unmarshal(made.Request, &set.members) // What is not JSON names nothing, which the library refuses.
	for _, option := range with {
		if option == nil {
			return nil, about("resolve", refuse("resolve", StatusArgument, "an option is nil", nil))
		}
		option(&set)
	}
	set.request.Request, _ = encode(set.members)
	reply, err := c.ResolveRequest(ctx, set.request)
	var failure *Error
	if errors.As(err, &failure) {
		failure.earlier, failure.Request = made, made.Request
	}
	return reply, err
}

// LookUp returns what [Client.ResolveRequest] needs to find out what became of the request: store it, e.g. as JSON, to resolve after a
// restart. Of an error of Resolve it is that of the request that was resolved. It has no secret.
func (e *Error) LookUp() ResolveRequest {
	if e.earlier != nil {
		e = e.earlier
	}
	found := ResolveRequest{Endpoint: e.Function, Request: e.Request}
	if e.uncharged {
		found.Charged = Ptr(false)
	}
	return found
}

// ResolveRequest is [Client.Resolve] for a request of which no error is left, e.g. after a restart: as the LookUp of the request or of
// its error was. Its Endpoint is the function that was called, e.g. "order_pay", and its Request has the fields by which it is looked
// up. Others are ignored.
func (c *Client) ResolveRequest(ctx context.Context, request ResolveRequest) (*Reply, error) {
	if request.Request == nil { // Of a request that is looked up by nothing.
		request.Request = json.RawMessage("{}")
	}
	return pointer(c.send(ctx, "resolve", request))
}

// Keeps what is needed to resolve the request of a call that failed.
func (e *Error) keep(request json.RawMessage) {
	found := e.lookUp
	if found == nil { // It did not reach the library, or has been executed.
		found = lookUp(e.Function, request)
	}
	if string(found.Request) == "{}" {
		found.Request = nil
	}
	e.Request, e.uncharged = found.Request, found.Charged != nil && !*found.Charged
	if e.Function == "resolve" {
		e.earlier = &Error{Function: found.Endpoint, Request: found.Request, uncharged: e.uncharged}
	}
}

// The request of resolve for a request of that function, or for the one that a request of resolve is about. It sends nothing. Of what
// the library refuses it has no fields, and it may be a charge.
func lookUp(name string, request any) *ResolveRequest {
	found := &ResolveRequest{Endpoint: name}
	text, err := encode(map[string]any{"endpoint": name, "request": request})
	defer clear(text)
	if err != nil {
		return found
	}
	asked, err := cText(text)
	defer clear(asked)
	if err != nil {
		return found
	}
	function := append([]byte("look_up"), 0)
	var reply *C.paysvc_reply
	defer func() { C.paysvc_reply_free(reply) }()
	C.paysvc_invoke(nil, (*C.char)(unsafe.Pointer(&function[0])), (*C.char)(unsafe.Pointer(&asked[0])), nil, &reply)
	if told := newReply(&reply); told.Status != StatusOK || told.Decode(found) != nil {
		return &ResolveRequest{Endpoint: name}
	}
	if string(found.Request) == "{}" {
		found.Request = nil
	}
	return found
}
