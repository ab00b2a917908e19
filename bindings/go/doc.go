// Package paysvc is a client of the payments service: direct debit, virtual accounts, refunds, funding details and
// encrypted card orders. It calls libpaysvc, which it finds with pkg-config.
//
// Every [Reply] and every [Error] has an [Outcome]: what is known, with evidence from the wire, of the service's side.
// It answers the one question that matters after a failure, may I charge again?
//
//	client, err := paysvc.New(paysvc.Config{}) // PAYSVC_BASE_URL and so on
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
//		// Done; compare amount and reference with what was asked.
//	case err == nil:
//		// Accepted, not done yet: ask for its state later.
//	case errors.Is(err, paysvc.ErrOutcomeUnknown):
//		// It may have been done: find out before you repeat it.
//	case errors.Is(err, paysvc.ErrOutcomeNotSent):
//		// No byte of it left this process: repeat it freely.
//	default:
//		// The service did not execute this request; err says why.
//	}
//
// # Money
//
// Amounts are text in major units, such as "100.10", in requests and in answers: [Reply.Get] gives a number as it
// stands in the JSON, and [Reply.Decode] makes a [encoding/json.Number] of one. Do not decode an amount into a float.
//
// A payment is paid when the outcome is [OutcomeConfirmed] and the state [StateSuccessful]. Compare amount, currency and
// reference with what was ordered before goods are handed over. [OutcomeRejected] speaks of this request, and of no
// earlier one: an order that is refused as "already paid" has been paid.
//
// # Requests
//
// A member that may be left out is a pointer (see [Ptr]): without an amount the full amount is refunded, and an amount
// that is empty by mistake must not mean that. What is wrong with a request is said before anything is sent. Request
// and Config print as "(not shown)", because they may hold card data, one-time codes and keys.
//
// # Contexts
//
// A deadline and a cancel reach the library, which ends the call promptly; the call returns only then, so that the
// outcome is never lost. A call that was cancelled after its first byte had left gives an error that is both
// [context.Canceled] and [ErrOutcomeUnknown]; a deadline is [ErrTimeout] as well as [context.DeadlineExceeded]. The
// client's own TimeoutMS (30 s unless set) bounds every call.
//
// # Goroutines
//
// A [Client] serves any number of goroutines. A call in flight holds a thread of the operating system, so a bound of
// calls in flight (see [WithMaxInFlight]) keeps ten thousand goroutines from becoming ten thousand threads. The wait for
// a slot counts into the time of a call.
//
// # Linking
//
// The shared library is found with pkg-config; the build tag paysvc_static links the archive instead.
package paysvc
