//! How the answer of a look-up differs from what was asked about.

use super::asked::Asked;
use crate::answer::facts::Facts;
use crate::answer::facts::amounts::Priced;
use crate::answer::facts::history::AttemptState;
use crate::answer::facts::stated::Text;
use paysvc_spec::schema::Reference;
use paysvc_spec::status::State;
use paysvc_spec::verdicts::resolution::Question;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// In words that may repeat the service's.
    Other(String),
    NoCurrency,
}

impl Difference {
    pub fn text(self) -> String {
        match self {
            Difference::Other(text) => text,
            Difference::NoCurrency => "the answer has no currency".to_owned(),
        }
    }
}

/// The first difference, and whether the amount is that of the request. `attempt`: the one that is asked about.
pub fn compare(
    asked: &Asked<'_>,
    facts: &Facts,
    attempt: Option<AttemptState>,
    is_own_account: bool,
    currency: Option<&Text>,
) -> (Option<Difference>, bool) {
    let mut difference = other_request(asked, facts, is_own_account);
    let mut amount_agrees = false;
    if matches!(asked.question, Question::Batch | Question::Account) {
        return (difference, amount_agrees);
    }
    // A price proves something only about a completed payment, or an order that was only created.
    let done = |state: State| matches!(state, State::SUCCESSFUL | State::REVERSED);
    let whole =
        asked.question == Question::Order || done(facts.state) || attempt.is_some_and(|attempt| done(attempt.state()));
    for price in &asked.prices {
        let compared = match &price.amount {
            Some(amount) if whole => facts.compare_price(amount),
            Some(amount) => facts.compare_price_alone(amount),
            None => continue,
        };
        let found = match compared {
            Priced::Equal => {
                amount_agrees = true;
                continue;
            }
            Priced::Unnamed if !whole => continue,
            Priced::Unnamed => "the answer has no amount".to_owned(),
            Priced::Differs(what) => format!("{what}, which is not the amount of {}", price.source),
        };
        difference.get_or_insert(Difference::Other(found));
    }
    // If there is no other difference, another endpoint may tell the currency.
    (difference.or_else(|| currencies(asked, facts, currency, whole)), amount_agrees)
}

/// Names what the answer is about instead.
fn other_request(asked: &Asked<'_>, facts: &Facts, is_own_account: bool) -> Option<Difference> {
    let named = |kind: Reference| facts.reference(kind).text.any().map_or("something else", |text| text);
    let kind = Reference::ALL.iter().find(|kind| facts.reference(**kind).is_of_another_request());
    if let Some(kind) = kind {
        return Some(Difference::Other(format!("the answer names the {} {}", kind.name(), named(*kind))));
    }
    let is_account = asked.question == Question::Account && facts.account;
    (is_account && !is_own_account).then(|| {
        let own = asked.own_reference.unwrap_or("none");
        let found = facts.reference(Reference::Account).text.any().map_or("none", |text| text);
        Difference::Other(format!("the account's Reference is {found}, but the request's is {own}"))
    })
}

fn currencies(asked: &Asked<'_>, facts: &Facts, told: Option<&Text>, whole: bool) -> Option<Difference> {
    let own = &facts.currency;
    let of_order = asked.currency_of_order();
    asked.prices.iter().find_map(|price| {
        let wanted = Text::from(&**price.currency.as_ref()?);
        let other =
            |what: &str| Some(Difference::Other(format!("{what}, which is not the currency of {}", price.source)));
        match (own.clear().or(told.filter(|_| own.is_absent())), of_order) {
            (Some(found), _) if *found == wanted => None,
            (Some(found), _) => other(&format!("the currency in the answer is {}", &**found)),
            (None, _) if !own.is_absent() => other("the currency in the answer cannot be read, or contradicts itself"),
            (None, Some(of_order)) if Text::from(of_order) == wanted => None,
            (None, Some(of_order)) => other(&format!("the order was made in {of_order}")),
            (None, None) => whole.then_some(Difference::NoCurrency),
        }
    })
}
