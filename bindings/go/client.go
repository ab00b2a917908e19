package paysvc

/*
#include "binding.h"
*/
import "C"

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"os"
	"runtime/cgo"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// DefaultMaxInFlight is how many calls of a client run at a time unless [WithMaxInFlight] says otherwise.
const DefaultMaxInFlight = 256

// Client is configuration and connections. Any number of goroutines may use it; close it when done.
type Client struct {
	slots   chan struct{}
	done    chan struct{} // Closed by Close.
	timeout time.Duration // Of a whole call: the configuration's.
	log     cgo.Handle    // 0: none.

	mu       sync.Mutex
	handle   *C.paysvc_client
	inFlight int
	closed   bool
}

// Option changes how a client works.
type Option func(*options)

type options struct {
	maxInFlight int
	handler     slog.Handler
	level       slog.Level
}

// WithMaxInFlight bounds the calls that run at a time; others wait for a slot. The wait counts into the time of a call,
// that of its context and the client's own: when it is up, the call gives [ErrTimeout], and nothing was sent. A call in
// flight holds a thread of the operating system.
func WithMaxInFlight(calls int) Option {
	return func(o *options) { o.maxInFlight = calls }
}

// WithLog sends the library's log to a handler. level is the most detailed that is wanted; the handler's own Enabled is
// asked as well. Keys, card data, one-time codes and bodies never appear at any level. The handler must return and must
// not end its goroutine; a panic in it is swallowed.
func WithLog(handler slog.Handler, level slog.Level) Option {
	return func(o *options) { o.handler, o.level = handler, level }
}

// New makes a client. It opens no connection; what a call needs is checked by that call. The error is an [*Error].
func New(config Config, with ...Option) (*Client, error) {
	text, err := encode(config)
	if err != nil {
		return nil, refuse("new", StatusConfig, err.Error(), err)
	}
	return NewFromJSON(text, with...)
}

// NewFromJSON makes a client from the configuration as JSON, e.g. from a file; nil: all from the environment.
func NewFromJSON(config json.RawMessage, with ...Option) (*Client, error) {
	set := options{maxInFlight: DefaultMaxInFlight}
	for _, option := range with {
		option(&set)
	}
	if set.maxInFlight < 1 {
		return nil, refuse("new", StatusArgument, "WithMaxInFlight must be 1 or more", nil)
	}
	if found := C.paysvc_abi(); found != C.PAYSVC_ABI {
		// Nothing else is asked of a library of another ABI.
		message := fmt.Sprintf("the libpaysvc found has ABI %d, this program was built for %d", found, C.PAYSVC_ABI)
		return nil, refuse("new", StatusConfig, message, nil)
	}
	text, err := cText(config)
	if err != nil {
		return nil, refuse("new", StatusConfig, err.Error(), err)
	}
	defer clear(text)
	var handle *C.paysvc_client
	var reply *C.paysvc_reply
	defer func() { C.paysvc_reply_free(reply) }()
	if C.paysvc_client_new((*C.char)(unsafe.Pointer(unsafe.SliceData(text))), &handle, &reply) != C.PAYSVC_OK {
		return nil, &Error{Function: "new", Reply: newReply(reply)}
	}
	client := &Client{
		slots:   make(chan struct{}, set.maxInFlight),
		done:    make(chan struct{}),
		timeout: timeoutOf(config),
		handle:  handle,
	}
	if set.handler != nil {
		client.log = cgo.NewHandle(set.handler)
		C.paysvc_go_set_log(handle, C.int(levelOf(set.level)), C.uintptr_t(client.log))
	}
	return client, nil
}

// Close ends the client; calls in flight end normally, later ones give [ErrClosed]. It always returns nil, and may be
// called again.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		close(c.done)
		c.freeIfUnused()
	}
	return nil
}

// The handle for one call; nil when the client is closed. Given back with end.
func (c *Client) begin() *C.paysvc_client {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.inFlight++
	return c.handle
}

func (c *Client) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inFlight--
	c.freeIfUnused()
}

// Frees what C holds, with the last user: nothing can begin once it is closed.
func (c *Client) freeIfUnused() {
	if c.closed && c.inFlight == 0 {
		C.paysvc_client_free(c.handle)
		c.handle = nil
		if c.log != 0 {
			c.log.Delete()
		}
	}
}

// The time limit that the library, too, reads from the configuration or else the environment.
func timeoutOf(config json.RawMessage) time.Duration {
	var read struct {
		TimeoutMS int64 `json:"timeout_ms"`
	}
	if json.Unmarshal(config, &read) != nil || read.TimeoutMS <= 0 {
		read.TimeoutMS, _ = strconv.ParseInt(strings.TrimSpace(os.Getenv("PAYSVC_TIMEOUT_MS")), 10, 64)
	}
	if read.TimeoutMS <= 0 {
		read.TimeoutMS = defaultTimeoutMS
	}
	return time.Duration(min(read.TimeoutMS, math.MaxInt32)) * time.Millisecond
}

// The text with the NUL that C wants at its end, in Go's own memory: nothing is left to free, and the copy can be
// cleared. nil stays nil.
func cText(text []byte) ([]byte, error) {
	if text == nil {
		return nil, nil
	}
	for _, b := range text {
		if b == 0 {
			return nil, fmt.Errorf("the JSON holds a NUL byte")
		}
	}
	return append(append(make([]byte, 0, len(text)+1), text...), 0), nil
}
