package paysvc

/*
#include "binding.h"
*/
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/cgo"
	"time"
	"unsafe"
)

// Store is a database that keeps the journal: one table with the primary key (Key, Seq), whose rows are never changed. Goroutines
// call its methods at once. A method that fails or panics has failed, and then nothing that moves money is sent. The context ends when the
// method must have returned; one that has not returned then has failed, and goes on alone. Never write a row in a transaction of the
// program. The package postgres has a Store.
type Store interface {
	// Append inserts a row, which is durable on return, and returns [Appended]; [AlreadyThere], if there is a row with this Key and Seq.
	// Then nothing is written. Any other value is a failure.
	Append(ctx context.Context, row StoreRow) (AppendResult, error)

	// Read returns the JSON of rows as Append got it, of everything that was committed before.
	Read(ctx context.Context, query StoreQuery) ([]string, error)
}

// StoreRow is a row of the journal.
type StoreRow struct {
	Key   string
	Seq   int
	Order string // "": none.
	Open  bool
	JSON  string // The whole row.
}

// AppendResult is what [Store.Append] did.
type AppendResult int

// The zero value is neither: an Append that forgets its result has failed.
const (
	Appended     AppendResult = 1
	AlreadyThere AppendResult = 2
)

// StoreQuery selects the rows to read.
type StoreQuery struct {
	Kind QueryKind

	Key   string // For QueryKey.
	Order string // For QueryOrder.
	After string // For QueryOpen.
	Limit int    // For QueryOpen.
}

// QueryKind is the kind of a [StoreQuery].
type QueryKind int

const (
	// QueryKey asks for all rows of the Key, by Seq.
	QueryKey QueryKind = 1

	// QueryOrder asks for all rows of the Order, by Key and Seq.
	QueryOrder QueryKind = 2

	// QueryOpen asks, of each key above After, for the row with the highest Seq, if it is Open; by Key, at most Limit. Keys are
	// compared byte by byte.
	QueryOpen QueryKind = 3
)

// WithStore keeps the journal in a database of the program, instead of in the file of [Config].Journal. If a method of the store
// fails, its error goes to the handler of [WithLog].
func WithStore(store Store) Option {
	return func(o *options) { o.store = store }
}

// The store of a client.
type stored struct {
	Store
	handler slog.Handler // nil: none.
	handle  *cgo.Handle  // C keeps the address.
	pinner  runtime.Pinner
}

func storeOf(userdata unsafe.Pointer) *stored { return (*cgo.Handle)(userdata).Value().(*stored) }

func (s *stored) release() {
	s.handle.Delete()
	s.pinner.Unpin()
}

func setStore(client *C.paysvc_client, store Store, handler slog.Handler) error {
	s := &stored{Store: store, handler: handler, handle: new(cgo.Handle)}
	*s.handle = cgo.NewHandle(s)
	s.pinner.Pin(s.handle)
	functions := C.paysvc_store{
		size:    C.sizeof_paysvc_store,
		append:  (*[0]byte)(C.paysvcGoStoreAppend),
		read:    (*[0]byte)(C.paysvcGoStoreRead),
		release: (*[0]byte)(C.paysvcGoStoreRelease),
	}
	var reply *C.paysvc_reply
	defer func() { C.paysvc_reply_free(reply) }()
	if C.paysvc_client_set_store(client, &functions, unsafe.Pointer(s.handle), &reply) == C.PAYSVC_OK {
		return nil
	}
	s.release()
	return &Error{Function: "client_set_store", Reply: *newReply(&reply)}
}

// The time that a store has to return once its context has ended.
const grace = 50 * time.Millisecond

func (s *stored) succeeds(method string, ms int, ask func(context.Context) error) bool {
	limit := time.Duration(ms) * time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var err error
	select {
	case err = <-apart("it", func() error { return ask(ctx) }):
	case <-time.After(limit + grace): // Some drivers wait for a machine that is silent, whatever the context says.
		err = ctx.Err()
	}
	if err != nil && s.handler != nil {
		guarded(func() { slog.New(s.handler).Error("the journal's store failed", "method", method, "err", err) })
	}
	return err == nil
}

// Any value but PAYSVC_STORE_DONE and PAYSVC_STORE_EXISTS.
const storeFailed = 0

// Reads what a database needs to find the row again.
func (r *StoreRow) read() error {
	return json.Unmarshal([]byte(r.JSON), &struct {
		Order *string
		Open  *bool
	}{&r.Order, &r.Open})
}

//export paysvcGoStoreAppend
func paysvcGoStoreAppend(userdata unsafe.Pointer, key *C.char, seq C.int, text *C.char, ms C.int) C.int {
	s, row := storeOf(userdata), StoreRow{Key: C.GoString(key), Seq: int(seq), JSON: C.GoString(text)}
	var result AppendResult
	done := s.succeeds("Append", int(ms), func(ctx context.Context) error {
		err := row.read()
		if err == nil {
			result, err = s.Append(ctx, row)
		}
		if err == nil && result != Appended && result != AlreadyThere {
			err = errors.New("it returned neither Appended nor AlreadyThere")
		}
		return err
	})
	switch {
	case !done:
		return storeFailed
	case result == AlreadyThere:
		return C.PAYSVC_STORE_EXISTS
	default:
		return C.PAYSVC_STORE_DONE
	}
}

//export paysvcGoStoreRead
func paysvcGoStoreRead(userdata unsafe.Pointer, query *C.char, ms C.int, found *C.paysvc_sink) C.int {
	s, text := storeOf(userdata), []byte(C.GoString(query))
	var rows []string
	done := s.succeeds("Read", int(ms), func(ctx context.Context) error {
		asked, err := queryOf(text)
		if err == nil {
			rows, err = s.Read(ctx, asked)
		}
		return err
	})
	if !done {
		return storeFailed
	}
	// On this thread: the sink is nothing on another.
	for _, row := range rows {
		if C.paysvc_sink_write(found, (*C.char)(unsafe.Pointer(unsafe.StringData(row))), C.size_t(len(row))) == 0 {
			break
		}
	}
	return C.PAYSVC_STORE_DONE
}

func queryOf(text []byte) (StoreQuery, error) {
	var read struct {
		Key, Order *string
		Open       bool
		After      string
		Limit      int
	}
	err := json.Unmarshal(text, &read)
	switch {
	case err != nil:
		return StoreQuery{}, err
	case read.Key != nil:
		return StoreQuery{Kind: QueryKey, Key: *read.Key}, nil
	case read.Order != nil:
		return StoreQuery{Kind: QueryOrder, Order: *read.Order}, nil
	case read.Open:
		return StoreQuery{Kind: QueryOpen, After: read.After, Limit: read.Limit}, nil
	default:
		return StoreQuery{}, fmt.Errorf("this version does not know the query %s", text)
	}
}

//export paysvcGoStoreRelease
func paysvcGoStoreRelease(userdata unsafe.Pointer) { storeOf(userdata).release() }
