package paysvc_test

import (
	"strings"
	"testing"

	"paysvc.example/go/paysvc"
)

// The member of that kind, if this is what the service sends for it.
func member(kind, value string) string {
	details := func(name string) paysvc.TransactionDetailsAnswerData {
		return paysvc.ParseTransactionDetailsAnswer([]byte(`{"data":{"` + name + `":` + value + `}}`)).Data
	}
	switch kind {
	case "text":
		return told(details("remarks").Remarks.Get())
	case "integer":
		return told(details("statusId").StatusID.Get())
	case "decimal":
		return told(details("fee").Fee.Get())
	case "flag":
		return told(paysvc.ParseDirectDebitHistoryAnswer([]byte(`{"hasExistingDebitMandate":` + value + `}`)).HasExistingDebitMandate.Get())
	case "time":
		return told(details("dateCreated").DateCreated.Get())
	case "raw":
		return told(details("customer").Customer.Get())
	case "list":
		list, err := details("orderPayments").OrderPayments.Get()
		return told(len(list), err)
	case "object":
		data := paysvc.ParseTransactionDetailsAnswer([]byte(`{"data":` + value + `}`)).Data
		_, err := data.Raw()
		return told(data.Present(), err)
	}
	panic(kind)
}

func TestWhatIsReadOfAMember(t *testing.T) {
	digits := strings.Repeat("9", 64)
	for kind, values := range map[string]map[string]string{
		"text": {
			`null`: absent, `""`: "", `" a "`: " a ", `"caf\u00e9 \"\\\/\n\ud83d\ude00"`: "café \"\\/\n😀", `100.10`: "100.10",
			`-0.50`: "-0.50", `1E+2`: "1E+2", `true`: unreadable, `{}`: unreadable, `[]`: unreadable, `["a"]`: unreadable,
		},
		"integer": {
			`null`: absent, `""`: absent, `" \t\n\u000b\u000c\r"`: absent, `5`: "5", `"5"`: "5", `" 5\n"`: "5", `5.000`: "5",
			`"007"`: "7", `-0`: "0", `"\u0035"`: "5", `9223372036854775807`: "9223372036854775807",
			`"-9223372036854775808"`: "-9223372036854775808", `9223372036854775808`: unreadable, `-9223372036854775809.0`: unreadable,
			`5.5`: unreadable, `"5."`: unreadable, `".0"`: unreadable, `5e0`: unreadable, `"+5"`: unreadable, `"0x5"`: unreadable,
			`"--5"`: unreadable, `"-"`: unreadable, `"5 5"`: unreadable, `"5_0"`: unreadable, `"٥"`: unreadable, `"five"`: unreadable,
			`true`: unreadable, `{}`: unreadable, `[5]`: unreadable, `"\u00a05"`: unreadable,
		},
		"decimal": {
			`null`: absent, `"  "`: absent, `98000.000000`: "98000.000000", `"98000.000000"`: "98000.000000", `"007.50"`: "7.50",
			`"-007.50"`: "-7.50", `"000"`: "0", `"00.5"`: "0.5", `0.5`: "0.5", `-0`: "-0", `" 25.50 "`: "25.50",
			`"` + digits + `"`: digits, `"0` + digits + `"`: unreadable, `" ` + digits + ` "`: digits, `1e2`: unreadable, `"1e2"`: unreadable,
			`"+1"`: unreadable, `"1."`: unreadable, `".5"`: unreadable, `"1,5"`: unreadable, `"1.5.5"`: unreadable, `"NGN 5"`: unreadable,
			`"-"`: unreadable, `"0x1"`: unreadable, `"1/3"`: unreadable, `"Inf"`: unreadable, `"1_000"`: unreadable, `"٥"`: unreadable,
			`true`: unreadable, `{}`: unreadable, `[1]`: unreadable,
		},
		"flag": {
			`null`: absent, `""`: absent, `true`: "true", `false`: "false", `"TRUE"`: "true", `" False "`: "false",
			`"\u0066alse"`: "false", `0`: unreadable, `1`: unreadable, `"1"`: unreadable, `"yes"`: unreadable, `"falſe"`: unreadable,
			`"truer"`: unreadable, `{}`: unreadable, `[true]`: unreadable,
		},
		"time": {
			`null`: absent, `" "`: absent, `"2026-01-31T09:30:00"`: "2026-01-31 09:30:00 +0000 UTC",
			`"2026-01-31 09:30:00.5Z"`:              "2026-01-31 09:30:00.5 +0000 UTC",
			`"2026-01-31T09:30:00.123456789z"`:      "2026-01-31 09:30:00.123456789 +0000 UTC",
			`" 2026-01-31T09:30:00.1234567+01:30 "`: "2026-01-31 08:00:00.1234567 +0000 UTC",
			`"2026-01-31T09:30:00-23:59"`:           "2026-02-01 09:29:00 +0000 UTC",
			`"1900-01-01T00:00:00+23:59"`:           "1899-12-31 00:01:00 +0000 UTC",
			`"2024-02-29T23:59:59"`:                 "2024-02-29 23:59:59 +0000 UTC",
			`"9998-12-31T23:59:59.999999999"`:       "9998-12-31 23:59:59.999999999 +0000 UTC",
			`"0001-01-01T00:00:00"`:                 absent,
			`"0001-01-01 00:00:00.0000000Z"`:        absent,
			`"0001-01-01T00:00:00+23:59"`:           absent,
			`"0001-01-01T00:00:00.1"`:               unreadable,
			`"0001-01-01T00:00:00+24:00"`:           unreadable,
			`"0001-01-02T00:00:00"`:                 unreadable,
			`"1899-12-31T23:59:59"`:                 unreadable,
			`"9999-01-01T00:00:00"`:                 unreadable,
			`"2025-02-29T00:00:00"`:                 unreadable,
			`"2026-13-01T00:00:00"`:                 unreadable,
			`"2026-00-01T00:00:00"`:                 unreadable,
			`"2026-01-00T00:00:00"`:                 unreadable,
			`"2026-01-31T24:00:00"`:                 unreadable,
			`"2026-01-31T09:60:00"`:                 unreadable,
			`"2026-01-31T09:30:60"`:                 unreadable,
			`"2026-01-31T09:30:00+24:00"`:           unreadable,
			`"2026-01-31T09:30:00+01:60"`:           unreadable,
			`"2026-01-31T09:30:00+0100"`:            unreadable,
			`"2026-01-31T09:30:00+01"`:              unreadable,
			`"2026-01-31T09:30:00 Z"`:               unreadable,
			`"2026-01-31T09:30:00."`:                unreadable,
			`"2026-01-31T09:30:00.1234567890"`:      unreadable,
			`"2026-01-31T09:30:00,5"`:               unreadable,
			`"2026-01-31T09:30"`:                    unreadable,
			`"2026-01-31t09:30:00"`:                 unreadable,
			`"2026-1-31T09:30:00"`:                  unreadable,
			`"2026-01-31"`:                          unreadable,
			`"+026-01-31T09:30:00"`:                 unreadable,
			`"soon"`:                                unreadable,
			`1769852400`:                            unreadable,
			`true`:                                  unreadable,
			`{}`:                                    unreadable,
		},
		"raw": {
			`null`: absent, `{ "a": [1] }`: `{ "a": [1] }`, `[]`: `[]`, `""`: `""`, `" "`: `" "`, `1.50`: `1.50`, `false`: `false`,
		},
		"list": {
			`null`: absent, `[]`: "0", `[ ]`: "0", `[{},{}]`: "2", ` [ { } , null , 1 , [ {} , {} ] ] `: "4", `{}`: unreadable,
			`""`: unreadable, `"[]"`: unreadable, `0`: unreadable, `true`: unreadable,
		},
		"object": {
			`null`: absent, `{}`: "true", ` { } `: "true", `[]`: unreadable, `""`: unreadable, `"{}"`: unreadable, `0`: unreadable,
			`false`: unreadable,
		},
	} {
		for value, want := range values {
			if got := member(kind, value); got != want {
				t.Errorf("%s of %s: %q, not %q", kind, value, got, want)
			}
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
