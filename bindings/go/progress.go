package paysvc

/*
#include "binding.h"
*/
import "C"

import (
	"encoding/json"
	"fmt"
	"runtime/cgo"
)

// Progress is how far a call of several steps is.
type Progress struct {
	// Done of Total are done; a Total of 0 is not known.
	Done, Total int

	// JSON is the whole step. The steps of a list, written down in order, can be the Earlier of a later [PayoutBulkRequest].
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

// ProgressFunc is told the progress of a call, on the goroutine that makes it. It returns [Continue]; any other value stops the
// call before its next step. If it panics, the call stops as well, and returns an [*Error] that says so and has the reply. It
// must not end its goroutine.
type ProgressFunc func(Progress) int

// The progress of one call.
type listener struct {
	told     ProgressFunc
	panicked any
}

// Has the token report to the listener, until release.
func (l *listener) listen(token *C.paysvc_call) (release func()) {
	handle := cgo.NewHandle(l)
	C.paysvc_go_set_progress(token, C.uintptr_t(handle))
	return handle.Delete
}

// The error of a call whose function panicked, even if the call itself went well; nil if it did not.
func (l *listener) failure() error {
	if l == nil || l.panicked == nil {
		return nil
	}
	return fmt.Errorf("the progress function panicked: %v", l.panicked)
}

// Receives a step, on the goroutine of the call. A panic must not pass through C.
//
//export paysvcGoProgress
func paysvcGoProgress(handle C.uintptr_t, done, total C.size_t, step *C.char) (answer C.int) {
	l := cgo.Handle(handle).Value().(*listener)
	defer func() {
		if panicked := recover(); panicked != nil {
			l.panicked, answer = panicked, 0
		}
	}()
	progress := Progress{JSON: json.RawMessage(C.GoString(step))}
	if err := json.Unmarshal(progress.JSON, &progress); err != nil {
		panic(err)
	}
	progress.Done, progress.Total = int(done), int(total)
	return C.int(l.told(progress))
}
