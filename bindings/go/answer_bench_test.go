package paysvc_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"paysvc.example/go/paysvc"
)

// A history of 67 kB: 504 mandates.
func history() json.RawMessage {
	one := `{"accountNumber":"0123456789","bankName":"Example Bank","directDebitId":%d,"dateCreated":"2026-01-31T09:30:00.000Z","bankCode":"044"}`
	mandates := make([]string, 504)
	for i := range mandates {
		mandates[i] = fmt.Sprintf(one, 1000+i)
	}
	return json.RawMessage(`{"customerName":"Ada Lovelace","hasExistingDebitMandate":true,"directDebitMandates":[` +
		strings.Join(mandates, ",") + `]}`)
}

const payment = `{"data":{"paymentDetail":{"redirectUrl":null,"recipientAccount":"0123456789","paymentReference":"PGW-PAYREF-0","cardToken":null},` +
	`"bankTransferDetails":null,"orderPayment":{"orderId":1,"orderPaymentReference":"PGW-PAYREF-0","currency":"NGN","statusId":1,` +
	`"orderPaymentResponseCode":"01","orderPaymentResponseMessage":"Initiated","orderPaymentInstrument":null,` +
	`"remarks":"The order payment was initiated","totalAmount":101.5,"fee":1.5}},"status":"success","statusCode":"02",` +
	`"message":"Direct debit order created"}`

// Each benchmark reads an answer and three of its members.
func BenchmarkAnswer(b *testing.B) {
	reply := paysvc.OrderPayReply{Reply: paysvc.Reply{Body: json.RawMessage(payment)}}
	list := paysvc.DirectDebitHistoryReply{Reply: paysvc.Reply{Body: history()}}
	b.Run("payment/Answer", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; i < b.N; i++ {
			readPayment(b, reply.Answer())
		}
	})
	b.Run("payment/Parse", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; i < b.N; i++ {
			readPayment(b, paysvc.ParseOrderPayAnswer(reply.Body))
		}
	})
	b.Run("payment/encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; i < b.N; i++ {
			var answer plainPayment
			if json.Unmarshal(reply.Body, &answer) != nil || *answer.Data.OrderPayment.TotalAmount != "101.5" ||
				*answer.Data.OrderPayment.Currency != "NGN" || *answer.Data.OrderPayment.StatusID != 1 {
				b.Fatal(answer)
			}
		}
	})
	b.Run("history/Answer", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(list.Body)))
		for i := 0; i < b.N; i++ {
			readHistory(b, list.Answer())
		}
	})
	b.Run("history/Answer-without-the-list", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(list.Body)))
		for i := 0; i < b.N; i++ {
			answer := list.Answer()
			name, err := answer.CustomerName.Get()
			if has, _ := answer.HasExistingDebitMandate.Get(); err != nil || name != "Ada Lovelace" || !has {
				b.Fatal(name, err)
			}
		}
	})
	b.Run("history/Parse", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(list.Body)))
		for i := 0; i < b.N; i++ {
			readHistory(b, paysvc.ParseDirectDebitHistoryAnswer(list.Body))
		}
	})
	b.Run("history/encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(list.Body)))
		for i := 0; i < b.N; i++ {
			var answer plainHistory
			if json.Unmarshal(list.Body, &answer) != nil || *answer.CustomerName != "Ada Lovelace" ||
				len(answer.Mandates) != 504 || *answer.Mandates[503].DirectDebitID != 1503 {
				b.Fatal(len(answer.Mandates))
			}
		}
	})
}

func readPayment(b *testing.B, answer paysvc.OrderPayAnswer) {
	payment := answer.Data.OrderPayment
	amount, err := payment.TotalAmount.Get()
	currency, failed := payment.Currency.Get()
	if state, _ := payment.StatusID.Get(); err != nil || failed != nil || amount != "101.5" || currency != "NGN" || state != 1 {
		b.Fatal(amount, currency, err, failed)
	}
}

func readHistory(b *testing.B, answer paysvc.DirectDebitHistoryAnswer) {
	name, err := answer.CustomerName.Get()
	mandates, failed := answer.DirectDebitMandates.Get()
	if err != nil || failed != nil || name != "Ada Lovelace" || len(mandates) != 504 {
		b.Fatal(name, len(mandates), err, failed)
	}
	if last, err := mandates[503].DirectDebitID.Get(); last != 1503 {
		b.Fatal(last, err)
	}
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
		AccountNumber *string `json:"accountNumber"`
		BankName      *string `json:"bankName"`
		DirectDebitID *int64  `json:"directDebitId"`
		DateCreated   *string `json:"dateCreated"`
		BankCode      *string `json:"bankCode"`
	} `json:"directDebitMandates"`
}
