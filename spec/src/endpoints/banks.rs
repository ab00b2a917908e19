//! The list of banks.

use super::answers::{MESSAGE, STATUS_CODE, STATUS_WORD};
use crate::schema::{Answer, Certainty, Endpoint, Field, Member, Method, Safety};

pub const ROWS: &[Endpoint] = &[Endpoint {
    name: "banks",
    method: Method::Get,
    path: "/payment/banks",
    // Integrations always send it; the service's behaviour without it is not documented.
    fields: &[Field::optional_query("paymentmethod", "only banks that offer this payment option").integrated()],
    safety: Safety::ReadOnly,
    answer: Answer {
        certainty: Certainty::Integrated,
        members: &[
            STATUS_WORD.integrated(),
            STATUS_CODE.integrated(),
            MESSAGE.integrated(),
            Member::list("data", BANKS, "the banks").integrated(),
        ],
        ..Endpoint::ANSWER
    },
    certainty: Certainty::Integrated,
    key_certainty: Certainty::Integrated,
    doc: "Lists the banks, with the codes that other requests take.",
    ..Endpoint::ROW
}];

const BANKS: &[Member] = &[
    Member::integer("id", "the service's number for the bank").integrated(),
    Member::text("name", "name of the bank").integrated(),
    Member::text("bankCode", "code of the bank").integrated(),
    Member::integer("countryId", "the service's number for the country").nullable().integrated(),
    Member::text("logo", "address of the bank's logo").nullable().integrated(),
    Member::text("ussdBankCode", "code of the bank in USSD").nullable().integrated(),
];
