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

// DefaultMaxInFlight is the number of calls that a client makes at a time, unless [WithMaxInFlight] sets another.
const DefaultMaxInFlight = 256

// Client has a configuration and connections. Goroutines may share it; close it when done.
type Client struct {
	slots   chan struct{}
	done    chan struct{} // Closed by Close.
	timeout time.Duration // Of a whole call, from the configuration.
	log     cgo.Handle    // 0: none.

	mu       sync.Mutex
	handle   *C.paysvc_client
	inFlight int
	closed   bool
}

// Option is an option of [New].
type Option func(*options)

type options struct {
	maxInFlight int
	handler     slog.Handler
	level       slog.Level
}

// WithMaxInFlight limits the calls in flight, each of which occupies a thread of the operating system. Further calls wait for
// a slot. The wait counts towards the context's deadline and the client's own timeout: if either expires in that wait, the
// call returns [ErrTimeout], and nothing was sent.
func WithMaxInFlight(calls int) Option {
	return func(o *options) { o.maxInFlight = calls }
}

// WithLog passes the library's log to a handler, up to a level; the handler's own Enabled applies too. Keys, card data,
// one-time codes and bodies are not logged at any level. The handler must return, and must not end its goroutine; a panic in
// it is recovered and ignored.
func WithLog(handler slog.Handler, level slog.Level) Option {
	return func(o *options) { o.handler, o.level = handler, level }
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
	set := options{maxInFlight: DefaultMaxInFlight}
	for _, option := range with {
		option(&set)
	}
	if set.maxInFlight < 1 {
		return nil, refuse("new", StatusArgument, "WithMaxInFlight must be 1 or more", nil)
	}
	if found := C.paysvc_abi(); found != C.PAYSVC_ABI {
		// No other function of a library of another ABI may be called.
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
		return nil, &Error{Function: "new", Reply: newReply(&reply)}
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

// Close closes the client. Calls in flight end normally, later ones return [ErrClosed]. Close always returns nil, and may be
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

// Returns the handle for a call, which then calls end; nil if the client is closed.
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

// Frees the handle when the last call has ended: a closed client begins no other.
func (c *Client) freeIfUnused() {
	if c.closed && c.inFlight == 0 {
		C.paysvc_client_free(c.handle)
		c.handle = nil
		if c.log != 0 {
			c.log.Delete()
		}
	}
}

// The client's timeout, from where the library reads it too: the configuration, else the environment.
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

// Copies the text and appends the NUL that C expects. The copy is in Go's memory, so that nothing has to be freed, and it can
// be cleared. nil stays nil.
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
