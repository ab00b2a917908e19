//! The response of a row in one shape: fields in snake_case, whatever envelope and spelling the service gave them.

use super::{Answer, AnswerKind, Certainty, Member, Place, Role};
use crate::roles::is_of_envelope;

/// A field of `answer` in `paysvc_reply_json`.
#[derive(Clone, Debug)]
pub struct ShapeField {
    pub name: String,
    /// The fields that may have its value, the first before the others. The first decides kind and documentation.
    pub members: Vec<(Place, &'static Member)>,
    /// The fields of an object, or of each element of a list.
    pub fields: Vec<ShapeField>,
}

impl ShapeField {
    pub fn kind(&self) -> AnswerKind {
        self.members[0].1.kind
    }
}

impl Answer {
    /// The fields of the response: those of the data, and those beside it that are not of the envelope, which status,
    /// code and message of the reply report.
    pub fn shape(&self) -> Vec<ShapeField> {
        let mut fields = Vec::new();
        for member in typed(self.members) {
            match member.role_in(Place::Root) {
                _ if is_of_envelope(member.name) => {}
                Some(Role::Object(Place::Data)) if matches!(member.kind, AnswerKind::Object(_)) => {
                    typed(member.kind.members()).for_each(|inner| add(&mut fields, Place::Data, inner));
                }
                _ => add(&mut fields, Place::Root, member),
            }
        }
        fields
    }
}

/// The fields of an object within.
fn shape(members: &'static [Member]) -> Vec<ShapeField> {
    let mut fields = Vec::new();
    typed(members).for_each(|member| add(&mut fields, Place::Root, member));
    fields
}

/// The fields that are typed: a public name cannot be withdrawn, so what is only guessed has none.
pub fn typed(members: &'static [Member]) -> impl Iterator<Item = &'static Member> {
    members.iter().filter(|member| member.certainty != Certainty::Guessed || member.is_of_card)
}

fn add(fields: &mut Vec<ShapeField>, place: Place, member: &'static Member) {
    let name = member.field.map_or_else(|| snake_case(member.name), str::to_owned);
    match fields.iter_mut().find(|field| field.name == name) {
        Some(known) => known.members.push((place, member)),
        None => fields.push(ShapeField { name, members: vec![(place, member)], fields: shape(member.kind.members()) }),
    }
}

/// `sessionID` and `SessionId` are `session_id`; what is neither letter nor digit becomes an underscore.
pub fn snake_case(name: &str) -> String {
    let letters = name.as_bytes();
    let mut out = String::with_capacity(name.len() + 4);
    for (index, &c) in letters.iter().enumerate() {
        let before = index.checked_sub(1).map(|at| letters[at]);
        let ends_an_acronym = letters.get(index + 1).is_some_and(u8::is_ascii_lowercase);
        let starts_a_word = before.is_some_and(|before| {
            before.is_ascii_lowercase() || before.is_ascii_digit() || (before.is_ascii_uppercase() && ends_an_acronym)
        });
        if c.is_ascii_uppercase() && starts_a_word {
            out.push('_');
        }
        out.push(if c.is_ascii_alphanumeric() { char::from(c.to_ascii_lowercase()) } else { '_' });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ENDPOINTS, endpoint};

    fn names(fields: &[ShapeField]) -> Vec<&str> {
        fields.iter().map(|field| &*field.name).collect()
    }

    #[test]
    fn an_answer_has_one_shape_whatever_envelope_it_came_in() {
        let account = endpoint("virtual_account_generate").answer.shape();
        assert_eq!(names(&account), ["account_number", "account_name", "bank", "bank_code", "reference"]);
        assert_eq!(account[0].members.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [Place::Root, Place::Data]);
        assert_eq!(names(&endpoint("order_refund").answer.shape()), ["reference", "amount_refunded", "status"]);
        let paid = endpoint("order_pay").answer.shape();
        for charge in ["order_create", "card_charge", "order_pay_authorize"] {
            let charge = endpoint(charge).answer.shape();
            for field in &paid {
                let same = charge.iter().find(|other| other.name == field.name).unwrap();
                assert_eq!(names(&same.fields), names(&field.fields));
            }
        }
    }

    #[test]
    fn members_with_one_field_have_one_kind() {
        for row in ENDPOINTS {
            for field in row.answer.shape() {
                let kinds: Vec<_> = field.members.iter().map(|(_, member)| member.kind.name()).collect();
                assert!(kinds.iter().all(|kind| *kind == kinds[0]), "{}: {}", row.name, field.name);
                assert!(kinds.len() == 1 || field.fields.is_empty(), "{}: {}", row.name, field.name);
            }
        }
    }

    #[test]
    fn words_are_told_apart() {
        for (interface, expected) in [
            ("emailAddress", "email_address"),
            ("Alias", "alias"),
            ("sessionID", "session_id"),
            ("RedirectURLText", "redirect_url_text"),
            ("x-request", "x_request"),
            ("amount_refunded", "amount_refunded"),
        ] {
            assert_eq!(snake_case(interface), expected);
        }
    }
}
