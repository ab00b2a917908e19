package paysvc_test

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"paysvc.example/go/paysvc"
)

// Calls visit with the JSON pointer of each member of an answer, and with what its Get returns, as text.
func walk(pointer string, of reflect.Value, visit func(pointer string, leaf any, got string)) {
	switch leaf := of.Interface().(type) {
	case paysvc.Text:
		visit(pointer, leaf, told(leaf.Get()))
	case paysvc.Integer:
		visit(pointer, leaf, told(leaf.Get()))
	case paysvc.Decimal:
		visit(pointer, leaf, told(leaf.Get()))
	case paysvc.Flag:
		visit(pointer, leaf, told(leaf.Get()))
	case paysvc.Time:
		visit(pointer, leaf, told(leaf.Get()))
	case paysvc.Raw:
		visit(pointer, leaf, told(leaf.Get()))
	case paysvc.Object:
		visit(pointer, leaf, told(leaf.Raw()))
	default:
		if get := of.MethodByName("Get"); get.IsValid() {
			got := get.Call(nil)
			err, _ := got[1].Interface().(error)
			visit(pointer, leaf, told(got[0].Len(), err))
			for i := 0; i < got[0].Len(); i++ {
				walk(pointer+"/"+strconv.Itoa(i), got[0].Index(i), visit)
			}
			return
		}
		for i := 0; i < of.NumField(); i++ {
			below := pointer
			if name := of.Type().Field(i).Tag.Get("json"); name != "" {
				below += "/" + name
			}
			walk(below, of.Field(i), visit)
		}
	}
}

// Whatever the body is, nothing panics, and texts and objects are those that Get finds, which reads the body in another way.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		payment, `{"data":{"orderPayments":[{"orderId":1},2,null,[{}],"x"],"remarks":"a\u0062\ud800"},"data":{}}`, `{"data":`,
		`{"data":{"remarks":"`, `{"data":{"remarks":"\`, `{"data":{"remarks"`, `{"data":{"remarks":}}`, `{"data":{"remarks"::1}}`,
		`{"data":[}`, `{"data":{"orderPayments":[{"orderId"]}`, `{"data":{"orderPayments":[`, `{"data":{"orderPayments":[,,]}}`, `{]`,
		`[`, `"`, `nul`, `-`, ` `, ``, "\x00", `{"":{"":""}}`, `{"data":{"data":{"data":{}}}}`, "{\"data\":{\"remarks\":\"\xff\"}}",
		`{"data":{"dateCreated":"0001-01-01T00:00:00","fee":"007.50"}}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		parsed := paysvc.ParseTransactionDetailsAnswer(body)
		reply := paysvc.TransactionDetailsReply{Reply: paysvc.Reply{Body: body}}
		walk("", reflect.ValueOf(reply.Answer()), func(string, any, string) {}) // Also of what is no JSON.
		walk("", reflect.ValueOf(parsed), func(pointer string, leaf any, got string) {
			if !json.Valid(body) {
				if got != unreadable {
					t.Errorf("%q is no JSON, but has %q at %s", body, got, pointer)
				}
				return
			}
			text, found := reply.Get(pointer)
			if pointer == "" {
				text = strings.TrimSpace(text) // Get returns the whole body.
			}
			_, isText := leaf.(paysvc.Text)
			_, isRaw := leaf.(paysvc.Raw)
			_, isObject := leaf.(paysvc.Object)
			switch {
			case !utf8.Valid(body), !isText && !isRaw && !isObject:
			case got == absent, got == unreadable && isRaw:
				if found {
					t.Errorf("%q has %q at %s, not %q", body, text, pointer, got)
				}
			case got != unreadable && got != text && !(isRaw && quoted(got) == text):
				t.Errorf("%q has %q at %s, not %q", body, text, pointer, got)
			}
		})
	})
}

// Get returns the text of a string, where Raw has its JSON.
func quoted(raw string) (text string) {
	_ = json.Unmarshal([]byte(raw), &text)
	return text
}
