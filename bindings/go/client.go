package paysvc

/*
#include "binding.h"
*/
import "C"

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"
	"unsafe"
)

// DefaultMaxInFlight is the number of calls that a client makes at a time, unless [WithMaxInFlight] sets another.
const DefaultMaxInFlight = 256

// DefaultMaxWaiting is the number of waits of a client at a time, unless [WithMaxWaiting] sets another.
const DefaultMaxWaiting = 1024

// Client has a configuration and connections. Goroutines may share it. Each of its calls occupies a thread of the operating system
// until it returns: see [WithMaxInFlight] and [WithMaxWaiting]. Close it when done, or it is closed when the garbage collector finds
// that nobody uses it any more. A copy is the same client. The calls of the zero Client are [ErrArgument].
type Client struct{ *client }

type client struct {
	slots   *slots
	waits   *slots
	done    chan struct{} // Closed by Close.
	freed   chan struct{} // Closed when the last call has ended after that.
	timeout time.Duration // For a whole call, from the configuration.
	secret  bool          // There is a secret key.
	logging

	mu       sync.Mutex
	handle   *C.paysvc_client
	inFlight int
	closed   bool
}

// Option is an option of [New].
type Option func(*options)

type options struct {
	maxInFlight int
	maxWaiting  int
	least       slog.Level
	store       Store
	logging
}

// WithMaxInFlight limits the calls in flight, each of which occupies a thread of the operating system. Further calls wait for
// a slot. The wait counts towards the context's deadline and the client's own timeout: if either expires in that wait, the
// call returns [ErrTimeout], and nothing was sent.
func WithMaxInFlight(calls int) Option {
	return func(o *options) { o.maxInFlight = calls }
}

// WithMaxWaiting limits the waits at a time, which do not count as calls in flight: [Client.OrderWait], [Client.WebhookVerify],
// and [Client.Resolve] with [WithWait]. They may take minutes, and each occupies a thread of the operating system meanwhile.
// Further ones wait for a slot as calls do, see [WithMaxInFlight].
func WithMaxWaiting(waits int) Option {
	return func(o *options) { o.maxWaiting = waits }
}

// WithLog passes the library's log to a handler, up to a level; the handler's own Enabled applies too. Both get the context of the
// call, and a line comes while the call goes on. Its attributes are call_id, reference if the request names an order, and of a line
// about an attempt endpoint, attempt, begins or status, outcome, http_status and ms, and request_id if the service gave one. Keys,
// card data, one-time codes and bodies are not logged at any level. The handler must return, and must not end its goroutine; a
// panic in it is recovered and ignored.
func WithLog(handler slog.Handler, level slog.Level) Option {
	return func(o *options) { o.handler, o.least = handler, level }
}

// WithHooks sets functions that are called at the beginning and the end of each call and each attempt, for traces and metrics: the
// module paysvc.example/go/paysvc/otelpaysvc makes OpenTelemetry spans of them. If it is given twice, the second one gets the contexts
// of the first.
func WithHooks(hooks Hooks) Option {
	return func(o *options) { o.hooks = append(o.hooks, hooks) }
}

// New makes a client. It opens no connection; each call checks that the settings it needs are there. The error is an [*Error].
func New(config Config, with ...Option) (*Client, error) {
	text, err := encode(config)
	if err != nil {
		return nil, refuse("new", StatusConfig, err.Error(), err)
	}
	return NewFromJSON(text, with...)
}

// NewFromJSON makes a client from a configuration in JSON, e.g. from a file; nil: from the environment alone.
func NewFromJSON(config json.RawMessage, with ...Option) (*Client, error) {
	set := options{maxInFlight: DefaultMaxInFlight, maxWaiting: DefaultMaxWaiting}
	for _, option := range with {
		if option == nil {
			return nil, refuse("new", StatusArgument, "an option is nil", nil)
		}
		option(&set)
	}
	if set.maxInFlight < 1 || set.maxWaiting < 1 {
		return nil, refuse("new", StatusArgument, "WithMaxInFlight and WithMaxWaiting must be 1 or more", nil)
	}
	if found := C.paysvc_abi(); found != C.PAYSVC_ABI {
		// No other function of a library of another ABI may be called.
		message := fmt.Sprintf("the libpaysvc found has ABI %d, this program was built for %d", found, C.PAYSVC_ABI)
		return nil, refuse("new", StatusConfig, message, nil)
	}
	if isHidden(config) {
		return nil, refuse("new", StatusConfig, errHidden.Error(), errHidden)
	}
	text, err := cText(config)
	if err != nil {
		return nil, refuse("new", StatusConfig, err.Error(), err)
	}
	defer clear(text)
	var handle *C.paysvc_client
	var reply *C.paysvc_reply
	defer func() { C.paysvc_reply_free(reply) }()
	status := C.paysvc_client_new(char(text), &handle, &reply)
	ready := newReply(&reply)
	if status != C.PAYSVC_OK {
		return nil, &Error{Function: "new", Reply: *ready}
	}
	var told struct {
		TimeoutMS    int64 `json:"timeout_ms"`
		HasSecretKey bool  `json:"has_secret_key"`
	}
	if err := ready.Decode(&told); err != nil {
		C.paysvc_client_free(handle)
		return nil, refuse("new", StatusInternal, err.Error(), err)
	}
	if set.store != nil {
		if failure := setStore(handle, set.store, set.handler); failure != nil {
			C.paysvc_client_free(handle)
			return nil, failure
		}
	}
	made := &client{
		slots:   &slots{make(chan struct{}, set.maxInFlight), "WithMaxInFlight"},
		waits:   &slots{make(chan struct{}, set.maxWaiting), "WithMaxWaiting"},
		done:    make(chan struct{}),
		freed:   make(chan struct{}),
		timeout: time.Duration(told.TimeoutMS) * time.Millisecond,
		secret:  told.HasSecretKey,
		logging: set.logging,
		handle:  handle,
	}
	if set.handler != nil {
		made.lines = levelOf(set.least)
	}
	if made.level = made.lines; made.wantAttempts() {
		made.level = levelDebug // The beginning of an attempt is a line for debugging.
	}
	if made.level > 0 {
		C.paysvc_client_set_log(handle, C.int(made.level), C.paysvc_log_fn(C.paysvcGoLog), nil)
	}
	runtime.SetFinalizer(made, (*client).close)
	return &Client{made}, nil
}

// Shutdown closes the client, and waits until the calls in flight have ended; later ones, and those that wait for a slot, return
// [ErrClosed]. If the context ends first, Shutdown returns its error; the calls go on then, and end normally. Cancel their contexts
// to end them. Otherwise it returns nil. It may be called again, and after [Client.Close].
func (c *Client) Shutdown(ctx context.Context) error {
	if !c.isMade() {
		return nil
	}
	if failure := c.unusable("shutdown", ctx); failure != nil {
		return failure
	}
	c.Close()
	select {
	case <-c.freed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close closes the client, and does not wait as [Client.Shutdown] does. Calls in flight end normally; later ones, and those that
// wait for a slot, return [ErrClosed]. Close always returns nil, and may be called again.
func (c *Client) Close() error {
	if c.isMade() {
		c.close()
	}
	return nil
}

// isMade reports whether New made the client.
func (c *Client) isMade() bool { return c != nil && c.client != nil }

func (c *client) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		close(c.done)
		c.freeIfUnused()
	}
}

// Returns the handle for a call, which then calls end; nil if the client is closed.
func (c *client) begin() *C.paysvc_client {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.inFlight++
	return c.handle
}

func (c *client) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inFlight--
	c.freeIfUnused()
}

// Frees the handle when the last call has ended: a closed client begins no other.
func (c *client) freeIfUnused() {
	if c.closed && c.inFlight == 0 {
		C.paysvc_client_free(c.handle)
		c.handle = nil
		close(c.freed)
	}
}

// HasSecretKey reports whether the client has a secret key, which refunds, order status queries and webhooks about orders need.
func (c *Client) HasSecretKey() bool { return c.isMade() && c.secret }

// Copies the text and appends the NUL that C expects. The copy is in Go's memory, so that nothing has to be freed, and it can
// be cleared. nil stays nil.
func cText(text []byte) ([]byte, error) {
	if text == nil {
		return nil, nil
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, errors.New("the JSON holds a NUL byte")
	}
	return append(append(make([]byte, 0, len(text)+1), text...), 0), nil
}

// The text as C takes it; NULL if it is nil.
func char(text []byte) *C.char { return (*C.char)(unsafe.Pointer(unsafe.SliceData(text))) }
