//! Members of an open payload that are nearly known ones. If a misspelt or misplaced amount were passed on, nobody
//! would read it, and a different amount would be charged.

use paysvc_spec::schema::{Field, Kind};

/// The longest name that is compared, in characters. The service's own names are much shorter.
const LONGEST: usize = 48;

/// Words that may be put before or after a field's name without changing its meaning. Only for names of some length,
/// and not for objects: a `customerId` is not a customer.
const BEFORE: &[&str] = &["charge", "payment", "total", "transaction", "txn"];
const AFTER: &[&str] = &["code", "id", "iso", "name", "no", "num", "number", "text", "type", "value"];
const LEAST_WITH_WORD: usize = 5;

/// The lengths of an abbreviation, which is also at least a third of the name, and two letters shorter than its first
/// word.
const ABBREVIATION: std::ops::RangeInclusive<usize> = 3..=5;

/// All known fields of a request, at every depth.
pub struct KnownMembers<'f>(Vec<Member<'f>>);

struct Member<'f> {
    field: &'f Field,
    /// The path of the object that holds it, with `*` for the index of an element, such as `payouts.*.bank.`.
    prefix: String,
    /// As it is compared, and the same of the object that holds it.
    name: String,
    around: String,
    letters: u64,
}

impl<'f> KnownMembers<'f> {
    pub fn of(fields: &'f [Field]) -> KnownMembers<'f> {
        let mut all = KnownMembers(Vec::new());
        all.add(fields, "", "");
        all
    }

    fn add(&mut self, fields: &'f [Field], prefix: &str, around: &str) {
        for field in fields {
            let (name, around) = (fold(field.name), around.to_owned());
            self.0.push(Member { field, prefix: prefix.to_owned(), letters: letters(&name), name, around });
            let each = if let Kind::List(_) = field.kind { "*." } else { "" };
            self.add(field.kind.members(), &format!("{prefix}{}.{each}", field.name), &fold(field.name));
        }
    }

    /// The known fields that an unknown one probably means, as in `order.amount or amount`; `None` if it is like none
    /// of them. `prefix` is the path of the object in which it stands, such as `payouts.0.`.
    pub fn meant(&self, name: &str, prefix: &str) -> Option<String> {
        let name = fold(name);
        if name.len() > LONGEST {
            return None;
        }
        let steps = prefix.split('.').map(|step| match step.parse::<usize>() {
            Ok(_) => "*",
            Err(_) => step,
        });
        let prefix = steps.collect::<Vec<_>>().join(".");
        let here = |member: &&Member| member.prefix == prefix;
        let elsewhere = |is_meant: &dyn Fn(&Member) -> bool| {
            let found = self.0.iter().filter(|member| !here(member) && is_meant(member));
            let paths: Vec<_> = found.map(|member| format!("{}{}", member.prefix, member.field.name)).collect();
            (!paths.is_empty()).then(|| paths.join(" or "))
        };
        let letters = letters(&name);
        let may_abbreviate = !self.0.iter().any(|member| member.begins_with_word(&name));
        let is_nearly = |member: &Member, mistakes| {
            member.is_mistyped(&name, letters, mistakes)
                || member.is_plain() && (may_abbreviate && member.is_abbreviated(&name) || member.has_word_more(&name))
        };
        let same = self.0.iter().filter(here).find(|member| member.name == name);
        same.map(|member| member.field.name.to_owned())
            .or_else(|| elsewhere(&|member| member.name == name))
            .or_else(|| {
                let near = self.0.iter().filter(here).find(|member| is_nearly(member, 2));
                near.map(|member| member.field.name.to_owned())
            })
            // The name of an object elsewhere is not compared, but its fields are.
            .or_else(|| elsewhere(&|member| member.is_plain() && is_nearly(member, 1)))
    }
}

impl Member<'_> {
    fn is_plain(&self) -> bool {
        !matches!(self.field.kind, Kind::Object(_) | Kind::List(_))
    }

    /// Returns the length of the first of the words that capital letters separate, or of the whole name.
    fn first_word(&self) -> usize {
        let name = self.field.name;
        name.bytes().skip(1).position(|b| b.is_ascii_uppercase()).map_or(name.len(), |at| at + 1)
    }

    /// Returns whether that is a word of its own in the name, as `bank` is in `BankTransfer`.
    fn begins_with_word(&self, word: &str) -> bool {
        let end = self.first_word();
        end < self.field.name.len() && self.field.name[..end].eq_ignore_ascii_case(word)
    }

    /// Returns whether one typing mistake turns one name into the other, or `most` mistakes in a name of nine or more
    /// characters. Short names are all alike, so only exchanged letters and an extra letter count as mistakes in them.
    fn is_mistyped(&self, name: &str, letters: u64, most: usize) -> bool {
        let known = self.name.as_str();
        let most = if known.len() > 8 { most } else { 1 };
        // Each mistake changes two letters at most. This rules out nearly all of half a million names.
        let is_like = (letters ^ self.letters).count_ones() as usize <= 2 * most;
        if known.len() < 3 || !is_like || name.len().abs_diff(known.len()) > most {
            return false;
        }
        let others = name.bytes().zip(known.bytes()).filter(|(a, b)| a != b).count();
        (known.len() > 4 || name.len() > known.len() || name.len() == known.len() && others == 2)
            && strsim::osa_distance(name, known) <= most
    }

    /// `ref` and `curr` are the beginning of a name; `amt` and `ccy` have its first letter, its last, and consonants
    /// between.
    fn is_abbreviated(&self, name: &str) -> bool {
        let known = self.name.as_bytes();
        let mut rest = known.iter();
        let ends = |name: &str| name.as_bytes().first() == known.first() && name.as_bytes().last() == known.last();
        ABBREVIATION.contains(&name.len())
            && name.len() + 2 <= self.first_word()
            && known.len() <= name.len() * 3
            && (known.starts_with(name.as_bytes())
                || ends(name)
                    && !name.bytes().skip(1).any(|letter| b"aeiou".contains(&letter))
                    && name.bytes().all(|letter| rest.any(|other| *other == letter)))
    }

    /// `currencyCode`, `totalAmount`, and `orderAmount` for the amount in `order`.
    fn has_word_more(&self, name: &str) -> bool {
        let is_long = self.name.len() >= LEAST_WITH_WORD;
        let before = |word: &str| is_long && BEFORE.contains(&word) || !word.is_empty() && word == self.around;
        name.strip_suffix(&self.name).is_some_and(before)
            || is_long && name.strip_prefix(&self.name).is_some_and(|word| AFTER.contains(&word))
    }
}

/// A name in lower case, without the characters that separate words; cut off if it is longer than any known one.
fn fold(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-') && !c.is_ascii_whitespace());
    letters.map(|c| c.to_ascii_lowercase()).take(LONGEST + 1).collect()
}

/// Returns the set of a name's letters, as far as 64 bits distinguish them.
fn letters(name: &str) -> u64 {
    name.bytes().fold(0, |all, byte| all | 1 << (byte % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn field(name: &'static str, kind: Kind) -> Field {
        Field::optional(name, kind, "")
    }
    const CARD: &[Field] = &[field("cardnumber", Kind::Text), field("cvv", Kind::Text)];
    const ORDER: &[Field] = &[field("reference", Kind::Text), field("currency", Kind::Text)];
    const CUSTOMER: &[Field] = &[field("country", Kind::Text), field("email", Kind::Text)];
    const PAYOUT: &[Field] = &[field("narration", Kind::Text), field("bank", Kind::Object(BANK))];
    const BANK: &[Field] = &[field("code", Kind::Text), field("branch", Kind::Text)];
    const ALL: &[Field] = &[
        field("payouts", Kind::List(PAYOUT)),
        field("reference", Kind::Text),
        field("paymentoption", Kind::Text),
        field("country", Kind::Text),
        field("card", Kind::Object(CARD)),
        field("order", Kind::Object(ORDER)),
        field("customer", Kind::Object(CUSTOMER)),
    ];

    fn meant(name: &str, prefix: &str) -> Option<String> {
        KnownMembers::of(ALL).meant(name, prefix)
    }

    #[test]
    fn case_and_what_separates_words_make_no_other_name() {
        for name in ["paymentOption", "payment_option", "Payment-Option", " payment option"] {
            assert_eq!(meant(name, "").as_deref(), Some("paymentoption"), "{name}");
        }
        assert_eq!(meant("CVV", "card.").as_deref(), Some("cvv"));
    }

    #[test]
    fn a_typing_mistake_is_found_in_a_name_that_is_long_enough() {
        for (name, expected) in [
            ("refernce", Some("reference")),
            ("refrence", Some("reference")),
            ("refrenec", Some("reference")),
            ("refs", None),
            ("contry", Some("country")),
            ("cuontry", Some("country")),
            ("contri", None),
            ("odrer", Some("order")),
            ("crad", Some("card")),
            ("cards", Some("card")),
            ("cart", None),
            ("car", None),
            ("care", None),
            ("cvc", None),
            ("", None),
            ("__", None),
        ] {
            assert_eq!(meant(name, "").as_deref(), expected, "{name}");
        }
        assert_eq!(meant("cvc", "card."), None);
        assert_eq!(meant("cardnummer", "card.").as_deref(), Some("cardnumber"));
        assert_eq!(meant("cardname", "card."), None);
    }

    #[test]
    fn a_member_in_the_wrong_object_is_found_by_its_name() {
        assert_eq!(meant("currency", "").as_deref(), Some("order.currency"));
        assert_eq!(meant("e-mail", "").as_deref(), Some("customer.email"));
        assert_eq!(meant("Country", "order.").as_deref(), Some("country or customer.country"));
        assert_eq!(meant("card", "order.").as_deref(), Some("card"));
        // There is one here, so it is the one that is meant.
        assert_eq!(meant("Reference", "").as_deref(), Some("reference"));
        for name in
            ["curreny", "curency", "currencyCode", "currency_id", "curr", "ccy", "orderCurrency", "paymentCurrency"]
        {
            assert_eq!(meant(name, "").as_deref(), Some("order.currency"), "{name}");
        }
        assert_eq!(meant("crads", "order."), None, "elsewhere an object is only found by its name");
    }

    #[test]
    fn a_member_of_an_element_is_found_too() {
        assert_eq!(meant("naration", "payouts.12.").as_deref(), Some("narration"));
        assert_eq!(meant("Branch", "payouts.0.").as_deref(), Some("payouts.*.bank.branch"));
        assert_eq!(meant("narration", "payouts.0.bank.").as_deref(), Some("payouts.*.narration"));
        assert_eq!(meant("narration", "").as_deref(), Some("payouts.*.narration"));
        assert_eq!(meant("Country", "payouts.7.").as_deref(), Some("country or customer.country"));
    }

    #[test]
    fn a_name_of_any_length_and_alphabet_is_compared() {
        for name in ["reference".repeat(100_000), "é".repeat(500_000), " ".repeat(1_000_000), "К".into()] {
            assert_eq!(meant(&name, ""), None);
        }
        assert_eq!(meant(&format!("card{}", " ".repeat(1_000_000)), "").as_deref(), Some("card"));
    }
}
