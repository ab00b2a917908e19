package paysvc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
)

// As fmt writes with verbs, and a handler of log/slog.
func printed(value any, verbs string) string {
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("m", "value", value)
	for _, verb := range strings.Split(verbs, ",") {
		fmt.Fprintf(&log, verb+"\n", value)
	}
	return log.String()
}

// In a form that fmt gives it.
func isIn(got, text string) bool {
	for _, form := range []string{text, fmt.Sprintf("%x", text), fmt.Sprintf("%X", text), fmt.Sprintf("% x", text), strings.Trim(fmt.Sprint([]byte(text)), "[]")} {
		if strings.Contains(got, form) {
			return true
		}
	}
	return false
}

func TestSecretsAreNotPrinted(t *testing.T) {
	const text = "4111111111111111"
	secret := paysvc.NewSecret(text)
	card := paysvc.OrderCreateCard{Cardnumber: secret, CVV: secret, PIN: secret}
	// fmt prints members that are not exported, and asks no method of theirs.
	type held struct {
		secret  paysvc.Secret
		pointer *paysvc.Secret
		card    paysvc.OrderCreateCard
		cards   []paysvc.OrderCreateCard
		within  map[string]any
		config  paysvc.Config
	}
	config := paysvc.Config{PublicKey: secret, SecretKey: secret, EncryptionKey: secret, Proxy: secret}
	own := held{secret, &secret, card, []paysvc.OrderCreateCard{card}, map[string]any{"a": card, "b": secret}, config}
	for _, value := range []any{
		secret, &secret, []paysvc.Secret{secret}, map[string]paysvc.Secret{"a": secret}, card, &card, map[string]any{"card": card}, &own, []held{own},
		paysvc.OrderCreateRequest{Card: &card}, []paysvc.PayoutInitiatePayoutDetails{{AccountNumber: secret}},
		paysvc.OrderPayDirectDebitPaymentRequest{OTP: secret}, config, errors.Join(fmt.Errorf("of %v", config)),
	} {
		written, err := json.Marshal(value)
		if got := printed(value, "%v,%+v,%#v,%s,%q,%x,%X,% x,%d,%t,%c,%U,%e,%b,%o,%p,%10.2s") + string(written) + fmt.Sprint(err); isIn(got, text) {
			t.Errorf("%T: %s", value, got)
		}
	}
	// Values without a secret field are not shown either, except by encoding/json.
	reply := paysvc.Reply{Body: json.RawMessage(text)}
	item := paysvc.TransactionDetailsAnswerOrderPaymentsItem{OrderPaymentInstrument: text}
	answer := paysvc.TransactionDetailsAnswer{SourceAccountNumber: text, OrderPayments: []paysvc.TransactionDetailsAnswerOrderPaymentsItem{item}}
	for _, value := range []any{
		paysvc.Request{Body: json.RawMessage(text)}, &paysvc.OrderCreateRequest{Reference: paysvc.Ptr(text)}, reply, &reply, &paysvc.Error{Reply: reply},
		answer, &answer, answer.OrderPayments, map[string]any{"answer": answer}, &paysvc.TransactionDetailsReply{Reply: reply, Answer: answer},
	} {
		if got := printed(value, "%v,%+v,%#v,%s,%q,%x,%d,%t,%c,%U,%e,%b,%o"); isIn(got, text) {
			t.Errorf("%T: %s", value, got)
		}
	}
}

func TestASecretSaysThatItIsHidden(t *testing.T) {
	secret := paysvc.NewSecret("193")
	text, err := secret.MarshalText()
	got := fmt.Sprintf("%v %#v %q %x %d %10s ", secret, secret, secret, secret, secret, secret) + secret.String() + " " + secret.LogValue().String() + " " + string(text)
	if got != strings.TrimSuffix(strings.Repeat("[hidden] ", 9), " ") || err != nil {
		t.Error("printed:", got, err)
	}
	written := tested.Need(json.Marshal(paysvc.OrderCreateCard{Cardnumber: secret}))(t, "encode the card")
	if string(written) != `{"cardnumber":"[hidden]","expirymonth":"","expiryyear":"","cvv":null}` {
		t.Error("written:", string(written))
	}
}

func TestASecretIsReadAndNeverFromWhatIsHidden(t *testing.T) {
	var card paysvc.OrderCreateCard
	tested.Must(t, "decode the card", json.Unmarshal([]byte(`{"cardnumber":"4111","cvv":null,"pin":""}`), &card))
	if !card.Cardnumber.Equal(paysvc.NewSecret("4111")) || !card.CVV.IsZero() || card.PIN.IsZero() || !card.PIN.Equal(paysvc.NewSecret("")) {
		t.Error("read:", card.Cardnumber, card.CVV, card.PIN)
	}
	var from paysvc.Secret
	if err := from.UnmarshalText([]byte("4111")); err != nil || !from.Equal(card.Cardnumber) || !reflect.DeepEqual(from, card.Cardnumber) {
		t.Error("read from text:", err)
	}
	if from.Equal(paysvc.NewSecret("4112")) || from.Equal(paysvc.Secret{}) || !(paysvc.Secret{}).Equal(paysvc.Secret{}) {
		t.Error("not equal as the texts are")
	}
	written := tested.Need(json.Marshal(card))(t, "encode the card")
	if err := json.Unmarshal(written, &card); err == nil {
		t.Error("a card was read from what is hidden")
	}
	for _, err := range []error{from.UnmarshalText([]byte("[hidden]")), from.UnmarshalJSON([]byte(`"[hidden]"`)), from.UnmarshalJSON([]byte("193"))} {
		if err == nil || strings.Contains(err.Error(), "193") {
			t.Error("not refused, or the secret is in:", err)
		}
	}
	if !from.Equal(paysvc.NewSecret("4111")) {
		t.Error("what is refused changes nothing")
	}
	if err := from.UnmarshalText(nil); err != nil || !from.IsZero() {
		t.Error("read from nothing:", err)
	}
}

func TestTheServiceGetsTheSecretAndNeverWhatIsHidden(t *testing.T) {
	sandbox, client := start(t)
	ctx := context.Background()
	order := charge("R-1", charged)
	if _, err := client.OrderCreate(ctx, order); err != nil || tested.Count(sandbox, "charge_made") != 1 {
		t.Fatal("not one charge:", err, sandbox.Ledger())
	}
	for _, wrong := range []paysvc.Secret{{}, paysvc.NewSecret(""), paysvc.NewSecret("\xff")} {
		order.Card.CVV = wrong
		fails(client.OrderCreate(ctx, order))(t, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent)
	}
	// An optional one that is empty is a mistake as well; an absent one is not.
	order.Card.CVV, order.Card.PIN = paysvc.NewSecret("193"), paysvc.NewSecret("")
	fails(client.OrderCreate(ctx, order))(t, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent)
	// The output of fmt and encoding/json for a secret is not the secret.
	hidden := paysvc.NewSecret(fmt.Sprintf("http://user:%s@127.0.0.1:1", paysvc.NewSecret("password")))
	otp := &paysvc.OrderPayDirectDebitPaymentRequest{OTP: hidden, MandateCode: "M-1"}
	_, err := client.OrderPay(ctx, paysvc.OrderPayRequest{Reference: "R-1", PaymentOption: "NDD", DirectDebitPaymentRequest: otp})
	is(t, err, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent)
	_, err = client.Call(ctx, "direct_debit_create", json.RawMessage(`{"orderReference":"R-1","accountNumber":"[hidden]"}`))
	is(t, err, paysvc.ErrArgument, paysvc.ErrOutcomeNotSent)
	fails(paysvc.New(paysvc.Config{Proxy: hidden}))(t, paysvc.ErrConfig, paysvc.ErrOutcomeNotSent)
	_, err = paysvc.NewFromJSON(json.RawMessage(`{"secret_key":"[hidden]"}`))
	is(t, err, paysvc.ErrConfig, paysvc.ErrOutcomeNotSent)
	// An empty text of a configuration is left out, whatever it is.
	config := sandbox.Config
	config.EncryptionKey = paysvc.NewSecret("")
	if _, err := tested.Connect(t, config).DirectDebitHistory(ctx, paysvc.DirectDebitHistoryRequest{EmailAddress: "none@example.com"}); err != nil {
		t.Error("an empty key of the configuration:", err)
	}
}
