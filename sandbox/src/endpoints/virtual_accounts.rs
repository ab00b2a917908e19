//! Virtual accounts: generate and look up.

use super::Call;
use crate::answer::{Answer, ApiError};
use crate::fields::Fields;
use crate::json::{Json, object};
use crate::state::State;
use crate::state::model::VirtualAccount;
use crate::state::virtual_accounts::{BANK, BANK_CODE};

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
    let mut fields = Fields::of(&call.input);
    let alias = fields.required("alias");
    fields.finish()?;
    let account = state.accounts.get(&alias).ok_or_else(|| ApiError::not_found("alias", "Virtual account"))?;
    Ok(Answer::ok(&shown(account, "Virtual account fetched successfully")))
}

fn shown(account: &VirtualAccount, message: &str) -> Json {
    object! {
        "status": true,
        "message": message,
        "accountNumber": &account.number,
        "accountName": &account.name,
        "bank": BANK,
        "bankCode": BANK_CODE,
    }
}
