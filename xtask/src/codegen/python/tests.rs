//! What a row of its own becomes in Python.

use super::{render, render_endpoints};
use paysvc_spec::schema::{ApiKey, Certainty, Endpoint, Field, Kind, Location, Method, Safety, Wire};

const fn field(name: &'static str, kind: Kind, location: Location, required: bool) -> Field {
    Field { location, required, ..Field::optional(name, kind, "what it is") }
}

const ROW: Endpoint = Endpoint {
    name: "parcel_send",
    method: Method::Put,
    path: "/parcel/{parcelId}/send",
    key: ApiKey::Secret,
    encrypted: true,
    headers: &[],
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
    ],
    allows_extra: true,
    safety: Safety::Moves,
    answer: Endpoint::ANSWER,
    looked_up_by: None,
    certainty: Certainty::Documented,
    doc: "Sends a parcel.",
};

#[track_caller]
fn has(text: &str, part: &str) {
    assert!(text.contains(part), "no {part:?} in\n{text}");
}

#[test]
fn a_row_is_all_that_a_new_endpoint_needs() {
    let (text, numbers) = (render_endpoints(&[ROW]), render(&[ROW]));
    let signature = "parcel_send(\n        self,\n        *,\n        parcel_id: str,\n        from_date: str | Omitted = OMIT,\n        \
                     weight: int,\n        class_: bool | Omitted = OMIT,\n        sent_to: SentTo | Mapping[str, object] | Omitted = OMIT,\n        \
                     amount: str | Decimal,\n        members: Mapping[str, object] | None = None,\n        \
                     timeout: float | None = None,\n";
    has(&text, &format!("    def {signature}        call: Call | None = None,\n    ) -> Reply:"));
    has(&text, &format!("    async def {signature}    ) -> Reply:"));
    has(&text, "PUT /parcel/{parcelId}/send, secret key, encrypted.");
    has(&text, "from_date (fromDate): what it is\n");
    has(&text, "amount: what it is; text or Decimal, major units\n");
    has(&text, "\"Weight\": weight,\n            \"class\": class_,\n            \"sentTo\": sent_to,\n");
    has(&text, "\"amount\": amount_text(\"amount\", amount),\n        }, members), timeout=timeout, call=call)");
    has(&text, "from ._generated import SentTo\n");
    has(&numbers, "class SentTo(Members):");
    has(&numbers, "\"Name\": name,\n            \"price\": amount_text(\"price\", price),\n        }, members)");
    has(&text, "return await self.call(\"parcel_send\", Members({");
    has(
        &numbers,
        "    \"parcel_send\": {\n        \"parcelId\": \"parcel_id\",\n        \"fromDate\": \"from_date\",\n",
    );
    has(&numbers, "__all__ = [\n    \"Outcome\",\n    \"SentTo\",\n    \"State\",\n    \"Status\",\n]");
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
