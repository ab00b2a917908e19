package webhook_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/webhook"
)

// Nobody signs an event. The handler asks the service, so one that is made up reaches no function of the program.
func ExampleNewHandler() {
	client, err := paysvc.New(paysvc.Config{
		BaseURL:   "http://127.0.0.1:1", // Here nobody answers.
		SecretKey: paysvc.NewSecret("PGW-SECRETKEY-TEST-00000000000000000000000000000000"),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	handle := func(ctx context.Context, reply *paysvc.Reply) error {
		fmt.Println(reply.Webhook.About, reply.State) // Compare amount and currency with the order, and settle it.
		return nil
	}
	server := httptest.NewServer(webhook.NewHandler(client, handle, webhook.Options{}))
	defer server.Close()

	event := `{"data":{"orderReference":"ORDER-1","statusId":5,"orderAmount":25.50}}`
	answer, err := http.Post(server.URL, "application/json", strings.NewReader(event))
	if err != nil {
		log.Fatal(err)
	}
	answer.Body.Close()
	fmt.Println(answer.StatusCode, "the sender tries again after", answer.Header.Get("Retry-After"), "seconds")
	// Output: 503 the sender tries again after 30 seconds
}
