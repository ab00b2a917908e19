package paysvc

/*
#include "binding.h"
*/
import "C"

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"
)

// Reply is the result of a call.
type Reply struct {
	Status  Status
	Outcome Outcome
	State   State

	// Code is the service's own code ("code" or "statusCode"), or "".
	Code string

	// Message is one line for a person; never a secret of the caller's.
	Message string

	// HTTPStatus is that of the last response; 0: there was no response.
	HTTPStatus int

	// Body is always one JSON document: the service's own bytes whenever it answered with JSON, else a failure
	// envelope of its form: {"status":false,"message":"…","errors":{"emailAddress":"is required"}}.
	Body json.RawMessage

	// Attempts is the number of sent requests of this call that may have changed something, resends included; for a read-only
	// call, the number of its queries. Queries that the library makes in between, e.g. with a journal, are not counted.
	Attempts int

	// CallID identifies this call, and each line of the log about it: at most 40 letters, digits and "-", that no other call has,
	// in no other process and on no other machine. "": this package refused the call itself, without the library.
	CallID string

	// RequestID is the number that the service gave to the last request, for its support; "": it gave none.
	RequestID string

	// Replayed: this is the recorded end of an earlier call with the same key, or for the same order; nothing was sent now.
	Replayed bool

	// IsActive is for DirectDebitStatus: true only if the service reports the mandate as active. It is false for a wording that
	// the library does not know: Message has it.
	IsActive bool

	// RetryAfter is the time to wait before trying again; negative: the service did not say.
	RetryAfter time.Duration

	// AnswerOf is the name of the function whose response the Body is, e.g. "order_status" after [Client.Resolve]; "": it is none.
	AnswerOf string

	// AnswerJSON is that answer as the library has read it, for json.Unmarshal: with AnswerOf "order_status", into an [OrderStatusAnswer].
	// It is for an [Error], and for a reply without a type of its own; the others have it in their Answer.
	AnswerJSON json.RawMessage

	// Unreadable are the JSON pointers in the Body of what the response lacks because its type or its form is wrong, e.g. "/data/fee"; ""
	// is the whole response. The result of the call is not affected.
	Unreadable []string

	// Webhook is what [Client.WebhookVerify] found out about the event, also if the call failed; nil of every other call.
	Webhook *WebhookVerifyAnswer

	lookUp *ResolveRequest // For the request of the call, if the library gave it.
	whyNot string          // It is not paid, whatever it is compared with.
	kept   *kept           // The library's reply, which IsPaid asks; nil: it need not.
}

// A reply of the library, freed when nobody uses it any more. Go's allocator does not count a pointer to an opaque type of C as a
// pointer. It puts small objects without pointers into a shared block, and runs their finalizers only when no object in the block is
// used any more. The second field keeps the reply out of such a block.
type kept struct {
	reply *C.paysvc_reply
	_     *byte
}

// Makes the reply of a method, whose Answer is that of the function of that name. With a journal, a reply may have another one: that
// of the status query.
func replyOf[R ~struct {
	Reply
	Answer A
}, A any](name string) func(*Reply, error) (*R, error) {
	return func(reply *Reply, err error) (*R, error) {
		if err != nil {
			return nil, err
		}
		var answer A
		if reply.AnswerOf == name && json.Unmarshal(reply.AnswerJSON, &answer) != nil {
			reply.Unreadable = append(reply.Unreadable, "")
		}
		return &R{*reply, answer}, nil
	}
}

const noRetryAfter = -time.Millisecond

// Copies a reply of the library, which the caller frees unless it has become NULL.
func newReply(owned **C.paysvc_reply) *Reply {
	from := *owned
	var view C.paysvc_reply_view
	C.paysvc_reply_read(from, &view, C.sizeof_paysvc_reply_view)
	reply := &Reply{
		Status:     statusOf(int(view.status)),
		Outcome:    outcomeOf(int(view.outcome)),
		State:      State(view.state),
		Code:       C.GoString(view.code),
		Message:    C.GoString(view.message),
		HTTPStatus: int(view.http_status),
		// Not C.GoBytes, whose limit is 2 GB.
		Body:       bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(view.body)), int(view.body_len))),
		Attempts:   int(view.attempts),
		CallID:     C.GoString(view.call_id),
		RequestID:  C.GoString(view.request_id),
		Replayed:   view.replayed != 0,
		IsActive:   view.is_active != 0,
		RetryAfter: time.Duration(view.retry_after_ms) * time.Millisecond,
		whyNot:     C.GoString(view.why_not),
	}
	if told := C.paysvc_reply_answer(from); told != nil {
		reply.take(unsafe.Slice((*byte)(unsafe.Pointer(told)), int(C.strlen(told))))
	} else {
		reply.Unreadable = []string{""}
	}
	if reply.whyNot == "" { // True for few replies.
		reply.kept = &kept{reply: from}
		*owned = nil
		runtime.SetFinalizer(reply.kept, func(kept *kept) { C.paysvc_reply_free(kept.reply) })
	}
	return reply
}

// Takes the library's JSON about a reply. It keeps nothing of the text.
func (r *Reply) take(text []byte) {
	err := json.Unmarshal(text, &struct {
		AnswerOf   *string               `json:"answer_of"`
		Answer     *json.RawMessage      `json:"answer"`
		Unreadable *[]string             `json:"unreadable"`
		LookUp     **ResolveRequest      `json:"look_up"`
		Webhook    **WebhookVerifyAnswer `json:"webhook"`
	}{&r.AnswerOf, &r.AnswerJSON, &r.Unreadable, &r.lookUp, &r.Webhook})
	if err != nil {
		r.Unreadable = []string{""} // It is nested too deeply.
	}
}

// Anything is not compared by [Reply.IsPaid].
const Anything = "*"

// IsPaid reports whether this order is paid: true only if the reply is CONFIRMED and SUCCESSFUL, and order, price and currency
// are these; else whyNot gives the reason, in one line for a person. The amount is the price without the fee, such as "25.50";
// amounts are compared as decimals. [Anything] is not compared. An order that the response does not name is the request's; a
// currency also as [Client.Resolve] has proved it. For WebhookVerify and OrderWait it is about the service's response. A refund
// or a payout is never paid, and neither is a reply that was not made by a call, such as a decoded one.
func (r Reply) IsPaid(reference, amount, currency string) (paid bool, whyNot string) {
	switch {
	case r.whyNot != "":
		return false, r.whyNot
	case r.kept == nil:
		return false, "this reply was not made by a call: ask the service again"
	}
	var texts [3]*C.char
	for i, text := range []string{reference, amount, currency} {
		given, err := cText([]byte(text))
		if err != nil {
			return false, "a text to compare with holds U+0000"
		}
		texts[i] = char(given)
	}
	var why *C.char
	paid = C.paysvc_reply_is_paid(r.kept.reply, texts[0], texts[1], texts[2], &why) == 1
	whyNot = C.GoString(why)
	runtime.KeepAlive(r.kept)
	return paid, whyNot
}

// Decode stores the body in the value that v points to. A number in an any becomes a [json.Number], which is exact.
func (r Reply) Decode(v any) error {
	decoder := json.NewDecoder(bytes.NewReader(r.Body))
	decoder.UseNumber()
	return decoder.Decode(v)
}

// Get returns a value of the body as text, by its JSON pointer (RFC 6901), e.g. "/data/mandateCode": strings unescaped,
// everything else as it is written in the JSON. It returns false if the value is absent or null, or the pointer malformed.
func (r Reply) Get(pointer string) (string, bool) {
	value, steps := r.Body, strings.Split(pointer, "/")
	if steps[0] != "" {
		return "", false
	}
	if pointer != "" {
		decoder := json.NewDecoder(bytes.NewReader(r.Body))
		for _, step := range steps[1:] {
			if !enter(decoder, step) {
				return "", false
			}
		}
		value = nil // Decode must not write into r.Body.
		if decoder.Decode(&value) != nil {
			return "", false
		}
	}
	if len(value) == 0 || string(value) == "null" {
		return "", false
	}
	if value[0] != '"' {
		return string(value), true
	}
	var text string
	err := json.Unmarshal(value, &text)
	return text, err == nil
}

// Moves the decoder to the value of a field or an element. It reads tokens, which have no limit on nesting.
func enter(decoder *json.Decoder, step string) bool {
	if strings.Count(step, "~") != strings.Count(step, "~0")+strings.Count(step, "~1") {
		return false
	}
	step = strings.NewReplacer("~0", "~", "~1", "/").Replace(step)
	open, err := decoder.Token()
	if err != nil || open != json.Delim('{') && open != json.Delim('[') {
		return false
	}
	for i := 0; decoder.More(); i++ {
		var name json.Token = strconv.Itoa(i)
		if open == json.Delim('{') {
			name, err = decoder.Token()
		}
		if err != nil || name == step {
			return err == nil
		}
		if !skip(decoder) {
			return false
		}
	}
	return false
}

func skip(decoder *json.Decoder) bool {
	for depth := 0; ; {
		token, err := decoder.Token()
		if err != nil {
			return false
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return true
		}
	}
}

// String is one line without the body, which may contain personal data.
func (r Reply) String() string {
	text := fmt.Sprintf("%v, outcome %v: %s", r.Status, r.Outcome, r.Message)
	if r.CallID != "" {
		text += " [call " + r.CallID + "]"
	}
	return text
}

// Format writes String, for every verb of fmt: others would print the body.
func (r Reply) Format(state fmt.State, verb rune) { format(state, verb, r.String()) }

func format(state fmt.State, verb rune, text string) {
	if verb == 'v' {
		verb = 's'
	}
	fmt.Fprintf(state, fmt.FormatString(state, verb), text)
}

// LogValue is a group without the body: call_id, status, outcome, state, http_status, attempts, request_id and message.
func (r Reply) LogValue() slog.Value { return slog.GroupValue(r.attributes()...) }

func (r Reply) attributes() []slog.Attr {
	all := []slog.Attr{
		slog.String("call_id", r.CallID), slog.String("status", r.Status.String()), slog.String("outcome", r.Outcome.String()),
		slog.String("state", r.State.String()), slog.Int("http_status", r.HTTPStatus), slog.Int("attempts", r.Attempts),
	}
	if r.RequestID != "" {
		all = append(all, slog.String("request_id", r.RequestID))
	}
	return append(all, slog.String("message", r.Message))
}
