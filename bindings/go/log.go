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

// By the library's levels, 1 to 4.
var levels = [...]slog.Level{1: slog.LevelError, 2: slog.LevelWarn, 3: slog.LevelInfo, 4: slog.LevelDebug}

// The most detailed level of the library that is at least this one.
func levelOf(least slog.Level) int {
	level := 1
	for i := 2; i < len(levels); i++ {
		if levels[i] >= least {
			level = i
		}
	}
	return level
}

// Receives a line of the log, on the goroutine of the call. It recovers a panic, which must not pass through C, nor change
// the result of the call.
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
