//! Direct debit: history, create, status and one-time code.

use super::Call;
use crate::http::answer::{Answer, ApiError};
use crate::http::fields::Fields;
use crate::state::State;
use crate::state::magic;
use crate::state::mandates::NewMandate;
use crate::state::model::Mandate;
use crate::util::clock::Moment;
use crate::util::json::{Json, object};

/// Number of mandates that `many@…` has.
const MANY: u64 = 500;
const CUSTOMER: &str = "Sandbox Customer";

pub fn history(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let email = call.required("emailAddress")?;
    let mandates: Vec<Json> = match magic::email(&email) {
        magic::Email::NoMandates => Vec::new(),
        magic::Email::ManyMandates => (1..=MANY).map(made_up_summary).collect(),
        magic::Email::Ordinary => {
            state.mandates.values().filter(|mandate| belongs_to(state, mandate, &email)).map(summary).collect()
        }
    };
    Ok(Answer::ok(&object! {
        "customerName": CUSTOMER,
        "hasExistingDebitMandate": !mandates.is_empty(),
        "directDebitMandates": mandates,
    }))
}

/// A mandate has no e-mail address, but its order may have one. Without one, it is listed for every address.
fn belongs_to(state: &State, mandate: &Mandate, email: &str) -> bool {
    let customer = state.orders.get(&mandate.order_reference).and_then(|order| order.customer.as_ref());
    customer.and_then(|customer| customer.email.as_deref()).is_none_or(|owner| owner.eq_ignore_ascii_case(email))
}

fn summary(mandate: &Mandate) -> Json {
    object! {
        "accountNumber": &mandate.account_number,
        "bankName": &mandate.bank_name,
        "directDebitId": mandate.direct_debit_id,
        "dateCreated": mandate.created.millis_utc(),
        "bankCode": &mandate.bank_code,
    }
}

fn made_up_summary(number: u64) -> Json {
    object! {
        "accountNumber": format!("{:010}", 690_000_000 + number),
        "bankName": "Sandbox Bank",
        "directDebitId": number,
        "dateCreated": Moment::now().millis_utc(),
        "bankCode": "058",
    }
}

pub fn create(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    fields.optional_integer("recurringPaymentId");
    fields.optional("address");
    let order_reference = fields.required("orderReference");
    let account_number = fields.required("accountNumber");
    let bank_code = fields.required("bankCode");
    let bank_name = fields.optional("bankName").unwrap_or_else(|| "Sandbox Bank".to_string());
    fields.finish()?;
    let mandate = state.create_mandate(NewMandate { order_reference, bank_name, bank_code, account_number })?;
    let message = if mandate.active { "Mandate created and active" } else { "Mandate created, awaiting approval" };
    Ok(Answer::ok(&object! {
        "message": "Mandate created successfully",
        "code": "200",
        "status": true,
        "data": object! {
            "message": message,
            "mandateCode": &mandate.code,
            "bankName": &mandate.bank_name,
            "accountNumber": &mandate.account_number,
            "amount": mandate.amount,
            "directDebitId": mandate.direct_debit_id,
            "isActive": mandate.active,
        },
    }))
}

pub fn status(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let code = call.required("mandateCode")?;
    let mandate = state.mandate(&code)?;
    let (message, code) =
        if mandate.active { ("Mandate is active", "00") } else { ("Mandate is pending approval", "02") };
    let data = object! { "mandateCode": &mandate.code, "isActive": mandate.active };
    Ok(Answer::ok(&object! { "message": message, "code": code, "status": true, "data": data }))
}

pub fn otp(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let code = call.required("mandateCode")?;
    state.send_otp(&code)?;
    Ok(Answer::ok(&object! {
        "message": "Successful",
        "code": "00",
        "status": true,
        "data": "A one-time code was sent to the customer's e-mail address",
    }))
}
