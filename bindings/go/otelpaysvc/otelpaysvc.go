// Package otelpaysvc makes OpenTelemetry spans of the calls of a paysvc client: one for each call and, in it, one for each attempt.
// The header traceparent carries the span of the call to the service.
//
//	client, err := paysvc.New(config, paysvc.WithHooks(otelpaysvc.Hooks(nil)))
//
// No attribute holds keys, card data, one-time codes, messages or bodies.
package otelpaysvc

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"paysvc.example/go/paysvc"
)

const name = "paysvc.example/go/paysvc/otelpaysvc"

// Hooks makes the hooks of a client. nil: the global provider of tracers.
//
// The span of a call has its function as name, and the attributes paysvc.call_id, paysvc.status, paysvc.outcome, paysvc.state,
// paysvc.attempts and http.response.status_code. The span of an attempt is named after the endpoint's function, and has
// paysvc.attempt, and paysvc.request_id if the service gave the request an ID. The status of a span is an error unless that
// of the call or attempt is OK.
func Hooks(provider trace.TracerProvider) paysvc.Hooks {
	if provider == nil {
		provider = otel.GetTracerProvider()
	}
	tracer := provider.Tracer(name)
	begin := func(ctx context.Context, name string) context.Context {
		ctx, _ = tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient))
		return ctx
	}
	return paysvc.Hooks{
		CallBegins: func(ctx context.Context, function string) context.Context {
			ctx = begin(ctx, "paysvc "+function)
			header := propagation.MapCarrier{}
			propagation.TraceContext{}.Inject(ctx, header)
			if header["traceparent"] == "" {
				return ctx // Nothing is traced: a traceparent of the caller stays.
			}
			return paysvc.ContextWithTraceparent(ctx, header["traceparent"])
		},
		CallEnded: func(ctx context.Context, _ string, reply *paysvc.Reply, err error) {
			end(ctx, err == nil, reply.Status, reply.Outcome, reply.HTTPStatus,
				attribute.String("paysvc.call_id", reply.CallID),
				attribute.String("paysvc.state", reply.State.String()),
				attribute.Int("paysvc.attempts", reply.Attempts))
		},
		AttemptBegins: func(ctx context.Context, attempt paysvc.Attempt) context.Context {
			return begin(ctx, "paysvc attempt "+attempt.Function)
		},
		AttemptEnded: func(ctx context.Context, attempt paysvc.Attempt) {
			more := []attribute.KeyValue{
				attribute.String("paysvc.call_id", attempt.CallID), attribute.Int("paysvc.attempt", attempt.Number),
			}
			if attempt.RequestID != "" {
				more = append(more, attribute.String("paysvc.request_id", attempt.RequestID))
			}
			end(ctx, attempt.Status == paysvc.StatusOK, attempt.Status, attempt.Outcome, attempt.HTTPStatus, more...)
		},
	}
}

// Ends the span of the context.
func end(ctx context.Context, ok bool, status paysvc.Status, outcome paysvc.Outcome, http int, more ...attribute.KeyValue) {
	span := trace.SpanFromContext(ctx)
	span.SetAttributes(attribute.String("paysvc.status", status.String()), attribute.String("paysvc.outcome", outcome.String()))
	if http != 0 {
		span.SetAttributes(attribute.Int("http.response.status_code", http))
	}
	span.SetAttributes(more...)
	if !ok {
		span.SetStatus(codes.Error, status.String()+", outcome "+outcome.String())
	}
	span.End()
}
