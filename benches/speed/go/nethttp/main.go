// Go's net/http and crypto/rsa, as their users write them well: one client, bodies read to their end.
package main

import (
	"bench/worker"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"
	"time"
)

type card struct {
	Number string `json:"cardnumber"`
	Month  string `json:"expirymonth"`
	Year   string `json:"expiryyear"`
	Code   string `json:"cvv"`
}

type order struct {
	Reference string `json:"reference"`
	Option    string `json:"paymentoption"`
	Country   string `json:"country"`
	Card      card   `json:"card"`
}

type answer struct {
	Status string `json:"status"`
	Data   struct {
		OrderPayment struct {
			StatusID int `json:"statusId"`
		} `json:"orderPayment"`
	} `json:"data"`
}

type balance struct {
	Currency         string      `json:"currency"`
	AvailableBalance json.Number `json:"availableBalance"`
}

func keyOf(text string) *rsa.PublicKey {
	decoded, err := base64.StdEncoding.DecodeString(text)
	worker.Must(err)
	_, fragment, _ := strings.Cut(string(decoded), "!")
	var numbers struct{ Modulus, Exponent string }
	worker.Must(xml.Unmarshal([]byte(fragment), &numbers))
	modulus, err := base64.StdEncoding.DecodeString(numbers.Modulus)
	worker.Must(err)
	exponent, err := base64.StdEncoding.DecodeString(numbers.Exponent)
	worker.Must(err)
	return &rsa.PublicKey{N: new(big.Int).SetBytes(modulus), E: int(new(big.Int).SetBytes(exponent).Int64())}
}

func send(client *http.Client, method, path, apiKey string, body []byte, told any) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, worker.BaseURL+path, bytes.NewReader(body))
	worker.Must(err)
	request.Header.Set("api-key", apiKey)
	request.Header.Set("accept", "application/json")
	if body != nil {
		request.Header.Set("content-type", "application/json")
	}
	response, err := client.Do(request)
	worker.Must(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	worker.Must(err)
	worker.Must(json.Unmarshal(text, told))
	if response.StatusCode != 200 {
		worker.Must(fmt.Errorf("HTTP %d: %s", response.StatusCode, text))
	}
}

func post(client *http.Client, path, apiKey string, body []byte) {
	var told answer
	send(client, "POST", path, apiKey, body, &told)
	if told.Status != "success" || told.Data.OrderPayment.StatusID != 5 {
		worker.Must(fmt.Errorf("not paid: %+v", told))
	}
}

func get(client *http.Client) {
	var told balance
	send(client, "GET", "/payout/balance-enquiry?currency=NGN", "SECRETKEY-BENCH", nil, &told)
	if told.AvailableBalance == "" {
		worker.Must(fmt.Errorf("no balance: %+v", told))
	}
}

func main() {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(worker.Text("bundle.pem"))) {
		panic("no roots")
	}
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: roots},
		MaxIdleConnsPerHost: worker.Threads,
		IdleConnTimeout:     90 * time.Second,
	}
	client := &http.Client{Transport: transport}
	plain := []byte(worker.Text("plain.json"))
	if worker.Mode == "threads" {
		worker.InThreads(func() { post(client, "/payment/order/refund", "SECRETKEY-BENCH", plain) })
		return
	}
	if worker.Mode == "get" {
		worker.Work(func() { get(client) })
		return
	}
	key := keyOf(worker.Text("key.txt"))
	var sold order
	worker.Must(json.Unmarshal([]byte(worker.Text("card.json")), &sold))
	worker.Work(func() {
		payload, err := json.Marshal(sold)
		worker.Must(err)
		block, err := rsa.EncryptPKCS1v15(rand.Reader, key, payload)
		worker.Must(err)
		body, err := json.Marshal(map[string]string{"data": base64.StdEncoding.EncodeToString(block)})
		worker.Must(err)
		post(client, "/payment/order/create", "PUBLICKEY-BENCH", body)
	})
}
