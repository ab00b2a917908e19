//! The names of members that have a meaning in an answer.

use crate::response::document::Value;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Name {
    Status,
    PaymentStatus,
    StatusId,
    IsSuccess,
    Success,
    Error,
    Errors,
    Message,
    Code,
    PaymentCode,
    Data,
    OrderPayment,
    OrderSummary,
    Order,
    OrderPayments,
    Reference,
    SessionId,
    MandateCode,
}

/// Sorted by length, which rules out most names of an answer.
const NAMES: &[(&str, Name)] = &[
    ("code", Name::Code),
    ("data", Name::Data),
    ("error", Name::Error),
    ("order", Name::Order),
    ("status", Name::Status),
    ("errors", Name::Errors),
    ("success", Name::Success),
    ("message", Name::Message),
    ("statusId", Name::StatusId),
    ("isSuccess", Name::IsSuccess),
    ("reference", Name::Reference),
    ("sessionId", Name::SessionId),
    ("statusCode", Name::Code),
    ("status_code", Name::Code),
    ("mandateCode", Name::MandateCode),
    ("responseCode", Name::Code),
    ("orderPayment", Name::OrderPayment),
    ("orderSummary", Name::OrderSummary),
    ("paymentStatus", Name::PaymentStatus),
    ("orderPayments", Name::OrderPayments),
    ("paymentResponseCode", Name::PaymentCode),
    ("orderPaymentResponseCode", Name::PaymentCode),
];

const LONGEST_NAME: usize = NAMES[NAMES.len() - 1].0.len();

/// Where the names of each length begin in [`NAMES`], and where the longer ones do.
const STARTS: [usize; LONGEST_NAME + 2] = {
    let mut starts = [NAMES.len(); LONGEST_NAME + 2];
    let mut index = NAMES.len();
    while index > 0 {
        index -= 1;
        assert!(index == 0 || NAMES[index - 1].0.len() <= NAMES[index].0.len(), "sorted by length");
        let mut length = 0;
        while length <= NAMES[index].0.len() {
            starts[length] = index;
            length += 1;
        }
    }
    starts
};

fn of_length(length: usize) -> &'static [(&'static str, Name)] {
    if length > LONGEST_NAME { &[] } else { &NAMES[STARTS[length]..STARTS[length + 1]] }
}

/// The meaning of a member, and whether its name is exactly the documented one.
pub fn known(value: Value<'_>) -> Option<(Name, bool)> {
    match value.plain_name() {
        Some(name) => meaning(name),
        None => meaning(value.name()?.as_bytes()),
    }
}

fn meaning(name: &[u8]) -> Option<(Name, bool)> {
    // The first letter rules out most of those of the same length.
    let first = name.first()?.to_ascii_lowercase();
    let same_first = of_length(name.len()).iter().filter(|(known, _)| known.as_bytes()[0] == first);
    for (known, meaning) in same_first {
        // Nearly every name is written as it is documented.
        if known.as_bytes() == name {
            return Some((*meaning, true));
        }
        if known.as_bytes().eq_ignore_ascii_case(name) {
            return Some((*meaning, false));
        }
    }
    None
}
