//! The request of a bulk payout.

use serde_json::value::RawValue;

use super::{THIS, WHAT, names};
use crate::json::{self, Type};
use crate::request::validate;
use crate::util::limits::MAX_BULK_TEXT;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::{Field, Kind};
use paysvc_spec::status::Status;

const EARLIER: &str = "earlier";
const STATUS_OF: &str = "status_of";
const CONTINUE: &str = "continue_after_unknown";

pub enum Arguments<'a> {
    Pay { list: &'a RawValue, earlier: Option<&'a RawValue>, continue_after_unknown: bool },
    StatusOf(&'a RawValue),
}

impl Arguments<'_> {
    /// An error says nothing about what an earlier run did.
    pub fn is_about_earlier(&self) -> bool {
        !matches!(self, Arguments::Pay { earlier: None, .. })
    }
}

/// Reads the request; with an error, whether it is about an earlier run.
pub fn read(text: &str) -> Result<Arguments<'_>, (ValidationError, bool)> {
    let members =
        validate::object_within(text, MAX_BULK_TEXT, &fields(), validate::Rules::CLOSED, WHAT, Status::Argument);
    // A request that cannot be read as a whole may still have named an earlier run.
    let mentions = || [EARLIER, STATUS_OF].iter().any(|name| text.contains(&format!("\"{name}\"")));
    let members = members.map_err(|error| (error, mentions()))?;
    let given = |name: &str| json::member(&members, name);
    let refused = |member: &str, reason: &str| {
        let error = ValidationError::of_member(Status::Argument, WHAT, member, reason);
        Err((error, given(EARLIER).is_some() || given(STATUS_OF).is_some()))
    };
    // A program that has lost the report must not pay the whole list again.
    let lost = |name: &&str| given(name).is_some_and(|value| Type::of(value) == Type::Null);
    if let Some(name) = [EARLIER, STATUS_OF].into_iter().find(lost) {
        return refused(
            name,
            "is null: give the body of the earlier reply or the list of the steps of its run, [] if there are none",
        );
    }
    match (given(names::LIST).filter(|list| Type::of(list) != Type::Null), given(STATUS_OF)) {
        (None, None) => refused(names::LIST, "is required, unless status_of is given"),
        (Some(_), Some(_)) => refused(STATUS_OF, "cannot be combined with payoutDetails: it sends no payout"),
        (None, Some(_)) if given(EARLIER).is_some() => refused(EARLIER, "needs payoutDetails"),
        (None, Some(report)) => Ok(Arguments::StatusOf(report)),
        (Some(list), None) => Ok(Arguments::Pay {
            list,
            earlier: given(EARLIER),
            continue_after_unknown: given(CONTINUE).is_some_and(|value| value.get() == "true"),
        }),
    }
}

/// The list is checked with its recipients' references by [`super::list::List::read`], so that all errors are reported
/// at once.
fn fields() -> Vec<Field> {
    THIS.members
        .iter()
        .map(|field| if field.name == names::LIST { Field { kind: Kind::Any, ..*field } } else { *field })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"[{"accountNumber":"0690000031","bankCode":"000014","amount":"1","description":"May","accountName":"Ada","creditCurrency":"NGN","debitCurrency":"NGN"}]"#;

    fn error(text: &str) -> (String, bool) {
        match read(text) {
            Err((error, about_earlier)) => (error.message, about_earlier),
            Ok(_) => panic!("{text} is accepted"),
        }
    }

    #[test]
    fn a_list_or_a_report_is_required() {
        assert_eq!(error("{}"), ("payout_bulk: payoutDetails is required, unless status_of is given".into(), false));
        let both = error(&format!(r#"{{"payoutDetails":{LIST},"status_of":{{}}}}"#));
        assert_eq!(
            both,
            ("payout_bulk: status_of cannot be combined with payoutDetails: it sends no payout".into(), true)
        );
        let earlier = error(r#"{"earlier":{},"status_of":{}}"#);
        assert_eq!(earlier, ("payout_bulk: earlier needs payoutDetails".into(), true));
        assert_eq!(
            error(r#"{"payoutdetails":[]}"#).0,
            "payout_bulk: payoutdetails is not a known member; did you mean payoutDetails?"
        );
        assert!(error(r#"{"earlier":{},"#).1 && !error("{").1, "an error does not hide that an earlier run is meant");
        assert!(error(r#"{"earlier":{},"payoutDetails":[],"continue_after_unknown":1}"#).1);
    }

    #[test]
    fn an_earlier_run_that_is_null_is_refused() {
        for name in [EARLIER, STATUS_OF] {
            let (message, about_earlier) = error(&format!(r#"{{"payoutDetails":{LIST},"{name}":null}}"#));
            assert!(about_earlier && message.starts_with(&format!("payout_bulk: {name} is null")), "{message}");
        }
        let text = format!(r#"{{"payoutDetails":{LIST},"earlier":[],"continue_after_unknown":true}}"#);
        let Ok(Arguments::Pay { list, earlier, continue_after_unknown }) = read(&text) else {
            panic!("it is refused");
        };
        assert_eq!((list.get(), earlier.is_some(), continue_after_unknown), (LIST, true, true));
    }
}
