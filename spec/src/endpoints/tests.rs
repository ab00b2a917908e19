//! Invariants of every row, whoever adds it.

use super::ENDPOINTS;
use crate::schema::{
    AnswerKind, ApiKey, Default, Envelope, Field, Form, Keep, Kind, Location, Member, Method, PayOption,
};
use crate::settings;

fn fields(of: &'static [Field]) -> Vec<&'static Field> {
    of.iter().flat_map(|field| [vec![field], fields(field.kind.members())].concat()).collect()
}

fn members(of: &[Member]) -> Vec<Member> {
    of.iter().flat_map(|member| [vec![*member], members(&member.inner())].concat()).collect()
}

#[test]
fn names_and_requests_are_unique() {
    for (index, row) in ENDPOINTS.iter().enumerate() {
        for other in &ENDPOINTS[..index] {
            assert_ne!(row.name, other.name);
            assert!((row.method, row.path) != (other.method, other.path), "{} and {}", row.name, other.name);
        }
        assert!(std::ptr::eq(super::endpoint(row.name), row));
    }
}

/// Where integrations differ, the row has the default, and the name of a setting that changes it.
#[test]
fn a_setting_that_changes_a_row_has_the_row_s_own_value_as_its_default() {
    let mut named = Vec::new();
    for row in ENDPOINTS {
        if let Some(name) = row.key_setting {
            let Default::Word(words) = settings::setting(name).default else { panic!("{name} is not a choice") };
            assert_eq!(words[0], row.key.name(), "{}", row.name);
            assert_eq!(words.len(), ApiKey::ALL.len(), "{name}");
            assert!(ApiKey::ALL.iter().all(|key| words.contains(&key.name())), "{name}");
            named.push(name);
        }
        if let Some(name) = row.headers_setting {
            assert_eq!(settings::setting(name).default, Default::Flag(true), "{name}");
            assert!(!row.headers.is_empty(), "{}", row.name);
            named.push(name);
        }
    }
    let differ: Vec<_> = settings::CONFIG.iter().filter(|field| field.name.starts_with("payout_")).collect();
    assert!(!differ.is_empty());
    differ.iter().for_each(|field| assert!(named.contains(&field.name), "no row names {}", field.name));
}

#[test]
fn requests_can_be_sent_as_they_are_described() {
    for row in ENDPOINTS {
        let name = row.name;
        assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{name}");
        assert!(row.path.starts_with('/') && !row.path.ends_with('/'), "{name}");
        assert!(row.doc.ends_with('.'), "{name}");
        assert!(row.doc.len() <= 105, "{name}: the first line of a Python docstring must not be longer");
        assert!(!row.encrypted || row.method != Method::Get, "{name}: a GET has no body to encrypt");
        assert!(!row.allows_extra || row.method != Method::Get, "{name}: where would further fields go?");
        for field in row.fields {
            let in_path = row.path.contains(&format!("{{{}}}", field.name));
            assert_eq!(in_path, field.location == Location::Path, "{name}: {}", field.name);
            assert!(field.location == Location::Body || matches!(field.kind, Kind::Text), "{name}: {}", field.name);
            assert!(field.location != Location::Body || row.method != Method::Get, "{name}: {}", field.name);
        }
        assert_eq!(
            row.path.matches('{').count(),
            row.fields.iter().filter(|field| field.location == Location::Path).count(),
            "{name}"
        );
        for field in fields(row.fields) {
            assert!(!field.doc.is_empty() && !field.doc.ends_with('.'), "{name}: {}", field.name);
        }
    }
}

#[test]
fn answers_name_where_their_state_and_subject_stand() {
    for row in ENDPOINTS {
        let (name, answer) = (row.name, &row.answer);
        for pointer in answer.state().iter().map(|state| &**state).chain(answer.subject) {
            let mut within = answer.members;
            for step in pointer.split('/').skip(1) {
                let member = within.iter().find(|member| member.name == step);
                within = member.unwrap_or_else(|| panic!("{name}: the response has no {pointer}")).kind.members();
            }
        }
        assert!(answer.subject.is_none() || row.read_only(), "{name}: only reading is about a subject");
        let names_the_payment =
            answer.envelope != Envelope::PaymentState || answer.subject.is_some() || !row.read_only();
        assert!(names_the_payment, "{name}: without a subject nothing tells a payment from a refusal");
        assert!(answer.envelope != Envelope::Unknown, "{name}");
        assert!(!answer.members.is_empty(), "{name}: the response has no fields");
        for member in members(answer.members) {
            assert!(!member.doc.is_empty() && !member.doc.ends_with('.'), "{name}: {}", member.name);
            use AnswerKind::{Amount, Decimal, Integer, Text};
            let number = matches!(member.kind, Amount | Decimal | Integer | Text);
            assert!(member.form == Form::Plain || number, "{name}: {} is no number", member.name);
        }
    }
}

/// A program that reads a response finds its envelope among the fields, in the form in which the verdict reads it.
#[test]
fn answers_have_the_members_of_their_envelope() {
    for row in ENDPOINTS {
        let (name, answer) = (row.name, &row.answer);
        let member = |of: &str| answer.members.iter().find(|member| member.name == of);
        let is_text = |of: &str| member(of).is_some_and(|member| matches!(member.kind, AnswerKind::Text));
        let is_flag = |of: &str| member(of).is_some_and(|member| matches!(member.kind, AnswerKind::Flag));
        let (success, has_message) = match answer.envelope {
            Envelope::Word | Envelope::PaymentState => (is_text("status"), true),
            Envelope::Flag | Envelope::Flat => (is_flag("status"), true),
            Envelope::IsSuccess => (is_flag("isSuccess"), true),
            Envelope::Bare | Envelope::Unknown => (member("status").is_none(), false),
        };
        assert!(success, "{name}: where success stands");
        assert_eq!(is_text("message"), has_message, "{name}: the message");
        assert!(answer.envelope.code().is_none_or(|code| is_text(&code[1..])), "{name}: the code");
        for (index, one) in answer.members.iter().enumerate() {
            assert!(answer.members[..index].iter().all(|other| other.name != one.name), "{name}: {}", one.name);
        }
    }
}

#[test]
fn a_look_up_is_a_row_that_reads_and_gets_all_its_members() {
    for row in ENDPOINTS {
        let Some(look_up) = row.looked_up_by else { continue };
        let by = ENDPOINTS.iter().find(|other| other.name == look_up.endpoint);
        let by = by.unwrap_or_else(|| panic!("{}: there is no {}", row.name, look_up.endpoint));
        assert!(by.read_only() && !row.read_only(), "{} by {}", row.name, by.name);
        for field in by.fields.iter().filter(|field| field.required) {
            assert!(look_up.members.iter().any(|(name, _)| *name == field.name), "{}: {}", row.name, field.name);
        }
        for (name, _) in look_up.members {
            assert!(by.fields.iter().any(|field| field.name == *name), "{}: {name}", row.name);
        }
        for pointer in look_up.members.iter().flat_map(|(_, pointers)| *pointers) {
            assert!(look_up.keep.iter().any(|kept| kept.pointer() == *pointer), "{}: {pointer}", row.name);
        }
    }
}

/// A program that resolves must not have to keep card data.
#[test]
fn what_is_kept_for_a_look_up_is_a_member_of_the_request_and_not_secret() {
    for row in ENDPOINTS {
        for kept in row.looked_up_by.map_or(&[][..], |look_up| look_up.keep) {
            let name = format!("{}: {}", row.name, kept.pointer());
            let field = field_at(row.fields, kept.pointer());
            match kept {
                Keep::Value(_) => {
                    assert!(field.is_some_and(|it| !it.secret && !matches!(it.kind, Kind::Object(_))), "{name}")
                }
                Keep::Presence(_) => assert!(field.is_some_and(|it| matches!(it.kind, Kind::Object(_))), "{name}"),
                Keep::Added(_) => assert!(field.is_none(), "{name}"),
            }
        }
    }
}

/// The field at that JSON pointer.
fn field_at(fields: &'static [Field], pointer: &str) -> Option<&'static Field> {
    let mut steps = pointer.split('/').skip(1);
    let first = fields.iter().find(|field| Some(field.name) == steps.clone().next());
    steps.next();
    steps.fold(first, |outer, step| match outer?.kind {
        Kind::Object(inner) => inner.iter().find(|field| field.name == step),
        _ => None,
    })
}

#[test]
fn a_member_that_means_the_same_as_another_is_text_like_that_one() {
    for row in ENDPOINTS {
        for field in fields(row.fields) {
            let Some(pointer) = field.same_as else { continue };
            let other = field_at(row.fields, pointer).unwrap_or_else(|| panic!("{}: there is no {pointer}", row.name));
            let texts = matches!((other.kind, field.kind), (Kind::Text, Kind::Text));
            assert!(texts, "{}: {} and {pointer}", row.name, field.name);
        }
    }
}

#[test]
fn a_payment_option_names_members_of_its_request() {
    for row in ENDPOINTS {
        for field in fields(row.fields).into_iter().filter(|field| !field.options.is_empty()) {
            assert!(matches!(field.kind, Kind::Text) && field.any_case && !field.secret, "{}", row.name);
            let mut words: Vec<_> = field.options.iter().flat_map(|option| option.words).collect();
            for option in field.options {
                // As long as the name, so that the request has room for it.
                assert!(option.sent_as.eq_ignore_ascii_case(field.name), "{}: {}", row.name, option.sent_as);
                for needed in option.needs {
                    let optional = row.fields.iter().any(|field| field.name == *needed && !field.required);
                    assert!(optional, "{}: {needed}", row.name);
                }
                assert!(
                    option.words.iter().all(|word| PayOption::of(field.options, &word.to_lowercase()) == Some(option))
                );
            }
            words.sort_unstable_by_key(|word| word.to_lowercase());
            words.dedup_by_key(|word| word.to_lowercase());
            assert_eq!(words.len(), field.options.iter().map(|option| option.words.len()).sum::<usize>());
        }
    }
}

/// A name is compared with the known ones up to a length, and must resemble only one name in each object.
#[test]
fn the_names_of_an_open_payload_can_be_told_apart() {
    fn check(row: &str, of: &'static [Field]) {
        let folded = |field: &Field| field.name.to_lowercase().replace(['_', '-'], "");
        for (index, field) in of.iter().enumerate() {
            assert!(field.name.is_ascii() && field.name.len() <= 40, "{row}: {}", field.name);
            for other in &of[..index] {
                assert_ne!(folded(field), folded(other), "{row}: {} and {}", field.name, other.name);
            }
            check(row, field.kind.members());
        }
    }
    for row in ENDPOINTS.iter().filter(|row| row.allows_extra) {
        check(row.name, row.fields);
    }
}

/// The documentation is lines of source and cells of tables.
#[test]
fn documentation_fits_on_a_line_and_in_a_cell() {
    let rows = ENDPOINTS.iter().flat_map(|row| {
        let fields = fields(row.fields).into_iter().map(|field| field.doc);
        let members = members(row.answer.members).into_iter().map(|member| member.doc);
        [row.doc].into_iter().chain(fields).chain(members)
    });
    for doc in rows.chain(settings::CONFIG.iter().chain(settings::REQUEST).map(|field| field.doc)) {
        assert!(!doc.contains(['\n', '|', '*']) && doc.trim() == doc, "{doc}");
    }
}

/// Fields are marked documented only where the service documents them. Its responses to `order_create` are not.
#[test]
fn an_answer_that_is_not_documented_has_no_documented_member() {
    for row in ENDPOINTS {
        let (answer, name) = (&row.answer, row.name);
        for member in members(answer.members) {
            assert!(member.certainty >= answer.certainty, "{name}: {} is surer than the response", member.name);
        }
        assert!(answer.certainty >= row.certainty, "{name}: its response is surer than the endpoint");
        for field in fields(row.fields) {
            assert!(field.certainty >= row.certainty, "{name}: {} is surer than the endpoint", field.name);
        }
    }
}
