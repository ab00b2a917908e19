package paysvc_test

import (
	"testing"

	"paysvc.example/go/paysvc"
)

// Which forms are read is the same in all languages, and is tested for all of them in tests/integration/typed_answers.
func TestWhatIsUnknownIsAsItWasSent(t *testing.T) {
	for _, sent := range []string{`{ "a": [1] }`, `[ ]`, `" "`, `1.50`, `false`} {
		if got := told(paysvc.ParseTransactionDetailsAnswer([]byte(`{"data":{"customer":` + sent + `}}`)).Data.Customer.Get()); got != sent {
			t.Errorf("%s, not %s", got, sent)
		}
	}
}

func TestAmountsAreExact(t *testing.T) {
	rat := func(text string) string {
		number, ok := paysvc.Amount(text).Rat()
		if !ok {
			return unreadable
		}
		return number.RatString()
	}
	for text, want := range map[string]string{
		"25.5": "51/2", "25.50": "51/2", "-0": "0", "98000.000000": "98000", "": unreadable, "1/3": unreadable, "1e5": unreadable,
		"0x10": unreadable, "1_0": unreadable, " 1": unreadable, "Inf": unreadable,
	} {
		if got := rat(text); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
