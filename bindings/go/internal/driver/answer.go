package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"paysvc.example/go/paysvc"
)

// The answer of a reply, read as that of a method: an object from the JSON pointer of each typed member to a string, which is
// its value; null: absent; false: unreadable. An object is "{}", a list "[" and its length "]", and its first elements follow.
func answerOf(last paysvc.Reply, method reflect.Value) string {
	if !method.IsValid() {
		fail("no such method")
	}
	reply := reflect.New(method.Type().Out(0).Elem())
	reply.Elem().FieldByName("Reply").Set(reflect.ValueOf(last))
	entries := map[string]any{}
	addMembers(entries, "", reply.MethodByName("Answer").Call(nil)[0])
	text, err := json.Marshal(entries)
	if err != nil {
		fail("%v", err)
	}
	return string(text)
}

func addMembers(entries map[string]any, pointer string, object reflect.Value) {
	for i := 0; i < object.NumField(); i++ {
		if name := object.Type().Field(i).Tag.Get("json"); name != "" { // Not the embedded Object.
			add(entries, pointer+"/"+name, object.Field(i))
		}
	}
}

func add(entries map[string]any, pointer string, member reflect.Value) {
	switch of := member.Interface().(type) {
	case paysvc.Text:
		entries[pointer] = entry(of.Get())
	case paysvc.Integer:
		entries[pointer] = entry(of.Get())
	case paysvc.Decimal:
		entries[pointer] = entry(of.Get())
	case paysvc.Flag:
		entries[pointer] = entry(of.Get())
	case paysvc.Time:
		at, err := of.Get()
		entries[pointer] = entry(at.Format("2006-01-02T15:04:05.000000Z"), err)
	case paysvc.Raw:
		raw, err := of.Get()
		entries[pointer] = entry(typeOf(raw), err)
	case interface{ Present() bool }:
		_, err := member.FieldByName("Object").Interface().(paysvc.Object).Raw()
		entries[pointer] = entry("{}", err)
		if of.Present() != (err == nil) {
			fail("%s: Present and Raw disagree", pointer)
		}
		addMembers(entries, pointer, member)
	default:
		addList(entries, pointer, member)
	}
}

// How many elements of a list are reported.
const most = 5

func addList(entries map[string]any, pointer string, list reflect.Value) {
	got := list.MethodByName("Get").Call(nil)
	elements := got[0]
	err, _ := got[1].Interface().(error)
	entries[pointer] = entry("["+strconv.Itoa(elements.Len())+"]", err)
	for i := 0; i < min(elements.Len(), most); i++ {
		add(entries, pointer+"/"+strconv.Itoa(i), elements.Index(i))
	}
}

func entry[T any](value T, err error) any {
	var unreadable *paysvc.AnswerError
	switch {
	case err == nil:
		return fmt.Sprint(value)
	case errors.Is(err, paysvc.ErrAbsent):
		return nil
	case errors.As(err, &unreadable):
		return false
	}
	fail("%v", err)
	return nil
}

func typeOf(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	}
	return "number"
}
