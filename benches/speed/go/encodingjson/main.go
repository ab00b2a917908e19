// The same members with encoding/json, as a program without typed answers reads them: into structs with all members of the
// answer, amounts as json.Number.
package main

import (
	"bench/worker"
	"encoding/json"
	"errors"
	"time"
)

type paid struct {
	Data struct {
		PaymentDetail *struct {
			RedirectURL      *string `json:"redirectUrl"`
			RecipientAccount *string `json:"recipientAccount"`
			PaymentReference *string `json:"paymentReference"`
			CardToken        *string `json:"cardToken"`
		} `json:"paymentDetail"`
		BankTransferDetails *struct {
			BankAccount *string `json:"bankAccount"`
			BankName    *string `json:"bankName"`
		} `json:"bankTransferDetails"`
		OrderPayment struct {
			OrderID         int64       `json:"orderId"`
			Reference       string      `json:"orderPaymentReference"`
			Currency        string      `json:"currency"`
			StatusID        int64       `json:"statusId"`
			ResponseCode    string      `json:"orderPaymentResponseCode"`
			ResponseMessage string      `json:"orderPaymentResponseMessage"`
			Instrument      *string     `json:"orderPaymentInstrument"`
			Remarks         string      `json:"remarks"`
			TotalAmount     json.Number `json:"totalAmount"`
			Fee             json.Number `json:"fee"`
		} `json:"orderPayment"`
	} `json:"data"`
}

type mandates struct {
	CustomerName            string `json:"customerName"`
	HasExistingDebitMandate bool   `json:"hasExistingDebitMandate"`
	DirectDebitMandates     []struct {
		AccountNumber string    `json:"accountNumber"`
		BankName      string    `json:"bankName"`
		DirectDebitID int64     `json:"directDebitId"`
		DateCreated   time.Time `json:"dateCreated"`
		BankCode      string    `json:"bankCode"`
	} `json:"directDebitMandates"`
}

func main() {
	body := []byte(worker.Text(worker.Mode + ".json"))
	read := history
	if worker.Mode == "payment" {
		read = payment
	}
	worker.Work(func() { worker.Must(read(body)) })
}

func payment(body []byte) error {
	var answer paid
	err := json.Unmarshal(body, &answer)
	if it := answer.Data.OrderPayment; it.TotalAmount != "100.25" || it.Currency != "NGN" || it.StatusID != 5 {
		return errors.Join(errors.New("another payment"), err)
	}
	return err
}

func history(body []byte) error {
	var answer mandates
	err := json.Unmarshal(body, &answer)
	list := answer.DirectDebitMandates
	if answer.CustomerName != "Ada Lovelace" || len(list) != 492 || list[491].DirectDebitID != 1491 {
		return errors.Join(errors.New("another history"), err)
	}
	return err
}
