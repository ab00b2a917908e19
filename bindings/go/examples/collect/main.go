// Command collect is a till that collects a payment: the whole interface of the payments service, step by step.
//
//	collect -sandbox   plays the customer and the bank through the sandbox's own calls
//	collect            asks you for what the customer gets by e-mail, and for the session of an incoming transfer
//
// The configuration comes from PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY.
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

type till struct {
	client  *paysvc.Client
	sandbox bool
	failed  bool
	input   *bufio.Reader
}

func main() {
	sandbox := flag.Bool("sandbox", false, "play the customer and the bank through the sandbox's own calls")
	flag.Parse()
	client, err := paysvc.New(paysvc.Config{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	defer client.Close()
	t := &till{client: client, sandbox: *sandbox, input: bufio.NewReader(os.Stdin)}
	stamp := time.Now().Unix()
	order := fmt.Sprintf("ORDER-%d", stamp)

	fmt.Printf("%-21s %-19s %-42s %-9s %8s\n", "ASKED", "OF", "CAME BACK", "OUTCOME", "TIME")
	ctx := context.Background()
	t.directDebit(ctx, order)
	t.virtualAccount(ctx, fmt.Sprintf("tenant-%d", stamp))
	t.refund(ctx, order)
	t.card(ctx, fmt.Sprintf("CARD-%d", stamp))

	fmt.Print("\nTo use the real service, put its address and your keys (dashboard: Settings > API Keys & Webhooks) into\n" +
		"PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_SECRET_KEY and PAYSVC_ENCRYPTION_KEY, and run the same program\n" +
		"without -sandbox. Test keys move no money.\n")
	if t.failed {
		client.Close()
		os.Exit(1)
	}
}

// One call, one line: what was asked, what came back, the outcome, how long it took. Gives the value that is shown.
func step[R any](t *till, ctx context.Context, what, of string,
	call func(context.Context, R) (*paysvc.Reply, error), request R, shown string) string {
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
	return value
}

// What a customer or a bank would tell us: asked of the sandbox, or of the person at the terminal.
func (t *till) learn(ctx context.Context, question string, request paysvc.Request, pointer string) string {
	if t.sandbox {
		if reply, err := t.client.Request(ctx, request); err == nil {
			value, _ := reply.Get(pointer)
			return value
		}
		return ""
	}
	fmt.Print(question, ": ")
	line, _ := t.input.ReadString('\n')
	return strings.TrimSpace(line)
}

func (t *till) directDebit(ctx context.Context, order string) {
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
	step(t, ctx, "pay", order, t.client.OrderPay, paysvc.OrderPayRequest{
		PaymentOption: "NDD",
		Reference:     order,
		DirectDebitPaymentRequest: &paysvc.OrderPayDirectDebitPaymentRequest{
			OTP:         otp,
			MandateCode: mandate,
			AccountName: paysvc.Ptr("Ada Lovelace"),
			BankCode:    paysvc.Ptr("044"),
		},
	}, "/data/orderPayment/totalAmount")
}

func (t *till) virtualAccount(ctx context.Context, alias string) {
	account := step(t, ctx, "virtual account", alias, t.client.VirtualAccountGenerate, paysvc.VirtualAccountGenerateRequest{
		Alias:     alias,
		Narration: paysvc.Ptr("Rent"),
		Reference: paysvc.Ptr("FLAT-7"),
	}, "/accountNumber")
	transfer, err := json.Marshal(map[string]string{
		"accountNumber": account, "amount": "2500.50", "senderName": "Grace Hopper",
	})
	if err != nil {
		panic(err) // Texts alone always are JSON.
	}
	session := t.learn(ctx, "session identifier of a transfer to that account",
		paysvc.Request{Method: "POST", Path: "/sandbox/fund", Key: "public", Body: transfer}, "/sessionId")
	step(t, ctx, "transaction details", "the transfer", t.client.TransactionDetails,
		paysvc.TransactionDetailsRequest{SessionID: session}, "/data/totalAmountCharged")
}

func (t *till) refund(ctx context.Context, order string) {
	step(t, ctx, "refund in part", order, t.client.OrderRefund, paysvc.OrderRefundRequest{
		Reference: order,
		Reason:    paysvc.Ptr("one item returned"),
		Amount:    paysvc.Ptr("25.50"),
	}, "/data/amount_refunded")
}

func (t *till) card(ctx context.Context, order string) {
	step(t, ctx, "card order", order, t.client.OrderCreate, paysvc.OrderCreateRequest{
		Reference:     paysvc.Ptr(order),
		Paymentoption: paysvc.Ptr("C"),
		Country:       paysvc.Ptr("NG"),
		Card: &paysvc.OrderCreateCard{
			Cardnumber: "4111111111111111", Expirymonth: "01", Expiryyear: "39", CVV: "193",
		},
	}, "/message")
}
