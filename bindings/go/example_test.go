package paysvc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"time"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
)

// A charge, and what to do with each end that it may have.
func Example() {
	sandbox, client := sandboxForExample() // paysvc.New(paysvc.Config{}) reads the variables PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY and so on
	defer sandbox.stop()

	reference, err := paysvc.NewReference("TILL-7") // Keep it with the order before you charge.
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	reply, err := client.OrderCreate(ctx, paysvc.OrderCreateRequest{
		Paymentoption: paysvc.Ptr("C"),
		Order:         &paysvc.OrderCreateOrder{Reference: reference, Amount: "25.50", Currency: paysvc.Ptr("NGN")},
		Card: &paysvc.OrderCreateCard{
			Cardnumber: paysvc.NewSecret("4111111111111111"), Expirymonth: "01", Expiryyear: "39", CVV: paysvc.NewSecret("193"),
		},
	})
	switch {
	case err == nil:
		paid, whyNot := reply.IsPaid(reference, "25.50", "NGN")
		fmt.Println("paid:", paid, whyNot)
	case errors.Is(err, paysvc.ErrOutcomeNotSent):
		fmt.Println("nothing was sent, it may be repeated:", err)
	case errors.Is(err, paysvc.ErrOutcomeRejected):
		fmt.Println("this request was not executed:", err)
	default:
		fmt.Println("it may have been charged: find out with client.Resolve before you charge again")
	}
	// Output: paid: true
}

// The response to a charge was lost. Resolve asks the service what became of it, and moves no money.
func ExampleClient_Resolve() {
	sandbox, client := sandboxForExample()
	defer sandbox.stop()
	sandbox.Post("/sandbox/faults", map[string]any{"path": "/payment/order/create", "fault": "commit_then_reset"}, nil)

	ctx := context.Background()
	_, err := client.OrderCreate(ctx, charge("ORDER-1", "4111111111111111"))
	fmt.Println("unknown:", errors.Is(err, paysvc.ErrOutcomeUnknown))
	reply, err := client.Resolve(ctx, err, paysvc.WithWait(), paysvc.WithExpect("25.50", "NGN"))
	if err != nil {
		log.Fatal(err) // Still not known: resolve it later, or ask a person.
	}
	fmt.Println(reply.IsPaid("ORDER-1", "25.50", "NGN"))
	// Output:
	// unknown: true
	// true
}

// The LookUp stored before a charge resolves it, even if the program is killed while it waits for the response.
func ExampleOrderCreateRequest_LookUp() {
	sandbox, client := sandboxForExample()
	defer sandbox.stop()

	request := charge("ORDER-1", "4111111111111111")
	stored, err := json.Marshal(request.LookUp())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(stored))
	client.OrderCreate(context.Background(), request) // Here the program is killed. After its restart:

	var lookUp paysvc.ResolveRequest
	if err := json.Unmarshal(stored, &lookUp); err != nil {
		log.Fatal(err)
	}
	reply, err := client.ResolveRequest(context.Background(), lookUp)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(reply.IsPaid("ORDER-1", "25.50", "NGN"))
	// Output:
	// {"endpoint":"order_create","request":{"reference":"ORDER-1","order":{"reference":"ORDER-1","amount":"25.50","currency":"NGN"},"paymentoption":"C","card":{}}}
	// true
}

// A secret is printed by nothing, wherever it stands.
func ExampleSecret() {
	type sale struct {
		Till string
		Card paysvc.OrderCreateCard
	}
	sold := sale{"TILL-7", paysvc.OrderCreateCard{Cardnumber: paysvc.NewSecret("4111111111111111"), CVV: paysvc.NewSecret("193")}}
	fmt.Printf("%v %q\n", sold, sold.Card.CVV)
	text, _ := json.Marshal(sold)
	fmt.Println(string(text))
	slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime})).Info("sold", "sale", sold)
	// Output:
	// {TILL-7 (not shown)} [hidden]
	// {"Till":"TILL-7","Card":{"cardnumber":"[hidden]","expirymonth":"","expiryyear":"","cvv":"[hidden]"}}
	// level=INFO msg=sold sale="{Till:TILL-7 Card:(not shown)}"
}

// Every field that is wrong, not only the first.
func ExampleError_Errors() {
	sandbox, client := sandboxForExample()
	defer sandbox.stop()

	_, err := client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{Amount: paysvc.Ptr("-1")})
	var failure *paysvc.Error
	if errors.As(err, &failure) {
		fmt.Println(failure.Status, failure.Outcome)
		fmt.Println(failure.Errors()["reference"])
		fmt.Println(failure.Errors()["amount"])
	}
	// Output:
	// E_ARGUMENT NOT_SENT
	// must not be empty
	// must be a decimal amount above zero in major units, like "100.10"
}

// A field that the response lacks is empty. It makes no error of the call.
func ExampleOrderRefundReply() {
	sandbox, client := sandboxForExample()
	defer sandbox.stop()
	sandbox.Post("/sandbox/orders", map[string]any{"reference": "ORDER-1", "amount": "100.00", "paid": true}, nil)

	reply, err := client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{Reference: "ORDER-1", Amount: paysvc.Ptr("25.50")})
	if err != nil {
		log.Fatal(err)
	}
	if reply.Answer.AmountRefunded == "" {
		fmt.Println("the response has no amount")
	}
	fmt.Println(reply.Answer.AmountRefunded, reply.State)
	// To store it:
	stored, _ := json.Marshal(reply.Answer)
	fmt.Println(string(stored))
	// Output:
	// 25.50 PENDING
	// {"reference":"ORDER-1","amount_refunded":"25.50","status":"pending"}
}

// Pays a list of which the service refuses a part, and gives it again: the journal has who is paid, so nobody is paid twice.
func ExampleClient_PayoutBulk() {
	sandbox, client := sandboxForExample(withJournal)
	defer sandbox.stop()
	sandbox.Post("/sandbox/faults", map[string]any{"path": "/payout/initiate", "fault": "unauthorized", "nth": 2}, nil)

	ctx, list := context.Background(), recipients(5)
	_, err := client.PayoutBulk(ctx, paysvc.PayoutBulkRequest{PayoutDetails: list})
	var failure *paysvc.Error
	if !errors.As(err, &failure) {
		log.Fatal("all were accepted")
	}
	var report paysvc.PayoutBulkAnswer
	if json.Unmarshal(failure.AnswerJSON, &report) != nil || report.Unknown == nil || *report.Unknown > 0 {
		log.Fatal("ask a person, do not pay them again")
	}
	reply, err := client.PayoutBulk(ctx, paysvc.PayoutBulkRequest{PayoutDetails: list})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(*reply.Answer.Accepted, tested.Count(sandbox.Sandbox, "payout_made"))
	// Accepted does not mean paid.
	// Output: 5 5
}
