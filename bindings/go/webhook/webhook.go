// Package webhook verifies the events that the payments service sends. They are not signed, so anybody who knows the URL can send
// one: the handler asks the service, and passes on the service's response, never the event.
//
//	handle := func(ctx context.Context, reply *paysvc.Reply) error {
//		return orders.Settle(ctx, reply.Webhook.About, reply) // Compares amount and currency with the order.
//	}
//	http.Handle("/events", webhook.NewHandler(client, handle, webhook.Options{Store: store}))
package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"paysvc.example/go/paysvc"
)

const (
	// MaxLength is the size in bytes of the largest body that is read: the library's own limit.
	MaxLength = maxLength

	retryAfter = retryAfterSeconds * time.Second
)

// Func handles an authentic event: it gets the reply of [paysvc.Client.WebhookVerify], once per state of a payment. It acts on the reply:
// compare reference, amount and currency with the order, and look at reply.State. If it returns an error, the sender is
// answered 500, and the next delivery is handled. A sender that hangs up does not cancel ctx.
type Func func(ctx context.Context, reply *paysvc.Reply) error

// Options of [NewHandler]; the zero value is usable.
type Options struct {
	// Store remembers what was handled. Without one the newest 10,000 keys are kept in memory, which a restart empties:
	// then Func must bear an event twice.
	Store Store

	// Unverified is called with the reply of each event that was found not authentic, e.g. to count them. It must not act
	// on them. A body that the service has contradicted, and that is sent again within a minute, is not reported again. An
	// event that is only ahead of the service is none of them: it is answered 503, and verified again when it is sent again.
	Unverified func(ctx context.Context, reply *paysvc.Reply)

	// Timeout of a verification. 0: 10 seconds.
	Timeout time.Duration

	// Log gets what went wrong with an event, each with its reference and call id, and its key if it is authentic: errors and panics
	// of Func, errors of the store, and why an event could not be verified. nil: [slog.Default].
	Log *slog.Logger
}

type handler struct {
	client *paysvc.Client
	handle Func
	Options
}

// NewHandler makes a handler for the URL to which the service sends its events. The client needs the secret key if events are
// about orders: without one, NewHandler logs an error, and each such event is answered 503 and logged. It panics if client or
// handle is nil. A verification is a wait, see [paysvc.WithMaxWaiting]. The client limits verifications and the requests that they
// send, see WebhookAtOnce and WebhookPerMinute of [paysvc.Config].
func NewHandler(client *paysvc.Client, handle Func, options Options) http.Handler {
	if client == nil || handle == nil {
		panic("webhook: client and handle must not be nil")
	}
	if options.Store == nil {
		options.Store = &MemoryStore{}
	}
	if options.Timeout <= 0 {
		options.Timeout = verifySeconds * time.Second
	}
	if options.Log == nil {
		options.Log = slog.Default()
	}
	if !client.HasSecretKey() {
		options.Log.Error("paysvc webhook: the client has no secret key: no event about an order can be verified")
	}
	return &handler{client, handle, options}
}

// ServeHTTP answers without a body, so that nobody learns anything about a payment.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, wait := h.answer(w, r)
	if status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", http.MethodPost)
	}
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}
	w.WriteHeader(status)
}

// The status of the response, and when the sender should try again.
func (h *handler) answer(w http.ResponseWriter, r *http.Request) (int, time.Duration) {
	if r.Method != http.MethodPost {
		return http.StatusMethodNotAllowed, 0
	}
	if r.ContentLength > MaxLength {
		return http.StatusRequestEntityTooLarge, 0
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxLength))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return http.StatusRequestEntityTooLarge, 0
	case err != nil || !utf8.Valid(body):
		return http.StatusBadRequest, 0
	}
	// A sender that hangs up neither cancels a request that has been counted, nor what is done with its response.
	ctx := context.WithoutCancel(r.Context())
	reply := h.verify(ctx, string(body))
	event := reply.Webhook
	if event == nil {
		event = &paysvc.WebhookVerifyAnswer{} // The library was not asked.
	}
	about := []any{"reference", event.About, "call_id", reply.CallID}
	// The library decides, this only carries it.
	respond := http.StatusServiceUnavailable
	if event.Respond != nil {
		respond = int(*event.Respond)
	}
	switch respond {
	case http.StatusOK, http.StatusBadRequest:
		if respond == http.StatusOK && event.Authentic != nil && *event.Authentic && event.Key != "" {
			return h.once(ctx, event.Key, reply, append(about, "key", event.Key))
		}
		// OK without a request: the library remembers the same body.
		isRepeated := reply.Status == paysvc.StatusOK && reply.Attempts == 0
		if !isRepeated && h.Unverified != nil {
			h.Unverified(ctx, reply)
		}
		return respond, 0
	}
	// One that is beyond the limits is not logged: a flood would fill the log.
	if reply.Status != paysvc.StatusRateLimited || reply.Attempts > 0 {
		level := slog.LevelWarn
		if reply.Status == paysvc.StatusConfig || reply.Status == paysvc.StatusUnauthorized {
			level = slog.LevelError // The next delivery will not be verified either.
		}
		about = append(about, "status", reply.Status.String(), "message", reply.Message)
		h.Log.Log(ctx, level, "paysvc webhook: an event could not be verified", about...)
	}
	wait := retryAfter
	if event.RetryAfter != nil {
		wait = time.Duration(*event.RetryAfter) * time.Second
	}
	return http.StatusServiceUnavailable, wait
}

func (h *handler) verify(ctx context.Context, body string) *paysvc.Reply {
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	text, _ := json.Marshal(body) // A string can always be written.
	reply, err := h.client.WebhookVerify(ctx, paysvc.WebhookVerifyRequest{Body: text})
	var failure *paysvc.Error
	if errors.As(err, &failure) {
		reply = &failure.Reply
	}
	return reply
}

// Handles an event unless it has been handled, or is being handled.
func (h *handler) once(ctx context.Context, key string, reply *paysvc.Reply, about []any) (int, time.Duration) {
	failed := func(what string, why any) (int, time.Duration) {
		h.Log.ErrorContext(ctx, "paysvc webhook: "+what, append([]any{"error", why}, about...)...)
		return http.StatusInternalServerError, retryAfter
	}
	begin, err := h.Store.Begin(ctx, key)
	switch {
	case err != nil:
		return failed("the store failed", err)
	case begin == Done:
		return http.StatusOK, 0
	case begin != Handle:
		return http.StatusServiceUnavailable, time.Second
	}
	returned, handled := false, false
	defer func() {
		if !returned {
			panicked := recover()
			failed("an event was not handled: its function panicked", panicked)
			if panicked != nil { // Otherwise it ends its goroutine.
				defer panic(panicked)
			}
		}
		if handled {
			return
		}
		if err := h.Store.Failed(ctx, key); err != nil {
			failed("the store failed", err)
		}
	}()
	err = h.handle(ctx, reply)
	returned = true
	if err != nil {
		return failed("an event was not handled", err)
	}
	handled = true
	// Only now: an event whose function was interrupted is handled again.
	if err := h.Store.Done(ctx, key); err != nil {
		return failed("the store failed", err)
	}
	return http.StatusOK, 0
}
