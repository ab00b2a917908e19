package paysvc

/*
#include "binding.h"
*/
import "C"

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime/cgo"
	"runtime/debug"
	"unsafe"
)

// Progress is how far a call of several steps is.
type Progress struct {
	// Done of Total are done; a Total of 0 is not known.
	Done, Total int

	// JSON is the whole step.
	JSON json.RawMessage `json:"-"`

	// Step is "before" or "after" a batch of payouts, or a "look" at an order.
	Step string `json:"step"`

	// Batch is the index of a batch, and Recipients how many it has.
	Batch, Recipients int

	// Outcome is what the step came to: a name of paysvc.h, e.g. "CONFIRMED".
	Outcome string

	// BatchReference is the service's reference of the batch.
	BatchReference string

	// State is that of the order, as a number, or of the batch, as its name in paysvc.h.
	State json.RawMessage
}

// ProgressFunc gets the progress of a call, on a goroutine of its own, while the call waits for it. nil: the call goes on. An
// error, a panic or the end of its goroutine ([runtime.Goexit], which [testing.T.Fatal] calls) stops the call before its next step.
// The call then returns an [*Error] that wraps the error, or the error with which it panicked, and has the reply in its Stopped. It is
// [ErrCancelled], and [ErrOutcomeUnknown] unless nothing was sent.
// A batch of payouts that it stopped in the step "before" is reported once more, in the step "after": none of it was sent.
type ProgressFunc func(Progress) error

// ErrStop is what a [ProgressFunc] returns to stop a call without an error of its own: the call returns what it would have
// returned had it ended so by itself: a reply if nothing was left to do, otherwise an [*Error] with [ErrCancelled] and the
// outcome of what was done.
var ErrStop = errors.New("paysvc: stop")

// PanicError is, for errors.As, the panic of a [ProgressFunc].
type PanicError struct {
	Value any    // The panic's value. If it is an error, errors.Is and errors.As find it too.
	Stack []byte // The stack of its goroutine, as text.
}

// Error has the value.
func (e *PanicError) Error() string {
	return fmt.Sprintf("the progress function panicked: %v", e.Value)
}

// Unwrap returns the value if it is an error, else nil.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Tells the function, and returns why the call must stop.
func (r *activeCall) report(step []byte, done, total int) error {
	progress := Progress{JSON: step}
	if err := json.Unmarshal(step, &progress); err != nil {
		return err
	}
	progress.Done, progress.Total = done, total
	return <-apart("the progress function", func() error { return r.progress(progress) })
}

// Runs a function of the program on a goroutine of its own: one that ended on this goroutine would leave the frames of the library,
// which are below, as they are.
func apart(who string, run func() error) <-chan error {
	ended := make(chan error, 1)
	go func() {
		err := errors.New(who + " ended its goroutine")
		defer func() {
			if panicked := recover(); panicked != nil {
				err = &PanicError{Value: panicked, Stack: debug.Stack()}
			}
			ended <- err
		}()
		err = run()
	}()
	return ended
}

// Receives a step, on the goroutine of the call.
//
//export paysvcGoProgress
func paysvcGoProgress(userdata unsafe.Pointer, done, total C.size_t, step *C.char) C.int {
	r := cgo.Handle(C.paysvc_go_running()).Value().(*activeCall)
	if err := r.report([]byte(C.GoString(step)), int(done), int(total)); err != nil && (r.why == nil || errors.Is(r.why, ErrStop)) {
		r.why = err
	}
	if r.why != nil {
		return 0
	}
	return C.PAYSVC_CONTINUE
}
