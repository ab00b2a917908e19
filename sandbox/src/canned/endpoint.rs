//! An endpoint with a canned answer, and the effect that each request commits.

use super::template::Template;
use crate::crypto::envelope::Body;
use crate::crypto::keys::KeyKind;
use crate::endpoints::Call;
use crate::http::answer::{Answer, ApiError};
use crate::state::ledger::Effect;
use crate::state::{DEFAULT_CURRENCY, State};
use crate::util::json::Json;
use crate::util::money::Money;

/// An entry of the scenarios file.
#[derive(Debug)]
pub struct Canned {
    pub name: String,
    pub method: String,
    pub path: String,
    pub key: KeyKind,
    pub body: Body,
    pub effect: Option<CannedEffect>,
    /// `{member}` in its texts is replaced by the request's value.
    pub answer: Json,
}

#[derive(Debug)]
pub struct CannedEffect {
    pub effect: Effect,
    pub key: Template,
    pub amount: Option<Template>,
}

impl Canned {
    pub fn moves_money(&self) -> bool {
        self.effect.as_ref().is_some_and(|effect| {
            effect.amount.is_some()
                || matches!(effect.effect, Effect::ChargeMade | Effect::RefundMade | Effect::PayoutMade)
        })
    }

    /// Commits the effect on every request: there are no rules that could refuse a repetition.
    pub fn handle(&self, state: &mut State, call: &Call) -> Result<Answer, ApiError> {
        let member = |name: &str| call.text(name);
        if let Some(CannedEffect { effect, key, amount }) = &self.effect {
            let members = key.members().chain(amount.iter().flat_map(Template::members));
            let mut missing: Vec<&str> = Vec::new();
            for name in members.filter(|name| member(name).is_none()) {
                if !missing.contains(&name) {
                    missing.push(name);
                }
            }
            if !missing.is_empty() {
                let required = |name: &&str| (name.to_string(), format!("The {name} field is required."));
                return Err(ApiError::invalid(missing.iter().map(required).collect()));
            }
            let key = key.fill(member);
            match amount {
                None => state.ledger.commit(effect.clone(), key.clone(), &key),
                Some(template) => {
                    let name = template.members().next().unwrap_or("amount");
                    let amount = Money::parse_positive(&template.fill(member)).map_err(|problem| {
                        ApiError::invalid(vec![(name.to_string(), format!("The {name} field {problem}."))])
                    })?;
                    let currency = member("currency").unwrap_or_else(|| DEFAULT_CURRENCY.to_string());
                    state.ledger.commit_money(effect.clone(), key.clone(), &key, amount, None, &currency);
                }
            }
        }
        Ok(Answer::ok(&filled(&self.answer, &member)).assumed())
    }
}

/// A text that consists of one absent field becomes null.
fn filled(json: &Json, member: &impl Fn(&str) -> Option<String>) -> Json {
    match json {
        Json::Text(text) => {
            let template = Template::parse(text);
            let is_absent = template.is_one_member() && template.members().all(|name| member(name).is_none());
            if is_absent { Json::Null } else { Json::Text(template.fill(member)) }
        }
        Json::Array(items) => Json::Array(items.iter().map(|item| filled(item, member)).collect()),
        Json::Object(members) => {
            Json::Object(members.iter().map(|(name, value)| (name.clone(), filled(value, member))).collect())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => json.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canned::parse::endpoints;
    use crate::state::test_state;

    const FILE: &str = r#"{"endpoints": {"card_save": {
        "setup": [],
        "request": {"customer": {"id": "C-1"}, "amount": "5", "note": "x"},
        "wire": ["POST", "/payment/cards/{customer.id}", "secret", "plain"],
        "effect": ["loan_made", "{customer.id}/{amount}"],
        "amount": "{amount}",
        "answer": {"status": true, "n": 98000.000000, "list": ["{amount}", "of {customer.id}"], "note": "{note}", "text": "note {note}"}
    }}}"#;

    fn handled(state: &mut State, request: &str) -> Result<String, String> {
        let canned = endpoints(&Json::parse(FILE.as_bytes()).unwrap()).unwrap().remove(0);
        let call = Call { input: Json::parse(request.as_bytes()).unwrap(), ..Call::default() };
        let text = |answer: Answer| String::from_utf8(answer.body).unwrap();
        match canned.handle(state, &call) {
            Ok(answer) => {
                assert!(answer.assumed && answer.status == 200);
                Ok(text(answer))
            }
            Err(error) => Err(text(error.into_answer())),
        }
    }

    #[test]
    fn an_answer_is_filled_and_every_request_has_its_effect() {
        let mut state = test_state();
        for request in
            [r#"{"customer":{"ID":"C-9"},"amount":7.50}"#, r#"{"customer":{"id":"C-9"},"amount":"7.50","note":""}"#]
        {
            assert_eq!(
                handled(&mut state, request).unwrap(),
                r#"{"status":true,"n":98000.000000,"list":["7.50","of C-9"],"note":null,"text":"note "}"#
            );
        }
        let [first, second] = state.ledger.entries.as_slice() else { panic!("{:?}", state.ledger) };
        assert_eq!((first.effect.name(), first.key.as_str()), ("loan_made", "C-9/7.50"));
        assert_eq!(
            (first.amount.map(|it| it.to_string()), first.currency.as_deref()),
            (Some("7.50".into()), Some("NGN"))
        );
        assert_eq!(second.key, first.key);
        assert_eq!(state.ledger.duplicates().len(), 1, "it has an amount, so it moved money twice");
    }

    #[test]
    fn a_request_without_the_effects_members_changes_nothing() {
        let mut state = test_state();
        assert_eq!(
            handled(&mut state, r#"{"customer":{}}"#).unwrap_err(),
            concat!(
                r#"{"status":false,"message":"The customer.id field is required.","errors":"#,
                r#"{"customer.id":"The customer.id field is required.","amount":"The amount field is required."}}"#
            )
        );
        for (amount, problem) in [("0.00", "must be more than zero"), ("x", "must be a decimal number")] {
            let request = format!(r#"{{"customer":{{"id":"C"}},"amount":"{amount}"}}"#);
            assert!(handled(&mut state, &request).unwrap_err().contains(&format!("The amount field {problem}")));
        }
        assert!(state.ledger.entries.is_empty());
    }
}
