package webhook

import (
	"net/http"
	"sync"
	"time"
)

// Limits bounds how many verifications there are, because each is a request to the service. Whoever floods the URL would
// otherwise use up the requests that the service allows, and payments would get 429.
type Limits struct {
	now func() time.Time

	mu     sync.Mutex
	free   int
	most   float64
	left   float64
	filled time.Time
}

// NewLimits allows that many verifications at once, and that many per minute. It panics if either is below 1.
func NewLimits(atOnce, perMinute int) *Limits {
	return newLimits(atOnce, perMinute, time.Now)
}

func newLimits(atOnce, perMinute int, now func() time.Time) *Limits {
	if atOnce < 1 || perMinute < 1 {
		panic("webhook: limits must be 1 or more")
	}
	most := float64(perMinute)
	return &Limits{now: now, free: atOnce, most: most, left: most, filled: now()}
}

// True: the caller may verify an event, and then leaves. Otherwise what the sender is answered.
func (l *Limits) enter() (ok bool, status int, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	perSecond := l.most / 60
	now := l.now()
	l.left = min(l.most, l.left+max(0, now.Sub(l.filled).Seconds())*perSecond)
	l.filled = now
	if l.left < 1 {
		return false, http.StatusTooManyRequests, time.Duration((1 - l.left) / perSecond * float64(time.Second))
	}
	if l.free == 0 {
		return false, http.StatusServiceUnavailable, time.Second
	}
	l.left--
	l.free--
	return true, 0, 0
}

// A verification has ended; one that asked the service nothing does not count.
func (l *Limits) leave(asked bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free++
	if !asked {
		l.left = min(l.most, l.left+1)
	}
}
