//! Payment options: words of a member that decide what else a request needs.

use super::Certainty;

/// One payment option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PayOption {
    /// The words that mean it, in any case. The first is used in messages and documentation.
    pub words: &'static [&'static str],
    /// How the deciding member is spelled when it is sent. The service is seen with both spellings.
    pub sent_as: &'static str,
    /// Names of the members beside it that the request must have.
    pub needs: &'static [&'static str],
    pub certainty: Certainty,
    pub doc: &'static str,
}

impl PayOption {
    /// The option that a value means; `None` for one that is not known.
    pub fn of(options: &'static [PayOption], value: &str) -> Option<&'static PayOption> {
        options.iter().find(|option| option.words.iter().any(|word| word.eq_ignore_ascii_case(value)))
    }
}
