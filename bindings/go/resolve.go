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
	var about *Error
	if !errors.As(err, &about) {
		failure := refuse("resolve", StatusArgument, "Resolve needs an error of a call of this package", err)
		failure.Outcome = OutcomeUnknown
		return nil, failure
	}
	if about.earlier != nil {
		about = about.earlier
	}
	set := resolving{own: about.Attempts, members: map[string]json.RawMessage{}}
	set.request.Endpoint = about.Function
	if about.uncharged {
		set.request.Charged = Ptr(false)
	}
	json.Unmarshal(about.Request, &set.members) // What is not JSON names nothing, which the library refuses.
	for _, option := range with {
		option(&set)
	}
	set.request.Request, _ = encode(set.members)
	reply, err := c.ResolveRequest(ctx, set.request)
	var failure *Error
	if errors.As(err, &failure) {
		failure.earlier, failure.Request = about, about.Request
	}
	return reply, err
}

// ResolveRequest is [Client.Resolve] for a request of which no error is left, e.g. after a restart: its Endpoint is the function
// that was called, e.g. "order_pay", and its Request has the members by which it is looked up, as [Error] has them. Others are
// ignored.
func (c *Client) ResolveRequest(ctx context.Context, request ResolveRequest) (*Reply, error) {
	request.Request = keep(request.Endpoint, request.Request, true)
	if request.Request == nil {
		request.Request = json.RawMessage("{}")
	}
	return pointer(c.send(ctx, "resolve", request))
}
