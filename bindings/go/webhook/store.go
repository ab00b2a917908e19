package webhook

import (
	"container/list"
	"context"
	"sync"
)

// Begin is the state of an event in a store.
type Begin int

const (
	// Busy: somebody is handling it.
	Busy Begin = iota
	// Handle: nobody has handled it, and nobody is handling it: now the caller is.
	Handle
	// Done: it has been handled.
	Done
)

// Store remembers which events have been handled, by the key of the verified event.
//
// A store that processes share must decide Begin atomically, e.g. by inserting a row with a unique key, and must let go of
// what a dead process has begun, e.g. after some minutes.
type Store interface {
	Begin(ctx context.Context, key string) (Begin, error)
	// Done records that it has been handled.
	Done(ctx context.Context, key string) error
	// Failed records that handling it failed: the next delivery is handled.
	Failed(ctx context.Context, key string) error
}

// MemoryStore keeps the newest keys in memory, for one process: 10,000 of them if it was not
// made by [NewMemoryStore]. A restart forgets them.
type MemoryStore struct {
	limit int // Below 1: 10,000.

	mu    sync.Mutex
	busy  map[string]bool
	done  map[string]*list.Element
	order list.List // The keys in done, the oldest first.
}

// NewMemoryStore keeps that many keys, and 10,000 if that is below 1.
func NewMemoryStore(limit int) *MemoryStore {
	return &MemoryStore{limit: limit}
}

// Locks the store, and makes what the zero value lacks.
func (s *MemoryStore) lock() (unlock func()) {
	s.mu.Lock()
	if s.busy == nil {
		s.busy, s.done = map[string]bool{}, map[string]*list.Element{}
	}
	return s.mu.Unlock
}

// Begin implements [Store].
func (s *MemoryStore) Begin(_ context.Context, key string) (Begin, error) {
	defer s.lock()()
	if element, ok := s.done[key]; ok {
		s.order.MoveToBack(element)
		return Done, nil
	}
	if s.busy[key] {
		return Busy, nil
	}
	s.busy[key] = true
	return Handle, nil
}

// Done implements [Store].
func (s *MemoryStore) Done(_ context.Context, key string) error {
	defer s.lock()()
	delete(s.busy, key)
	if element, ok := s.done[key]; ok {
		s.order.MoveToBack(element)
		return nil
	}
	s.done[key] = s.order.PushBack(key)
	limit := s.limit
	if limit < 1 {
		limit = remembered
	}
	if len(s.done) > limit {
		delete(s.done, s.order.Remove(s.order.Front()).(string))
	}
	return nil
}

// Failed implements [Store].
func (s *MemoryStore) Failed(_ context.Context, key string) error {
	defer s.lock()()
	delete(s.busy, key)
	return nil
}
