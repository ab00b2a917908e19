package otelpaysvc_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
	"paysvc.example/go/paysvc/otelpaysvc"
)

// A service that asks to try again at first, then refuses or succeeds; and the header traceparent of each request.
func service(t *testing.T, last int) (client *paysvc.Client, spans *tracetest.InMemoryExporter, tracer trace.Tracer, traces chan string) {
	t.Helper()
	traces = make(chan string, 10)
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		traces <- r.Header.Get("traceparent")
		number := requests.Add(1)
		w.Header().Set("x-request-id", fmt.Sprintf("r-%d", number))
		if number == 1 {
			w.Header().Set("retry-after", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		} else {
			w.WriteHeader(last)
		}
		fmt.Fprintf(w, `{"status":%t,"message":"ada@example.com","data":{}}`, last == 200)
	}))
	t.Cleanup(server.Close)
	spans = tracetest.NewInMemoryExporter()
	provider := sdk.NewTracerProvider(sdk.WithSyncer(spans))
	config := paysvc.Config{BaseURL: server.URL, PublicKey: paysvc.NewSecret("PGW-PUBLICKEY-TEST-1")}
	return tested.Connect(t, config, paysvc.WithHooks(otelpaysvc.Hooks(provider))), spans, provider.Tracer("test"), traces
}

// The attributes of a span, without the call ID.
func said(span tracetest.SpanStub) string {
	var all []string
	for _, attribute := range span.Attributes {
		if attribute.Key != "paysvc.call_id" {
			all = append(all, fmt.Sprintf("%s=%s", attribute.Key, attribute.Value.Emit()))
		}
	}
	return strings.Join(all, " ")
}

func callID(span tracetest.SpanStub) string {
	for _, attribute := range span.Attributes {
		if attribute.Key == "paysvc.call_id" {
			return attribute.Value.AsString()
		}
	}
	return ""
}

func TestACallAndItsAttemptsAreSpansOfTheCallersTrace(t *testing.T) {
	for last, want := range map[int][]string{
		200: {
			"paysvc.status=OK paysvc.outcome=CONFIRMED http.response.status_code=200 paysvc.attempt=2 paysvc.request_id=r-2",
			"paysvc.status=OK paysvc.outcome=CONFIRMED http.response.status_code=200 paysvc.state=NONE paysvc.attempts=2",
		},
		404: {
			"paysvc.status=E_REJECTED paysvc.outcome=REJECTED http.response.status_code=404 paysvc.attempt=2 paysvc.request_id=r-2",
			"paysvc.status=E_REJECTED paysvc.outcome=REJECTED http.response.status_code=404 paysvc.state=NONE paysvc.attempts=2",
		},
	} {
		client, spans, tracer, traces := service(t, last)
		ctx, root := tracer.Start(context.Background(), "till")
		_, err := client.DirectDebitHistory(ctx, paysvc.DirectDebitHistoryRequest{EmailAddress: "ada@example.com"})
		root.End()
		ended := spans.GetSpans()
		if (err == nil) != (last == 200) || len(ended) != 4 {
			t.Fatal("the call, and its spans:", err, ended)
		}
		first, second, call, till := ended[0], ended[1], ended[2], ended[3]
		for i, child := range []tracetest.SpanStub{first, second, call} {
			parent, name := call, "paysvc attempt direct_debit_history"
			if i == 2 {
				parent, name = till, "paysvc direct_debit_history"
			}
			if child.Parent.SpanID() != parent.SpanContext.SpanID() || child.Name != name || child.SpanKind != trace.SpanKindClient {
				t.Errorf("%s: not a client span in %s", child.Name, parent.Name)
			}
			if (child.Status.Code == codes.Error) != (i == 0 || last != 200) {
				t.Error("the status of the span:", child.Name, child.Status)
			}
			if id := callID(child); id == "" || id != callID(call) {
				t.Errorf("call id %q of %s", id, child.Name)
			}
			if text := fmt.Sprint(child); strings.Contains(text, "ada@example.com") || strings.Contains(text, "PUBLICKEY") {
				t.Error("a span has data of the request:", text)
			}
		}
		const refused = "paysvc.status=E_RATE_LIMITED paysvc.outcome=REJECTED http.response.status_code=429 paysvc.attempt=1 paysvc.request_id=r-1"
		if said(first) != refused || said(second) != want[0] || said(call) != want[1] {
			t.Errorf("%s\n%s\n%s", said(first), said(second), said(call))
		}
		header := fmt.Sprintf("00-%s-%s-01", root.SpanContext().TraceID(), call.SpanContext.SpanID())
		for range [2]int{} {
			if sent := <-traces; sent != header {
				t.Errorf("sent %q, want %s", sent, header)
			}
		}
	}
}

// Without a provider nothing is traced; what the caller sends goes on.
func TestTheGlobalProviderIsUsed(t *testing.T) {
	hooks := otelpaysvc.Hooks(nil)
	ctx := hooks.CallBegins(context.Background(), "order_pay")
	if trace.SpanFromContext(ctx).SpanContext().IsValid() {
		t.Error("a span without a provider")
	}
	hooks.CallEnded(ctx, "order_pay", &paysvc.Reply{}, nil)
}
