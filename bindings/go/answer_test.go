package paysvc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/paysvctest"
)

// A client of a service that always answers with this body, whoever asks.
func answering(t *testing.T, body *atomic.Value) *paysvc.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("content-type", "application/json")
		io.WriteString(w, body.Load().(string))
	}))
	t.Cleanup(server.Close)
	config := paysvctest.Start(t).Config
	config.BaseURL = server.URL
	config.MaxAttempts = paysvc.Ptr[int64](1)
	return connect(t, config)
}

func details(t *testing.T, body string) *paysvc.TransactionDetailsReply {
	t.Helper()
	var served atomic.Value
	served.Store(`{"status":true,"statusCode":"00","message":"done","data":` + body + `}`)
	reply := need(answering(t, &served).TransactionDetails(context.Background(), paysvc.TransactionDetailsRequest{SessionID: "S-1"}))(t, "ask for the details")
	return reply
}

// A new response of the method for a function; nil if it has none.
func answerOf(function string) any {
	of := reflect.TypeOf(&paysvc.Client{})
	for i := 0; i < of.NumMethod(); i++ {
		method := of.Method(i)
		if !strings.EqualFold(strings.TrimRight(method.Name, "_"), strings.ReplaceAll(function, "_", "")) {
			continue
		}
		if answer, found := method.Type.Out(0).Elem().FieldByName("Answer"); found {
			return reflect.New(answer.Type).Interface()
		}
	}
	return nil
}

// What a JSON value says, without what is absent.
func said(t *testing.T, text []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	must(t, "decode "+string(text), decoder.Decode(&value))
	return present(value)
}

func present(value any) any {
	switch of := value.(type) {
	case string:
		if at, err := time.Parse(time.RFC3339Nano, of); err == nil {
			return at.UTC()
		}
		if of == "" {
			return nil
		}
	case []any:
		for i := range of {
			of[i] = present(of[i])
		}
	case map[string]any:
		for name := range of {
			if of[name] = present(of[name]); of[name] == nil {
				delete(of, name)
			}
		}
		if len(of) == 0 {
			return nil
		}
	}
	return value
}

// The structs have every field that the library writes, and what a program stores is what it read.
func TestAnswersAreWhatTheLibraryRead(t *testing.T) {
	_, file, _, _ := runtime.Caller(0) // The test may run in another folder.
	text := need(os.ReadFile(filepath.Join(filepath.Dir(file), "../../tests/scenarios.json")))(t, "read the scenarios")
	var canned struct {
		Endpoints map[string]struct {
			Request map[string]any    `json:"request"`
			Answer  json.RawMessage   `json:"answer"`
			Others  []json.RawMessage `json:"other_answers"`
		} `json:"endpoints"`
	}
	must(t, "decode the scenarios", json.Unmarshal(text, &canned))
	var served atomic.Value
	client, filled := answering(t, &served), 0
	for function, of := range canned.Endpoints {
		for _, answer := range append(of.Others, of.Answer) {
			body := string(answer)
			for name, value := range of.Request {
				body = strings.ReplaceAll(body, "{"+name+"}", fmt.Sprint(value))
			}
			served.Store(body)
			reply, err := client.Call(context.Background(), function, encoded(t, of.Request))
			var failure *paysvc.Error
			if errors.As(err, &failure) { // The response may be about another order than the request.
				reply = &failure.Reply
			}
			if reply.AnswerOf != function || len(reply.Unreadable) > 0 {
				t.Fatalf("%s: %q, %q: %v", function, reply.AnswerOf, reply.Unreadable, err)
			}
			read, again := answerOf(function), answerOf(function)
			decoder := json.NewDecoder(bytes.NewReader(reply.AnswerJSON))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(read); err != nil {
				t.Fatalf("%s: %v: %s", function, err, reply.AnswerJSON)
			}
			stored := encoded(t, read)
			if err := json.Unmarshal(stored, again); err != nil || !bytes.Equal(encoded(t, again), stored) {
				t.Errorf("%s: %s is not what was stored: %v", function, stored, err)
			}
			told := said(t, reply.AnswerJSON)
			if !reflect.DeepEqual(said(t, stored), told) {
				t.Errorf("%s: %s, not %s", function, stored, reply.AnswerJSON)
			}
			if told != nil {
				filled++
			}
		}
	}
	if filled < len(canned.Endpoints)/2 {
		t.Errorf("only %d answers have fields", filled)
	}
}

func TestWhatIsAbsentLooksLikeNoValue(t *testing.T) {
	answer := details(t, `{"customer":null,"orderPayments":[null,{}],"totalAmountCharged":" "}`).Answer
	if answer.TotalAmountCharged != "" || answer.StatusID != nil || answer.DateCreated != nil || answer.Customer != nil ||
		len(answer.OrderPayments) != 2 || answer.OrderPayments[0].OrderID != nil {
		t.Errorf("%+v", said(t, encoded(t, answer)))
	}
	if _, ok := answer.TotalAmountCharged.Rat(); ok {
		t.Error("an absent amount is a number")
	}
}

func encoded(t *testing.T, value any) []byte {
	t.Helper()
	text := need(json.Marshal(value))(t, "encode the value")
	return text
}

// What cannot be read is absent, and named. The rest is read, and the result is not affected.
func TestWhatCannotBeReadIsNamed(t *testing.T) {
	reply := details(t, `{"totalAmountCharged":"2500.500000","feeRate":[],"dateCreated":"2026-01-31T09:30:00.1234567","dateUpdated":"soon",`+
		`"customer":[{"name":"Ada"}],"orderPayments":[{"orderId":7},5]}`)
	answer := reply.Answer
	if got := strings.Join(reply.Unreadable, " "); got != "/data/feeRate /data/dateUpdated /data/orderPayments/1" &&
		got != "/data/dateUpdated /data/feeRate /data/orderPayments/1" || answer.FeeRate != "" || answer.DateUpdated != nil {
		t.Error("unreadable members:", got)
	}
	if answer.TotalAmountCharged != "2500.500000" || *answer.OrderPayments[0].OrderID != 7 || string(*answer.Customer) != `[{"name":"Ada"}]` ||
		!answer.DateCreated.Equal(time.Date(2026, 1, 31, 9, 30, 0, 123456000, time.UTC)) {
		t.Errorf("%s", encoded(t, answer))
	}
	// Deeper than encoding/json reads.
	deep := details(t, `{"customer":`+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+`}`)
	if deep.Outcome != paysvc.OutcomeConfirmed || len(deep.Unreadable) != 1 || deep.Unreadable[0] != "" {
		t.Error("a deep answer: outcome and unreadable members:", deep.Outcome, deep.Unreadable)
	}
}

// The response of a call that failed is that of its error, and so is what it is resolved by.
func TestAnErrorHasTheAnswer(t *testing.T) {
	var body atomic.Value
	body.Store(`{"status":"failed","statusCode":"96","message":"no","data":{"orderPayment":{"statusId":6,"fee":1.50}}}`)
	transfer := paysvc.OrderPayRequest{Reference: "O-1", PaymentOption: "bank-transfer", BankTransfer: &paysvc.OrderPayBankTransfer{}}
	_, err := answering(t, &body).OrderPay(context.Background(), transfer)
	failed := failure(t, err)
	var answer paysvc.OrderPayAnswer
	if json.Unmarshal(failed.AnswerJSON, &answer) != nil || failed.AnswerOf != "order_pay" || answer.OrderPayment.Fee != "1.50" {
		t.Errorf("%v: %s", err, failed.AnswerJSON)
	}
	body.Store("<html>")
	_, err = answering(t, &body).OrderPay(context.Background(), transfer)
	if failed := failure(t, err); failed.AnswerOf != "" || failed.AnswerJSON != nil || failed.LookUp().Endpoint != "order_pay" {
		t.Error("a response that is no JSON: its function and status query:", failed.AnswerOf, failed.LookUp())
	}
}

func TestPersonalDataOfAnswersIsNotPrinted(t *testing.T) {
	const secret = "4111111111111111"
	reply := details(t, `{"sourceAccountNumber":"`+secret+`","statusId":`+secret+`,"customer":"`+secret+
		`","orderPayments":[{"orderPaymentInstrument":"`+secret+`"}]}`)
	answer := reply.Answer
	if answer.SourceAccountNumber != secret || answer.OrderPayments[0].OrderPaymentInstrument != secret {
		t.Fatalf("%s", reply.Body)
	}
	for _, value := range []any{
		reply, *reply, answer, &answer, answer.OrderPayments, answer.OrderPayments[0], &answer.OrderPayments[0],
		struct {
			Answer paysvc.TransactionDetailsAnswer
		}{answer}, map[string]any{"answer": answer},
	} {
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("m", "value", value)
		shown := fmt.Sprintf("%v %+v %#v %s %q %x", value, value, value, value, value, value)
		for _, form := range []string{secret, fmt.Sprintf("%x", secret)} {
			if strings.Contains(shown+log.String(), form) {
				t.Errorf("%T: %s", value, shown+log.String())
				break
			}
		}
	}
}
