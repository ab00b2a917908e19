// The Go package of libpaysvc.
package main

import (
	"bench/worker"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"time"

	"paysvc.example/go/paysvc"
)

func main() {
	client, err := paysvc.New(paysvc.Config{
		BaseURL:         worker.BaseURL,
		PublicKey:       paysvc.NewSecret("PUBLICKEY-BENCH"),
		SecretKey:       paysvc.NewSecret("SECRETKEY-BENCH"),
		EncryptionKey:   paysvc.NewSecret(worker.Text("key.txt")),
		CAFile:          filepath.Join(worker.Folder, "ca.pem"),
		ConnectionReuse: "all",
	})
	worker.Must(err)
	if worker.Mode == "get" {
		worker.Work(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			reply, err := client.PayoutBalance(ctx, paysvc.PayoutBalanceRequest{Currency: "NGN"})
			cancel()
			worker.Must(err)
			if reply.Answer.AvailableBalance == "" {
				worker.Must(errors.New(reply.Message))
			}
		})
		return
	}
	var card paysvc.OrderCreateRequest
	worker.Must(json.Unmarshal([]byte(worker.Text("card.json")), &card))
	card.ExistingOrder = true
	worker.Work(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		reply, err := client.OrderCreate(ctx, card)
		cancel()
		worker.Must(err)
		if reply.State != paysvc.StateSuccessful {
			worker.Must(errors.New(reply.Message))
		}
	})
}
