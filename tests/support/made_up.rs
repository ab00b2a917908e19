//! A row that no service has, with all that a row may have: what a new endpoint brings to every language.

use paysvc_spec::schema::{ApiKey, Certainty, Endpoint, Field, Kind, Location, Method, Safety, Wire};

use super::root;

const fn field(name: &'static str, kind: Kind, location: Location, required: bool) -> Field {
    Field { location, required, ..Field::optional(name, kind, "a member that is made up") }
}

const PAYEE: &[Field] = &[
    field("class", Kind::Text, Location::Body, true),
    field("otp", Kind::Text, Location::Body, false),
    field("bankId", Kind::Integer, Location::Body, true),
];

pub const ROWS: &[Endpoint] = &[Endpoint {
    name: "made_up",
    method: Method::Put,
    path: "/made/{batchId}/up",
    key: ApiKey::Secret,
    key_setting: None,
    encrypted: true,
    headers: &[("encryption", "RSA")],
    headers_setting: None,
    fields: &[
        field("batchId", Kind::Text, Location::Path, true),
        field("page_size", Kind::Text, Location::Query, false),
        field("amount", Kind::Amount(Wire::Text), Location::Body, true),
        field("count", Kind::Integer, Location::Body, true),
        field("urgent", Kind::Flag, Location::Body, false),
        field("note", Kind::Any, Location::Body, false),
        field("payee", Kind::Object(PAYEE), Location::Body, true),
        field("payer", Kind::Object(PAYEE), Location::Body, false),
        field("payees", Kind::List(PAYEE), Location::Body, true),
        field("others", Kind::List(PAYEE), Location::Body, false),
    ],
    allows_extra: true,
    safety: Safety::Moves,
    doubt: Endpoint::ROW.doubt,
    answer: Endpoint::ANSWER,
    looked_up_by: None,
    certainty: Certainty::Documented,
    key_certainty: Certainty::Documented,
    body_certainty: Certainty::Documented,
    doc: "Does what is made up.",
}];

/// The header with that function.
pub fn header() -> String {
    xtask::header(root(), &[paysvc_spec::ENDPOINTS, ROWS].concat()).unwrap()
}

pub fn header_of_another_abi() -> String {
    let header = std::fs::read_to_string(root().join("include/paysvc.h")).unwrap();
    let (from, to) = (format!("#define PAYSVC_ABI {}\n", paysvc_spec::status::ABI), "#define PAYSVC_ABI 99\n");
    assert!(header.contains(&from));
    header.replace(&from, to)
}
