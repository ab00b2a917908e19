package paysvc

/*
#include "binding.h"
*/
import "C"

import (
	"context"
	"encoding/json"
	"log/slog"
	"runtime/cgo"
	"time"
)

// Who is told about a client's calls.
type logging struct {
	handler slog.Handler // nil: none.
	lines   int          // The most detailed level of the library for the handler.
	level   int          // The same for handler and hooks; 0: there are none.
	hooks   []Hooks
}

// By the library's levels, 1 to 4.
var levels = [...]slog.Level{1: slog.LevelError, 2: slog.LevelWarn, 3: slog.LevelInfo, 4: slog.LevelDebug}

// The most detailed level of the library that is at least this one.
func levelOf(least slog.Level) int {
	level := 1
	for level+1 < len(levels) && levels[level+1] >= least {
		level++
	}
	return level
}

// The log of one call.
type callLog struct {
	*logging
	ctx     context.Context
	token   *C.paysvc_call
	handle  cgo.Handle
	attempt func(Attempt) // Ends the attempt that has begun; nil: none.
	begun   Attempt
}

// Passes the lines of a call on to those who are told about them, until end; nil: nobody is.
func (l *logging) follow(ctx context.Context, token *C.paysvc_call) *callLog {
	if l.level == 0 {
		return nil
	}
	c := &callLog{logging: l, ctx: ctx, token: token}
	c.handle = cgo.NewHandle(c)
	return c
}

func (c *callLog) number() C.uintptr_t {
	if c == nil {
		return 0
	}
	return C.uintptr_t(c.handle)
}

func (c *callLog) end() {
	if c == nil {
		return
	}
	c.handle.Delete()
	c.take()
	if c.attempt != nil { // Its end was dropped.
		c.begun.Outcome = OutcomeUnknown
		c.attempt(c.begun)
	}
}

// Passes on the lines that the token has kept.
func (c *callLog) take() {
	for {
		text := C.paysvc_call_next_log(c.token)
		if text == nil {
			return
		}
		var read line
		if json.Unmarshal([]byte(C.GoString(text)), &read) == nil {
			c.pass(&read)
		}
	}
}

// A line as the library keeps it.
type line struct {
	Level      int
	CallID     string `json:"call_id"`
	Message    string
	Reference  string
	Endpoint   string
	Attempt    int
	Begins     bool
	Status     string
	Outcome    string
	HTTPStatus int `json:"http_status"`
	MS         int64
	RequestID  string `json:"request_id"`
	Dropped    int
}

// Tells hooks and handler. A panic in one must neither pass through C nor change the result of the call.
func (c *callLog) pass(read *line) {
	if read.Attempt > 0 {
		c.tell(read)
	}
	if c.handler == nil || read.Level > c.lines {
		return
	}
	attributes := []slog.Attr{slog.String("call_id", read.CallID)}
	if read.Reference != "" {
		attributes = append(attributes, slog.String("reference", read.Reference))
	}
	if read.Attempt > 0 {
		attributes = append(attributes, slog.String("endpoint", read.Endpoint), slog.Int("attempt", read.Attempt))
		if read.Begins {
			attributes = append(attributes, slog.Bool("begins", true))
		} else {
			attributes = append(attributes, slog.String("status", read.Status), slog.String("outcome", read.Outcome),
				slog.Int("http_status", read.HTTPStatus), slog.Int64("ms", read.MS))
		}
	}
	if read.RequestID != "" {
		attributes = append(attributes, slog.String("request_id", read.RequestID))
	}
	if read.Dropped > 0 {
		attributes = append(attributes, slog.Int("dropped", read.Dropped))
	}
	level := levels[min(max(read.Level, 1), len(levels)-1)]
	guarded(func() {
		if c.handler.Enabled(c.ctx, level) {
			record := slog.NewRecord(time.Now(), level, read.CallID+" "+read.Message, 0)
			record.AddAttrs(attributes...)
			_ = c.handler.Handle(c.ctx, record)
		}
	})
}

// Passes on a line of the log, which the token of the call has kept, on the goroutine of the call.
//
//export paysvcGoLog
func paysvcGoLog(handle C.uintptr_t) { cgo.Handle(handle).Value().(*callLog).take() }
