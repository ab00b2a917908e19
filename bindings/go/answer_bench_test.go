package paysvc

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// With a journal, the reply of a call that was lost has the response of its status query. The order's status is not the refund's.
func TestTheAnswerOfALookUpIsNotThatOfTheCall(t *testing.T) {
	found := Reply{AnswerOf: "order_verify", AnswerJSON: json.RawMessage(`{"status":"Successful"}`)}
	if reply, err := replyOf[OrderRefundReply]("order_refund")(&found, nil); err != nil || reply.Answer.Status != "" || reply.AnswerOf != "order_verify" {
		t.Error("the response of the status query was taken:", reply, err)
	}
}

const (
	mandate = `{"accountNumber":"0123456789","bankName":"Example Bank","directDebitId":1503,"dateCreated":"2026-01-31T09:30:00.000000Z","bankCode":"044"}`

	charge = `{"data":{"paymentDetail":{"redirectUrl":null,"recipientAccount":"0123456789","paymentReference":"PGW-PAYREF-0","cardToken":null},` +
		`"bankTransferDetails":null,"orderPayment":{"orderId":1,"orderPaymentReference":"PGW-PAYREF-0","currency":"NGN","statusId":1,` +
		`"orderPaymentResponseCode":"01","orderPaymentResponseMessage":"Initiated","orderPaymentInstrument":null,` +
		`"remarks":"The order payment was initiated","totalAmount":101.5,"fee":1.5}},"status":"success","statusCode":"02",` +
		`"message":"Direct debit order created"}`
)

// A history of 67 kB, as the service writes it.
var history = `{"customerName":"Ada Lovelace","hasExistingDebitMandate":true,"directDebitMandates":[` + strings.Repeat(mandate+",", 503) + mandate + `]}`

// What the library makes of such a body.
func told(function, body string) []byte {
	words := []string{`101.5`, `"101.5"`, `:1.5`, `:"1.5"`}
	for _, name := range []string{
		"paymentDetail", "redirectUrl", "recipientAccount", "paymentReference", "cardToken", "bankTransferDetails", "orderPayment", "orderId",
		"orderPaymentReference", "statusId", "orderPaymentResponseCode", "orderPaymentResponseMessage", "orderPaymentInstrument", "totalAmount",
		"customerName", "hasExistingDebitMandate", "directDebitMandates", "accountNumber", "bankName", "directDebitId", "dateCreated", "bankCode",
	} {
		snake := ""
		for _, c := range name {
			if 'A' <= c && c <= 'Z' {
				snake += "_"
			}
			snake += strings.ToLower(string(c))
		}
		words = append(words, `"`+name+`"`, `"`+snake+`"`)
	}
	answer := strings.NewReplacer(words...).Replace(body)
	if data, found := strings.CutPrefix(answer, `{"data":`); found {
		answer, _, _ = strings.Cut(data, `,"status":`)
	}
	return []byte(fmt.Sprintf(`{"status":"OK","outcome":"CONFIRMED","state":"NONE","state_number":0,"http_status":200,"code":"","message":"done","attempts":1,`+
		`"replayed":false,"retry_after_ms":null,"call_id":"v1dmefmpcou9cs5f-2","request_id":"","is_active":false,"paid":null,"why_not":"it has no state",`+
		`"look_up":null,"answer_of":%q,"answer":%s,"unreadable":[],"webhook":null}`, function, answer))
}

// A response as a reply has it, after the library has read it; and the service's own text by encoding/json.
func BenchmarkAnswer(b *testing.B) {
	run := func(name string, read func() bool) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; i < b.N; i++ {
				if !read() {
					b.Fatal("another response")
				}
			}
		})
	}
	paid, listed := told("order_pay", charge), told("direct_debit_history", history)
	run("payment", func() bool {
		var whole Reply
		whole.take(paid)
		reply, _ := replyOf[OrderPayReply]("order_pay")(&whole, nil)
		return reply.Answer.OrderPayment.TotalAmount == "101.5" && *reply.Answer.OrderPayment.StatusID == 1
	})
	run("payment/encoding-json", func() bool {
		var answer plainPayment
		return json.Unmarshal([]byte(charge), &answer) == nil && *answer.Data.OrderPayment.TotalAmount == "101.5" && *answer.Data.OrderPayment.StatusID == 1
	})
	run("history", func() bool {
		var whole Reply
		whole.take(listed)
		reply, _ := replyOf[DirectDebitHistoryReply]("direct_debit_history")(&whole, nil)
		return len(reply.Answer.DirectDebitMandates) == 504 && *reply.Answer.DirectDebitMandates[503].DirectDebitID == 1503
	})
	run("history/encoding-json", func() bool {
		var answer plainHistory
		return json.Unmarshal([]byte(history), &answer) == nil && len(answer.Mandates) == 504 && *answer.Mandates[503].DirectDebitID == 1503
	})
}

type plainPayment struct {
	Data struct {
		PaymentDetail struct {
			RedirectURL      *string `json:"redirectUrl"`
			RecipientAccount *string `json:"recipientAccount"`
			PaymentReference *string `json:"paymentReference"`
			CardToken        *string `json:"cardToken"`
		} `json:"paymentDetail"`
		OrderPayment struct {
			OrderID         *int64       `json:"orderId"`
			Reference       *string      `json:"orderPaymentReference"`
			Currency        *string      `json:"currency"`
			StatusID        *int64       `json:"statusId"`
			ResponseCode    *string      `json:"orderPaymentResponseCode"`
			ResponseMessage *string      `json:"orderPaymentResponseMessage"`
			Instrument      *string      `json:"orderPaymentInstrument"`
			Remarks         *string      `json:"remarks"`
			TotalAmount     *json.Number `json:"totalAmount"`
			Fee             *json.Number `json:"fee"`
		} `json:"orderPayment"`
	} `json:"data"`
}

type plainHistory struct {
	CustomerName *string `json:"customerName"`
	Has          *bool   `json:"hasExistingDebitMandate"`
	Mandates     []struct {
		AccountNumber *string    `json:"accountNumber"`
		BankName      *string    `json:"bankName"`
		DirectDebitID *int64     `json:"directDebitId"`
		DateCreated   *time.Time `json:"dateCreated"`
		BankCode      *string    `json:"bankCode"`
	} `json:"directDebitMandates"`
}
