package paysvc

/*
#include "binding.h"
*/
import "C"

import (
	"runtime"
	"strings"
	"unsafe"
)

// What IsPaid knows: the library's reply, if it is CONFIRMED and SUCCESSFUL, or else why that is not paid.
type payment struct {
	reply  *C.paysvc_reply
	whyNot string
}

// Anything is not compared by [Reply.IsPaid].
const Anything = "*"

// IsPaid says whether this order is paid: true only if the reply is CONFIRMED and SUCCESSFUL, and order, price and currency are
// these; else whyNot tells why not, in one line for a person. The amount is the price without the fee, such as "25.50"; amounts
// are compared as decimals. What is [Anything] is not compared. An order that the response does not name is the request's; a currency
// also as [Client.Resolve] has proved it. Of WebhookVerify and OrderWait it is about what the service said. A refund or a payout
// is never paid, and neither is a reply that was not made by a call, such as a decoded one.
func (r Reply) IsPaid(reference, amount, currency string) (paid bool, whyNot string) {
	switch {
	case r.paid == nil:
		return false, "this reply was not made by a call: ask the service again"
	case r.paid.reply == nil:
		return false, r.paid.whyNot
	case strings.Contains(reference+amount+currency, "\x00"):
		return false, "a text to compare with holds U+0000"
	}
	whyNot = isPaid(r.paid.reply, reference, amount, currency)
	runtime.KeepAlive(r.paid)
	return whyNot == "", whyNot
}

// "": it is paid.
func isPaid(reply *C.paysvc_reply, reference, amount, currency string) string {
	var texts [3]*C.char
	for i, text := range []string{reference, amount, currency} {
		texts[i] = C.CString(text)
		defer C.free(unsafe.Pointer(texts[i]))
	}
	var whyNot *C.char
	if C.paysvc_reply_is_paid(reply, texts[0], texts[1], texts[2], &whyNot) == 1 {
		return ""
	}
	return C.GoString(whyNot)
}

// Takes the library's reply over if only it can tell. Most replies are known not to be paid already.
func keepPayment(from **C.paysvc_reply) *payment {
	whyNot := C.GoString(C.paysvc_go_why_not(*from))
	if whyNot != "" {
		return &payment{whyNot: whyNot}
	}
	kept := &payment{reply: *from}
	*from = nil // The caller frees nothing.
	runtime.SetFinalizer(kept, func(kept *payment) { C.paysvc_reply_free(kept.reply) })
	return kept
}
