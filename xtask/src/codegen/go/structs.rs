//! Requests and the configuration as structs.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::{Value, context};
use paysvc_spec::operations::OPERATIONS;
use paysvc_spec::schema::{Default, Endpoint, Field, Kind};

use crate::codegen::member;
use crate::names::go::{exported, field as field_name};

/// Holds what must not be printed. Its zero value is absent, so it is never a pointer.
pub const SECRET: &str = "Secret";

#[derive(Clone, Copy, Debug)]
pub enum Use {
    /// An empty text, a time of 0 and a pointer that is nil mean left out: the environment or the default is used.
    Config,
    /// Empty is not absent: a field that may be absent is a pointer.
    Request { extra: bool },
}

/// Types of objects within requests by what they have: equal objects are one type, called after the first.
#[derive(Default)]
pub struct Shared(BTreeMap<String, String>);

impl Shared {
    pub fn of(rows: &[Endpoint]) -> Shared {
        let mut shared = Shared::default();
        let rows = rows.iter().map(|it| (it.name, it.fields, it.allows_extra));
        for (name, fields, extra) in rows.chain(OPERATIONS.iter().map(|it| (it.name, it.members, false))) {
            shared.add(&format!("{}Request", exported(name)), fields, Use::Request { extra });
        }
        shared
    }

    fn add(&mut self, owner: &str, fields: &[Field], used: Use) {
        for field in fields {
            if let Kind::Object(inner) | Kind::List(inner) = field.kind {
                let own = nested(owner, field);
                self.add(&own, inner, used);
                self.0.entry(format!("{used:?} {inner:?}")).or_insert(own);
            }
        }
    }

    fn name(&self, owner: &str, field: &Field, used: Use) -> String {
        let known = self.0.get(&format!("{used:?} {:?}", field.kind.members()));
        known.cloned().unwrap_or_else(|| nested(owner, field))
    }
}

/// `OrderCreateRequest` and `card` make `OrderCreateCard`.
fn nested(owner: &str, field: &Field) -> String {
    format!("{}{}", owner.trim_end_matches("Request"), exported(field.name))
}

/// The structs of an endpoint's request.
pub fn request(row: &Endpoint, shared: &Shared) -> Vec<Value> {
    let name = format!("{}Request", exported(row.name));
    structs(&name, row.fields, Use::Request { extra: row.allows_extra }, shared)
}

/// The struct of an object and, after it, those of the objects within that are not those of others.
pub fn structs(name: &str, fields: &[Field], used: Use, shared: &Shared) -> Vec<Value> {
    let names: BTreeSet<_> = fields.iter().map(|field| field_name(field.name)).collect();
    assert_eq!(names.len(), fields.len(), "two fields of {name} have the same name in Go");
    let of_field = |field: &Field| {
        let (of, tag) = type_of(field, name, used, shared);
        let (duration, has_price) = (duration(field, used), field.has_price);
        let is_duration = duration.is_some();
        match duration {
            Some((bare, doc)) => {
                let (go, kind) = (field_name(bare), "duration");
                context! { go, type => of, tag, has_price, is_duration, name => field.name, kind, doc }
            }
            None => context! { go => field_name(field.name), type => of, tag, has_price, is_duration, ..member(field) },
        }
    };
    let members: Vec<Value> = fields.iter().map(of_field).collect();
    let mut all = vec![context! { name, members, extra => matches!(used, Use::Request { extra: true }) }];
    for field in fields {
        if let Kind::Object(inner) | Kind::List(inner) = field.kind {
            let of = nested(name, field);
            if shared.name(name, field, used) != of {
                continue;
            }
            let mut inner = structs(&of, inner, used, shared).into_iter();
            let first = inner.next().expect("a struct of its own");
            let element = matches!(field.kind, Kind::List(_));
            all.push(context! { member => field.name, owner => name, element, ..first });
            all.extend(inner);
        }
    }
    all
}

/// A time of the configuration, `timeout_ms`, is a duration in Go: its name without the unit, and what it is.
fn duration(field: &Field, used: Use) -> Option<(&'static str, String)> {
    let bare = field.name.strip_suffix("_ms").filter(|_| matches!(used, Use::Config))?;
    let Default::Number { value, least, most } = field.default else { panic!("{} has no default", field.name) };
    let words = |ms: u64| match ms {
        _ if ms.is_multiple_of(3_600_000) => format!("{}h", ms / 3_600_000),
        _ if ms.is_multiple_of(1_000) => format!("{}s", ms / 1_000),
        _ => format!("{ms}ms"),
    };
    let doc = field.doc.replace(" in ms", "").replace("_ms", "");
    let limits = format!("default {}, {} to {}", words(value), words(least), words(most));
    Some((bare, format!("{doc}; rounded up to whole milliseconds ({limits})")))
}

/// The Go type of a field, and what follows its name in the tag. A pointer wherever the zero value could be taken
/// for a value: a missing amount is a full refund, an empty one is a mistake.
fn type_of(field: &Field, owner: &str, used: Use, shared: &Shared) -> (String, &'static str) {
    let config = matches!(used, Use::Config);
    if field.secret {
        assert!(matches!(field.kind, Kind::Text), "{} of {owner} is secret, and no text", field.name);
        let tag = match (config, field.required) {
            (true, _) => ",omitempty,omitzero",
            (false, true) => "",
            (false, false) => ",omitzero",
        };
        return (SECRET.to_owned(), tag);
    }
    let (of, may_be_plain) = match field.kind {
        Kind::Text | Kind::Amount(_) => ("string".to_owned(), field.required),
        Kind::Integer if config && field.name.ends_with("_ms") => return ("time.Duration".to_owned(), ",omitempty"),
        Kind::Integer => ("int64".to_owned(), false),
        Kind::Flag => ("bool".to_owned(), false),
        Kind::Any => return ("json.RawMessage".to_owned(), ",omitempty"),
        Kind::Object(_) => (shared.name(owner, field, used), field.required),
        Kind::List(_) => (format!("[]{}", shared.name(owner, field, used)), field.required),
    };
    match field.kind {
        // With a word beside it for an order that exists.
        _ if field.has_price => (format!("*{of}"), ""),
        Kind::Text if config => (of, ",omitempty"),
        _ if may_be_plain => (of, ""),
        _ => (format!("*{of}"), ",omitempty"),
    }
}
