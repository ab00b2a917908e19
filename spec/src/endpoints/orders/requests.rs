//! Objects within the requests of orders.

use crate::schema::{Field, Kind, Reference, Wire};

pub const CARD: &[Field] = &[
    Field::required("cardnumber", Kind::Text, "card number, digits only").secret().digits(),
    Field::required("expirymonth", Kind::Text, "two digits"),
    Field::required("expiryyear", Kind::Text, "two or four digits"),
    Field::required("cvv", Kind::Text, "card security code").secret(),
    Field::optional("authOption", Kind::Text, "how the holder consents, e.g. PIN").any_case().integrated(),
    Field::optional("pin", Kind::Text, "the card's PIN").secret().any_case().guessed(),
];

/// Beside a `reference` of the request itself.
pub const ORDER: &[Field] = &[ORDER_REFERENCE.same_as("/reference"), AMOUNT, DESCRIPTION, CURRENCY];
/// In a request that has no other reference.
pub const ORDER_ALONE: &[Field] = &[ORDER_REFERENCE, AMOUNT, DESCRIPTION, CURRENCY];

const ORDER_REFERENCE: Field =
    Field::required("reference", Kind::Text, "reference of the order, unique: a second order with it is refused")
        .names(Reference::Order)
        .integrated();
// Integrations send a number.
const AMOUNT: Field = Field::required("amount", Kind::Amount(Wire::Number), "price, without the fee").integrated();
const DESCRIPTION: Field = Field::optional("description", Kind::Text, "description of the order").integrated();
const CURRENCY: Field = Field::optional("currency", Kind::Text, "currency code, e.g. NGN").identifies().integrated();

pub const CUSTOMER: &[Field] = &[
    Field::optional("firstname", Kind::Text, "first name").integrated(),
    Field::optional("lastname", Kind::Text, "last name").integrated(),
    Field::optional("mobile", Kind::Text, "telephone number").secret().integrated(),
    Field::optional("country", Kind::Text, "two-letter country code").integrated(),
    Field::optional("email", Kind::Text, "e-mail address").secret().integrated(),
];

pub const PAYMENT: &[Field] =
    &[Field::optional("RedirectUrl", Kind::Text, "where the customer's browser goes after the payment")
        .secret()
        .integrated()];

pub const PAYMENT_META: &[Field] =
    &[Field::optional("ipAddress", Kind::Text, "address of the customer's browser").secret().integrated()];
