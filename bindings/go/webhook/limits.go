package webhook

import (
	"container/list"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"
)

// Limits bounds how many requests verifications send to the service. A flood of the URL would otherwise use up
// the requests that the service allows, and payments would get 429. Events about one reference get a sixth of them, so that a
// flood about one does not keep out the others. The zero value allows 4 verifications at once, and 120 requests per minute.
type Limits struct {
	now func() time.Time

	mu         sync.Mutex
	free       int
	all        bucket
	references recent[string, *bucket]
	forged     recent[[sha256.Size]byte, time.Time]
}

// NewLimits allows that many verifications at once, and that many requests per minute. It panics if either is below 1.
func NewLimits(atOnce, perMinute int) *Limits {
	return newLimits(atOnce, perMinute, time.Now)
}

func newLimits(atOnce, perMinute int, now func() time.Time) *Limits {
	if atOnce < 1 || perMinute < 1 {
		panic("webhook: limits must be 1 or more")
	}
	return &Limits{now: now, free: atOnce, all: newBucket(float64(perMinute), now())}
}

// Without [NewLimits] they are those of a handler without any.
func (l *Limits) lock() {
	l.mu.Lock()
	if l.now == nil {
		l.now, l.free, l.all = time.Now, atOnce, newBucket(perMinute, time.Now())
	}
}

// True: the caller may verify an event about this reference, and then leaves. Otherwise what the sender is answered.
func (l *Limits) enter(reference string) (ok bool, status int, wait time.Duration) {
	l.lock()
	defer l.mu.Unlock()
	now := l.now()
	own := l.bucketOf(reference, now)
	for _, bucket := range []*bucket{own, &l.all} {
		if wait := bucket.wait(now); wait > 0 {
			return false, http.StatusTooManyRequests, wait
		}
	}
	if l.free == 0 {
		return false, http.StatusServiceUnavailable, time.Second
	}
	own.left--
	l.all.left--
	l.free--
	return true, 0, 0
}

// A verification has ended that sent this many requests.
func (l *Limits) leave(reference string, requests int) {
	l.lock()
	defer l.mu.Unlock()
	l.free++
	for _, bucket := range []*bucket{l.bucketOf(reference, l.now()), &l.all} {
		bucket.left = min(bucket.most, bucket.left+1-float64(requests))
	}
}

func (l *Limits) bucketOf(reference string, now time.Time) *bucket {
	if found, ok := l.references.get(reference); ok {
		return found
	}
	made := newBucket(min(l.all.most, max(leastOfReference, l.all.most/shareOfReference)), now)
	l.references.put(reference, &made)
	return &made
}

// Whether this body was found not authentic a short time ago.
func (l *Limits) isForged(body []byte) bool {
	l.lock()
	defer l.mu.Unlock()
	at, ok := l.forged.get(sha256.Sum256(body))
	age := l.now().Sub(at)
	return ok && age >= 0 && age < forgetAfterSeconds*time.Second
}

// A body was found not authentic.
func (l *Limits) foundForged(body []byte) {
	l.lock()
	defer l.mu.Unlock()
	l.forged.put(sha256.Sum256(body), l.now())
}

// A number of requests that refills within a minute.
type bucket struct {
	most, left float64
	filled     time.Time
}

func newBucket(most float64, now time.Time) bucket {
	return bucket{most: most, left: most, filled: now}
}

// How long to wait until there is a request left.
func (b *bucket) wait(now time.Time) time.Duration {
	perSecond := b.most / 60
	b.left = min(b.most, b.left+max(0, now.Sub(b.filled).Seconds())*perSecond)
	b.filled = now
	return time.Duration(max(0, 1-b.left) / perSecond * float64(time.Second))
}

// The newest entries.
type recent[K comparable, V any] struct {
	limit   int // Below 1: as many as a handler remembers.
	entries map[K]*list.Element
	order   list.List // Of entry[K, V], the oldest first.
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

func (r *recent[K, V]) get(key K) (value V, ok bool) {
	element, ok := r.entries[key]
	if ok {
		r.order.MoveToBack(element)
		value = element.Value.(entry[K, V]).value
	}
	return
}

func (r *recent[K, V]) put(key K, value V) {
	if r.entries == nil {
		r.entries = map[K]*list.Element{}
	}
	if r.limit < 1 {
		r.limit = remembered
	}
	if _, ok := r.get(key); ok {
		r.entries[key].Value = entry[K, V]{key, value}
		return
	}
	r.entries[key] = r.order.PushBack(entry[K, V]{key, value})
	if len(r.entries) > r.limit {
		delete(r.entries, r.order.Remove(r.order.Front()).(entry[K, V]).key)
	}
}
