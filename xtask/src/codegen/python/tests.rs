//! What a row of its own becomes in Python.

use super::{render, render_answers, render_endpoints, render_replies};
use paysvc_spec::schema::{Answer, ApiKey, Certainty, Endpoint, Field, Kind, Location, Member, Method, Safety, Wire};

const fn field(name: &'static str, kind: Kind, location: Location, required: bool) -> Field {
    Field { location, required, ..Field::optional(name, kind, "what it is") }
}

const ROW: Endpoint = Endpoint {
    name: "parcel_send",
    method: Method::Put,
    path: "/parcel/{parcelId}/send",
    key: ApiKey::Secret,
    key_setting: None,
    encrypted: true,
    headers: &[],
    headers_setting: None,
    fields: &[
        field("parcelId", Kind::Text, Location::Path, true),
        field("fromDate", Kind::Text, Location::Query, false),
        field("Weight", Kind::Integer, Location::Body, true),
        field("class", Kind::Flag, Location::Body, false),
        field(
            "sentTo",
            Kind::Object(&[
                field("Name", Kind::Text, Location::Body, true),
                field("price", Kind::Amount(Wire::Text), Location::Body, false),
            ]),
            Location::Body,
            false,
        ),
        field("amount", Kind::Amount(Wire::Text), Location::Body, true),
        field(
            "boxes",
            Kind::List(&[field("price", Kind::Amount(Wire::Number), Location::Body, true)]),
            Location::Body,
            true,
        ),
    ],
    allows_extra: true,
    safety: Safety::Moves,
    doubt: Endpoint::ROW.doubt,
    answer: Endpoint::ANSWER,
    looked_up_by: None,
    certainty: Certainty::Documented,
    key_certainty: Certainty::Documented,
    body_certainty: Certainty::Documented,
    doc: "Sends a parcel.",
};

#[track_caller]
fn has(text: &str, part: &str) {
    assert!(text.contains(part), "no {part:?} in\n{text}");
}

#[test]
fn a_row_is_all_that_a_new_endpoint_needs() {
    let (text, numbers) = (render_endpoints(&[ROW]), render(&[ROW]));
    let signature = "parcel_send(\n        self, *, parcel_id: str, from_date: str | Omitted | None = OMIT, weight: int, \
                     class_: bool | Omitted = OMIT,\n        sent_to: SentTo | Mapping[str, object] | Omitted = OMIT, \
                     amount: str | Decimal,\n        boxes: Sequence[Boxes | Mapping[str, object]], \
                     members: Mapping[str, object] | None = None,\n        \
                     idempotency_key: str | Omitted = OMIT, timeout: float | None = None,";
    has(&text, &format!("    def {signature} call: Call | None = None,\n    ) -> ParcelSendReply:"));
    has(&text, &format!("    async def {signature}\n    ) -> ParcelSendReply:"));
    has(&text, "PUT /parcel/{parcelId}/send, secret key, encrypted.");
    has(&text, "from_date (fromDate): what it is\n");
    has(&text, "amount: what it is; text or Decimal, major units\n");
    has(&text, "\"Weight\": weight, \"class\": class_, \"sentTo\": sent_to,\n");
    has(
        &text,
        "\"amount\": amount_text(\"amount\", amount), \"boxes\": boxes,\n        }, members)\n        \
         del sent_to, boxes, members\n        reply: ParcelSendReply = self.call(\n            \
         \"parcel_send\", given_members, idempotency_key=idempotency_key, timeout=timeout, call=call\n        )\n        \
         return reply\n",
    );
    has(&text, "from ._generated import Boxes, EndpointName, Expect, PayoutDetails, SentTo, WebhookVerifyExpect\n");
    has(&text, "from collections.abc import Callable, Iterable, Mapping, Sequence\n");
    has(&numbers, "class Boxes(Members):\n    \"\"\"One of what it is.\"\"\"");
    has(&numbers, "class SentTo(Members):");
    has(&numbers, "\"Name\": name, \"price\": amount_text(\"price\", price),\n        }, members)");
    has(&text, "reply: ParcelSendReply = await self.call(\n            \"parcel_send\", given_members,");
    has(&numbers, "    \"parcel_send\": {\n        \"parcelId\": \"parcel_id\", \"fromDate\": \"from_date\",");
    has(
        &numbers,
        "__all__ = [\n    \"Boxes\", \"EndpointName\", \"Expect\", \"Outcome\", \"PayoutDetails\", \"SentTo\", \"State\", \"Status\", \"WebhookVerifyExpect\",\n]",
    );
}

#[test]
fn a_closed_row_takes_nothing_else() {
    let rows = [Endpoint { allows_extra: false, encrypted: false, ..ROW }];
    let text = render(&rows) + &render_endpoints(&rows);
    assert!(!text.contains("members: Mapping[str, object] | None"), "{text}");
    assert!(!text.contains("EncryptError"), "{text}");
}

#[test]
fn two_different_objects_of_one_name_are_two_classes() {
    const OTHER: &[Field] =
        &[field("sentTo", Kind::Object(&[field("street", Kind::Text, Location::Body, true)]), Location::Body, true)];
    let rows = [ROW, Endpoint { name: "letter_send", fields: OTHER, ..ROW }, ROW];
    let text = render(&rows);
    assert_eq!(text.matches("class SentTo(Members):").count(), 1);
    assert_eq!(text.matches("class LetterSendSentTo(Members):").count(), 1);
    has(&render_endpoints(&rows), "sent_to: LetterSendSentTo | Mapping[str, object],");
}

const fn answering(members: &'static [Member]) -> Endpoint {
    Endpoint { answer: Answer { members, ..Endpoint::ANSWER }, ..ROW }
}

#[test]
fn an_answer_is_a_class_for_each_of_its_objects() {
    const ROWS: &[Endpoint] = &[answering(&[Member::object(
        "data",
        &[
            Member::amount("totalPrice", "what it costs").certainty(Certainty::Reported),
            Member::time("sentAt", "when it was sent"),
            Member::list("stops", &[Member::text("town", "where it is"), Member::any("from", "whence")], "the stops"),
        ],
        "the parcel",
    )])];
    let (replies, answers) = (render_replies(ROWS), render_answers(ROWS));
    has(&replies, "class ParcelSendReply(Reply):");
    has(&replies, "    def answer(self) -> ParcelSendAnswer:");
    has(&replies, "    \"parcel_send\": ParcelSendReply,\n");
    has(
        &answers,
        "    total_price: Optional[Decimal] = None\n    \"\"\"What it costs. /data/totalPrice: amount in major currency units; reported.\"\"\"\n",
    );
    has(&answers, "    sent_at: Optional[datetime] = None\n");
    has(&answers, "    stops: Optional[tuple[ParcelSendAnswerStops, ...]] = None\n");
    has(
        &answers,
        "        (\"total_price\", Decimal), (\"sent_at\", time), (\"stops\", ParcelSendAnswerStops._all),\n",
    );
    has(&answers, "class ParcelSendAnswer(Answer):\n    \"\"\"The response to parcel_send.\"\"\"\n");
    has(&answers, "class ParcelSendAnswerStops(AnswerWithAliases):\n    \"\"\"One of the stops.\"\"\"\n");
    has(&answers, "    from_: Any = None\n    \"\"\"Whence. /data/stops/*/from: any; documented.\"\"\"\n");
    has(&answers, "    _renamed = (\n        (\"from\", \"from_\"),\n    )\n");
    has(&answers, "from datetime import datetime\nfrom decimal import Decimal\nfrom typing import Any, Optional\n");
    has(&answers, "from ._typed import Answer, AnswerWithAliases, time\n");
}

#[test]
fn what_is_guessed_has_no_type_and_neither_has_what_is_in_it() {
    const INNER: &[Member] = &[Member::text("inner", "a field")];
    const ROWS: &[Endpoint] = &[answering(&[
        Member::text("known", "a field"),
        Member::text("guessed", "a field").certainty(Certainty::Guessed),
        Member::object("around", INNER, "an object").certainty(Certainty::Guessed),
    ])];
    let answers = render_answers(ROWS);
    has(&answers, "    known: Optional[str]");
    assert!(!answers.contains("guessed") && !answers.contains("inner") && !answers.contains("Around"), "{answers}");
}

#[test]
fn no_two_classes_have_one_name() {
    const INNER: &[Member] = &[Member::text("x", "a field")];
    const ROWS: &[Endpoint] = &[
        answering(&[
            Member::object("a", &[Member::object("b", INNER, "an object")], "an object"),
            Member::object("a_b", INNER, "an object"),
        ]),
        Endpoint { name: "parcel", fields: REPLY, ..answering(INNER) },
    ];
    let answers = render_answers(ROWS);
    for class in ["ParcelSendAnswerAB", "ParcelSendAnswerAB_", "ParcelAnswer"] {
        assert_eq!(answers.matches(&format!("class {class}(Answer):")).count(), 1, "{answers}");
    }
    // The object of a request is called like its field.
    has(&render(ROWS), "class ParcelReply(Members):");
    has(&render_replies(ROWS), "class ParcelReply_(Reply):");
}

const REPLY: &[Field] =
    &[field("parcelReply", Kind::Object(&[field("x", Kind::Text, Location::Body, true)]), Location::Body, true)];
