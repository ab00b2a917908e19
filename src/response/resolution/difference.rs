//! How the answer of a look-up differs from what was asked about.

use super::{Asked, Evidence, Question};
use crate::response::decimal::Decimal;
use crate::response::facts::Facts;
use crate::response::facts::amounts::Priced;
use crate::response::facts::stated::Text;
use paysvc_spec::schema::Reference;
use paysvc_spec::status::State;

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
            Difference::NoCurrency => "the answer names no currency".to_owned(),
        }
    }
}

impl Evidence<'_> {
    pub(super) fn compare(&mut self, asked: &Asked<'_>, currency: Option<&Text>) {
        self.difference = self.other_request(asked);
        if matches!(self.question, Question::Batch | Question::Account) {
            return;
        }
        // A price proves something only of what was paid, and of an order that was only created.
        let done = |state: State| matches!(state, State::SUCCESSFUL | State::REVERSED);
        let whole = self.question == Question::Order
            || done(self.facts.state)
            || self.attempt.is_some_and(|attempt| done(attempt.state()));
        for price in &asked.prices {
            if let Some(amount) = &price.amount {
                self.compare_amount(amount, price.source, whole);
            }
        }
        // What no other difference hides may be told by another endpoint.
        if let Some(difference) = currencies(asked, self.facts, currency, whole) {
            self.difference.get_or_insert(difference);
        }
    }

    /// Names what the answer is about instead.
    fn other_request(&self, asked: &Asked<'_>) -> Option<Difference> {
        let named = |kind: Reference| self.facts.reference(kind).text.any().map_or("something else", |text| text);
        let kind = Reference::ALL.iter().find(|kind| self.facts.reference(**kind).is_of_another_request());
        if let Some(kind) = kind {
            return Some(Difference::Other(format!("the answer names the {} {}", kind.name(), named(*kind))));
        }
        let is_account = self.question == Question::Account && self.facts.account;
        (is_account && !self.is_own_account).then(|| {
            let own = asked.own_reference.unwrap_or("none");
            let found = self.facts.reference(Reference::Account).text.any().map_or("none", |text| text);
            Difference::Other(format!("the account's Reference is {found}, and the request's {own}"))
        })
    }

    fn compare_amount(&mut self, amount: &Decimal, source: &str, whole: bool) {
        let compared = match whole {
            true => self.facts.compare_price(amount),
            false => self.facts.compare_price_alone(amount),
        };
        let difference = match compared {
            Priced::Equal => {
                self.amount_agrees = true;
                return;
            }
            Priced::Unnamed if !whole => return,
            Priced::Unnamed => "the answer names no amount".to_owned(),
            Priced::Differs(what) => format!("{what}, which is not the amount of {source}"),
        };
        self.difference.get_or_insert(Difference::Other(difference));
    }
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
