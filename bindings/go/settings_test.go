package paysvc

import (
	"testing"
	"time"
)

// The library ignores quotes and blanks around the value of a variable.
func TestAClientKnowsWhatTheLibraryHasRead(t *testing.T) {
	t.Setenv("PAYSVC_SECRET_KEY", ` "" `)
	t.Setenv("PAYSVC_TIMEOUT_MS", ` "1200" `)
	for _, made := range []struct {
		config    Config
		timeout   time.Duration
		hasSecret bool
	}{
		{Config{}, 1200 * time.Millisecond, false},
		{Config{Timeout: time.Minute, SecretKey: NewSecret("PGW-SECRETKEY-1")}, time.Minute, true},
	} {
		client, err := New(made.config)
		if err != nil {
			t.Fatal("cannot make a client:", err)
		}
		if client.timeout != made.timeout || client.HasSecretKey() != made.hasSecret {
			t.Error("timeout, and whether there is a secret key:", client.timeout, client.HasSecretKey())
		}
		client.Close()
	}
}
