package paysvc_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"paysvc.example/go/paysvc"
)

const absent, unreadable = "absent", "unreadable"

// What Get returned, as text.
func told[T any](value T, err error) string {
	var cannot *paysvc.AnswerError
	switch {
	case errors.Is(err, paysvc.ErrAbsent):
		return absent
	case errors.As(err, &cannot):
		return unreadable
	case err != nil:
		return err.Error()
	}
	switch value := any(value).(type) {
	case time.Time:
		return value.Format("2006-01-02 15:04:05.999999999 -0700 MST")
	case json.RawMessage:
		return string(value)
	}
	return fmt.Sprint(value)
}

// All members of an answer that are not there are absent; no step on the way has to be checked.
func TestMembersOfWhatIsAbsent(t *testing.T) {
	for _, body := range []string{`{}`, ` {"data":null} `, `{"Data":{"orderPayment":{"fee":1}}}`, `{"data":{"orderPayment":null}}`} {
		answer := paysvc.ParseOrderPayAnswer([]byte(body))
		payment := answer.Data.OrderPayment
		if payment.Present() || told(payment.Fee.Get()) != absent || told(payment.Raw()) != absent || !answer.Present() {
			t.Error(body)
		}
	}
	var zero paysvc.OrderPayReply
	if told(paysvc.OrderPayAnswer{}.Data.OrderPayment.Fee.Get()) != absent || told(zero.Answer().Data.OrderPayment.Fee.Get()) != unreadable {
		t.Error("a zero value")
	}
}

// What stands in the place of an object makes all below it unreadable, and nothing else.
func TestMembersOfWhatIsNoObject(t *testing.T) {
	for body, pointer := range map[string]string{
		`{"data":{"orderPayment":"none","paymentDetail":{"cardToken":"T"}}}`: "/data/orderPayment",
		`{"data":[{"orderPayment":{"fee":1}}]}`:                              "/data",
		`[]`:                                                                 "", `null`: "", `"{}"`: "", ``: "", `{`: "",
		`{"data":{"orderPayment":{"fee":1}}} x`: "", "\x00": "",
	} {
		answer := paysvc.ParseOrderPayAnswer([]byte(body))
		payment := answer.Data.OrderPayment
		_, err := payment.Fee.Get()
		_, also := payment.Raw()
		var cannot *paysvc.AnswerError
		if !errors.As(err, &cannot) || cannot.Pointer != pointer || cannot.Want != "object" || payment.Present() ||
			told(payment.Currency.Get()) != unreadable || also == nil || also.Error() != err.Error() {
			t.Errorf("%s: %v, %v", body, err, also)
		}
		if strings.Contains(body, "cardToken") && told(answer.Data.PaymentDetail.CardToken.Get()) != "T" {
			t.Error("what stands beside it")
		}
	}
	details := paysvc.ParseTransactionDetailsAnswer([]byte(`{"data":1}`)).Data
	list, err := details.OrderPayments.Get()
	if told(list, err) != unreadable || list != nil || told(details.Customer.Get()) != unreadable || told(details.DateCreated.Get()) != unreadable {
		t.Error(list, err)
	}
}

func TestTheFirstMemberOfAnExactNameCounts(t *testing.T) {
	for body, want := range map[string]string{
		`{"data":{"orderPayment":{"fee":1,"fee":2}}}`:                               "1",
		`{"data":{"orderPayment":{"Fee":3,"FEE":4,"fee":5}}}`:                       "5",
		`{"data":{"orderPayment":{"fee":null,"fee":2}}}`:                            absent,
		`{"data":{"orderPayment":{"fee":{},"fee":2}}}`:                              unreadable,
		`{"data":{"orderPayment":{"f\u0065e":6,"fee":7}}}`:                          "6",
		`{"data":{"orderPayment":{}},"data":{"orderPayment":{"fee":2}}}`:            absent,
		`{"data":null,"data":{"orderPayment":{"fee":2}}}`:                           absent,
		`{"data":7,"data":{"orderPayment":{"fee":2}}}`:                              unreadable,
		`{"data":{"orderPayment":{"x":{"fee":8,"y":[{"fee":8}]},"fee":9}}}`:         "9",
		`{"data":{"orderPayment":{"fee ":8,"fee\u0000":8,"":8,"fée":8,"fee":9}}}`:   "9",
		`{"data":{"x":"\"}],{\\","orderPayment":{"x":"}","fee":9,"y":"{[,\\\\"}}}`:  "9",
		"\t{ \"data\" :\r\n{ \"orderPayment\" : { \"a\" : [ ] , \"fee\" : 9 } } } ": "9",
	} {
		if got := told(paysvc.ParseOrderPayAnswer([]byte(body)).Data.OrderPayment.Fee.Get()); got != want {
			t.Errorf("%s: %s, not %s", body, got, want)
		}
	}
}

// There is no limit on nesting but that of encoding/json, which checks what does not come from the library.
func TestNestingHasNoLimit(t *testing.T) {
	for _, depth := range []int{100, 1_000_000} {
		deep := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		body := []byte(`{"data":{"customer":` + deep + `,"x":` + deep + `,"remarks":"behind it"}}`)
		reply := paysvc.TransactionDetailsReply{Reply: paysvc.Reply{Body: body}}
		if data := reply.Answer().Data; told(data.Remarks.Get()) != "behind it" || told(data.Customer.Get()) != deep {
			t.Error(depth)
		}
		want := map[bool]string{true: "behind it", false: unreadable}[depth < 10_000]
		if got := told(paysvc.ParseTransactionDetailsAnswer(body).Data.Remarks.Get()); got != want {
			t.Error(depth, got)
		}
	}
	for _, open := range []string{"[", `{"data":`, `{"data":[`, `{"data":{"orderPayments":[`} {
		reply := paysvc.TransactionDetailsReply{Reply: paysvc.Reply{Body: []byte(strings.Repeat(open, 100_000))}}
		reply.Answer()
	}
}

func TestElementsOfLists(t *testing.T) {
	answer := paysvc.ParseTransactionDetailsAnswer([]byte(`{"data":{"bank":"B","orderPayments":[
		{"orderId":1,"orderId":2}, {"orderId":"three","remarks":null}, null, "x", [], {}, {"orderId":4.0}]}}`))
	payments, err := answer.Data.OrderPayments.Get()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, payment := range payments {
		got = append(got, fmt.Sprint(payment.Present())+" "+told(payment.OrderID.Get())+" "+told(payment.Remarks.Get()))
	}
	want := "true 1 absent, true unreadable absent, false unreadable unreadable, false unreadable unreadable, " +
		"false unreadable unreadable, true absent absent, true 4 absent"
	if all := strings.Join(got, ", "); all != want {
		t.Error(all)
	}
	var pointers []string
	for _, payment := range payments {
		var cannot *paysvc.AnswerError
		if _, err := payment.OrderID.Get(); errors.As(err, &cannot) {
			pointers = append(pointers, fmt.Sprintf("%s %s %s", cannot.Pointer, cannot.Want, cannot.Found))
		}
	}
	want = "/data/orderPayments/1/orderId integer string, /data/orderPayments/2 object null, " +
		"/data/orderPayments/3 object string, /data/orderPayments/4 object array"
	if all := strings.Join(pointers, ", "); all != want {
		t.Error(all)
	}
}

func TestWhatAnErrorTells(t *testing.T) {
	const secret = "4711-secret"
	answer := paysvc.ParseTransactionDetailsAnswer([]byte(`{"x":[{"fee":1}],"data":{"a/b~":{"fee":2},"fee":"` + secret + `"}}`))
	_, err := answer.Data.Fee.Get()
	if err == nil || err.Error() != "paysvc: cannot read /data/fee of the answer: want decimal number, found string" {
		t.Error(err)
	}
	if shown := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(shown, secret) {
		t.Error(shown)
	}
	_, err = paysvc.ParseTransactionDetailsAnswer([]byte("[" + secret)).Data.Fee.Get()
	if err == nil || err.Error() != "paysvc: cannot read the answer: want object, found no JSON document" {
		t.Error(err)
	}
	_, err = paysvc.ParseTransactionDetailsAnswer([]byte(`[true]`)).Data.Fee.Get()
	if err == nil || err.Error() != "paysvc: cannot read the answer: want object, found array" {
		t.Error(err)
	}
	for kind, want := range map[string]string{
		`"remarks":true`: "string, found boolean", `"orderPayments":"[]"`: "array, found string", `"statusId":1.5`: "integer, found number",
		`"dateCreated":{}`: "time, found object", `"fee":[]`: "decimal number, found array",
	} {
		data := paysvc.ParseTransactionDetailsAnswer([]byte(`{"data":{` + kind + `}}`)).Data
		_, list := data.OrderPayments.Get()
		_, remarks := data.Remarks.Get()
		_, state := data.StatusID.Get()
		_, created := data.DateCreated.Get()
		_, fee := data.Fee.Get()
		found := false
		for _, err := range []error{list, remarks, state, created, fee} {
			found = found || strings.HasSuffix(err.Error(), want)
		}
		if !found {
			t.Error(kind)
		}
	}
}

// An answer is read by many goroutines, errors included, whose pointers are found when they are made.
func TestGoroutinesMayShareAnAnswer(t *testing.T) {
	reply := paysvc.TransactionDetailsReply{Reply: paysvc.Reply{Body: json.RawMessage(
		`{"data":{"fee":"1.50","remarks":"a\u0020b","orderPayments":[{"orderId":"x"},{"orderId":2}]}}`)}}
	answer := reply.Answer()
	payments, err := answer.Data.OrderPayments.Get()
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := 0; i < 8; i++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			_, err := payments[0].OrderID.Get()
			again, _ := answer.Data.OrderPayments.Get()
			if told(answer.Data.Fee.Get()) != "1.50" || told(answer.Data.Remarks.Get()) != "a b" || len(again) != 2 ||
				!strings.Contains(err.Error(), "/data/orderPayments/0/orderId") || told(reply.Answer().Data.Fee.Get()) != "1.50" {
				t.Error(err)
			}
		}()
	}
	wait.Wait()
}

// What a program does with Body afterwards does not change the answer.
func TestAnAnswerIsACopy(t *testing.T) {
	body := []byte(`{"data":{"remarks":"rent"}}`)
	answer := paysvc.ParseTransactionDetailsAnswer(body)
	clear(body)
	raw, err := answer.Data.Raw()
	clear(raw)
	if told(answer.Data.Remarks.Get()) != "rent" || told(answer.Data.Raw()) != `{"remarks":"rent"}` || err != nil {
		t.Error(answer.Data.Raw())
	}
}
