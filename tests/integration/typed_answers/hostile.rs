//! Answers that are wrong in every way that a reader may meet, made from the row: each is the canned answer of
//! `tests/scenarios.json`, completed, with much of it replaced at a time.

mod drawn;
mod edits;

use paysvc_spec::roles::SHARED;
use paysvc_spec::schema::{AnswerKind, Endpoint, Envelope, Member, Role, typed};

use super::values;
use crate::support::answers::Tree;
use crate::support::target::{filled, good};
use edits::{beside, escaped, first_in_the_other_case, holder, last, remove, rename, set};

/// A response and what it is, for messages.
pub struct Case {
    pub what: String,
    pub body: String,
    /// The change has no part in the verdict, which must be the same as without the change.
    pub keeps_verdict: bool,
}

/// Returns whether a verdict is read from fields of that name, in any case.
fn is_of_verdict(name: &str) -> bool {
    let without_part = |role: &Role| {
        use Role::{AccountNumber, Charged, Currency, Fee, Final, History, Object, Price, Requery};
        matches!(role, AccountNumber | Charged | Currency | Fee | Final | History | Object(_) | Price | Requery)
    };
    let known = SHARED.iter().filter(|known| known.name.eq_ignore_ascii_case(name));
    known.flat_map(|known| known.roles).any(|(role, _)| !without_part(role))
}

/// A place of a typed field in a response.
struct Slot {
    pointer: String,
    kind: AnswerKind,
    of_verdict: bool,
}

/// Makes another name for a field.
type Renaming = fn(&str) -> String;

impl Slot {
    fn is_leaf(&self) -> bool {
        !matches!(self.kind, AnswerKind::Object(_) | AnswerKind::List(_))
    }
}

/// The canned answer as it is.
pub fn canned(row: &Endpoint) -> Case {
    let good = good(row);
    let text = serde_json::to_string(&good.answer).unwrap();
    Case { what: "the canned answer".into(), body: fill(&text, &good.request), keeps_verdict: true }
}

/// The braces of JSON itself stay; `{member}` becomes that field of the request.
fn fill(text: &str, request: &serde_json::Map<String, serde_json::Value>) -> String {
    request.keys().fold(text.to_owned(), |text, name| {
        let place = format!("{{{name}}}");
        if text.contains(&place) { text.replace(&place, &filled(&place, request)) } else { text }
    })
}

/// The places of the typed leaves in the completed response.
pub fn leaves(row: &'static Endpoint) -> impl Iterator<Item = (String, AnswerKind)> {
    Maker::new(row).slots.into_iter().filter(Slot::is_leaf).map(|slot| (slot.pointer, slot.kind))
}

/// `further`: how many answers are drawn by chance.
pub fn cases(row: &'static Endpoint, further: u64, all: bool) -> Vec<Case> {
    let maker = Maker::new(row);
    let mut out = vec![canned(row), maker.case("the completed answer", &maker.base, true)];
    maker.values(&mut out, all);
    maker.structures(&mut out);
    maker.names(&mut out);
    maker.doubled(&mut out);
    maker.long(&mut out);
    maker.whole(&mut out);
    maker.drawn(&mut out, further);
    out
}

/// Gives every typed field a value, but not those that would change the verdict.
fn complete(answer: &mut Vec<(String, Tree)>, members: &'static [Member]) {
    for member in typed(members).filter(|member| !is_of_verdict(member.name)) {
        let at = answer.iter().position(|(name, _)| name == member.name).unwrap_or_else(|| {
            answer.push((member.name.to_owned(), Tree::Null));
            answer.len() - 1
        });
        let value = &mut answer[at].1;
        match (member.kind, &mut *value) {
            (AnswerKind::Object(members), Tree::Object(inner)) => complete(inner, members),
            (AnswerKind::Object(members), Tree::Null) => {
                let mut inner = Vec::new();
                complete(&mut inner, members);
                *value = Tree::Object(inner);
            }
            (AnswerKind::List(members), Tree::Null | Tree::Array(_)) => {
                let mut first = match value {
                    Tree::Array(elements) if !elements.is_empty() => elements[0].clone(),
                    _ => Tree::Object(Vec::new()),
                };
                let Tree::Object(inner) = &mut first else { panic!("{}: no object in a list", member.name) };
                complete(inner, members);
                *value = Tree::Array(vec![first.clone(), first]);
            }
            (kind, Tree::Null) => *value = Tree::parse(example(kind)),
            _ => {}
        }
    }
}

fn example(kind: AnswerKind) -> &'static str {
    match kind {
        AnswerKind::Text => r#""text""#,
        AnswerKind::Integer => "7",
        AnswerKind::Amount => "10.50",
        AnswerKind::Decimal => "1.5",
        AnswerKind::Flag => "true",
        AnswerKind::Time => r#""2026-01-31T09:30:00.1234567""#,
        AnswerKind::Any => r#"{"a":[1]}"#,
        AnswerKind::Object(_) | AnswerKind::List(_) => unreachable!("completed member by member"),
    }
}

fn slots(row: &'static Endpoint, answer: &Tree) -> Vec<Slot> {
    fn add(out: &mut Vec<Slot>, within: &str, at: &Tree, members: &'static [Member]) -> bool {
        let mut verdict = false;
        for member in typed(members) {
            let (pointer, index) = (format!("{within}/{}", member.name), out.len());
            let value = match at {
                Tree::Object(there) => there.iter().find(|(name, _)| name == member.name).map(|(_, value)| value),
                _ => None,
            };
            let mut of_verdict = is_of_verdict(member.name);
            out.push(Slot { pointer: pointer.clone(), kind: member.kind, of_verdict });
            match (member.kind, value) {
                (AnswerKind::Object(members), Some(value)) => of_verdict |= add(out, &pointer, value, members),
                (AnswerKind::List(members), Some(Tree::Array(elements))) => {
                    for (element, value) in elements.iter().enumerate() {
                        of_verdict |= add(out, &format!("{pointer}/{element}"), value, members);
                    }
                }
                _ => {}
            }
            out[index].of_verdict = of_verdict;
            verdict |= of_verdict;
        }
        verdict
    }
    let mut out = Vec::new();
    add(&mut out, "", answer, row.answer.members);
    // Any field of such a response is success, so one stays.
    if row.answer.envelope == Envelope::Bare {
        out[0].of_verdict = true;
    }
    out
}

struct Maker {
    row: &'static Endpoint,
    base: Tree,
    slots: Vec<Slot>,
}

impl Maker {
    fn new(row: &'static Endpoint) -> Maker {
        let Tree::Object(mut members) = Tree::parse(&canned(row).body) else { panic!("{}: no object", row.name) };
        complete(&mut members, row.answer.members);
        let base = Tree::Object(members);
        Maker { row, slots: slots(row, &base), base }
    }

    fn case(&self, what: &str, answer: &Tree, keeps_verdict: bool) -> Case {
        Case { what: what.to_owned(), body: answer.write(), keeps_verdict }
    }

    /// The base with something done to these slots, the innermost first.
    fn changed<'a>(&self, slots: impl DoubleEndedIterator<Item = &'a Slot>, change: impl Fn(&mut Tree, &Slot)) -> Tree {
        let mut answer = self.base.clone();
        slots.rev().for_each(|slot| change(&mut answer, slot));
        answer
    }

    fn free(&self) -> impl DoubleEndedIterator<Item = &Slot> + Clone {
        self.slots.iter().filter(|slot| slot.is_leaf() && !slot.of_verdict)
    }

    /// Every leaf meets every value of its kind: in each response all leaves have another one. First those that have no
    /// part in the verdict, then all.
    fn values(&self, out: &mut Vec<Case>, all: bool) {
        for keeps_verdict in [true, false] {
            let leaves: Vec<_> = self.slots.iter().filter(|slot| slot.is_leaf()).collect();
            let leaves: Vec<_> = leaves.into_iter().filter(|slot| !(keeps_verdict && slot.of_verdict)).collect();
            let values: Vec<_> = leaves.iter().map(|slot| values::of(slot.kind, all)).collect();
            let turns = values.iter().map(Vec::len).max().unwrap_or(0);
            for turn in 0..turns {
                let mut answer = self.base.clone();
                for (index, (slot, values)) in leaves.iter().zip(&values).enumerate() {
                    set(&mut answer, &slot.pointer, &values[(index + turn) % values.len()]);
                }
                let which = if keeps_verdict { "without part in the verdict" } else { "of all" };
                out.push(self.case(&format!("values {which}, {turn}"), &answer, keeps_verdict));
            }
        }
    }

    /// Every object and list is replaced by every structure, and is missing.
    fn structures(&self, out: &mut Vec<Case>) {
        for slot in self.slots.iter().filter(|slot| !slot.is_leaf()) {
            for json in values::elements(values::STRUCTURES) {
                let mut answer = self.base.clone();
                set(&mut answer, &slot.pointer, &json);
                out.push(self.case(&format!("{} is {json}", slot.pointer), &answer, !slot.of_verdict));
            }
            let mut answer = self.base.clone();
            remove(&mut answer, &slot.pointer);
            out.push(self.case(&format!("{} is missing", slot.pointer), &answer, !slot.of_verdict));
        }
        let answer = self.changed(self.free(), |answer, slot| remove(answer, &slot.pointer));
        out.push(self.case("no leaf that has no part in the verdict", &answer, true));
        let all = || self.slots.iter().filter(|slot| slot.is_leaf());
        out.push(self.case("no leaf", &self.changed(all(), |answer, slot| remove(answer, &slot.pointer)), false));
    }

    /// Names in another case, beside the right ones and alone; names with escapes; names that nobody knows.
    fn names(&self, out: &mut Vec<Case>) {
        let cases: [(&str, Renaming); 3] = [
            ("the first letter in the other case", first_in_the_other_case),
            ("capital letters", str::to_uppercase),
            ("small letters", str::to_lowercase),
        ];
        for (what, to) in cases {
            let answer = self.changed(self.free(), |answer, slot| rename(answer, &slot.pointer, to));
            out.push(self.case(&format!("names with {what}"), &answer, true));
            let answer = self.changed(self.slots.iter(), |answer, slot| rename(answer, &slot.pointer, to));
            out.push(self.case(&format!("all names with {what}"), &answer, false));
            for (before, json) in [(true, "null"), (false, "null"), (true, r#""x""#), (false, r#""x""#)] {
                let twin = |answer: &mut Tree, slot: &Slot| {
                    let own = last(&slot.pointer);
                    if to(own) != own {
                        beside(answer, &slot.pointer, &to(own), json, before);
                    }
                };
                let place = if before { "before" } else { "behind" };
                let what = format!("{json} under names with {what} {place} the right ones");
                out.push(self.case(&what, &self.changed(self.free(), twin), true));
                out.push(self.case(&what, &self.changed(self.slots.iter(), twin), false));
            }
        }
        let answer = self.changed(self.slots.iter(), |answer, slot| rename(answer, &slot.pointer, escaped));
        out.push(self.case("all names with escapes", &answer, true));
        let unknown = |answer: &mut Tree, slot: &Slot| {
            let own = last(&slot.pointer);
            beside(answer, &slot.pointer, &format!("{own}2"), r#"{"x":[1,{"y":1e400}]}"#, true);
            beside(answer, &slot.pointer, &format!("x~/ {own}"), "[[[[]]]]", false);
        };
        out.push(self.case("unknown fields everywhere", &self.changed(self.slots.iter(), unknown), true));
    }

    /// Every field twice, in both orders and with each of some values; then a name that is escaped the second time.
    fn doubled(&self, out: &mut Vec<Case>) {
        for json in ["null", r#""x""#, "5", "12.50", "{}", "[]", "[{}]"] {
            for before in [true, false] {
                let place = if before { "first" } else { "second" };
                for leaves in [true, false] {
                    let slots = self.slots.iter().filter(|slot| slot.is_leaf() == leaves);
                    let twin = |answer: &mut Tree, slot: &Slot| {
                        beside(answer, &slot.pointer, last(&slot.pointer), json, before);
                    };
                    let which = if leaves { "leaf" } else { "object and list" };
                    let answer = self.changed(slots, twin);
                    out.push(self.case(&format!("every {which} twice, {json} the {place} time"), &answer, false));
                }
            }
        }
        for before in [true, false] {
            let twin = |answer: &mut Tree, slot: &Slot| {
                beside(answer, &slot.pointer, &escaped(last(&slot.pointer)), "null", before);
            };
            let answer = self.changed(self.slots.iter(), twin);
            out.push(self.case("every field twice, null under a name with escapes", &answer, false));
        }
    }

    /// 67 kB in one list, and in one text.
    fn long(&self, out: &mut Vec<Case>) {
        let element = r#"{"x":"0123456789012345678901234567890123456789"}"#;
        for slot in self.slots.iter().filter(|slot| matches!(slot.kind, AnswerKind::List(_))) {
            let mut answer = self.base.clone();
            if let Some((members, name)) = holder(&mut answer, &slot.pointer)
                && let Some((_, Tree::Array(elements))) = members.iter_mut().find(|(found, _)| *found == name)
            {
                elements.extend(std::iter::repeat_n(Tree::Raw(element.to_owned()), 67_000 / element.len()));
            }
            out.push(self.case(&format!("{} of 67 kB", slot.pointer), &answer, !slot.of_verdict));
        }
        for slot in self.free().take(1) {
            let mut answer = self.base.clone();
            set(&mut answer, &slot.pointer, &format!("\"{}\"", "é\\u0041\\n".repeat(67_000 / 10)));
            out.push(self.case(&format!("{} is a text of 67 kB", slot.pointer), &answer, true));
        }
    }

    /// Something other than an object in place of the whole response.
    fn whole(&self, out: &mut Vec<Case>) {
        for json in values::elements(values::STRUCTURES).into_iter().chain(values::WHOLE.iter().map(|it| (*it).into()))
        {
            out.push(self.case(&format!("the whole is {json}"), &Tree::Raw(json), false));
        }
        out.push(self.case("the whole is in an array", &Tree::Array(vec![self.base.clone()]), false));
    }
}
