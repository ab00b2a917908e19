// Command collect collects payments at a till: by direct debit, virtual account and card, and makes a refund.
//
//	collect -sandbox   gets from the sandbox's admin interface what the customer and the bank would know
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
	"flag"
	"fmt"
	"os"
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
	sandbox := flag.Bool("sandbox", false, "get from the sandbox's admin interface what the customer and the bank would know")
	flag.Parse()
	client, err := paysvc.New(paysvc.Config{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	defer client.Close()
	if _, err := client.Check(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
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
	t.card(ctx, meal)

	fmt.Print("\nTo use the real service, put its address and your keys (dashboard: Settings > API Keys & Webhooks) into\n" +
		"PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY, and run the same program\n" +
		"without -sandbox. Test keys move no money.\n")
	if t.failed {
		client.Close()
		os.Exit(1)
	}
}

// Creates the order with its price.
func (t *till) createOrder(ctx context.Context, what ordered) {
	made := begin("create the order", what.reference)
	reply, err := t.client.OrderCreate(ctx, paysvc.OrderCreateRequest{
		Order: &paysvc.OrderCreateOrder{
			Reference: what.reference, Amount: what.amount, Currency: paysvc.Ptr(what.currency), Description: paysvc.Ptr("rent"),
		},
		Customer: &paysvc.OrderCreateCustomer{
			Firstname: paysvc.Ptr("Ada"), Lastname: paysvc.Ptr("Lovelace"), Mobile: paysvc.NewSecret("+2348000000000"),
			Country: paysvc.Ptr("NG"), Email: paysvc.NewSecret("ada@example.com"),
		},
		Payment: &paysvc.OrderCreatePayment{RedirectURL: paysvc.NewSecret("https://till.example/done")},
	})
	if failure := t.ended(made, err); failure == nil {
		made.show(reply.Reply, shown(reply.Answer.Order.Amount))
	}
}

func (t *till) directDebit(ctx context.Context, what ordered) {
	order := what.reference
	made := begin("mandate history", "ada@example.com")
	history, err := t.client.DirectDebitHistory(ctx, paysvc.DirectDebitHistoryRequest{EmailAddress: "ada@example.com"})
	if failure := t.ended(made, err); failure != nil {
		return
	}
	made.show(history.Reply, shown(history.Answer.CustomerName))
	made = begin("create a mandate", order)
	created, err := t.client.DirectDebitCreate(ctx, paysvc.DirectDebitCreateRequest{
		RecurringPaymentID: paysvc.Ptr[int64](1),
		OrderReference:     paysvc.Ptr(order),
		BankName:           paysvc.Ptr("Example Bank"),
		AccountNumber:      paysvc.NewSecret("0123456789"),
		BankCode:           paysvc.Ptr("044"),
		Address:            paysvc.Ptr("1 Example Street"),
	})
	if failure := t.ended(made, err); failure != nil {
		return
	}
	mandate := created.Answer.MandateCode
	made.show(created.Reply, shown(mandate))
	if mandate == "" {
		t.failed = true
		return
	}
	made = begin("check the mandate", mandate)
	checked, err := t.client.DirectDebitStatus(ctx, paysvc.DirectDebitStatusRequest{MandateCode: mandate})
	if failure := t.ended(made, err); failure != nil {
		return
	}
	made.show(checked.Reply, checked.Message)
	if !checked.IsActive {
		fmt.Printf("%-21s the mandate is not active: debit it later\n", "")
		t.failed = true
		return
	}
	made = begin("send one-time code", mandate)
	sent, err := t.client.DirectDebitOTP(ctx, paysvc.DirectDebitOTPRequest{MandateCode: mandate})
	if failure := t.ended(made, err); failure != nil {
		return
	}
	made.show(sent.Reply, shown(sent.Answer.Data))
	otp := t.learn(ctx, "one-time code from the customer's e-mail",
		paysvc.Request{Method: "GET", Path: "/sandbox/otp/" + mandate, Key: "public"}, "/otp")
	made = begin("pay", order)
	reply, err := t.client.OrderPay(ctx, paysvc.OrderPayRequest{
		PaymentOption: "NDD",
		Reference:     order,
		DirectDebitPaymentRequest: &paysvc.OrderPayDirectDebitPaymentRequest{
			OTP:         paysvc.NewSecret(otp),
			MandateCode: mandate,
			AccountName: paysvc.Ptr("Ada Lovelace"),
			BankCode:    paysvc.Ptr("044"),
		},
	})
	if failure := t.ended(made, err); failure != nil {
		t.handOver(failure.Reply, what)
		return
	}
	made.show(reply.Reply, shown(reply.Answer.OrderPayment.TotalAmount))
	t.handOver(reply.Reply, what)
	t.orderState(ctx, what)
}

// Reads the state of an order and of each payment of it. A till repeats this until the state is final.
func (t *till) orderState(ctx context.Context, what ordered) {
	made := begin("state of the order", what.reference)
	reply, err := t.client.OrderVerify(ctx, paysvc.OrderVerifyRequest{Reference: what.reference})
	if failure := t.ended(made, err); failure != nil {
		return
	}
	made.show(reply.Reply, shown(reply.Answer.Status))
	for i, payment := range reply.Answer.OrderPayments {
		fmt.Printf("%-21s payment %d: %s\n", "", i+1, shown(payment.Status))
	}
}

func (t *till) virtualAccount(ctx context.Context, alias string) {
	rent := ordered{"2500.5", "NGN", "FLAT-7"}
	made := begin("virtual account", alias)
	generated, err := t.client.VirtualAccountGenerate(ctx, paysvc.VirtualAccountGenerateRequest{Alias: alias, Narration: paysvc.Ptr("Rent"), Reference: paysvc.Ptr(rent.reference)})
	if failure := t.ended(made, err); failure != nil {
		return
	}
	account := generated.Answer.AccountNumber
	made.show(generated.Reply, shown(account))
	if account == "" {
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
	made = begin("transaction details", "the transfer")
	reply, err := t.client.TransactionDetails(ctx, paysvc.TransactionDetailsRequest{SessionID: session})
	if failure := t.ended(made, err); failure != nil {
		t.handOver(failure.Reply, rent)
		return
	}
	made.show(reply.Reply, shown(reply.Answer.TotalAmountCharged))
	t.handOver(reply.Reply, rent)
}

func (t *till) refund(ctx context.Context, order string) {
	made := begin("refund in part", order)
	reply, err := t.client.OrderRefund(ctx, paysvc.OrderRefundRequest{
		Reference: order,
		Reason:    paysvc.Ptr("one item returned"),
		Amount:    paysvc.Ptr("25.50"),
	})
	if failure := t.ended(made, err); failure != nil {
		return
	}
	made.show(reply.Reply, shown(reply.Answer.AmountRefunded))
	// Another amount or order would not be confirmed: the library compares them. No other call tells how it ends.
	advice := "accepted, not done yet: no endpoint tells how it ends, look at the dashboard"
	if reply.State == paysvc.StateSuccessful {
		advice = "refunded"
	}
	fmt.Printf("%-21s %s\n", "", advice)
}

func (t *till) card(ctx context.Context, what ordered) {
	order := what.reference
	made := begin("card order", order)
	reply, err := t.client.OrderCreate(ctx, paysvc.OrderCreateRequest{
		Paymentoption: paysvc.Ptr("C"),
		Country:       paysvc.Ptr("NG"),
		Order: &paysvc.OrderCreateOrder{
			Reference: order, Amount: what.amount, Currency: paysvc.Ptr(what.currency), Description: paysvc.Ptr("a meal"),
		},
		Card: &paysvc.OrderCreateCard{
			Cardnumber: paysvc.NewSecret("4111111111111111"), Expirymonth: "01", Expiryyear: "39", CVV: paysvc.NewSecret("193"),
		},
	})
	if failure := t.ended(made, err); failure != nil {
		t.handOver(failure.Reply, what)
		return
	}
	made.show(reply.Reply, reply.Message)
	t.handOver(reply.Reply, what)
	t.orderState(ctx, what)
}
