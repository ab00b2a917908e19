//! Members of an open payload that are nearly known ones. If a misspelt or misplaced amount were passed on, nobody
//! would read it, and a different amount would be charged.

use paysvc_spec::schema::{Field, Kind};

/// The longest name that is compared, in bytes. The service's own names are much shorter.
const LONGEST: usize = 48;

/// Words that may be put before or after a member's name without changing its meaning. Only for names of some length,
/// and not for objects: a `customerId` is not a customer.
const BEFORE: &[&str] = &["charge", "payment", "total", "transaction", "txn"];
const AFTER: &[&str] = &["code", "id", "iso", "name", "no", "num", "number", "text", "type", "value"];
const LEAST_WITH_WORD: usize = 5;

/// The lengths of an abbreviation, which is also at least a third of the name, and two letters shorter than its first
/// word.
const ABBREVIATION: std::ops::RangeInclusive<usize> = 3..=5;

/// The known members that an unknown one probably means, as in `order.amount or amount`; `None` if it is like none of
/// them.
///
/// `name` stands in an object with the members `here`, whose path is `prefix`, of a request with the members `all`.
pub fn meant(name: &str, here: &[Field], prefix: &str, all: &[Field]) -> Option<String> {
    let name = Folded::of(name)?;
    let around =
        prefix.trim_end_matches(|c: char| c == '.' || c.is_ascii_digit()).rsplit('.').next().unwrap_or_default();
    if let Some(same) = here.iter().find(|field| name.is(field.name)) {
        return Some(same.name.to_owned());
    }
    let mut elsewhere = Vec::new();
    find_in(all, Some(prefix), "", &|field, _| name.is(field.name), &mut elsewhere);
    if elsewhere.is_empty() {
        let may_abbreviate = !name.is_first_word(all);
        if let Some(near) = here.iter().find(|field| name.is_nearly(field, around, 2, may_abbreviate)) {
            return Some(near.name.to_owned());
        }
        // The name of an object elsewhere is not compared, but its members are.
        let is_nearly =
            |field: &Field, around: &str| is_plain(field) && name.is_nearly(field, around, 1, may_abbreviate);
        find_in(all, Some(prefix), "", &is_nearly, &mut elsewhere);
    }
    (!elsewhere.is_empty()).then(|| elsewhere.join(" or "))
}

/// The paths of the known members that are meant, with `*` for the index of an element. Those of the object at `but`
/// are left out, a path from here; `around` is the object that holds these.
fn find_in(
    fields: &[Field],
    but: Option<&str>,
    around: &str,
    is_meant: &dyn Fn(&Field, &str) -> bool,
    found: &mut Vec<String>,
) {
    for field in fields {
        if but != Some("") && is_meant(field, around) {
            found.push(field.name.to_owned());
        }
        let within = but.and_then(|path| path.strip_prefix(field.name)?.strip_prefix('.'));
        let (inner, but, each) = match field.kind {
            Kind::Object(inner) => (inner, within, ""),
            Kind::List(inner) => (inner, within.and_then(without_index), "*."),
            _ => continue,
        };
        let first = found.len();
        find_in(inner, but, field.name, is_meant, found);
        found[first..].iter_mut().for_each(|path| *path = format!("{}.{each}{path}", field.name));
    }
}

fn is_plain(field: &Field) -> bool {
    !matches!(field.kind, Kind::Object(_) | Kind::List(_))
}

/// A name in lower case, without the characters that separate words.
struct Folded {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Folded {
    /// `None` for a name that is longer than any known one.
    fn of(name: &str) -> Option<Folded> {
        let mut folded = Folded { bytes: [0; LONGEST], length: 0 };
        for byte in fold(name) {
            *folded.bytes.get_mut(folded.length)? = byte;
            folded.length += 1;
        }
        Some(folded)
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Whether both are the same when case, `_`, `-` and blanks are ignored.
    fn is(&self, known: &str) -> bool {
        fold(known).eq(self.bytes().iter().copied())
    }

    /// Whether it is a known member's name with a typing mistake, abbreviated, or with a word too many. `around` is the
    /// name of the object that holds the member.
    fn is_nearly(&self, field: &Field, around: &str, mistakes: usize, may_abbreviate: bool) -> bool {
        let Some(known) = Folded::of(field.name) else { return false };
        let (name, known) = (self.bytes(), known.bytes());
        is_mistyped(name, known, mistakes)
            || is_plain(field)
                && (may_abbreviate && name.len() + 2 <= first_word(field.name) && abbreviates(name, known)
                    || has_word_more(name, known, around))
    }

    /// Whether a known member begins with it as a word of its own, as `BankTransfer` does with `bank`.
    fn is_first_word(&self, fields: &[Field]) -> bool {
        let begins = |known: &str| {
            let end = first_word(known);
            end < known.len() && known.as_bytes()[..end].eq_ignore_ascii_case(self.bytes())
        };
        self.length <= *ABBREVIATION.end()
            && fields.iter().any(|field| begins(field.name) || self.is_first_word(field.kind.members()))
    }
}

/// Whether one typing mistake turns one name into the other, or `most` mistakes in a name of nine or more characters.
/// Short names are all alike, so only exchanged letters and an extra letter count as mistakes in them.
fn is_mistyped(name: &[u8], known: &[u8], most: usize) -> bool {
    match known.len() {
        0..=2 => false,
        3..=4 => name.len() + 1 != known.len() && within(name, known, 1) && !is_replaced(name, known),
        5..=8 => within(name, known, 1),
        _ => within(name, known, most),
    }
}

/// Whether a letter was replaced by another one.
fn is_replaced(name: &[u8], known: &[u8]) -> bool {
    name.len() == known.len() && name.iter().zip(known).filter(|(a, b)| a != b).count() == 1
}

/// `ref` and `curr` are the beginning of a name; `amt` and `ccy` have its first letter, its last, and consonants
/// between.
fn abbreviates(name: &[u8], known: &[u8]) -> bool {
    if !ABBREVIATION.contains(&name.len()) || known.len() > name.len() * 3 {
        return false;
    }
    let mut rest = known.iter();
    known.starts_with(name)
        || name.first() == known.first()
            && name.last() == known.last()
            && !name.iter().skip(1).any(|letter| b"aeiou".contains(letter))
            && name.iter().all(|letter| rest.any(|other| other == letter))
}

/// The length of the first of the words that capital letters tell apart, or of the whole name.
fn first_word(known: &str) -> usize {
    known.bytes().skip(1).position(|b| b.is_ascii_uppercase()).map_or(known.len(), |at| at + 1)
}

/// `currencyCode`, `totalAmount`, and `orderAmount` for the amount in `order`.
fn has_word_more(name: &[u8], known: &[u8], around: &str) -> bool {
    let is_in = |word: &[u8], words: &[&str]| words.iter().any(|one| one.as_bytes() == word);
    let is_around = |word: &[u8]| !word.is_empty() && fold(around).eq(word.iter().copied());
    let before = |word: &[u8]| known.len() >= LEAST_WITH_WORD && is_in(word, BEFORE) || is_around(word);
    let after = |word: &[u8]| known.len() >= LEAST_WITH_WORD && is_in(word, AFTER);
    name.strip_suffix(known).is_some_and(before) || name.strip_prefix(known).is_some_and(after)
}

/// A path that begins with the index of an element, such as `1.`, without it.
fn without_index(path: &str) -> Option<&str> {
    path.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('.')
}

fn fold(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(|b| !matches!(b, b'_' | b'-') && !b.is_ascii_whitespace()).map(|b| b.to_ascii_lowercase())
}

/// Whether at most this many mistakes turn `b` into `a`: an extra character, a missing one, a wrong one, or two
/// exchanged.
///
/// It ends at the first mistake too many. `strsim` computes the whole distance, which takes minutes for the half a
/// million names that a request may have.
fn within(a: &[u8], b: &[u8], mistakes: usize) -> bool {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[same..], &b[same..]);
    if a.is_empty() || b.is_empty() {
        return a.len().max(b.len()) <= mistakes;
    }
    if mistakes == 0 || a.len().abs_diff(b.len()) > mistakes {
        return false;
    }
    let exchanged = a.len() > 1 && b.len() > 1 && a[0] == b[1] && a[1] == b[0];
    within(&a[1..], &b[1..], mistakes - 1)
        || within(&a[1..], b, mistakes - 1)
        || within(a, &b[1..], mistakes - 1)
        || exchanged && within(&a[2..], &b[2..], mistakes - 1)
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

    #[test]
    fn case_and_what_separates_words_make_no_other_name() {
        for name in ["paymentOption", "payment_option", "Payment-Option", " payment option"] {
            assert_eq!(meant(name, ALL, "", ALL).as_deref(), Some("paymentoption"), "{name}");
        }
        assert_eq!(meant("CVV", CARD, "card.", ALL).as_deref(), Some("cvv"));
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
            assert_eq!(meant(name, ALL, "", ALL).as_deref(), expected, "{name}");
        }
        assert_eq!(meant("cvc", CARD, "card.", ALL), None);
        assert_eq!(meant("cardnummer", CARD, "card.", ALL).as_deref(), Some("cardnumber"));
        assert_eq!(meant("cardname", CARD, "card.", ALL), None);
    }

    #[test]
    fn a_member_in_the_wrong_object_is_found_by_its_name() {
        assert_eq!(meant("currency", ALL, "", ALL).as_deref(), Some("order.currency"));
        assert_eq!(meant("e-mail", ALL, "", ALL).as_deref(), Some("customer.email"));
        assert_eq!(meant("Country", ORDER, "order.", ALL).as_deref(), Some("country or customer.country"));
        assert_eq!(meant("card", ORDER, "order.", ALL).as_deref(), Some("card"));
        // There is one here, so it is the one that is meant.
        assert_eq!(meant("Reference", ALL, "", ALL).as_deref(), Some("reference"));
        for name in
            ["curreny", "curency", "currencyCode", "currency_id", "curr", "ccy", "orderCurrency", "paymentCurrency"]
        {
            assert_eq!(meant(name, ALL, "", ALL).as_deref(), Some("order.currency"), "{name}");
        }
        assert_eq!(meant("crads", ORDER, "order.", ALL), None, "elsewhere an object is only found by its name");
    }

    #[test]
    fn a_member_of_an_element_is_found_too() {
        assert_eq!(meant("naration", PAYOUT, "payouts.12.", ALL).as_deref(), Some("narration"));
        assert_eq!(meant("Branch", PAYOUT, "payouts.0.", ALL).as_deref(), Some("payouts.*.bank.branch"));
        assert_eq!(meant("narration", BANK, "payouts.0.bank.", ALL).as_deref(), Some("payouts.*.narration"));
        assert_eq!(meant("narration", ALL, "", ALL).as_deref(), Some("payouts.*.narration"));
        assert_eq!(meant("Country", PAYOUT, "payouts.7.", ALL).as_deref(), Some("country or customer.country"));
    }

    #[test]
    fn a_name_of_any_length_and_alphabet_is_compared() {
        for name in ["reference".repeat(100_000), "é".repeat(500_000), " ".repeat(1_000_000), "К".into()] {
            assert_eq!(meant(&name, ALL, "", ALL), None);
        }
        assert_eq!(meant(&format!("card{}", " ".repeat(1_000_000)), ALL, "", ALL).as_deref(), Some("card"));
    }

    /// Against the well-known algorithm, for all words of up to five of three letters.
    #[test]
    fn mistakes_are_counted_as_the_distance_of_damerau_and_levenshtein() {
        let mut words = vec![String::new()];
        for from in 0.. {
            if words[from].len() == 5 {
                break;
            }
            words.extend(["a", "b", "c"].map(|letter| words[from].clone() + letter));
        }
        for a in words.iter().filter(|word| !word.contains('c') || word.len() < 5) {
            for b in &words {
                let distance = strsim::osa_distance(a, b);
                for mistakes in 0..3 {
                    let found = within(a.as_bytes(), b.as_bytes(), mistakes);
                    assert_eq!(found, distance <= mistakes, "{a} {b}: {distance}");
                }
            }
        }
    }
}
