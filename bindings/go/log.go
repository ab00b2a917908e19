package paysvc

/*
#include <stdint.h>
*/
import "C"

import (
	"context"
	"log/slog"
	"runtime/cgo"
	"time"
)

// The library's levels, 1 to 4.
var levels = [...]slog.Level{1: slog.LevelError, 2: slog.LevelWarn, 3: slog.LevelInfo, 4: slog.LevelDebug}

// The library's level that still fits this one.
func levelOf(least slog.Level) int {
	level := 1
	for i := 2; i < len(levels); i++ {
		if levels[i] >= least {
			level = i
		}
	}
	return level
}

// One line of the log, on the thread and goroutine of the call. A panic ends here: it must not cross C, and the log must
// not change what becomes of a payment.
//
//export paysvcGoLog
func paysvcGoLog(handle C.uintptr_t, level C.int, message *C.char) {
	defer func() { _ = recover() }()
	handler := cgo.Handle(handle).Value().(slog.Handler)
	ctx, of := context.Background(), slog.LevelError
	if int(level) > 0 && int(level) < len(levels) {
		of = levels[level]
	}
	if handler.Enabled(ctx, of) {
		_ = handler.Handle(ctx, slog.NewRecord(time.Now(), of, C.GoString(message), 0))
	}
}
