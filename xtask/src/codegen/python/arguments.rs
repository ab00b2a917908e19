//! A field of a request as keyword arguments of a method or class.

use minijinja::{Value, context};

use crate::names::python::Also;

#[derive(Clone, PartialEq)]
pub struct Argument {
    /// The interface's name.
    pub member: &'static str,
    pub name: String,
    pub kind: String,
    pub also: Option<Also>,
    /// Takes an amount, so a Decimal is accepted too.
    pub amount: bool,
    /// Has to be given.
    pub required: bool,
    /// Has to be given as well, or a word that says that it is left out.
    pub has_price: bool,
    /// None leaves it out.
    pub none_omits: bool,
    /// Its value may be a secret, or have one in it.
    pub secret: bool,
    pub doc: String,
}

/// For the template.
pub fn values(arguments: Vec<Argument>) -> Vec<Value> {
    let value = |argument: Argument| {
        let (spelling, seconds) = match argument.also {
            Some(Also::Spelling(name)) => (Some(name), None),
            Some(Also::Seconds(name)) => (None, Some(name)),
            None => (None, None),
        };
        context! {
            member => argument.member,
            name => argument.name,
            kind => argument.kind,
            spelling,
            seconds,
            amount => argument.amount,
            required => argument.required,
            has_price => argument.has_price,
            none_omits => argument.none_omits,
            secret => argument.secret,
            doc => argument.doc,
        }
    };
    arguments.into_iter().map(value).collect()
}
