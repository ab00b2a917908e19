//! The values that a program kept of an earlier request, and the status query's request that they make.

use std::borrow::Cow;

use crate::json::builder::{self, Builder};
use crate::json::{Fields, Type, Value, pointer};
use crate::request::amount::digits;
use crate::request::names::value_of;
use crate::request::secrets::{Secrets, Stop};
use crate::request::validate;
use crate::util::memory::MAX_ERRORS;
use crate::util::text::shortened;
use crate::util::validation_error::ValidationError;
use paysvc_spec::schema::{Endpoint, Field, Keep, Kind, LookUp, Settles};
use paysvc_spec::status::Status;

/// The place of the earlier request in the request of `resolve`.
const WHERE: &str = "request";

/// The part of a request that the status query needs: values by their pointers.
pub type Values = Vec<(&'static str, Box<str>)>;

/// An earlier request, as far as it was kept.
pub struct EarlierRequest<'a> {
    row: &'static Endpoint,
    look_up: &'static LookUp,
    given: Fields<'a>,
    values: Vec<(&'static str, Value<'a>)>,
    /// The first field that makes the request a charge.
    pub charge: Option<String>,
}

impl<'a> EarlierRequest<'a> {
    /// Reads and checks what the status query needs of `request`; other fields are ignored, except misspelt ones.
    pub fn read(
        row: &'static Endpoint,
        look_up: &'static LookUp,
        request: Value<'a>,
        what: &str,
    ) -> Result<EarlierRequest<'a>, ValidationError> {
        let invalid = |errors| ValidationError::of_members(Status::Argument, what, errors);
        let given = object(request).map_err(|text| invalid(vec![(WHERE.to_owned(), text)]))?;
        let mut errors = Vec::new();
        let mut values = Vec::new();
        for kept in look_up.keep {
            match value(given, row.fields, kept.pointer()).and_then(|found| checked(found, kept, row.fields)) {
                Ok(found) => values.extend(found.map(|value| (kept.pointer(), value))),
                Err((path, text)) => errors.push((format!("{WHERE}.{path}"), text)),
            }
        }
        misspelt(given, row.fields, look_up, &mut errors);
        let charge = charge(&[], given, row.fields, look_up);
        let earlier = EarlierRequest { row, look_up, given, values, charge };
        if errors.is_empty() {
            earlier.missing(&mut errors);
        }
        if errors.is_empty() { Ok(earlier) } else { Err(invalid(errors)) }
    }

    /// Fields that the status query requires, and values that must be the same.
    fn missing(&self, errors: &mut Vec<(String, String)>) {
        let mut report =
            |pointer: &str, text: String| errors.push((format!("{WHERE}{}", pointer.replace('/', ".")), text));
        for (_, pointers) in self.look_up.members {
            let mut given = pointers.iter().filter_map(|pointer| Some((*pointer, self.text(pointer)?)));
            match given.next() {
                None => report(pointers[0], self.required(pointers)),
                Some((first, text)) => {
                    let others = given.filter(|(_, other)| *other != text).map(|(pointer, _)| pointer);
                    others.for_each(|other| report(other, format!("must be the same as {}", dotted(first))));
                }
            }
        }
        let is_required = self.look_up.settles == Settles::Attempt;
        if let Some(own) = self.own_pointer().filter(|own| is_required && self.text(own).is_none()) {
            report(own, "is required".to_owned());
        }
    }

    fn required(&self, pointers: &[&'static str]) -> String {
        let is_added = self.look_up.keep.iter().any(|kept| *kept == Keep::Added(pointers[0]));
        match (is_added, pointers) {
            (true, _) if !self.look_up.limits.is_empty() => {
                format!("is required, though the request has no such field. {}", self.look_up.limits)
            }
            (true, _) => "is required: add it, because the request has no such field".to_owned(),
            (false, [_]) => "is required".to_owned(),
            (false, [_, others @ ..]) => {
                let others: Vec<_> = others.iter().map(|pointer| dotted(pointer)).collect();
                format!("is required, unless {} is given", others.join(" or "))
            }
            (false, []) => String::new(),
        }
    }

    /// The secrets that the caller kept, if any: the service may repeat them.
    pub fn secrets(&self, stop: Stop<'_>) -> Secrets {
        Secrets::of_row(self.given, &kept_fields(self.row.fields, self.look_up), stop)
    }

    /// The fields of the request of the status query.
    pub fn asks(&self) -> Vec<(&'static str, Value<'a>)> {
        let is_given = |pointer: &&&str| self.text(pointer).is_some();
        let value = |pointers: &[&str]| self.value(pointers.iter().find(is_given)?);
        self.look_up.members.iter().filter_map(|(name, pointers)| Some((*name, value(pointers)?))).collect()
    }

    /// The name of the attempt or account in question, beside the fields that the status query sends.
    pub fn own_reference(&self) -> Option<Cow<'a, str>> {
        self.text(self.own_pointer()?)
    }

    /// For one attempt among others, or an account: the value of the request that the status query does not send.
    fn own_pointer(&self) -> Option<&'static str> {
        let is_sent = |pointer: &str| self.look_up.members.iter().any(|(_, pointers)| pointers.contains(&pointer));
        let mut kept =
            self.look_up.keep.iter().filter(|_| matches!(self.look_up.settles, Settles::Attempt | Settles::Account));
        kept.find_map(|kept| match kept {
            Keep::Value(pointer) if !is_sent(pointer) => Some(*pointer),
            _ => None,
        })
    }

    /// The amount as it was given.
    pub fn amount(&self) -> Option<Cow<'a, str>> {
        digits(self.value(self.look_up.amount?)?)
    }

    pub fn currency(&self) -> Option<Cow<'a, str>> {
        self.value(self.look_up.currency?)?.text()
    }

    fn text(&self, pointer: &str) -> Option<Cow<'a, str>> {
        self.value(pointer)?.text()
    }

    fn value(&self, pointer: &str) -> Option<Value<'a>> {
        self.values.iter().find(|(known, _)| *known == pointer).map(|(_, value)| *value)
    }
}

/// Returns the values that a program keeps from a request to look it up; `with_added`: also those that the caller has added.
pub fn values(row: &'static Endpoint, look_up: &LookUp, given: Fields<'_>, with_added: bool) -> Values {
    let value = |keep: &Keep| {
        let value = value(given, row.fields, keep.pointer()).ok()??;
        // A value of the wrong type is refused elsewhere; its content may be secret.
        match (keep, value.kind()) {
            (Keep::Added(_), _) if !with_added => None,
            (Keep::Value(pointer) | Keep::Added(pointer), Type::Text | Type::Number) => {
                Some((*pointer, value.raw().into()))
            }
            (Keep::Presence(pointer), Type::Object) => Some((*pointer, "{}".into())),
            _ => None,
        }
    };
    look_up.keep.iter().filter_map(value).collect()
}

/// The values as a JSON object; `None` without memory for it.
pub fn text(values: &Values) -> Option<String> {
    let mut object = Builder::new();
    for (pointer, value) in values {
        object.set(pointer, builder::Value::Json(value));
    }
    Some(object.text()?.to_str().ok()?.to_owned())
}

/// The request has a field that makes it a charge.
pub fn charges(row: &'static Endpoint, look_up: &LookUp, given: Fields<'_>) -> bool {
    charge(&[], given, row.fields, look_up).is_some()
}

pub fn text_at(row: &'static Endpoint, given: Fields<'_>, pointer: &str) -> Option<String> {
    digits(value(given, row.fields, pointer).ok()??).map(Cow::into_owned)
}

/// The first field with which the request is a charge. One that the row does not list, at any depth, may be another way to
/// pay. `path`: where these fields stand.
fn charge(path: &[&str], given: Fields<'_>, fields: &[Field], look_up: &LookUp) -> Option<String> {
    given.iter().filter(|(_, value)| value.kind() != Type::Null).find_map(|(name, value)| {
        let path = [path, &[&*name]].concat();
        let is_on = |pointer: &str| {
            let mut names = pointer::names(pointer);
            path.iter().all(|step| names.next().is_some_and(|name| name == *step))
        };
        let is_charge = match fields.iter().find(|field| field.is_called(&name)) {
            Some(field) if look_up.charges_with.iter().any(|pointer| pointer[1..] == *field.name) => path.len() == 1,
            Some(field) => match field.kind {
                Kind::Object(inner) => return charge(&path, value.fields(), inner, look_up),
                _ => false,
            },
            None => !look_up.keep.iter().any(|kept| is_on(kept.pointer())),
        };
        is_charge.then(|| shortened(&path.join(".")).into_owned())
    })
}

/// The fields of the row, and those that the caller adds for the status query: references.
fn kept_fields(fields: &'static [Field], look_up: &'static LookUp) -> Vec<Field> {
    let added = look_up.keep.iter().filter_map(|kept| match kept {
        Keep::Added(pointer) => Some(Field::optional(first_step(pointer), Kind::Text, "")),
        Keep::Value(_) | Keep::Presence(_) => None,
    });
    fields.iter().copied().chain(added).collect()
}

/// The field of the request in which a pointer begins.
fn first_step(pointer: &str) -> &str {
    pointer[1..].split('/').next().unwrap_or_default()
}

/// A path for people.
fn dotted(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".")
}

fn object(value: Value<'_>) -> Result<Fields<'_>, String> {
    match value.kind() {
        Type::Object => Ok(value.fields()),
        found => Err(format!("must be an object, not {}", found.name())),
    }
}

type Fault = (String, String);

fn value<'a>(given: Fields<'a>, fields: &'static [Field], pointer: &str) -> Result<Option<Value<'a>>, Fault> {
    // A name that the row takes in any case stands at the top.
    let own = fields.iter().find(|field| field.any_case && pointer[1..] == *field.name);
    if let Some(field) = own {
        return Ok(value_of(given, field));
    }
    let (mut path, mut level) = (String::new(), given);
    let mut names = pointer::names(pointer).peekable();
    while let Some(name) = names.next() {
        path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        let Some(found) = level.get(&name) else { return Ok(None) };
        if names.peek().is_none() {
            return Ok(Some(found));
        }
        level = object(found).map_err(|text| (path.clone(), text))?;
    }
    Ok(None)
}

fn checked<'a>(value: Option<Value<'a>>, kept: &Keep, fields: &'static [Field]) -> Result<Option<Value<'a>>, Fault> {
    let Some(value) = value else { return Ok(None) };
    let fault = match kept {
        // None of it is needed, so nothing within it is checked.
        Keep::Presence(_) => object(value).err(),
        Keep::Value(pointer) => field_at(fields, pointer).and_then(|field| validate::fault(value, field)),
        Keep::Added(_) => validate::fault(value, &Field::required("", Kind::Text, "")),
    };
    match fault {
        Some(text) => Err((dotted(kept.pointer()), text)),
        None => Ok(Some(value)),
    }
}

fn field_at(fields: &'static [Field], pointer: &str) -> Option<&'static Field> {
    let mut names = pointer::names(pointer);
    let named = |fields: &'static [Field], name: &str| fields.iter().find(|field| field.name == name);
    let first = named(fields, &names.next()?)?;
    names.try_fold(first, |outer, name| named(outer.kind.members(), &name))
}

/// Fields whose names are nearly those of fields that must be kept: if they were ignored, those would be missing.
fn misspelt(given: Fields<'_>, fields: &'static [Field], look_up: &'static LookUp, errors: &mut Vec<Fault>) {
    let paths: Vec<String> = look_up.keep.iter().map(|kept| dotted(kept.pointer())).collect();
    let all = kept_fields(fields, look_up);
    let known = validate::KnownMembers::of(&all);
    let mut check = |given: Fields<'_>, here: &[Field], prefix: &str| {
        for (name, _) in given.iter().filter(|(name, _)| !here.iter().any(|field| field.is_called(name))) {
            let meant = known.meant(&name, prefix);
            let is_kept = |meant: &str| paths.iter().any(|path| path == meant || *path == format!("{prefix}{meant}"));
            if let Some(meant) = meant.filter(|meant| meant.split(" or ").any(is_kept))
                && errors.len() < MAX_ERRORS
            {
                errors.push((format!("{WHERE}.{prefix}{}", shortened(&name)), validate::did_you_mean(&meant)));
            }
        }
    };
    check(given, &all, "");
    for field in all.iter().filter(|field| paths.iter().any(|path| path.starts_with(&format!("{}.", field.name)))) {
        if let Some(inner) = given.get(field.name) {
            check(inner.fields(), field.kind.members(), &format!("{}.", field.name));
        }
    }
}

#[cfg(test)]
mod tests;
