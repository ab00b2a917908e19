package paysvc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"paysvc.example/go/paysvc"
)

func TestAnswersOfTheSandbox(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	paid(sandbox, "ORDER-1")
	refund, err := client.OrderRefund(ctx, paysvc.OrderRefundRequest{Reference: "ORDER-1", Amount: paysvc.Ptr("25.50")})
	if err != nil {
		t.Fatal(err)
	}
	made := refund.Answer().Data
	if refund.State != paysvc.StatePending || told(made.Reference.Get()) != "ORDER-1" || told(made.AmountRefunded.Get()) != "25.50" ||
		told(made.Status.Get()) != "pending" {
		t.Errorf("%s", refund.Body)
	}
	order, err := client.OrderStatus(ctx, paysvc.OrderStatusRequest{Reference: "ORDER-1"})
	if err != nil {
		t.Fatal(err)
	}
	status := order.Answer().Data
	attempts, err := status.OrderPayments.Get()
	if told(status.IsFinalStatus.Get()) != "true" || told(status.OrderSummary.StatusID.Get()) != "5" || err != nil || len(attempts) != 1 ||
		told(attempts[0].StatusID.Get()) != "5" {
		t.Errorf("%s %v", order.Body, err)
	}
	var fund struct{ SessionID string }
	sandbox.Post("/sandbox/fund", map[string]any{"alias": "till", "amount": "2500.50", "senderName": "Ada"}, &fund)
	details, err := client.TransactionDetails(ctx, paysvc.TransactionDetailsRequest{SessionID: fund.SessionID})
	if err != nil {
		t.Fatal(err)
	}
	received := details.Answer().Data
	at, err := received.DateCreated.Get()
	if told(received.TotalAmountCharged.Get()) != "2500.50" || told(received.CurrencyName.Get()) != "NGN" || err != nil ||
		at.Location() != time.UTC || time.Since(at).Abs() > time.Hour {
		t.Errorf("%s %v", details.Body, err)
	}
}

// The answer of a call that failed is that of its error.
func TestTheAnswerOfAFailure(t *testing.T) {
	_, client := start(t)
	reply, err := client.OrderStatus(context.Background(), paysvc.OrderStatusRequest{Reference: "none"})
	failure := failure(t, err)
	answer := paysvc.ParseOrderStatusAnswer(failure.Body)
	if reply != nil || failure.HTTPStatus == 0 || !answer.Present() || told(answer.Data.OrderSummary.StatusID.Get()) != absent {
		t.Errorf("%v %s", reply, failure.Body)
	}
}

// Of the details of a payment, each member that is typed is read, with three kinds of times and numbers that come as text.
func TestEveryMemberOfAnAnswer(t *testing.T) {
	body := `{"data":{"statusCode":0,"status":"Successful","totalAmountCharged":"2500.500000","statusId":"5","feeRate":1.50,` +
		`"dateCreated":"2026-01-31T09:30:00.1234567","dateUpdated":"0001-01-01T00:00:00","customer":[{"name":"Ada"}],` +
		`"orderPayments":[{"orderId":7,"dateCreated":"2026-01-31T09:30:00+01:00"}],"brandNew":{"x":1}}}`
	got := map[string]string{}
	reply := paysvc.TransactionDetailsReply{Reply: paysvc.Reply{Body: json.RawMessage(body)}}
	walk("", reflect.ValueOf(reply.Answer()), func(pointer string, _ any, value string) {
		if value != absent {
			got[pointer] = value
		}
	})
	for pointer, want := range map[string]string{
		"": body, "/data": body[len(`{"data":`) : len(body)-1], "/data/statusCode": "0", "/data/status": "Successful",
		"/data/totalAmountCharged": "2500.500000", "/data/statusId": "5", "/data/feeRate": "1.50",
		"/data/dateCreated": "2026-01-31 09:30:00.1234567 +0000 UTC", "/data/customer": `[{"name":"Ada"}]`, "/data/orderPayments": "1",
		"/data/orderPayments/0": `{"orderId":7,"dateCreated":"2026-01-31T09:30:00+01:00"}`, "/data/orderPayments/0/orderId": "7",
		"/data/orderPayments/0/dateCreated": "2026-01-31 08:30:00 +0000 UTC",
	} {
		if got[pointer] != want {
			t.Errorf("%s: %q, not %q", pointer, got[pointer], want)
		}
		delete(got, pointer)
	}
	if len(got) > 0 {
		t.Error(got)
	}
}

// Both ways, in a struct of the program's own; and what is no whole answer is refused.
func TestAnswersAsJSON(t *testing.T) {
	type record struct {
		Order  string
		Answer paysvc.OrderPayAnswer
	}
	body := `{"data":{"orderPayment":{"fee":1.50,"brandNew":[1.10]},"x":null},"message":"done"}`
	var read record
	for stored, want := range map[string]string{
		`{"Order":"O-1","Answer":` + body + `}`: `{"Order":"O-1","Answer":` + body + `}`,
		`{"Order":"O-2","Answer":null}`:         `{"Order":"O-2","Answer":null}`,
		`{"Order":"O-3"}`:                       `{"Order":"O-3","Answer":null}`,
	} {
		read = record{}
		if err := json.Unmarshal([]byte(stored), &read); err != nil {
			t.Fatal(err)
		}
		if written, err := json.Marshal(read); err != nil || string(written) != want {
			t.Errorf("%s %v", written, err)
		}
	}
	answer := paysvc.ParseOrderPayAnswer([]byte(body))
	written, err := json.Marshal([]any{answer.Data.OrderPayment, answer.Data.OrderPayment.Fee, answer.Data.PaymentDetail, answer.Data.OrderPayment.Currency})
	if err != nil || string(written) != `[{"fee":1.50,"brandNew":[1.10]},1.50,null,null]` {
		t.Errorf("%s %v", written, err)
	}
	if err := json.Unmarshal([]byte(`{}`), &answer.Data); err == nil {
		t.Error("a part of an answer has no JSON pointer")
	}
	if err := json.Unmarshal([]byte(`{"data":1}`), &answer); err != nil || told(answer.Data.OrderPayment.Fee.Get()) != unreadable {
		t.Error("a member that was there is read again", err)
	}
}

func TestPersonalDataOfAnswersIsNotPrinted(t *testing.T) {
	const secret = "4111111111111111"
	reply := paysvc.TransactionDetailsReply{Reply: paysvc.Reply{Body: json.RawMessage(`{"data":{"sourceAccountNumber":"` + secret +
		`","statusId":` + secret + `,"customer":"` + secret + `","orderPayments":[{"orderPaymentInstrument":"` + secret + `"}]}}`)}}
	answer := reply.Answer()
	payments, err := answer.Data.OrderPayments.Get()
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []any{
		reply, &reply, answer, &answer, answer.Object, answer.Data, answer.Data.SourceAccountNumber, answer.Data.StatusID, answer.Data.Customer,
		&answer.Data.SourceAccountNumber, answer.Data.OrderPayments, payments, payments[0], &payments[0], payments[0].OrderPaymentInstrument,
		struct {
			Answer paysvc.TransactionDetailsAnswer
		}{answer}, map[string]any{"answer": answer.Data},
	} {
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("m", "value", value)
		shown := fmt.Sprintf("%v %+v %#v %s %q %x", value, value, value, value, value, value)
		for _, form := range []string{secret, fmt.Sprintf("%x", secret)} {
			if strings.Contains(shown+log.String(), form) {
				t.Errorf("%T: %s", value, shown+log.String())
				break
			}
		}
	}
}

// If the time grew with the square of the elements, this would take an hour: also when every element has something that
// cannot be read.
func TestAHugeListIsRead(t *testing.T) {
	const many = 100_000
	for _, element := range []string{`{"orderId":"x"}`, `0`, `{}`} {
		body := `{"data":{"orderPayments":[` + strings.Repeat(element+",", many-1) + element + `]}}`
		payments, err := paysvc.ParseTransactionDetailsAnswer([]byte(body)).Data.OrderPayments.Get()
		if err != nil || len(payments) != many {
			t.Fatal(len(payments), err)
		}
		for i := range payments {
			if _, err := payments[i].OrderID.Get(); err == nil {
				t.Fatal(i)
			}
		}
		_, err = payments[many-1].OrderID.Get()
		if element != `{}` && !strings.Contains(err.Error(), fmt.Sprintf("/data/orderPayments/%d", many-1)) {
			t.Error(err)
		}
	}
}
