// Command collect collects payments at a till: by direct debit, virtual account and card, and makes a refund.
//
//	collect -sandbox   gets what the customer and the bank would tell from the sandbox's admin interface
//	collect            asks you: for the one-time code that the customer gets by e-mail, and for the session identifier
//	                   of an incoming transfer
//
// It is configured by environment variables: PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and
// PAYSVC_ENCRYPTION_KEY, and one for every other setting, such as PAYSVC_CA_FILE.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"paysvc.example/go/paysvc"
)

// What the customer ordered. A payment is compared with it before goods are handed over.
type ordered struct{ amount, currency, reference string }

func (o ordered) String() string {
	return fmt.Sprintf("%s %s for %s", o.amount, o.currency, o.reference)
}

type till struct {
	client  *paysvc.Client
	sandbox bool
	failed  bool
	input   *bufio.Reader
}

func main() {
	sandbox := flag.Bool("sandbox", false, "get what the customer and the bank would tell from the sandbox's admin interface")
	flag.Parse()
	client, err := paysvc.New(paysvc.Config{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	defer client.Close()
	t := &till{client: client, sandbox: *sandbox, input: bufio.NewReader(os.Stdin)}
	stamp := time.Now().Unix()
	rent := ordered{"98000.00", "NGN", fmt.Sprintf("ORDER-%d", stamp)}
	meal := ordered{"620.1", "NGN", fmt.Sprintf("CARD-%d", stamp)}

	fmt.Printf("%-21s %-19s %-42s %-9s %8s\n", "STEP", "FOR", "RESULT", "OUTCOME", "TIME")
	ctx := context.Background()
	t.createOrder(ctx, rent)
	t.directDebit(ctx, rent)
	t.virtualAccount(ctx, fmt.Sprintf("tenant-%d", stamp))
	t.refund(ctx, rent.reference)
	t.createOrder(ctx, meal)
	t.card(ctx, meal)

	fmt.Print("\nTo use the real service, put its address and your keys (dashboard: Settings > API Keys & Webhooks) into\n" +
		"PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY, and run the same program\n" +
		"without -sandbox. Test keys move no money.\n")
	if t.failed {
		client.Close()
		os.Exit(1)
	}
}

// A call for the till: what it is, for whom, and how long it took.
type step struct {
	what, of string
	took     time.Duration
}

// Makes a call, and prints its failure.
func ask[Q, R any](t *till, ctx context.Context, what, of string,
	call func(context.Context, Q) (*R, error), request Q) (*R, step, *paysvc.Error) {
	started := time.Now()
	reply, err := call(ctx, request)
	made := step{what, of, time.Since(started)}
	var failure *paysvc.Error
	if errors.As(err, &failure) {
		made.show(failure.Reply, failure.Message)
		fmt.Printf("%-21s %v\n", "", failure)
		t.failed = true
	}
	return reply, made, failure
}

// Prints a line: step, subject, one value of the answer, outcome, time.
func (s step) show(reply paysvc.Reply, value string) {
	fmt.Printf("%-21s %-19s %-42.42s %-9v %5d ms\n", s.what, s.of, value, reply.Outcome, s.took.Milliseconds())
}

// A member of an answer for a person: its value, or that it is absent, or why it cannot be read.
func shown[T any](value T, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(value)
}

// Prints whether to hand over the goods: only for a payment that is CONFIRMED and SUCCESSFUL, and as ordered.
func (t *till) handOver(reply paysvc.Reply, what ordered, asOrdered bool) {
	paid := reply.Outcome == paysvc.OutcomeConfirmed && reply.State == paysvc.StateSuccessful
	advice := ""
	switch {
	case paid && asOrdered:
		advice = fmt.Sprintf("paid: %v; hand over the goods", what)
	case paid:
		advice = fmt.Sprintf("PAID, BUT NOT AS ORDERED (%v): keep the goods, and ask a person", what)
		t.failed = true
	case reply.Outcome == paysvc.OutcomeConfirmed:
		switch reply.State {
		case paysvc.StateInitiated, paysvc.StatePending, paysvc.StateAwaiting, paysvc.StateProcessing:
			// A real till now reads the state of the order until it is final.
			advice = fmt.Sprintf("not paid yet (%v): keep the goods, and ask for the state of %s", reply.State, what.reference)
		default:
			advice = fmt.Sprintf("NOT PAID (%v): keep the goods", reply.State)
			t.failed = true
		}
	case reply.Outcome == paysvc.OutcomeRejected: // An order that is refused as "already paid" has been paid.
		advice = "this request was not executed, but an earlier one may have been: see the message"
	case reply.Outcome == paysvc.OutcomeNotSent:
		advice = "nothing was sent: it may be repeated"
	default:
		advice = fmt.Sprintf("it may have been charged: ask for the state of %s before you charge again", what.reference)
	}
	fmt.Printf("%-21s %s\n", "", advice)
}

// Whether a member of an answer is there and is that text.
func is(member paysvc.Text, text string) bool {
	found, err := member.Get()
	return err == nil && found == text
}

// Whether a payment is as ordered. It does not name the order: it answers the request that did.
func isPayment(what ordered, payment paysvc.OrderPayAnswerDataOrderPayment) bool {
	return is(payment.Currency, what.currency) && isPrice(what.amount, payment.TotalAmount, payment.Fee)
}

// Exact, without floating point: 100.1 equals 100.10. The amount charged may include the fee.
func isPrice(price string, charged, included paysvc.Decimal) bool {
	total, _ := charged.Get()
	fee, _ := included.Get()
	want, ok := paysvc.Amount(price).Rat()
	sum, known := total.Rat()
	extra, has := fee.Rat()
	return ok && known && (sum.Cmp(want) == 0 || has && sum.Cmp(want.Add(want, extra)) == 0)
}

// What the customer or the bank would tell, from the sandbox or typed in by you.
func (t *till) learn(ctx context.Context, question string, request paysvc.Request, pointer string) string {
	if t.sandbox {
		reply, err := t.client.Request(ctx, request)
		var failure *paysvc.Error
		if errors.As(err, &failure) { // An answer of the admin interface has no member that means success.
			reply = &failure.Reply
		}
		value, _ := reply.Get(pointer)
		return value
	}
	fmt.Print(question, ": ")
	line, _ := t.input.ReadString('\n')
	return strings.TrimSpace(line)
}

// Creates the order with its price.
func (t *till) createOrder(ctx context.Context, what ordered) {
	object := func(members map[string]any) json.RawMessage {
		text, err := json.Marshal(members)
		if err != nil {
			panic(err) // Cannot happen: strings and a valid number.
		}
		return text
	}
	request := paysvc.OrderCreateRequest{
		Extra: map[string]json.RawMessage{
			"customer": object(map[string]any{
				"firstname": "Ada", "lastname": "Lovelace", "mobile": "+2348000000000", "country": "NG", "email": "ada@example.com",
			}),
			"order": object(map[string]any{
				"amount": json.Number(what.amount), "reference": what.reference, "description": "rent", "currency": what.currency,
			}),
			"payment": object(map[string]any{"RedirectUrl": "https://till.example/done"}),
		},
	}
	if reply, made, failure := ask(t, ctx, "create the order", what.reference, t.client.OrderCreate, request); failure == nil {
		made.show(reply.Reply, shown(reply.Answer().Data.Order.Amount.Get()))
	}
}

func (t *till) directDebit(ctx context.Context, what ordered) {
	order := what.reference
	history, made, failure := ask(t, ctx, "mandate history", "ada@example.com", t.client.DirectDebitHistory,
		paysvc.DirectDebitHistoryRequest{EmailAddress: "ada@example.com"})
	if failure != nil {
		return
	}
	made.show(history.Reply, shown(history.Answer().CustomerName.Get()))
	created, made, failure := ask(t, ctx, "create a mandate", order, t.client.DirectDebitCreate, paysvc.DirectDebitCreateRequest{
		RecurringPaymentID: paysvc.Ptr[int64](1),
		OrderReference:     paysvc.Ptr(order),
		BankName:           paysvc.Ptr("Example Bank"),
		AccountNumber:      paysvc.Ptr("0123456789"),
		BankCode:           paysvc.Ptr("044"),
		Address:            paysvc.Ptr("1 Example Street"),
	})
	if failure != nil {
		return
	}
	mandate, err := created.Answer().Data.MandateCode.Get()
	made.show(created.Reply, shown(mandate, err))
	if err != nil {
		t.failed = true
		return
	}
	checked, made, failure := ask(t, ctx, "check the mandate", mandate, t.client.DirectDebitStatus,
		paysvc.DirectDebitStatusRequest{MandateCode: mandate})
	if failure != nil {
		return
	}
	made.show(checked.Reply, shown(checked.Answer().Message.Get()))
	sent, made, failure := ask(t, ctx, "send one-time code", mandate, t.client.DirectDebitOTP,
		paysvc.DirectDebitOTPRequest{MandateCode: mandate})
	if failure != nil {
		return
	}
	made.show(sent.Reply, shown(sent.Answer().Data.Get()))
	otp := t.learn(ctx, "one-time code from the customer's e-mail",
		paysvc.Request{Method: "GET", Path: "/sandbox/otp/" + mandate, Key: "public"}, "/otp")
	reply, made, failure := ask(t, ctx, "pay", order, t.client.OrderPay, paysvc.OrderPayRequest{
		PaymentOption: "NDD",
		Reference:     order,
		DirectDebitPaymentRequest: &paysvc.OrderPayDirectDebitPaymentRequest{
			OTP:         otp,
			MandateCode: mandate,
			AccountName: paysvc.Ptr("Ada Lovelace"),
			BankCode:    paysvc.Ptr("044"),
		},
	})
	if failure != nil {
		t.handOver(failure.Reply, what, false)
		return
	}
	payment := reply.Answer().Data.OrderPayment
	made.show(reply.Reply, shown(payment.TotalAmount.Get()))
	t.handOver(reply.Reply, what, isPayment(what, payment))
}

func (t *till) virtualAccount(ctx context.Context, alias string) {
	rent := ordered{"2500.5", "NGN", "FLAT-7"}
	generated, made, failure := ask(t, ctx, "virtual account", alias, t.client.VirtualAccountGenerate,
		paysvc.VirtualAccountGenerateRequest{Alias: alias, Narration: paysvc.Ptr("Rent"), Reference: paysvc.Ptr(rent.reference)})
	if failure != nil {
		return
	}
	account, err := generated.Answer().AccountNumber.Get()
	made.show(generated.Reply, shown(account, err))
	if err != nil {
		t.failed = true
		return
	}
	transfer, err := json.Marshal(map[string]string{
		"accountNumber": account, "amount": "2500.50", "senderName": "Grace Hopper",
	})
	if err != nil {
		panic(err) // Cannot happen: strings only.
	}
	session := t.learn(ctx, "session identifier of a transfer to that account",
		paysvc.Request{Method: "POST", Path: "/sandbox/fund", Key: "public", Body: transfer}, "/sessionId")
	reply, made, failure := ask(t, ctx, "transaction details", "the transfer", t.client.TransactionDetails,
		paysvc.TransactionDetailsRequest{SessionID: session})
	if failure != nil {
		t.handOver(failure.Reply, rent, false)
		return
	}
	received := reply.Answer().Data
	made.show(reply.Reply, shown(received.TotalAmountCharged.Get()))
	asOrdered := is(received.CurrencyName, rent.currency) && is(received.AccountReference, rent.reference) &&
		isPrice(rent.amount, received.TotalAmountCharged, received.Fee)
	t.handOver(reply.Reply, rent, asOrdered)
}

func (t *till) refund(ctx context.Context, order string) {
	reply, made, failure := ask(t, ctx, "refund in part", order, t.client.OrderRefund, paysvc.OrderRefundRequest{
		Reference: order,
		Reason:    paysvc.Ptr("one item returned"),
		Amount:    paysvc.Ptr("25.50"),
	})
	if failure != nil {
		return
	}
	refund := reply.Answer().Data
	made.show(reply.Reply, shown(refund.AmountRefunded.Get()))
	advice := "accepted, not done yet: ask for its state"
	if !is(refund.Reference, order) || !isPrice("25.5", refund.AmountRefunded, paysvc.Decimal{}) {
		advice = "NOT THE REFUND THAT WAS ASKED FOR: ask a person"
		t.failed = true
	} else if reply.State == paysvc.StateSuccessful {
		advice = "refunded"
	}
	fmt.Printf("%-21s %s\n", "", advice)
}

func (t *till) card(ctx context.Context, what ordered) {
	order := what.reference
	reply, made, failure := ask(t, ctx, "card order", order, t.client.OrderCreate, paysvc.OrderCreateRequest{
		Reference:     paysvc.Ptr(order),
		Paymentoption: paysvc.Ptr("C"),
		Country:       paysvc.Ptr("NG"),
		Card: &paysvc.OrderCreateCard{
			Cardnumber: "4111111111111111", Expirymonth: "01", Expiryyear: "39", CVV: "193",
		},
	})
	if failure != nil {
		t.handOver(failure.Reply, what, false)
		return
	}
	made.show(reply.Reply, reply.Message)
	// An order with a card is answered as a payment is.
	payment := paysvc.ParseOrderPayAnswer(reply.Body).Data.OrderPayment
	t.handOver(reply.Reply, what, isPayment(what, payment))
}
