// Command driver lets the library's tests use this package from another process, with the protocol of tests/c/driver.c.
//
// Standard input: the configuration in one line, then a command in each line: function, tab, JSON; or "get", tab, JSON pointer
// into the last reply; or "close", tab. Standard output, a line for each call, separated by tabs:
// status, outcome, state, HTTP status, attempts, retry-after in ms, code, message, body; or = and what Get found, or - for
// nothing.
//
// A request goes through the struct of its method if that can hold it. Otherwise it is sent as JSON, and the library must
// refuse it: a request that the library accepts and the struct cannot hold is a bug of the struct.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"time"

	"paysvc.example/go/paysvc"
)

// Writes the log as the drivers of the other languages do.
type lines struct{ slog.Handler }

func (lines) Enabled(context.Context, slog.Level) bool { return true }

func (lines) Handle(_ context.Context, record slog.Record) error {
	_, err := fmt.Fprintln(os.Stderr, "log", record.Level, record.Message)
	return err
}

func main() {
	input := bufio.NewReader(os.Stdin)
	config, _ := line(input)
	client, err := paysvc.NewFromJSON(json.RawMessage(config), paysvc.WithLog(lines{}, slog.LevelDebug))
	if err != nil {
		show(nil, err)
		return
	}
	defer client.Close()
	show(&paysvc.Reply{Status: paysvc.StatusOK, Outcome: paysvc.OutcomeNotSent, Body: json.RawMessage(`{}`)}, nil)
	var last paysvc.Reply
	for text, ok := line(input); ok; text, ok = line(input) {
		command, argument, found := strings.Cut(text, "\t")
		switch {
		case !found:
			fail("no tab in %s", text)
		case command == "close":
			client.Close()
			fmt.Println("closed")
		case command == "get":
			if value, ok := last.Get(argument); ok {
				fmt.Println("=" + value)
			} else {
				fmt.Println("-")
			}
		default:
			last = show(call(client, command, argument))
		}
	}
}

func line(input *bufio.Reader) (string, bool) {
	text, err := input.ReadString('\n')
	return strings.TrimSuffix(text, "\n"), err == nil || text != ""
}

// Lists the errors that errors.Is finds in an error, with the names of paysvc.h.
func classesOf(err error) string {
	found := "class"
	for _, kind := range []error{
		paysvc.ErrArgument, paysvc.ErrConfig, paysvc.ErrEncrypt, paysvc.ErrUnresolved, paysvc.ErrTransport, paysvc.ErrTimeout, paysvc.ErrCancelled,
		paysvc.ErrRejected, paysvc.ErrUnauthorized, paysvc.ErrRateLimited, paysvc.ErrServer, paysvc.ErrResponse,
		paysvc.ErrInternal, paysvc.ErrOutcomeNotSent, paysvc.ErrOutcomeRejected, paysvc.ErrOutcomeUnknown,
	} {
		if errors.Is(err, kind) {
			found += " " + strings.TrimPrefix(kind.Error(), "paysvc: ")
		}
	}
	return found
}

func fail(format string, of ...any) {
	fmt.Fprintf(os.Stderr, "driver: "+format+"\n", of...)
	os.Exit(2)
}

func show(reply *paysvc.Reply, err error) paysvc.Reply {
	var failure *paysvc.Error
	if errors.As(err, &failure) {
		reply = &failure.Reply
		fmt.Fprintln(os.Stderr, classesOf(err))
		fmt.Fprintf(os.Stderr, "error %v %+v %#v %q %s\n", err, failure, failure, err, reply)
	} else if err != nil {
		fail("not an *Error: %v", err)
	}
	fmt.Printf("%v\t%v\t%d\t%d\t%d\t%d\t%s\t%s\t%s\n", reply.Status, reply.Outcome, int(reply.State), reply.HTTPStatus,
		reply.Attempts, reply.RetryAfter/time.Millisecond, reply.Code, reply.Message, reply.Body)
	return *reply
}

// Calls the method of that name if its struct can hold the request, else Call.
func call(client *paysvc.Client, function, request string) (*paysvc.Reply, error) {
	ctx := context.Background()
	method := methodOf(client, function)
	if function == "resolve" { // Client.Resolve takes an error.
		method = methodOf(client, "resolve_request")
	}
	if method.IsValid() {
		typed := reflect.New(method.Type().In(1)).Elem()
		err := fill(typed, json.RawMessage(request))
		if err == nil {
			got := method.Call([]reflect.Value{reflect.ValueOf(ctx), typed})
			if err, failed := got[1].Interface().(error); failed {
				return nil, err
			}
			return replyOf(got[0].Elem()), nil
		}
		// A struct holds an amount as text; in JSON it may be a number.
		var unfit *json.UnmarshalTypeError
		if errors.As(err, &unfit) && unfit.Value == "number" && unfit.Type.Kind() == reflect.String {
			return client.Call(ctx, function, json.RawMessage(request))
		}
	} else if function != "encrypt" {
		fail("no method %s", function)
	}
	reply, err := client.Call(ctx, function, json.RawMessage(request))
	// For an earlier request, a wrong argument is not ErrArgument: its outcome is UNKNOWN.
	var failure *paysvc.Error
	if function != "encrypt" && !(errors.As(err, &failure) && failure.Status == paysvc.StatusArgument) {
		fail("the struct of %s cannot hold what the library takes: %s", function, request)
	}
	return reply, err
}

// The reply within that of a method; [paysvc.Client.Request] returns it as it is.
func replyOf(reply reflect.Value) *paysvc.Reply {
	if plain, ok := reply.Addr().Interface().(*paysvc.Reply); ok {
		return plain
	}
	return reply.FieldByName("Reply").Addr().Interface().(*paysvc.Reply)
}

// The method for a function, e.g. OrderRefund for order_refund; initialisms do not matter.
func methodOf(client *paysvc.Client, function string) reflect.Value {
	name, of := strings.ReplaceAll(function, "_", ""), reflect.ValueOf(client)
	for i := 0; i < of.NumMethod(); i++ {
		method := of.Type().Method(i)
		if strings.EqualFold(strings.TrimRight(method.Name, "_"), name) && method.Type.NumIn() > 2 && method.Type.In(2).Kind() == reflect.Struct {
			return of.Method(i)
		}
	}
	return reflect.Value{}
}

var errUnfit = errors.New("the struct cannot hold it")

// Fills a struct from an object, exactly: every JSON field has one in the struct or goes into Extra, and every required one is there.
func fill(into reflect.Value, text json.RawMessage) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return errUnfit
	}
	for i := 0; i < into.NumField(); i++ {
		field, of := into.Field(i), into.Type().Field(i)
		name, omit, _ := strings.Cut(of.Tag.Get("json"), ",")
		value, found := members[name]
		delete(members, name)
		switch {
		case name == "-" || !of.IsExported():
		case !found && omit == "":
			return errUnfit
		case found:
			if err := set(field, value); err != nil {
				return err
			}
		}
	}
	extra := into.FieldByName("Extra")
	if len(members) > 0 && !extra.IsValid() {
		return errUnfit
	}
	if len(members) > 0 {
		extra.Set(reflect.ValueOf(members))
	}
	return nil
}

func set(field reflect.Value, value json.RawMessage) error {
	if field.Type() != reflect.TypeOf(value) && string(value) == "null" {
		return errUnfit // Nil means that the JSON field is left out.
	}
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	if field.Kind() == reflect.Struct && field.Type() != reflect.TypeOf(paysvc.Secret{}) {
		return fill(field, value)
	}
	if field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct {
		var elements []json.RawMessage
		if err := json.Unmarshal(value, &elements); err != nil {
			return errUnfit
		}
		field.Set(reflect.MakeSlice(field.Type(), len(elements), len(elements)))
		for i, element := range elements {
			if err := fill(field.Index(i), element); err != nil {
				return err
			}
		}
		return nil
	}
	return json.Unmarshal(value, field.Addr().Interface())
}
