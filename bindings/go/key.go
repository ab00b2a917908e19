package paysvc

/*
#include "binding.h"
*/
import "C"

import (
	"context"
	"sync/atomic"
	"unsafe"
)

type idempotencyKey struct{}

// The key of a context.
type oneKey struct {
	text string
	used atomic.Bool
}

// ContextWithKey gives the next call with this context an idempotency key, of 1 to 200 bytes that neither begin nor end with a
// blank, without control or invisible characters: with a journal ([Config].Journal or [WithStore]) all requests with this key, of any process that shares the journal and after a crash, are
// one request, which is sent at most once. A later one sends nothing: its reply is Replayed, or its error is [ErrUnresolved] as long
// as the end of the first is not known; with different members it is [ErrKeyReused]. A key names one attempt: another card or another
// try is a new key. Without a journal a request with a key is [ErrConfig], and nothing is sent.
//
// The context serves one call. A second one with it is [ErrArgument], so that no other request gets this key by accident: make
// another context to send the same request again.
func ContextWithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, &oneKey{text: key})
}

// Gives the key to a call; returns why that cannot be.
func (k *oneKey) set(token *C.paysvc_call) string {
	if k.used.Swap(true) {
		return "the idempotency key of this context was already used for a call: make a new context for this call"
	}
	text, err := cText([]byte(k.text))
	if err != nil || C.paysvc_call_set_key(token, (*C.char)(unsafe.Pointer(&text[0]))) != C.PAYSVC_OK {
		return "the idempotency key must be 1 to 200 bytes of UTF-8 that neither begin nor end with a blank, without control or invisible characters"
	}
	return ""
}
