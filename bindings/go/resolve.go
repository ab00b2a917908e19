//go:build cgo

package paysvc

import (
	"context"
	"encoding/json"
	"errors"
)

// ResolveOption is an option of [Client.Resolve].
type ResolveOption func(*resolving)

type resolving struct {
	request ResolveRequest
	own     int
	members map[string]json.RawMessage
}

// WithOnlyCall asserts that no other call, by anyone, may have charged this order, so that the attempts of the error are all
// there were: see [WithAttempts].
func WithOnlyCall() ResolveOption {
	return func(r *resolving) {
		if r.own > 0 {
			r.request.Attempts = Ptr(int64(r.own))
		}
	}
}

// WithAttempts sets the number of requests begun, by anyone, that may charge this order, each resend included: the sum of the
// Attempts of all replies and errors. Only with 1 can the outcome be [OutcomeRejected], because another attempt may still be
// under way.
func WithAttempts(all int) ResolveOption {
	return func(r *resolving) { r.request.Attempts = Ptr(int64(all)) }
}

// WithExpect sets the price that was asked for. If the service reports another, the outcome is [OutcomeUnknown].
func WithExpect(amount, currency string) ResolveOption {
	return func(r *resolving) { r.request.Expect = &ResolveExpect{Amount: &amount, Currency: &currency} }
}

// WithWait asks again until the outcome is known, or the time of the context is over.
func WithWait() ResolveOption {
	return func(r *resolving) { r.request.Wait = Ptr(true) }
}

// WithMember gives a text by which the request is looked up, and which the error lacks, e.g. "batchReference".
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
	found := made.LookUp()
	set := resolving{request: found, own: made.own, members: map[string]json.RawMessage{}}
	json.Unmarshal(made.Request, &set.members) // Invalid JSON has no fields, which the library refuses.
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
		failure.lookUp, failure.Request, failure.own = &found, made.Request, made.own
	}
	return reply, err
}

// LookUp returns what [Client.ResolveRequest] needs to find out what became of the request: store it, e.g. as JSON, to resolve after a
// restart. For an error of Resolve it is that of the request that was resolved. It has no secret.
func (e *Error) LookUp() ResolveRequest {
	if e.lookUp == nil { // No call has made it.
		return ResolveRequest{Endpoint: e.Function, Request: e.Request}
	}
	return *e.lookUp
}

// ResolveRequest is [Client.Resolve] for a request of which no error is left, e.g. after a restart: as the LookUp of the request or of
// its error was. Its Endpoint is the function that was called, e.g. "order_pay", and its Request has the fields by which it is looked
// up. Others are ignored.
func (c *Client) ResolveRequest(ctx context.Context, request ResolveRequest) (*Reply, error) {
	if request.Request == nil { // The request has no field to look it up by.
		request.Request = json.RawMessage("{}")
	}
	return c.do(ctx, "resolve", request)
}

// Keeps what is needed to resolve the request of a call that failed.
func (e *Error) keep(request json.RawMessage) {
	if e.lookUp == nil { // It did not reach the library, or has been executed.
		e.lookUp = lookUp(e.Function, request)
	}
	if string(e.lookUp.Request) != "{}" {
		e.Request = e.lookUp.Request
	}
	if e.Function != "resolve" {
		e.own = e.Attempts
	}
}

// Makes the request of resolve for a request of that function, or for the one that a request of resolve is about. Sends
// nothing. If the library refuses the request, the result has no fields, and may be a charge.
func lookUp(name string, request any) *ResolveRequest {
	text, err := encode(map[string]any{"endpoint": name, "request": request})
	defer clear(text)
	if err == nil {
		reply, failure := invoke(nil, "look_up", text, plain)
		var found ResolveRequest
		if failure == nil && reply.Status == StatusOK && reply.Decode(&found) == nil {
			return &found
		}
	}
	return &ResolveRequest{Endpoint: name}
}
