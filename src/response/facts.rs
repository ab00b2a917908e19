//! What an answer says, as facts: votes, states, codes and references. Pure; [`crate::response::verdict`] decides over them.
//!
//! What weakens a verdict is read generously (names in any case, at any depth), what strengthens it strictly.

use crate::request::references::{Reference, References};
use crate::response::document::{Document, Value};
use crate::util::json::Type;
use names::{Name, known};
use paysvc_spec::schema::{Answer, Envelope, Member};
use paysvc_spec::status::State;
use words::{
    CodeClass, Named, code, code_class, flag, is_digits, is_one_of, state_of_id, state_of_word, state_word, word,
};

mod names;
mod references;
mod state;
mod words;

/// As much of a message as is searched for words that speak of an earlier request.
const MESSAGE_SEARCHED: usize = 64 * 1024;

/// Values looked at between two looks at the clock: less than a millisecond.
const BETWEEN_STOPS: usize = 32 * 1024;

/// A vote, and whether the member that gives it has exactly the name of the interface.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Vote {
    pub any_case: bool,
    pub exact: bool,
}

impl Vote {
    fn cast(&mut self, exact: bool) {
        self.any_case = true;
        self.exact |= exact;
    }
}

/// What an answer says.
#[derive(Default, Debug)]
pub struct Facts {
    pub success: Vote,
    pub failure: Vote,
    /// Contradicts success; alone it is no vote.
    pub weak_failure: bool,
    /// An object names a member twice.
    pub named_twice: bool,
    /// Something in it names progress or success.
    pub names_progress: bool,
    /// It names a state of a payment, whichever.
    pub names_state: bool,
    /// It names a reference that is not the request's.
    pub other_request: bool,
    pub scalars_disagree: bool,
    /// The state is contradicted by the history, the top-level word or a payment response code.
    pub state_contradicted: bool,
    /// A failed state beside a top-level word or code of progress, or a payment response code of progress or success.
    pub failed_beside_progress: bool,
    /// A top-level code 4 or 12.
    pub refusing_code: bool,
    /// An element of a `data` array has failed.
    pub element_failed: bool,
    /// This payment's own state is FAILED.
    pub own_failed: bool,
    /// Only the order's state is FAILED.
    pub order_failed: bool,
    /// A reading's answer has its subject.
    pub subject: bool,
    /// An answer without an envelope has at least one of its own members.
    pub bare: bool,
    /// Contradictions taken into account.
    pub state: State,
    /// How many payments of the history were successful.
    pub payments_made: usize,
}

/// Where a state stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    /// `data.orderPayment`
    Payment,
    /// `data`, or the top level where the row says so
    Data,
    /// `data.orderSummary`, `data.order`
    Order,
}

/// What the top-level `status` says of the payment, beyond its vote.
#[derive(Clone, Copy, Default)]
struct TopWord {
    progress: bool,
    failure: bool,
}

/// Reads the facts of an answer; `text` is what the document was made of. `None` where it was told to stop.
pub fn read(
    document: &Document,
    text: &str,
    expected: &Answer,
    references: &References,
    stop: &dyn Fn() -> bool,
) -> Option<Facts> {
    let mut reader = Reader::new(expected, references);
    reader.facts.named_twice = document.has_twice();
    for value in document.values(text) {
        if value.index() % BETWEEN_STOPS == BETWEEN_STOPS - 1 && stop() {
            return None;
        }
        reader.at_any_depth(value);
    }
    let root = document.root(text);
    reader.root(root);
    Some(reader.finish(root))
}

struct Reader<'a> {
    expected: &'a Answer,
    references: &'a References,
    facts: Facts,
    scalars: Vec<(Level, Named)>,
    elements: [usize; 3],
    top: TopWord,
    /// Payment response codes seen: success, progress, failure.
    payment_codes: [bool; 3],
    top_progress_code: bool,
    earlier_request: bool,
    has_errors: bool,
}

const FAILED: usize = 0;
const SUCCESSFUL: usize = 1;
const OTHER: usize = 2;

impl<'a> Reader<'a> {
    fn new(expected: &'a Answer, references: &'a References) -> Reader<'a> {
        Reader {
            expected,
            references,
            facts: Facts::default(),
            scalars: Vec::new(),
            elements: [0; 3],
            top: TopWord::default(),
            payment_codes: [false; 3],
            top_progress_code: false,
            earlier_request: false,
            has_errors: false,
        }
    }

    /// What weakens a verdict wherever it stands.
    fn at_any_depth(&mut self, value: Value<'_>) {
        const STATUS_ID: &str = "statusId";
        const BATCH: [&str; 3] = ["batchReference", "batchId", "payoutReference"];
        // Tells most values apart before their names are looked at.
        if !matches!(value.plain_name_len(), None | Some(7 | 8 | 14 | 15)) {
            return;
        }
        let Some(name) = value.name() else { return };
        match name.len() {
            8 if name.eq_ignore_ascii_case(STATUS_ID) => {
                if let Some(named) = state_of_id(value) {
                    self.names(named);
                }
            }
            7 | 14 | 15 if BATCH.iter().any(|known| name.eq_ignore_ascii_case(known)) => {
                self.facts.names_progress |= !value.is_nothing();
            }
            _ => {}
        }
    }

    fn names(&mut self, named: Named) {
        self.facts.names_state = true;
        self.facts.names_progress |= named != Named::Failed;
    }

    fn root(&mut self, root: Value<'_>) {
        if root.kind() != Type::Object {
            return;
        }
        for member in root.children() {
            let Some((name, exact)) = known(member) else { continue };
            match name {
                Name::Status => self.top_status(member, exact),
                Name::IsSuccess => match flag(member) {
                    Some(true) if member.kind() == Type::Bool => self.facts.success.cast(exact),
                    Some(false) => self.facts.failure.cast(exact),
                    _ => {}
                },
                Name::Success => {
                    let word = word(member);
                    let word = word.as_deref().unwrap_or_else(|| member.raw());
                    self.facts.weak_failure |= word.eq_ignore_ascii_case("false");
                }
                Name::Error if !member.is_nothing() => match member.kind() {
                    Type::Object => {
                        self.facts.failure.cast(exact);
                        self.message_of(member);
                    }
                    Type::Text | Type::Array => self.facts.weak_failure = true,
                    Type::Bool => self.facts.weak_failure |= member.raw() == "true",
                    Type::Number | Type::Null => {}
                },
                Name::Errors if !member.is_nothing() => {
                    self.has_errors |= exact && matches!(member.kind(), Type::Object | Type::Array | Type::Text);
                    match member.kind() {
                        Type::Object => self.facts.failure.cast(exact),
                        Type::Text | Type::Array => self.facts.weak_failure = true,
                        Type::Bool => self.facts.weak_failure |= member.raw() == "true",
                        Type::Number | Type::Null => {}
                    }
                }
                Name::Message => self.message(member),
                Name::Code | Name::PaymentCode => {
                    self.code(member, name == Name::PaymentCode);
                    match code(member) {
                        Some(4 | 12) => self.facts.refusing_code = true,
                        Some(1 | 2) => self.top_progress_code = true,
                        _ => {}
                    }
                }
                Name::Data => match member.kind() {
                    Type::Object => self.data(member, exact),
                    Type::Array => member.children().for_each(|element| self.data_element(element, exact)),
                    _ => {}
                },
                _ => {}
            }
        }
    }

    fn top_status(&mut self, member: Value<'_>, exact: bool) {
        match member.kind() {
            Type::Bool if member.raw() == "true" => self.facts.success.cast(exact),
            Type::Bool => {
                self.facts.failure.cast(exact);
                self.top.failure = true;
            }
            Type::Text => {
                let Some(word) = word(member) else { return };
                match state_word(&word) {
                    Some(Named::Progress(_)) => {
                        self.top.progress = true;
                        self.facts.success.cast(exact);
                    }
                    Some(Named::Failed) => {
                        self.top.failure = true;
                        self.facts.failure.cast(exact);
                    }
                    Some(Named::Successful) => self.facts.success.cast(exact),
                    _ if flag(member) == Some(false) => {
                        self.top.failure = true;
                        self.facts.failure.cast(exact);
                    }
                    _ if is_one_of(&word, &["success"]) => self.facts.success.cast(exact),
                    _ => {}
                }
                if self.expected.top_word_is_state() && exact {
                    self.word(member, Level::Data, true);
                }
            }
            _ => {}
        }
    }

    fn data(&mut self, data: Value<'_>, exact: bool) {
        for member in data.children() {
            let Some((name, own)) = known(member) else { continue };
            let exact = exact && own;
            match name {
                Name::IsSuccess | Name::Success if flag(member) == Some(false) => self.facts.failure.cast(exact),
                Name::Status => {
                    if flag(member) == Some(false) {
                        self.facts.failure.cast(exact);
                    }
                    self.state_member(member, name, Level::Data, exact);
                }
                Name::StatusId | Name::PaymentStatus => self.state_member(member, name, Level::Data, exact),
                Name::Code | Name::PaymentCode => self.code(member, name == Name::PaymentCode),
                Name::OrderPayment => self.level(member, Level::Payment, exact),
                Name::OrderSummary | Name::Order => {
                    self.level(member, Level::Order, exact);
                    self.reference_of(member);
                }
                Name::OrderPayments if member.kind() == Type::Array => {
                    member.children().for_each(|element| self.element(element, exact));
                }
                Name::SessionId => self.reference(member, Reference::Session),
                Name::MandateCode => self.reference(member, Reference::Mandate),
                Name::Message => self.message(member),
                _ => {}
            }
        }
    }

    /// The order or the payment within `data`.
    fn level(&mut self, object: Value<'_>, level: Level, exact: bool) {
        if object.kind() != Type::Object {
            return;
        }
        for member in object.children() {
            let Some((name, own)) = known(member) else { continue };
            match name {
                Name::StatusId | Name::Status | Name::PaymentStatus => {
                    self.state_member(member, name, level, exact && own);
                }
                Name::Code | Name::PaymentCode => self.code(member, name == Name::PaymentCode),
                _ => {}
            }
        }
    }

    /// A member that names a state of its level.
    fn state_member(&mut self, member: Value<'_>, name: Name, level: Level, exact: bool) {
        if name == Name::StatusId {
            // What a `statusId` says of progress is looked for at every depth.
            if let Some(named) = state_of_id(member).filter(|_| exact) {
                self.scalars.push((level, named));
            }
        } else {
            self.word(member, level, exact);
        }
    }

    /// A word beside a `statusId`, or in its place.
    fn word(&mut self, member: Value<'_>, level: Level, exact: bool) {
        let in_data = level == Level::Data && !is_named(member, Name::PaymentStatus);
        let Some(mut named) = state_of_word(member) else { return };
        // In `data` a denial is a vote; as a state it is unknown, and names neither progress nor success.
        if in_data && flag(member) == Some(false) {
            if exact {
                self.scalars.push((level, named));
            }
            return;
        }
        if in_data && word(member).is_some_and(|word| is_one_of(&word, &["success"])) {
            named = if self.expected.success_is_state { Named::Successful } else { Named::Success };
        }
        self.names(named);
        if exact {
            self.scalars.push((level, named));
        }
    }

    /// An element of the history.
    fn element(&mut self, element: Value<'_>, exact: bool) {
        let (mut failed, mut successful, mut other) = (false, false, false);
        self.each_state(element, |named| match named {
            Named::Failed => failed = true,
            Named::Successful => successful = true,
            _ => other = true,
        });
        match (failed, successful, other) {
            _ if !exact => {}
            (false, false, false) => {}
            (true, false, false) => self.elements[FAILED] += 1,
            (false, true, false) => self.elements[SUCCESSFUL] += 1,
            _ => self.elements[OTHER] += 1,
        }
    }

    /// An element of `data` where that is a list, as of a payout.
    fn data_element(&mut self, element: Value<'_>, exact: bool) {
        let mut failed = false;
        self.each_state(element, |named| failed |= named == Named::Failed);
        self.facts.element_failed |= exact && failed;
    }

    /// The states that an element of a list names by the interface's own names.
    fn each_state(&mut self, element: Value<'_>, mut own_state: impl FnMut(Named)) {
        if element.kind() != Type::Object {
            return;
        }
        for member in element.children() {
            let Some((name, own)) = known(member) else { continue };
            let named = match name {
                Name::StatusId => state_of_id(member),
                Name::Status | Name::PaymentStatus => state_of_word(member),
                Name::Code | Name::PaymentCode => {
                    self.code(member, false);
                    None
                }
                _ => None,
            };
            if let Some(named) = named {
                self.names(named);
                if own {
                    own_state(named);
                }
            }
        }
    }

    fn code(&mut self, member: Value<'_>, of_payment: bool) {
        let Some(class) = code(member).map(code_class) else { return };
        self.facts.names_progress |= class != CodeClass::Failure;
        if of_payment {
            self.payment_codes[class as usize] = true;
        }
    }

    fn message_of(&mut self, object: Value<'_>) {
        for member in object.children() {
            if let Some((Name::Message, _)) = known(member) {
                self.message(member);
            }
        }
    }

    /// Guessed: such words speak of an earlier request, which may have been done.
    fn message(&mut self, member: Value<'_>) {
        const WORDS: &[&str] = &["already", "duplicate", "in progress", "timed out", "timeout", "requery"];
        let Some(text) = member.text_start(MESSAGE_SEARCHED) else { return };
        let text = text.as_bytes();
        let begins = |at: usize, word: &str| {
            text.get(at..at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes()))
        };
        let first = |byte: &u8| matches!(byte | 0x20, b'a' | b'd' | b'i' | b't' | b'r');
        let mut starts = text.iter().enumerate().filter(|(_, byte)| first(byte)).map(|(at, _)| at);
        self.earlier_request |= starts.any(|at| WORDS.iter().any(|word| begins(at, word)));
    }

    fn finish(mut self, root: Value<'_>) -> Facts {
        self.facts.names_progress |= self.earlier_request && !self.has_errors;
        self.decide_state();
        let facts = &mut self.facts;
        facts.subject =
            self.expected.subject.and_then(|pointer| root.find(pointer)).is_some_and(|subject| match subject.kind() {
                _ if subject.is_nothing() => false,
                Type::Object | Type::Number => true,
                Type::Text => word(subject).is_some_and(|word| is_digits(&word)),
                _ => false,
            });
        let own = |member: &Member| root.member(member.name).is_some_and(|own| own.kind() != Type::Null);
        facts.bare = self.expected.envelope == Envelope::Bare && self.expected.members.iter().any(own);
        self.facts
    }
}

fn is_named(member: Value<'_>, name: Name) -> bool {
    known(member).is_some_and(|(known, _)| known == name)
}
