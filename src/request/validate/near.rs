//! Members of an open payload that are nearly known ones. Passed on, a misspelt or misplaced amount would be read by nobody,
//! and something else would be charged.

use paysvc_spec::schema::{Field, Kind};

/// The longest name that is compared, in bytes. The service's own names are much shorter.
const LONGEST: usize = 48;

/// The known members that an unknown one is taken for, as in `order.amount or amount`; `None` if it is like none of them.
///
/// `name` stands in an object with the members `here`, whose path is `prefix`, of a request with the members `all`.
pub fn meant(name: &str, here: &[Field], prefix: &str, all: &[Field]) -> Option<String> {
    let name = Folded::of(name)?;
    if let Some(same) = here.iter().find(|field| name.is(field.name)) {
        return Some(same.name.to_owned());
    }
    let mut elsewhere = Vec::new();
    name.find_in(all, Some(prefix), &mut elsewhere);
    if !elsewhere.is_empty() {
        return Some(elsewhere.join(" or "));
    }
    here.iter().find(|field| name.is_nearly(field.name)).map(|field| field.name.to_owned())
}

/// A name in lower case, without what separates words.
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

    /// Whether one typing mistake makes one of the other; two in a name of nine or more characters. A short name is nearly
    /// every other short name.
    fn is_nearly(&self, known: &str) -> bool {
        let Some(known) = Folded::of(known) else { return false };
        let mistakes = match known.length {
            0..=4 => 0,
            5..=8 => 1,
            _ => 2,
        };
        within(self.bytes(), known.bytes(), mistakes)
    }

    /// The paths of the known members of that name, with `*` for the index of an element. Those of the object at `but` are
    /// left out, a path from here.
    fn find_in(&self, fields: &[Field], but: Option<&str>, found: &mut Vec<String>) {
        for field in fields {
            if but != Some("") && self.is(field.name) {
                found.push(field.name.to_owned());
            }
            let within = but.and_then(|path| path.strip_prefix(field.name)?.strip_prefix('.'));
            let (inner, but, each) = match field.kind {
                Kind::Object(inner) => (inner, within, ""),
                Kind::List(inner) => (inner, within.and_then(without_index), "*."),
                _ => continue,
            };
            let first = found.len();
            self.find_in(inner, but, found);
            found[first..].iter_mut().for_each(|path| *path = format!("{}.{each}{path}", field.name));
        }
    }
}

/// A path that begins with the index of an element, such as `1.`, without it.
fn without_index(path: &str) -> Option<&str> {
    path.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('.')
}

fn fold(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(|b| !matches!(b, b'_' | b'-') && !b.is_ascii_whitespace()).map(|b| b.to_ascii_lowercase())
}

/// Whether at most so many mistakes make `a` of `b`: a character too many, one missing, another one, two exchanged.
///
/// It ends at the first mistake too many. `strsim` computes the whole distance, which takes minutes for the half a million
/// names that a request may have.
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
            ("cards", None),
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
        assert_eq!(meant("curency", ALL, "", ALL), None, "elsewhere only the name itself counts");
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
