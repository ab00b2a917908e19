package paysvc

/*
#include "binding.h"
*/
import "C"

import (
	"encoding/json"
	"log/slog"
	"runtime/cgo"
	"time"
	"unsafe"
)

// The receivers of a client's log and hooks.
type logging struct {
	handler slog.Handler // nil: none.
	lines   int          // The most detailed level of the library for the handler.
	level   int          // The same for handler and hooks; 0: there are none.
	hooks   []Hooks
}

// The library's levels are 1 to 4, from slog's error to its debug, whose numbers are 4 apart.
const levelDebug = 4

// The most detailed level of the library that is at least this one.
func levelOf(least slog.Level) int {
	return max(int(slog.LevelError+4-max(least, slog.LevelDebug))/4, 1)
}

// Passes on the lines that the token has kept.
func (r *activeCall) takeLog() {
	for {
		text := C.paysvc_call_next_log(r.token)
		if text == nil {
			return
		}
		var read line
		if json.Unmarshal([]byte(C.GoString(text)), &read) == nil {
			r.pass(&read)
		}
	}
}

func (r *activeCall) endLog() {
	r.takeLog()
	if r.attempt != nil { // Its end was dropped.
		r.begun.Outcome = OutcomeUnknown
		r.attempt(r.begun)
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
func (r *activeCall) pass(read *line) {
	if read.Attempt > 0 {
		r.tell(read)
	}
	if r.handler == nil || read.Level > r.lines {
		return
	}
	level := slog.LevelError + 4 - slog.Level(4*read.Level)
	record := slog.NewRecord(time.Now(), level, read.CallID+" "+read.Message, 0)
	record.Add("call_id", read.CallID)
	if read.Reference != "" {
		record.Add("reference", read.Reference)
	}
	if read.Attempt > 0 {
		record.Add("endpoint", read.Endpoint, "attempt", read.Attempt)
		if read.Begins {
			record.Add("begins", true)
		} else {
			record.Add("status", read.Status, "outcome", read.Outcome, "http_status", read.HTTPStatus, "ms", read.MS)
		}
	}
	if read.RequestID != "" {
		record.Add("request_id", read.RequestID)
	}
	if read.Dropped > 0 {
		record.Add("dropped", read.Dropped)
	}
	guarded(func() {
		if r.handler.Enabled(r.ctx, level) {
			_ = r.handler.Handle(r.ctx, record)
		}
	})
}

// Passes on a line of the log, which the token of the call has kept, on the goroutine of the call.
//
//export paysvcGoLog
func paysvcGoLog(userdata unsafe.Pointer, level C.int, message *C.char) {
	if handle := cgo.Handle(C.paysvc_go_running()); handle != 0 { // Otherwise the call has no callbacks.
		handle.Value().(*activeCall).takeLog()
	}
}
