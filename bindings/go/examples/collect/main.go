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
	"math/big"
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

// Where an answer has what was paid. The answer to a payment has no reference of the order: it answers this request.
type where struct{ total, fee, currency, reference string }

var (
	inPayment  = where{"/data/orderPayment/totalAmount", "/data/orderPayment/fee", "/data/orderPayment/currency", ""}
	inTransfer = where{"/data/totalAmountCharged", "/data/fee", "/data/currencyName", "/data/accountReference"}
)

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

// Like ask, and returns the value.
func step[R any](t *till, ctx context.Context, what, of string,
	call func(context.Context, R) (*paysvc.Reply, error), request R, shown string) string {
	value, _ := ask(t, ctx, what, of, call, request, shown).Get(shown)
	return value
}

// Makes a call and prints a line: step, subject, one value of the answer, outcome, time.
func ask[R any](t *till, ctx context.Context, what, of string,
	call func(context.Context, R) (*paysvc.Reply, error), request R, shown string) *paysvc.Reply {
	started := time.Now()
	reply, err := call(ctx, request)
	var failure *paysvc.Error
	if errors.As(err, &failure) {
		reply = &failure.Reply
	}
	value, ok := reply.Get(shown)
	if !ok {
		value = reply.Message
	}
	fmt.Printf("%-21s %-19s %-42.42s %-9v %5d ms\n", what, of, value, reply.Outcome, time.Since(started).Milliseconds())
	if err != nil {
		fmt.Printf("%-21s %v\n", "", err)
		t.failed = true
	}
	return reply
}

// Prints whether to hand over the goods: only for a payment that is CONFIRMED and SUCCESSFUL, and as ordered.
func (t *till) handOver(reply *paysvc.Reply, what ordered, at where) {
	paid := reply.Outcome == paysvc.OutcomeConfirmed && reply.State == paysvc.StateSuccessful
	advice := ""
	switch {
	case paid && asOrdered(reply, what, at):
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

func asOrdered(reply *paysvc.Reply, what ordered, at where) bool {
	get := func(pointer string) string {
		value, _ := reply.Get(pointer)
		return value
	}
	return get(at.currency) == what.currency && (at.reference == "" || get(at.reference) == what.reference) &&
		sameAmount(what.amount, get(at.total), get(at.fee))
}

// Exact, without floating point: 100.1 equals 100.10. The amount charged may include the fee.
func sameAmount(ordered, charged, fee string) bool {
	price, ok := new(big.Rat).SetString(ordered)
	total, found := new(big.Rat).SetString(charged)
	if !ok || !found {
		return false
	}
	extra, has := new(big.Rat).SetString(fee)
	return total.Cmp(price) == 0 || has && total.Cmp(price.Add(price, extra)) == 0
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
	step(t, ctx, "create the order", what.reference, t.client.OrderCreate, paysvc.OrderCreateRequest{
		Extra: map[string]json.RawMessage{
			"customer": object(map[string]any{
				"firstname": "Ada", "lastname": "Lovelace", "mobile": "+2348000000000", "country": "NG", "email": "ada@example.com",
			}),
			"order": object(map[string]any{
				"amount": json.Number(what.amount), "reference": what.reference, "description": "rent", "currency": what.currency,
			}),
			"payment": object(map[string]any{"RedirectUrl": "https://till.example/done"}),
		},
	}, "/data/order/amount")
}

func (t *till) directDebit(ctx context.Context, what ordered) {
	order := what.reference
	step(t, ctx, "mandate history", "ada@example.com", t.client.DirectDebitHistory,
		paysvc.DirectDebitHistoryRequest{EmailAddress: "ada@example.com"}, "/customerName")
	mandate := step(t, ctx, "create a mandate", order, t.client.DirectDebitCreate, paysvc.DirectDebitCreateRequest{
		RecurringPaymentID: paysvc.Ptr[int64](1),
		OrderReference:     paysvc.Ptr(order),
		BankName:           paysvc.Ptr("Example Bank"),
		AccountNumber:      paysvc.Ptr("0123456789"),
		BankCode:           paysvc.Ptr("044"),
		Address:            paysvc.Ptr("1 Example Street"),
	}, "/data/mandateCode")
	step(t, ctx, "check the mandate", mandate, t.client.DirectDebitStatus,
		paysvc.DirectDebitStatusRequest{MandateCode: mandate}, "/message")
	step(t, ctx, "send one-time code", mandate, t.client.DirectDebitOTP,
		paysvc.DirectDebitOTPRequest{MandateCode: mandate}, "/data")
	otp := t.learn(ctx, "one-time code from the customer's e-mail",
		paysvc.Request{Method: "GET", Path: "/sandbox/otp/" + mandate, Key: "public"}, "/otp")
	reply := ask(t, ctx, "pay", order, t.client.OrderPay, paysvc.OrderPayRequest{
		PaymentOption: "NDD",
		Reference:     order,
		DirectDebitPaymentRequest: &paysvc.OrderPayDirectDebitPaymentRequest{
			OTP:         otp,
			MandateCode: mandate,
			AccountName: paysvc.Ptr("Ada Lovelace"),
			BankCode:    paysvc.Ptr("044"),
		},
	}, "/data/orderPayment/totalAmount")
	t.handOver(reply, what, inPayment)
}

func (t *till) virtualAccount(ctx context.Context, alias string) {
	rent := ordered{"2500.5", "NGN", "FLAT-7"}
	account := step(t, ctx, "virtual account", alias, t.client.VirtualAccountGenerate, paysvc.VirtualAccountGenerateRequest{
		Alias:     alias,
		Narration: paysvc.Ptr("Rent"),
		Reference: paysvc.Ptr(rent.reference),
	}, "/accountNumber")
	transfer, err := json.Marshal(map[string]string{
		"accountNumber": account, "amount": "2500.50", "senderName": "Grace Hopper",
	})
	if err != nil {
		panic(err) // Cannot happen: strings only.
	}
	session := t.learn(ctx, "session identifier of a transfer to that account",
		paysvc.Request{Method: "POST", Path: "/sandbox/fund", Key: "public", Body: transfer}, "/sessionId")
	reply := ask(t, ctx, "transaction details", "the transfer", t.client.TransactionDetails,
		paysvc.TransactionDetailsRequest{SessionID: session}, "/data/totalAmountCharged")
	t.handOver(reply, rent, inTransfer)
}

func (t *till) refund(ctx context.Context, order string) {
	reply := ask(t, ctx, "refund in part", order, t.client.OrderRefund, paysvc.OrderRefundRequest{
		Reference: order,
		Reason:    paysvc.Ptr("one item returned"),
		Amount:    paysvc.Ptr("25.50"),
	}, "/data/amount_refunded")
	if reply.Outcome != paysvc.OutcomeConfirmed {
		return
	}
	advice := "accepted, not done yet: ask for its state"
	reference, _ := reply.Get("/data/reference")
	amount, _ := reply.Get("/data/amount_refunded")
	if reference != order || !sameAmount("25.5", amount, "") {
		advice = "NOT THE REFUND THAT WAS ASKED FOR: ask a person"
		t.failed = true
	} else if reply.State == paysvc.StateSuccessful {
		advice = "refunded"
	}
	fmt.Printf("%-21s %s\n", "", advice)
}

func (t *till) card(ctx context.Context, what ordered) {
	order := what.reference
	reply := ask(t, ctx, "card order", order, t.client.OrderCreate, paysvc.OrderCreateRequest{
		Reference:     paysvc.Ptr(order),
		Paymentoption: paysvc.Ptr("C"),
		Country:       paysvc.Ptr("NG"),
		Card: &paysvc.OrderCreateCard{
			Cardnumber: "4111111111111111", Expirymonth: "01", Expiryyear: "39", CVV: "193",
		},
	}, "/message")
	t.handOver(reply, what, inPayment)
}
