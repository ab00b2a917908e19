package paysvc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
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
	return tested.Connect(t, config)
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

// The structs have every field that the library writes, and what a program stores is what it read.
func TestAnswersAreWhatTheLibraryRead(t *testing.T) {
	_, file, _, _ := runtime.Caller(0) // The test may run in another folder.
	text := tested.Need(os.ReadFile(filepath.Join(filepath.Dir(file), "../../tests/scenarios.json")))(t, "read the scenarios")
	var canned struct {
		Endpoints map[string]struct {
			Request map[string]any    `json:"request"`
			Answer  json.RawMessage   `json:"answer"`
			Others  []json.RawMessage `json:"other_answers"`
		} `json:"endpoints"`
	}
	tested.Must(t, "decode the scenarios", json.Unmarshal(text, &canned))
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
			empty, read, again := answerOf(function), answerOf(function), answerOf(function)
			decoder := json.NewDecoder(bytes.NewReader(encoded(t, reply.AnswerJSON))) // Without the service's blanks.
			decoder.DisallowUnknownFields()
			tested.Must(t, "decode the answer of "+function, decoder.Decode(read))
			tested.Must(t, "decode what is stored of "+function, json.Unmarshal(encoded(t, read), again))
			if !reflect.DeepEqual(read, again) {
				t.Errorf("%s: %s is stored as %s", function, reply.AnswerJSON, encoded(t, again))
			}
			if !reflect.DeepEqual(read, empty) {
				filled++
			}
		}
	}
	if filled < len(canned.Endpoints)/2 {
		t.Errorf("only %d answers have fields", filled)
	}
}

func encoded(t *testing.T, value any) []byte {
	t.Helper()
	text := tested.Need(json.Marshal(value))(t, "encode the value")
	return text
}

// A field that is absent or unreadable is empty; an unreadable one is named. The rest is read, and the result is not affected.
func TestWhatIsAbsentOrCannotBeReadIsEmpty(t *testing.T) {
	var body atomic.Value
	client := answering(t, &body)
	details := func(data string) *paysvc.TransactionDetailsReply {
		body.Store(`{"status":true,"statusCode":"00","message":"done","data":` + data + `}`)
		return tested.Need(client.TransactionDetails(context.Background(), paysvc.TransactionDetailsRequest{SessionID: "S-1"}))(t, "ask for the details")
	}
	reply := details(`{"totalAmountCharged":"2500.500000","statusId":null,"dateCreated":"soon","orderPayments":[{"orderId":7},{}]}`)
	answer := reply.Answer
	if len(reply.Unreadable) != 1 || reply.Unreadable[0] != "/data/dateCreated" || answer.DateCreated != nil || answer.StatusID != nil || answer.Customer != nil {
		t.Errorf("unreadable members: %q of %s", reply.Unreadable, encoded(t, answer))
	}
	if answer.TotalAmountCharged != "2500.500000" || len(answer.OrderPayments) != 2 || *answer.OrderPayments[0].OrderID != 7 || answer.OrderPayments[1].OrderID != nil {
		t.Errorf("read: %s", encoded(t, answer))
	}
	// Deeper than encoding/json reads.
	deep := details(`{"customer":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`)
	if deep.Outcome != paysvc.OutcomeConfirmed || len(deep.Unreadable) != 1 || deep.Unreadable[0] != "" {
		t.Error("a deep answer: outcome and unreadable members:", deep.Outcome, deep.Unreadable)
	}
}

func TestAnAmountIsADecimalNumber(t *testing.T) {
	for text, want := range map[paysvc.Amount]string{"2500.500000": "5001/2", "-7": "-7/1", "": "", "1e5": "", "1/2": "", "1.": "", " 1": ""} {
		number, ok := text.Rat()
		if ok != (want != "") || ok && number.String() != want {
			t.Errorf("%q is read as %v", text, number)
		}
	}
}
