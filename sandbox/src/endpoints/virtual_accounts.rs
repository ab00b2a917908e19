//! Virtual accounts: generate and look up.

use super::Call;
use crate::http::answer::{Answer, ApiError};
use crate::http::fields::Fields;
use crate::state::model::VirtualAccount;
use crate::state::virtual_accounts::{BANK, BANK_CODE};
use crate::state::{State, magic};
use crate::util::json::{Json, object};

pub fn generate(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let alias = fields.required("Alias");
    let narration = fields.optional("Narration");
    let reference = fields.optional("Reference");
    fields.finish()?;
    let account = state.virtual_account(&alias, narration, reference);
    Ok(Answer::ok(&shown(account, "Virtual account generated successfully", false)))
}

pub fn details(state: &mut State, call: &Call) -> Result<Answer, ApiError> {
    let mut fields = Fields::of(&call.input);
    let alias = fields.required("alias");
    fields.finish()?;
    let account = state.accounts.get(&alias).ok_or_else(|| ApiError::not_found("alias", "Virtual account"))?;
    Ok(Answer::ok(&shown(account, "Virtual account fetched successfully", true)))
}

/// `named`: with what was asked for. It is assumed that the status query's response names it, as the callbacks do.
fn shown(account: &VirtualAccount, message: &str, named: bool) -> Json {
    let mut shown = object! {
        "status": true,
        "message": message,
        "accountNumber": &account.number,
        "accountName": &account.name,
        "bank": BANK,
        "bankCode": magic::has_bank_code(&account.alias).then_some(BANK_CODE),
    };
    if let (true, Json::Object(members)) = (named, &mut shown) {
        members.push(("alias".to_owned(), Json::from(&account.alias)));
        members.push(("accountReference".to_owned(), Json::from(account.reference.as_deref())));
    }
    shown
}
