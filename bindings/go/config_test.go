package paysvc_test

import (
	"encoding/json"
	"testing"
	"time"

	"paysvc.example/go/paysvc"
	"paysvc.example/go/paysvc/internal/tested"
)

func TestAFlagThatIsFalseIsNotLeftOut(t *testing.T) {
	t.Setenv("PAYSVC_ALLOW_HTTP", "true")
	config := paysvc.Config{BaseURL: "http://example.com"}
	tested.Connect(t, config)
	config.AllowHTTP = paysvc.Ptr(false)
	for _, config := range []paysvc.Config{config, {BaseURL: "https://127.0.0.1\xff"}} {
		fails(paysvc.New(config))(t, paysvc.ErrConfig, paysvc.ErrOutcomeNotSent)
	}
}

func TestATimeIsRoundedUpToMilliseconds(t *testing.T) {
	for given, want := range map[time.Duration]string{0: `{}`, 1: `{"timeout_ms":1}`, time.Millisecond + 1: `{"timeout_ms":2}`, time.Minute: `{"timeout_ms":60000}`} {
		if text, err := json.Marshal(paysvc.Config{Timeout: given}); err != nil || string(text) != want {
			t.Errorf("%v is written as %s, %v", given, text, err)
		}
	}
	fails(paysvc.New(paysvc.Config{Timeout: -1}))(t, paysvc.ErrConfig, paysvc.ErrOutcomeNotSent)
}

func TestAConfigIsReadFromTheJSONOfTheLibrary(t *testing.T) {
	config := paysvc.Config{Mode: "test", Timeout: time.Hour}
	text := `{"base_url":"http://127.0.0.1:1","timeout_ms":1500,"connect_timeout_ms":20,"allow_http":false}`
	tested.Must(t, "read the configuration", json.Unmarshal([]byte(text), &config))
	if config.Timeout != 1500*time.Millisecond || config.ConnectTimeout != 20*time.Millisecond || config.Mode != "test" || *config.AllowHTTP {
		t.Errorf("read %v, %v, %q, %v", config.Timeout, config.ConnectTimeout, config.Mode, *config.AllowHTTP)
	}
	for _, wrong := range []string{
		`{"timeout":5}`, `{"timeout_ms":1.5}`, `{"timeout_ms":9300000000000}`, `{"timeout_ms":-9300000000000}`, `{"secret_key":"[hidden]"}`,
	} {
		if err := json.Unmarshal([]byte(wrong), &paysvc.Config{}); err == nil {
			t.Errorf("%s is read", wrong)
		}
	}
}
