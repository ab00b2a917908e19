// Command till charges an order, may be killed at any moment, and charges an order once.
//
//	till ORDER
//
// Start it again with the same order after a crash. Status 0: paid. 1: not charged, see what it says. 2: nobody knows yet whether it is
// paid, start it again later. 3: it could not run, see the error.
//
// It is configured by environment variables: PAYSVC_BASE_URL, PAYSVC_PUBLIC_KEY, PAYSVC_ENCRYPTION_KEY, and PAYSVC_JOURNAL, the
// journal's file. PAYSVC_JOURNAL_CREATE=true makes the file, once.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"paysvc.example/go/paysvc"
)

const price, currency = "25.50", "NGN"

// Finds out what became of the requests of earlier runs. An error: the journal cannot be read, so do not sell.
func lookUpWhatIsOpen(ctx context.Context, client *paysvc.Client) error {
	var failed error
	// From Go 1.23 on: for entry, err := range client.JournalNext(ctx)
	client.JournalNext(ctx)(func(entry paysvc.JournalEntry, err error) bool {
		if err != nil {
			failed = err
			return false
		}
		fmt.Printf("%s: %v: %s\n", entry.Key, entry.Reply.Outcome, entry.Reply.Message)
		return true
	})
	return failed
}

// Nothing but the journal is kept for it: the key of a charge is its order.
func charge(ctx context.Context, client *paysvc.Client, order string) (*paysvc.OrderCreateReply, error) {
	return client.OrderCreate(ctx, paysvc.OrderCreateRequest{
		Reference:     &order,
		Paymentoption: paysvc.Ptr("C"),
		Country:       paysvc.Ptr("NG"),
		Order: &paysvc.OrderCreateOrder{
			Reference: order, Amount: price, Currency: paysvc.Ptr(currency), Description: paysvc.Ptr("tea"),
		},
		Customer: &paysvc.OrderCreateCustomer{
			Firstname: paysvc.Ptr("Ada"), Lastname: paysvc.Ptr("Lovelace"), Mobile: paysvc.NewSecret("+2348000000000"),
			Country: paysvc.Ptr("NG"), Email: paysvc.NewSecret("ada@example.com"),
		},
		Card: &paysvc.OrderCreateCard{
			Cardnumber: paysvc.NewSecret("4111111111111111"), Expirymonth: "01", Expiryyear: "39", CVV: paysvc.NewSecret("193"),
		},
	})
}

// Prints what became of the charge; returns the status of the program.
func sell(ctx context.Context, client *paysvc.Client, order string) int {
	reply, err := charge(ctx, client, order)
	switch {
	case err == nil:
	case errors.Is(err, paysvc.ErrOutcomeNotSent), errors.Is(err, paysvc.ErrOutcomeRejected): // start it again, perhaps with another card
		fmt.Println("not charged:", err)
		return 1
	default:
		fmt.Println("UNKNOWN, do not charge it in any other way:", err)
		return 2
	}
	if paid, whyNot := reply.IsPaid(order, price, currency); !paid {
		fmt.Println("charged, but not known to be paid:", whyNot)
		return 2
	}
	if reply.Replayed {
		fmt.Println("paid, by an earlier run")
	} else {
		fmt.Println("paid")
	}
	return 0
}

func run() (int, error) {
	if len(os.Args) != 2 {
		return 3, errors.New("give the reference of the order")
	}
	client, err := paysvc.New(paysvc.Config{})
	if err != nil {
		return 3, err
	}
	defer client.Close()
	ctx := context.Background()
	if err := lookUpWhatIsOpen(ctx, client); err != nil {
		return 3, err
	}
	return sell(ctx, client, os.Args[1]), nil
}

func main() {
	status, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(status)
}
