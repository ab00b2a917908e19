//! A row that no service has, with all that a row may have: what a new endpoint brings to every language.

use paysvc::endpoints::{AnswerShape, ApiKey, Endpoint, Field, Kind, Method, Place, Safety};

use super::root;

const fn field(name: &'static str, kind: Kind, place: Place, required: bool) -> Field {
    Field { name, kind, place, required, secret: false, doc: "a member that is made up" }
}

const PAYEE: &[Field] = &[
    field("class", Kind::Text, Place::Body, true),
    field("otp", Kind::Text, Place::Body, false),
    field("bankId", Kind::Integer, Place::Body, true),
];

pub const ROWS: &[Endpoint] = &[Endpoint {
    name: "made_up",
    method: Method::Put,
    path: "/made/{batchId}/up",
    key: ApiKey::Secret,
    encrypted: true,
    headers: &[("encryption", "RSA")],
    fields: &[
        field("batchId", Kind::Text, Place::Path, true),
        field("page_size", Kind::Text, Place::Query, false),
        field("amount", Kind::Amount, Place::Body, true),
        field("count", Kind::Integer, Place::Body, true),
        field("urgent", Kind::Flag, Place::Body, false),
        field("note", Kind::Any, Place::Body, false),
        field("payee", Kind::Object(PAYEE), Place::Body, true),
        field("payer", Kind::Object(PAYEE), Place::Body, false),
    ],
    open: true,
    safety: Safety::Moves,
    answer: AnswerShape::PLAIN,
    section: "9.9",
    doc: "Does what is made up.",
}];

/// The header with that function, as cbindgen would add it.
pub fn header() -> String {
    let header = std::fs::read_to_string(root().join("include/paysvc.h")).unwrap();
    let function = "paysvc_status paysvc_made_up(const paysvc_client *client, const char *request_json, \
                    const paysvc_call *call, paysvc_reply **reply);\n";
    header.replacen("paysvc_status paysvc_request(", &format!("{function}paysvc_status paysvc_request("), 1)
}

pub fn header_of_another_abi() -> String {
    let header = std::fs::read_to_string(root().join("include/paysvc.h")).unwrap();
    let (from, to) = (format!("#define PAYSVC_ABI {}\n", paysvc::status::ABI), "#define PAYSVC_ABI 99\n");
    assert!(header.contains(&from));
    header.replace(&from, to)
}
