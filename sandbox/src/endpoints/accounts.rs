//! The list of banks, and virtual accounts: generate and look up.

use super::{Call, input, success};
use crate::http::answer::{Answer, ApiError};
use crate::http::fields::Fields;
use crate::state::accounts::{BANK, BANK_CODE};
use crate::state::model::{Method, VirtualAccount};
use crate::state::{State, magic};
use crate::util::json::{Json, object};

/// Name, code, and the code that a customer dials, where the bank has one.
const BANKS: [(&str, &str, Option<&str>); 3] = [
    ("Sandbox Bank One", "000013", Some("737")),
    ("Sandbox Bank Two", "000014", Some("901")),
    ("Sandbox Bank Three", "000015", None),
];

/// A URL that needs no server: a grey square.
const LOGO: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='32' height='32'%3E\
    %3Crect width='32' height='32' fill='gray'/%3E%3C/svg%3E";

/// Bank transfers as the service's own SDK names them here, beside the codes of payment options.
const BANK_TRANSFER: &str = "banktransfer";

pub fn is_known(code: &str) -> bool {
    BANKS.iter().any(|(_, known, _)| *known == code)
}

/// With `paymentmethod=USSD` only the banks that a customer can dial.
pub fn list(_: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let method = fields.optional("paymentmethod");
    fields.finish()?;
    let method = match method {
        Some(name) if name.eq_ignore_ascii_case(BANK_TRANSFER) => Some(Method::BankTransfer),
        Some(code) => Some(input::method_at("paymentmethod", &code)?),
        None => None,
    };
    let banks = BANKS.iter().enumerate().filter(|(_, (_, _, ussd))| method != Some(Method::Ussd) || ussd.is_some());
    let banks = banks.map(|(index, (name, code, ussd))| {
        object! {
            "id": index + 1,
            "name": *name,
            "bankCode": *code,
            "countryId": 1_u64,
            "logo": LOGO,
            "ussdBankCode": *ussd,
        }
    });
    Ok(Answer::ok(&success("00", "Banks fetched successfully", Json::from(banks.collect::<Vec<_>>()))))
}

pub fn generate(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let alias = fields.required("Alias");
    let narration = fields.optional("Narration");
    let reference = fields.optional("Reference");
    fields.finish()?;
    let account = state.virtual_account(&alias, narration, reference);
    Ok(Answer::ok(&shown(account, "Virtual account generated successfully")))
}

pub fn details(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let alias = call.required("alias")?;
    let account = state.accounts.get(&alias).ok_or_else(|| ApiError::not_found("alias", "Virtual account"))?;
    // It is assumed that this response names what was asked for, as the callbacks do.
    let named = object! { "alias": &account.alias, "accountReference": account.reference.as_deref() };
    Ok(Answer::ok(&shown(account, "Virtual account fetched successfully").and(named)))
}

fn shown(account: &VirtualAccount, message: &str) -> Json {
    object! {
        "status": true,
        "message": message,
        "accountNumber": &account.number,
        "accountName": &account.name,
        "bank": BANK,
        "bankCode": magic::has_bank_code(&account.alias).then_some(BANK_CODE),
    }
}
