package paysvc_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"paysvc.example/go/paysvc"
)

func TestLog(t *testing.T) {
	var text bytes.Buffer
	handler := slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug})
	_, client := start(t, paysvc.WithLog(handler, slog.LevelDebug))
	card := paysvc.OrderCreateRequest{
		Reference: paysvc.Ptr("ORDER-1"), Paymentoption: paysvc.Ptr("C"), Country: paysvc.Ptr("NG"),
		Order: &paysvc.OrderCreateOrder{Reference: "ORDER-1", Amount: "25.50"},
		Card: &paysvc.OrderCreateCard{
			Cardnumber: paysvc.NewSecret("4111111111111111"), Expirymonth: "01", Expiryyear: "39", CVV: paysvc.NewSecret("193"),
		},
	}
	need(client.OrderCreate(context.Background(), card))(t, "charge the card")
	if !strings.Contains(text.String(), "level=DEBUG") && !strings.Contains(text.String(), "level=INFO") {
		t.Errorf("no log: %q", text.String())
	}
	for _, secret := range []string{"4111111111111111", "PGW-SECRETKEY", "PGW-PUBLICKEY"} {
		if strings.Contains(text.String(), secret) {
			t.Error("the log has secrets")
		}
	}
}

type panicking struct {
	slog.Handler
	lines *int
}

func (panicking) Enabled(context.Context, slog.Level) bool { return true }
func (p panicking) Handle(context.Context, slog.Record) error {
	*p.lines++
	panic("a bug in a handler")
}

func TestAPanicInALogHandlerDoesNotFailTheCall(t *testing.T) {
	lines := 0
	sandbox, client := start(t, paysvc.WithLog(panicking{lines: &lines}, slog.LevelDebug))
	paid(sandbox, "ORDER-1")
	_, err := client.OrderRefund(context.Background(), paysvc.OrderRefundRequest{Reference: "ORDER-1"})
	if err != nil || lines == 0 {
		t.Error("the refund, and lines that the handler got:", err, lines)
	}
}
