// Typed answers of the Go package: an answer, and some of its members. No network.
package main

import (
	"bench/worker"
	"errors"

	"paysvc.example/go/paysvc"
)

func main() {
	body := []byte(worker.Text(worker.Mode + ".json"))
	if worker.Mode == "payment" {
		reply := paysvc.OrderPayReply{Reply: paysvc.Reply{Body: body}}
		worker.Work(func() { worker.Must(payment(reply.Answer())) })
		return
	}
	reply := paysvc.DirectDebitHistoryReply{Reply: paysvc.Reply{Body: body}}
	worker.Work(func() { worker.Must(history(reply.Answer())) })
}

func payment(answer paysvc.OrderPayAnswer) error {
	it := answer.Data.OrderPayment
	amount, err := it.TotalAmount.Get()
	currency, wrong := it.Currency.Get()
	state, failed := it.StatusID.Get()
	if amount != "100.25" || currency != "NGN" || state != 5 {
		return errors.Join(errors.New("another payment"), err, wrong, failed)
	}
	return nil
}

func history(answer paysvc.DirectDebitHistoryAnswer) error {
	name, err := answer.CustomerName.Get()
	mandates, wrong := answer.DirectDebitMandates.Get()
	if name != "Ada Lovelace" || len(mandates) != 492 {
		return errors.Join(errors.New("another history"), err, wrong)
	}
	if id, err := mandates[491].DirectDebitID.Get(); id != 1491 {
		return errors.Join(errors.New("another mandate"), err)
	}
	return nil
}
