package webhook

import (
	"container/list"
	"context"
	"sync"
)

// Begin is what a store knows about an event.
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
	limit int

	mu   sync.Mutex
	busy map[string]bool
	done map[string]*list.Element
	old  list.List // Keys that were handled, the oldest first.
}

// NewMemoryStore keeps that many keys, and 10,000 if that is below 1.
func NewMemoryStore(limit int) *MemoryStore { return &MemoryStore{limit: limit} }

func (s *MemoryStore) lock() {
	s.mu.Lock()
	if s.busy == nil {
		s.busy, s.done = map[string]bool{}, map[string]*list.Element{}
	}
	if s.limit < 1 {
		s.limit = remembered
	}
}

// Begin implements [Store].
func (s *MemoryStore) Begin(_ context.Context, key string) (Begin, error) {
	s.lock()
	defer s.mu.Unlock()
	if element := s.done[key]; element != nil {
		s.old.MoveToBack(element)
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
	s.lock()
	defer s.mu.Unlock()
	delete(s.busy, key)
	if s.done[key] == nil {
		s.done[key] = s.old.PushBack(key)
	}
	for s.old.Len() > s.limit {
		delete(s.done, s.old.Remove(s.old.Front()).(string))
	}
	return nil
}

// Failed implements [Store].
func (s *MemoryStore) Failed(_ context.Context, key string) error {
	s.lock()
	defer s.mu.Unlock()
	delete(s.busy, key)
	return nil
}
