//! Answers with a few changes that are drawn by chance.

use std::collections::BTreeSet;

use super::edits::{beside, first_in_the_other_case, last, remove, rename, set};
use super::{Case, Maker, Slot};
use crate::support::random::Random;
use crate::typed_answers::values;

impl Maker {
    /// By chance, the same in every run: the row's name is the seed.
    pub fn drawn(&self, out: &mut Vec<Case>, count: u64) {
        let seed = self.row.name.bytes().fold(0, |seed: u64, byte| seed.wrapping_mul(257).wrapping_add(byte.into()));
        let mut random = Random::new(seed, 1);
        for number in 0..count {
            let (mut answer, mut keeps_verdict, mut changed) = (self.base.clone(), true, BTreeSet::new());
            for _ in 0..random.between(1, 12) {
                let index = usize::try_from(random.below(self.slots.len() as u64)).unwrap();
                // Renamed and then set again, a name could be there twice.
                if !changed.insert(index) {
                    continue;
                }
                let slot = &self.slots[index];
                let json = drawn_json(&mut random, slot);
                match random.below(8) {
                    0 => remove(&mut answer, &slot.pointer),
                    1 => {
                        // A response with a name twice is not one that a verdict relies on.
                        beside(&mut answer, &slot.pointer, last(&slot.pointer), &json, random.percent(50));
                        keeps_verdict = false;
                    }
                    2 => rename(&mut answer, &slot.pointer, first_in_the_other_case),
                    _ => set(&mut answer, &slot.pointer, &json),
                }
                keeps_verdict &= !slot.of_verdict;
            }
            out.push(self.case(&format!("drawn by chance, {number}"), &answer, keeps_verdict));
        }
    }
}

/// A value of the tables, or a text or number of few characters.
fn drawn_json(random: &mut Random, slot: &Slot) -> String {
    let own = if slot.is_leaf() { values::of(slot.kind, false) } else { values::elements(values::STRUCTURES) };
    let value = own[usize::try_from(random.below(own.len() as u64)).unwrap()].clone();
    if !slot.is_leaf() {
        return value;
    }
    match random.below(4) {
        0 => value,
        // A text that is nearly right: one of the kind's with one character replaced, removed or doubled.
        1 if value.starts_with('"') && value.is_ascii() && !value.contains('\\') && value.len() > 2 => {
            let at = 1 + usize::try_from(random.below(value.len() as u64 - 2)).unwrap();
            let new = ["", "0", "9", "-", "+", ".", ":", "T", "Z", " ", "e", "00"];
            let new = new[usize::try_from(random.below(new.len() as u64)).unwrap()];
            format!("{}{new}{}", &value[..at], &value[at + 1..])
        }
        2 => {
            let digits = |random: &mut Random, most: u64| -> String {
                (0..random.between(1, most))
                    .map(|_| char::from(b'0' + u8::try_from(random.below(10)).unwrap()))
                    .collect()
            };
            let whole = digits(random, 22);
            let fraction = if random.percent(50) { format!(".{}", digits(random, 4)) } else { String::new() };
            let sign = if random.percent(30) { "-" } else { "" };
            let number = format!("{sign}{whole}{fraction}");
            // JSON has no number with a leading zero.
            if random.percent(50) || (whole.len() > 1 && whole.starts_with('0')) {
                format!("\"{number}\"")
            } else {
                number
            }
        }
        _ => {
            let letters = ["0", "1", "5", "-", "+", ".", "e", "E", "T", "Z", ":", " ", "\\t", "true", "false", "2026-"];
            let mut text = String::new();
            for _ in 0..random.between(0, 8) {
                text += letters[usize::try_from(random.below(letters.len() as u64)).unwrap()];
            }
            format!("\"{text}\"")
        }
    }
}
