package paysvc_test

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"paysvc.example/go/paysvc"
)

// Of httptest's servers the certificate is its own authority.
func TestTheCertificateOfHttptestIsTrustedAsCAFile(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"status":true,"message":"done","data":[]}`))
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	must(t, "write the CA file", os.WriteFile(file, text, 0o600))
	config := paysvc.Config{BaseURL: server.URL, PublicKey: paysvc.NewSecret("PGW-PUBLICKEY-TEST-00000000000000000000000000000000")}
	ask := func() error {
		_, err := connect(t, config).DirectDebitHistory(context.Background(), paysvc.DirectDebitHistoryRequest{EmailAddress: "none@example.com"})
		return err
	}
	is(t, ask(), paysvc.ErrTransport, paysvc.ErrOutcomeNotSent)
	config.CAFile = file
	must(t, "ask with the CA file", ask())
}
