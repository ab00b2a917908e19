//! What an answer says, as facts: votes, states, codes and references. Pure; [`crate::verdict`] decides over them.
//!
//! What weakens a verdict is read generously (names in any case, at any depth), what strengthens it strictly.

use std::borrow::Cow;

use crate::document::{Document, Value};
use crate::endpoints::AnswerShape;
use crate::json::Type;
use crate::status::State;

/// Words are short; a longer text is none of them.
const LONGEST_WORD: usize = 256;
/// As much of a message as is searched for words that speak of an earlier request.
const MESSAGE_SEARCHED: usize = 64 * 1024;

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
    /// A failed state beside a word or a code of progress or success.
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

/// What a request names that its answer may name too, by [`Reference`].
pub type References = Vec<(Reference, String)>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reference {
    Order,
    Session,
    Mandate,
}

/// Where a request names it.
pub const REQUESTED: &[(&[&str], Reference)] = &[
    (&["reference"], Reference::Order),
    (&["order", "reference"], Reference::Order),
    (&["sessionId"], Reference::Session),
    (&["mandateCode"], Reference::Mandate),
    (&["directDebitPaymentRequest", "mandateCode"], Reference::Mandate),
];

/// A state as one member names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Named {
    Progress(State),
    Failed,
    Successful,
    Reversed,
    /// "success" where it may speak of the request instead of the payment: agrees with SUCCESSFUL, alone says nothing.
    Success,
    UnknownNumber(i32),
    Unknown,
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum CodeClass {
    Success,
    Progress,
    Failure,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Status,
    PaymentStatus,
    StatusId,
    IsSuccess,
    Success,
    Error,
    Errors,
    Message,
    Code,
    PaymentCode,
    Data,
    OrderPayment,
    OrderSummary,
    Order,
    OrderPayments,
    Reference,
    SessionId,
    MandateCode,
}

/// By length, which tells most names of an answer apart.
const NAMES: &[(&str, Name)] = &[
    ("code", Name::Code),
    ("data", Name::Data),
    ("error", Name::Error),
    ("order", Name::Order),
    ("status", Name::Status),
    ("errors", Name::Errors),
    ("success", Name::Success),
    ("message", Name::Message),
    ("statusId", Name::StatusId),
    ("isSuccess", Name::IsSuccess),
    ("reference", Name::Reference),
    ("sessionId", Name::SessionId),
    ("statusCode", Name::Code),
    ("status_code", Name::Code),
    ("mandateCode", Name::MandateCode),
    ("responseCode", Name::Code),
    ("orderPayment", Name::OrderPayment),
    ("orderSummary", Name::OrderSummary),
    ("paymentStatus", Name::PaymentStatus),
    ("orderPayments", Name::OrderPayments),
    ("paymentResponseCode", Name::PaymentCode),
    ("orderPaymentResponseCode", Name::PaymentCode),
];

const LONGEST_NAME: usize = NAMES[NAMES.len() - 1].0.len();

/// Where the names of each length begin in [`NAMES`], and where the longer ones do.
const STARTS: [usize; LONGEST_NAME + 2] = {
    let mut starts = [NAMES.len(); LONGEST_NAME + 2];
    let mut index = NAMES.len();
    while index > 0 {
        index -= 1;
        assert!(index == 0 || NAMES[index - 1].0.len() <= NAMES[index].0.len(), "sorted by length");
        let mut length = 0;
        while length <= NAMES[index].0.len() {
            starts[length] = index;
            length += 1;
        }
    }
    starts
};

fn of_length(length: usize) -> &'static [(&'static str, Name)] {
    if length > LONGEST_NAME { &[] } else { &NAMES[STARTS[length]..STARTS[length + 1]] }
}

/// A member that means something here, and whether its name has the interface's own case.
fn known(value: Value<'_>) -> Option<(Name, bool)> {
    if value.plain_name_len().is_some_and(|length| of_length(length).is_empty()) {
        return None;
    }
    let name = value.name()?;
    let (known, meaning) = of_length(name.len()).iter().find(|(known, _)| known.eq_ignore_ascii_case(&name))?;
    Some((*meaning, *known == name))
}

/// What the top-level `status` says of the payment, beyond its vote.
#[derive(Clone, Copy, Default)]
struct TopWord {
    progress: bool,
    failure: bool,
}

/// Reads the facts of an answer; `text` is what the document was made of.
pub fn read(document: &Document, text: &str, shape: &AnswerShape, references: &References) -> Facts {
    let mut reader = Reader::new(shape, references);
    reader.facts.named_twice = document.has_twice();
    document.values(text).for_each(|value| reader.at_any_depth(value));
    let root = document.root(text);
    reader.root(root);
    reader.finish(root)
}

struct Reader<'a> {
    shape: &'a AnswerShape,
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
    fn new(shape: &'a AnswerShape, references: &'a References) -> Reader<'a> {
        Reader {
            shape,
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
                if self.shape.word_is_state && exact {
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
                Name::OrderSummary => {
                    self.level(member, Level::Order, exact);
                    self.reference_of(member);
                }
                Name::Order => {
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
            named = if self.shape.success_is_state { Named::Successful } else { Named::Success };
        }
        self.names(named);
        if exact {
            self.scalars.push((level, named));
        }
    }

    /// An element of the history.
    fn element(&mut self, element: Value<'_>, exact: bool) {
        if element.kind() != Type::Object {
            return;
        }
        let (mut failed, mut successful, mut other) = (false, false, false);
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
            let Some(named) = named else { continue };
            self.names(named);
            if own {
                failed |= named == Named::Failed;
                successful |= named == Named::Successful;
                other |= !matches!(named, Named::Failed | Named::Successful);
            }
        }
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
            let Some(named) = named else { continue };
            self.names(named);
            self.facts.element_failed |= exact && own && named == Named::Failed;
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

    fn reference_of(&mut self, object: Value<'_>) {
        if object.kind() != Type::Object {
            return;
        }
        for member in object.children() {
            if let Some((Name::Reference, _)) = known(member) {
                self.reference(member, Reference::Order);
            }
        }
    }

    /// What the request lacks is not compared.
    fn reference(&mut self, member: Value<'_>, kind: Reference) {
        let mut asked = self.references.iter().filter(|(of, _)| *of == kind).peekable();
        if asked.peek().is_none() || member.is_nothing() {
            return;
        }
        let found = match member.kind() {
            Type::Text => member.text(),
            Type::Number => Some(member.raw().into()),
            _ => None,
        };
        let same = found.is_some_and(|found| asked.any(|(_, asked)| is_same(asked, &found)));
        self.facts.other_request |= !same;
    }

    fn finish(mut self, root: Value<'_>) -> Facts {
        self.facts.names_progress |= self.earlier_request && !self.has_errors;
        self.decide_state();
        let facts = &mut self.facts;
        facts.subject =
            self.shape.subject.and_then(|pointer| root.find(pointer)).is_some_and(|subject| match subject.kind() {
                _ if subject.is_nothing() => false,
                Type::Object | Type::Number => true,
                Type::Text => word(subject).is_some_and(|word| is_digits(&word)),
                _ => false,
            });
        facts.bare = self.shape.bare.iter().any(|name| root.member(name).is_some_and(|own| own.kind() != Type::Null));
        self.facts
    }

    fn decide_state(&mut self) {
        let states = &self.scalars;
        let any = |wanted: Named| states.iter().any(|(_, named)| *named == wanted);
        let failed_at = |level: Level| states.iter().any(|(at, named)| *at == level && *named == Named::Failed);
        let progress = states.iter().any(|(_, named)| matches!(named, Named::Progress(_)));
        let unknown = states.iter().any(|(_, named)| matches!(named, Named::Unknown | Named::UnknownNumber(_)));
        // Alone it names nothing.
        let successful = any(Named::Successful) || any(Named::Success) && states.len() > 1;
        let (failed, reversed) = (any(Named::Failed), any(Named::Reversed));
        let finals = usize::from(successful) + usize::from(failed) + usize::from(reversed);
        let [success_code, progress_code, failure_code] = self.payment_codes;
        let [failed_elements, successful_elements, other_elements] = self.elements;

        let facts = &mut self.facts;
        facts.scalars_disagree = finals > 1 || finals == 1 && (progress || unknown);
        let own_failed = failed_at(Level::Payment) || failed_at(Level::Data);
        facts.failed_beside_progress =
            failed && (success_code || progress_code || self.top.progress || self.top_progress_code);
        facts.payments_made = successful_elements;
        let top = if self.shape.word_is_state { TopWord::default() } else { self.top };
        let elsewhere_failed =
            self.shape.subject.is_some() && !self.shape.word_is_state && (facts.failure.any_case || facts.weak_failure);
        let without_payment = successful_elements == 0 && failed_elements + other_elements > 0;
        facts.state_contradicted = successful
            && (top.progress || top.failure || progress_code || failure_code || without_payment || elsewhere_failed)
            || failed && successful_elements + other_elements > 0;
        facts.state = match (facts.scalars_disagree || facts.state_contradicted, finals) {
            (true, _) => State::NONE,
            (false, 0) => in_progress(states),
            (false, _) if successful => State::SUCCESSFUL,
            (false, _) if reversed => State::REVERSED,
            (false, _) => State::FAILED,
        };
        facts.own_failed = facts.state == State::FAILED && own_failed;
        facts.order_failed = facts.state == State::FAILED && !own_failed;
    }
}

/// The state where none is final: states of progress never disagree; the payment's own counts.
fn in_progress(states: &[(Level, Named)]) -> State {
    let only = |mut found: Vec<State>| {
        found.dedup_by_key(|state| state.0);
        if let [state] = found[..] { Some(state) } else { None }
    };
    let progress = |(_, named): &(Level, Named)| match named {
        Named::Progress(state) => Some(*state),
        _ => None,
    };
    let known: Vec<_> = states.iter().filter_map(progress).collect();
    if !known.is_empty() {
        let own = states.iter().filter(|(level, _)| *level == Level::Payment).filter_map(progress).collect();
        return only(known).or_else(|| only(own)).unwrap_or(State::NONE);
    }
    let number = |(_, named): &(Level, Named)| match named {
        Named::UnknownNumber(number) => Some(State(*number)),
        _ => None,
    };
    only(states.iter().filter_map(number).collect()).unwrap_or(State::NONE)
}

fn is_named(member: Value<'_>, name: Name) -> bool {
    known(member).is_some_and(|(known, _)| known == name)
}

/// A word: trimmed text, to be compared without regard to case; `None` for what is no text, too long, or blank.
fn word(value: Value<'_>) -> Option<Cow<'_, str>> {
    if value.kind() != Type::Text || value.raw().len() > LONGEST_WORD {
        return None;
    }
    let word = match value.text()? {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    };
    (!word.is_empty()).then_some(word)
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// `true`, `false`, or text that denies.
fn flag(value: Value<'_>) -> Option<bool> {
    match value.kind() {
        Type::Bool => Some(value.raw() == "true"),
        Type::Text => word(value).filter(|word| is_one_of(word, &["false", "no"])).map(|_| false),
        _ => None,
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The state that a `statusId` names; `None` when it names nothing.
fn state_of_id(value: Value<'_>) -> Option<Named> {
    if value.is_nothing() {
        return None;
    }
    // One that is no whole number, or too large to be returned, is a number all the same: 0 stands for it.
    let number = match value.kind() {
        Type::Number => Some(value.raw().parse().unwrap_or(0)),
        Type::Text => word(value).filter(|word| is_digits(word)).map(|word| word.parse().unwrap_or(0)),
        _ => None,
    };
    Some(match number.map(State) {
        Some(State::FAILED) => Named::Failed,
        Some(State::SUCCESSFUL) => Named::Successful,
        Some(State::REVERSED) => Named::Reversed,
        Some(known @ (State::INITIATED | State::PENDING | State::AWAITING | State::PROCESSING)) => {
            Named::Progress(known)
        }
        Some(State(number)) => Named::UnknownNumber(number),
        None => Named::Unknown,
    })
}

/// The state that a `status` names; `None` when it names nothing.
fn state_of_word(value: Value<'_>) -> Option<Named> {
    match value.kind() {
        _ if value.is_nothing() => None,
        Type::Text => Some(word(value).as_deref().and_then(state_word).unwrap_or(Named::Unknown)),
        _ => Some(Named::Unknown),
    }
}

fn state_word(word: &str) -> Option<Named> {
    const AWAITING: &str = "awaiting";
    Some(match word {
        _ if is_one_of(word, &["successful"]) => Named::Successful,
        _ if is_one_of(word, &["pending"]) => Named::Progress(State::PENDING),
        _ if is_one_of(word, &["initiated"]) => Named::Progress(State::INITIATED),
        _ if is_one_of(word, &["processing"]) => Named::Progress(State::PROCESSING),
        _ if is_one_of(word, &["failed", "failure", "error", "declined", "rejected"]) => Named::Failed,
        _ if is_one_of(word, &["reversed"]) => Named::Reversed,
        _ if word.get(..AWAITING.len()).is_some_and(|start| start.eq_ignore_ascii_case(AWAITING)) => {
            Named::Progress(State::AWAITING)
        }
        _ => return None,
    })
}

/// A code as a number without its leading zeros; what is none counts as a number that means failure.
fn code(value: Value<'_>) -> Option<u64> {
    const NO_NUMBER: u64 = u64::MAX;
    let number = |digits: &str| match is_digits(digits) {
        true => digits.parse().unwrap_or(NO_NUMBER),
        false => NO_NUMBER,
    };
    match value.kind() {
        _ if value.is_nothing() => None,
        Type::Number => Some(number(value.raw())),
        Type::Text => Some(word(value).map_or(NO_NUMBER, |word| number(&word))),
        _ => None,
    }
}

fn code_class(code: u64) -> CodeClass {
    match code {
        0 | 200 => CodeClass::Success,
        // The first two are the service's own; the others are guessed from the codes of banks.
        1 | 2 | 6 | 9 | 68 | 91 | 96 | 97 | 99 => CodeClass::Progress,
        _ => CodeClass::Failure,
    }
}

/// Whether two references are the same, without regard to case and blanks around them.
fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.trim(), other.trim());
    one.eq_ignore_ascii_case(other) || !one.is_ascii() && one.to_lowercase() == other.to_lowercase()
}
