// The same with Go's net/http, as its users write it: one client, bodies read to their end. With a sixth argument the
// requests carry an Idempotency-Key, which tells net/http that it may send them again.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

func refund(client *http.Client, arguments []string, amount string) {
	body := fmt.Sprintf(`{"reference":%q,"amount":%q}`, arguments[3], amount)
	request, err := http.NewRequest("POST", arguments[1]+"/payment/order/refund", strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	request.Header.Set("api-key", arguments[2])
	request.Header.Set("content-type", "application/json")
	if len(arguments) > 6 {
		request.Header.Set("Idempotency-Key", arguments[3]+amount)
	}
	answer, err := client.Do(request)
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	fmt.Printf("HTTP %d: %s\n", answer.StatusCode, text)
}

func main() {
	client := &http.Client{}
	refund(client, os.Args, os.Args[4])
	time.Sleep(300 * time.Millisecond) // between two customers
	refund(client, os.Args, os.Args[5])
}
