package paysvc

/*
#include "binding.h"
*/
import "C"

import "context"

// CallOption is an option of one call.
type CallOption func(*calling)

// The options of one call.
type calling struct {
	keys     []string
	trace    string
	progress ProgressFunc
}

// WithKey gives the request an idempotency key, of 1 to 200 bytes that neither begin nor end with a blank, without control or
// invisible characters. With a journal ([Config].Journal or [WithStore]) all requests with this key, of any process that shares the
// journal and after a crash, are one request, which is sent at most once. If one call has sent it, the same call again sends nothing:
// its reply is Replayed, or its error is [ErrUnresolved] as long as the end is not known; with different fields it is [ErrKeyReused].
// So repeat a call with the same key. A key names one attempt: another card or another try is a new key.
//
// Store the key before the call, with what it is for. Without a journal a request with a key is [ErrConfig], and nothing is sent.
func WithKey(key string) CallOption {
	return func(c *calling) { c.keys = append(c.keys, key) }
}

func withProgress(told ProgressFunc) CallOption {
	return func(c *calling) { c.progress = told }
}

type traceKey struct{}

// ContextWithTraceparent makes calls with this context send that header traceparent (W3C Trace Context) with every request, e.g.
// "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01". "": none. A malformed one is [ErrArgument], and nothing is sent.
func ContextWithTraceparent(ctx context.Context, traceparent string) context.Context {
	return context.WithValue(ctx, traceKey{}, traceparent)
}

// Why the options cannot be used; "": they can.
func (c *calling) set(ctx context.Context, with []CallOption) string {
	c.trace, _ = ctx.Value(traceKey{}).(string)
	for _, option := range with {
		if option == nil {
			return "an option is nil"
		}
		option(c)
	}
	if len(c.keys) > 1 {
		return "WithKey is given twice: one request has one key"
	}
	return ""
}

// Gives key and trace to the token of the call; returns why that cannot be.
func (c *calling) give(token *C.paysvc_call) string {
	for _, key := range c.keys {
		text, err := cText([]byte(key))
		if err != nil || C.paysvc_call_set_key(token, char(text)) != C.PAYSVC_OK {
			return "the idempotency key must be 1 to 200 bytes of UTF-8 that neither begin nor end with a blank, without control or invisible characters"
		}
	}
	if c.trace != "" {
		text, err := cText([]byte(c.trace))
		if err != nil || C.paysvc_call_set_traceparent(token, char(text)) != C.PAYSVC_OK {
			return "the traceparent of the context is malformed"
		}
	}
	return ""
}
