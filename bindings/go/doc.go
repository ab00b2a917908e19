// Package paysvc is a client of the payments service: direct debit, virtual accounts, refunds, funding details and
// encrypted card orders. It calls libpaysvc: see README for how to link it, also with the build tag paysvc_static.
//
// Every [Reply] and every [Error] has an [Outcome], decided from what was seen on the wire: whether the service executed the
// request, and so whether it may be repeated.
//
//	client, err := paysvc.New(paysvc.Config{}) // PAYSVC_BASE_URL and so on: each setting has a variable
//	if err != nil {
//		return err
//	}
//	defer client.Close()
//
//	reply, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{
//		Reference: "ORDER-1",
//		Amount:    paysvc.Ptr("25.50"),
//	})
//	switch {
//	case err == nil && reply.State == paysvc.StateSuccessful:
//		// Refunded.
//	case err == nil:
//		// Accepted, not done yet. No endpoint reports its end: OrderWait and OrderStatus report the order's state.
//	case errors.Is(err, paysvc.ErrOutcomeNotSent):
//		// Nothing was sent: it may be repeated.
//	case errors.Is(err, paysvc.ErrOutcomeRejected):
//		// The service did not execute this request; err has the reason.
//	default:
//		// It may have been made: client.Resolve(ctx, err) asks the service. Do not repeat it before you know.
//	}
//
// # Money
//
// Amounts are text in major units, such as "100.10", in requests and in answers, where their type is [Amount]. [Reply.Get]
// returns a number as it is written in the JSON, and [Reply.Decode] makes a [encoding/json.Number] of one. Do not decode an
// amount into a float.
//
// Paid means [OutcomeConfirmed] and [StateSuccessful], both, and that order, price and currency are those that were ordered:
// [Reply.IsPaid] checks this. [OutcomeRejected] is about this request only: an earlier request for the same order
// may have been executed.
//
// # Answers
//
// A method returns a reply of its own type, such as [OrderRefundReply], whose Answer is a struct with the service's response. A
// text or an amount that the response lacks is "", and a number, a flag or a time is nil. A value whose form is not known is
// absent too, and named in Unreadable. An [Error] has the response of a call that failed in AnswerJSON, for json.Unmarshal.
// Answers print as "(not shown)"; encoding/json writes and reads them.
//
// # Requests
//
// An optional field is a pointer (see [Ptr]), so that an amount that is empty by mistake is refused: a refund without an
// amount is a full refund. A wrong request is refused before anything is sent. Keys, card data and codes are of the type [Secret],
// which nothing prints. Requests and Config as a whole print as "(not shown)", because they have personal data.
//
// # Contexts
//
// The library knows the context's deadline and its cancel, and ends the call promptly. A method returns only then, so that the
// outcome is never lost. A call that is cancelled after its first byte was sent returns an error that is both
// [context.Canceled] and [ErrOutcomeUnknown]; a deadline is [ErrTimeout] as well as [context.DeadlineExceeded]. The client's
// own Timeout limits every call. For [Client.Resolve], [Client.OrderWait] and [Client.PayoutBulk], which send several
// requests, the context's deadline may be later than that.
//
// The context of a request to a web server, r.Context(), ends when the customer hangs up, and that of an errgroup when another
// goroutine fails. A charge with such a context ends too, UNKNOWN. Give it a time of its own instead:
//
//	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), time.Minute)
//	defer cancel()
//
// The same holds for Resolve: with a context that has ended it asks nothing, and the outcome stays UNKNOWN.
//
// # Repeating a call
//
// The outcome alone decides whether a call may be repeated. [OutcomeNotSent] is about this call only: if an earlier call for
// the same order was UNKNOWN, it still is. So resolve the first error, not the last. A function that repeats whatever has
// failed, or a library that does so, may charge twice; this library repeats by itself what may be repeated. With a journal,
// repeat a call with the same key: see [WithKey].
package paysvc
