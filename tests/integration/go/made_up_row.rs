//! What a row brings to the Go package: its request, and its answer with every kind of member.

use std::path::Path;
use std::process::Command;

use paysvc_spec::schema::{Answer, Certainty, Endpoint, Member};

use super::{copy, go};
use crate::support::{Stage, made_up, output_of, run};

/// Every kind of member, names that Go or the package has itself, and one that is guessed.
const ANSWER: Answer = Answer {
    members: &[
        Member::text("format", "hides the method that keeps personal data out of logs, if it may"),
        Member::text("Format", "the same name in Go"),
        Member::integer("Present", "a method of every object"),
        Member::any("3-D", "no name in Go"),
        Member::amount("guessed", "is not typed").certainty(Certainty::Guessed),
        Member::object(
            "data",
            &[
                Member::amount("raw", "a method of every object").nullable(),
                Member::decimal("rate", "a rate"),
                Member::flag("object", "what every object embeds").certainty(Certainty::Reported),
                Member::time("at", "a time"),
                Member::object("empty", &[], "has no member that is typed"),
                Member::list(
                    "rows",
                    &[Member::list("cells", &[Member::text("name", "of a cell")], "lists in a list")],
                    "a list",
                ),
                Member::object("x", &[Member::text("y", "has the name of the struct beside it")], "an object"),
            ],
            "the data",
        ),
        Member::object("dataX", &[Member::text("y", "has the name of the struct beside it")], "an object"),
    ],
    ..Endpoint::ANSWER
};

#[test]
fn a_row_is_all_that_a_new_endpoint_needs() {
    let stage = Stage::new();
    let rows: Vec<Endpoint> = made_up::ROWS.iter().map(|row| Endpoint { answer: ANSWER, ..*row }).collect();
    let folder = copy(&stage, &made_up::header(), &rows);
    // The library has no such function: this one prints its request.
    let function = "#include \"binding.h\"\n#include <stdio.h>\n\
        paysvc_status paysvc_made_up(const paysvc_client *client, const char *json, const paysvc_call *call, paysvc_reply **reply)\n\
        { (void)call; puts(json); fflush(stdout); return paysvc_request(client, \"{}\", NULL, reply); }\n";
    std::fs::write(folder.join("made_up.c"), function).unwrap();
    let test = r#"package paysvc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestMadeUp(t *testing.T) {
	client, err := New(Config{BaseURL: "http://127.0.0.1:9"})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = client.MadeUp(context.Background(), MadeUpRequest{
		Count: Ptr[int64](9007199254740993), Amount: "1.50", BatchID: "<B>", Payee: MadeUpPayee{Class: "A"},
		Payees: []MadeUpPayees{{Class: "B", OTP: Ptr("1")}, {Class: "C", Extra: map[string]json.RawMessage{"x": json.RawMessage("2")}}},
		Extra: map[string]json.RawMessage{"memo": json.RawMessage("[1.10]")},
	})
	if !errors.Is(err, ErrArgument) {
		t.Error(err)
	}
	_, err = client.MadeUp(context.Background(), MadeUpRequest{
		Amount: "", PageSize: Ptr(""), Urgent: Ptr(false), Note: json.RawMessage("null"),
		Payer: &MadeUpPayer{OTP: Ptr("1"), BankID: Ptr[int64](0), Extra: map[string]json.RawMessage{"x": nil}},
		Others: Ptr([]MadeUpOthers{}),
	})
	if !errors.Is(err, ErrArgument) {
		t.Error(err)
	}
}

func TestMadeUpElements(t *testing.T) {
	client, err := New(Config{BaseURL: "http://127.0.0.1:9"})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	request := MadeUpRequest{Payees: []MadeUpPayees{{Class: "secret"}, {Class: "not \xff UTF-8"}}}
	if _, err := client.MadeUp(context.Background(), request); !errors.Is(err, ErrArgument) || !strings.Contains(err.Error(), "UTF-8") {
		t.Error(err)
	}
	if shown := fmt.Sprintf("%v %+v %#v %v", request, request, request, request.Payees); strings.Contains(shown, "secret") {
		t.Error(shown)
	}
}

func TestMadeUpAnswer(t *testing.T) {
	answer := ParseMadeUpAnswer([]byte(`{"format":"secret","Format":2,"Present":3,"3-D":[1],"data":{"raw":"1.50","rate":0.10,"object":"TRUE",
		"at":"2026-01-31T09:30:00","empty":{"x":1},"rows":[{"cells":[{"name":"a"},{"name":"b"}]},{"cells":[{"name":"c"},1]}],"x":{"y":"d"}},
		"dataX":{"y":"e"}}`))
	x, other := MadeUpAnswerDataX(answer.Data.X), MadeUpAnswerDataX_(answer.DataX)
	for got, want := range map[string]string{
		fmt.Sprintln(answer.Format_.Get()):      "secret <nil>\n",
		fmt.Sprintln(answer.Format__.Get()):     "2 <nil>\n",
		fmt.Sprintln(answer.Present_.Get()):     "3 <nil>\n",
		fmt.Sprintln(answer.X3D.Get()):          "[91 49 93] <nil>\n",
		fmt.Sprintln(answer.Data.Raw_.Get()):    "1.50 <nil>\n",
		fmt.Sprintln(answer.Data.Rate.Get()):    "0.10 <nil>\n",
		fmt.Sprintln(answer.Data.Object_.Get()): "true <nil>\n",
		fmt.Sprintln(answer.Data.At.Get()):      "2026-01-31 09:30:00 +0000 UTC <nil>\n",
		fmt.Sprintln(answer.Data.Empty.Present(), x.Present()): "true true\n",
		fmt.Sprintln(x.Y.Get()):                 "d <nil>\n",
		fmt.Sprintln(other.Y.Get()):             "e <nil>\n",
	} {
		if got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
	rows, err := answer.Data.Rows.Get()
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	cells, err := rows[1].Cells.Get()
	if err != nil || len(cells) != 2 {
		t.Fatal(cells, err)
	}
	if name, err := cells[0].Name.Get(); name != "c" || err != nil {
		t.Error(name, err)
	}
	if _, err := cells[1].Name.Get(); err == nil || !strings.Contains(err.Error(), " /data/rows/1/cells/1 ") {
		t.Error(err)
	}
	if shown := fmt.Sprintf("%v %+v %#v %s", answer, answer, answer, answer.Data); strings.Contains(shown, "secret") {
		t.Error(shown)
	}
}
"#;
    std::fs::write(folder.join("made_up_test.go"), test).unwrap();
    let gofmt = run(&mut go(&stage, &["env", "GOROOT"])).stdout;
    let gofmt = Path::new(String::from_utf8(gofmt).unwrap().trim()).join("bin/gofmt");
    let output = run(Command::new(gofmt).args(["-l", "generated.go", "generated_answers.go"]).current_dir(&folder));
    assert!(output.stdout.is_empty(), "not as gofmt writes it: {}", output_of(&output));
    let go = || {
        let mut command = stage.go(&folder);
        command.env("PKG_CONFIG_PATH", stage.path().join("build/lib/pkgconfig"));
        command
    };
    run(go().args(["vet", "."]));
    let output = run(go().args(["test", "-v", "."]));
    let told = String::from_utf8(output.stdout).unwrap();
    let said: Vec<&str> = told.lines().filter(|line| line.starts_with('{')).collect();
    assert_eq!(
        said,
        [
            r#"{"batchId":"<B>","amount":"1.50","count":9007199254740993,"payee":{"class":"A"},"payees":[{"class":"B","otp":"1"},{"class":"C","x":2}],"memo":[1.10]}"#,
            r#"{"batchId":"","page_size":"","amount":"","urgent":false,"note":null,"payee":{"class":""},"payer":{"class":"","otp":"1","bankId":0,"x":null},"payees":null,"others":[]}"#,
        ],
        "{told}"
    );
}
