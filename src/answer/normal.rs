//! The response in the one shape of its row: fields in snake_case with their types, whatever envelope, case and JSON type the
//! service gave them. Nothing is decided over it.

use std::io::Write as _;

use time::{Date, Month, PrimitiveDateTime, Time, UtcOffset};

use crate::json::Type;
use crate::json::document::Value;
use crate::json::object::quote;
use crate::util::memory::MAX_ERRORS;
use crate::util::text::is_digits;
use paysvc_spec::roles::{DATA, is_of_envelope};
use paysvc_spec::schema::{AnswerKind, LONGEST_AMOUNT, Place, ShapeField};

/// Max length of the object, in lengths of the body: an element of two bytes has all fields of its list.
const MOST_TIMES: usize = 8;
/// The same for a short body.
const MOST: usize = 64 * 1024;

/// There is no memory for the text, or it would be longer than that.
pub struct TooLong;

/// Writes the fields of the response of a row as an object. Returns the JSON pointers of what cannot be read, at most
/// [`MAX_ERRORS`].
pub fn write(shape: &[ShapeField], root: Value<'_>, out: &mut Vec<u8>) -> Result<Vec<String>, TooLong> {
    let object = (root.kind() == Type::Object).then_some(root);
    let data = object.and_then(|root| member(root, DATA));
    fields(shape, &Places { root: object, data, owns_data: shape.iter().any(has_data) }, root, out)
}

/// The same for an object that has no envelope.
pub fn write_own(shape: &[ShapeField], root: Value<'_>, out: &mut Vec<u8>) -> Result<Vec<String>, TooLong> {
    fields(shape, &Places::of_object(root), root, out)
}

fn fields(
    shape: &[ShapeField],
    places: &Places<'_>,
    root: Value<'_>,
    out: &mut Vec<u8>,
) -> Result<Vec<String>, TooLong> {
    let longest = MOST + MOST_TIMES * root.raw().len();
    let mut writer = Writer { out, longest, path: String::new(), unreadable: Vec::new() };
    writer.fields(shape, places)?;
    Ok(writer.unreadable)
}

fn has_data(field: &ShapeField) -> bool {
    field.members.iter().any(|(place, member)| *place == Place::Data || member.name == DATA)
}

/// The first field of that name; of none, the first in another case.
fn member<'d>(object: Value<'d>, name: &str) -> Option<Value<'d>> {
    object.member(name).or_else(|| {
        object.children().find(|child| child.plain_name().is_some_and(|own| own.eq_ignore_ascii_case(name.as_bytes())))
    })
}

/// The objects in which fields are looked for.
struct Places<'d> {
    /// `None`: it is no object.
    root: Option<Value<'d>>,
    /// The response's value under that name, if any.
    data: Option<Value<'d>>,
    /// The row has `data`: it is no other envelope.
    owns_data: bool,
}

/// The value in the place of a field.
enum MemberValue<'d> {
    Absent,
    /// Something that is no object is in the place of its object.
    WithinOther(Place),
    At(Place, Value<'d>),
}

impl<'d> Places<'d> {
    fn of_object(object: Value<'d>) -> Places<'d> {
        Places { root: Some(object), data: None, owns_data: true }
    }

    fn find(&self, place: Place, name: &str, shape: &[ShapeField]) -> MemberValue<'d> {
        let data = self.data.filter(|data| data.kind() != Type::Null);
        let of_root =
            || self.root.map_or(MemberValue::WithinOther(Place::Root), |root| within(Place::Root, root, name));
        let of_data = |data: Value<'d>| match data.kind() {
            Type::Object => within(Place::Data, data, name),
            _ => MemberValue::WithinOther(Place::Data),
        };
        match (place, data) {
            (Place::Data, Some(data)) => of_data(data),
            // The data without its envelope. The envelope's field of that name is something else.
            (Place::Data, None) if is_beside_data(name, shape) => MemberValue::Absent,
            (Place::Data, None) => of_root(),
            (_, Some(data)) if !self.owns_data && data.kind() == Type::Object => match of_root() {
                MemberValue::Absent => of_data(data),
                found => found,
            },
            _ => of_root(),
        }
    }

    fn step(&self, place: Place) -> String {
        let data = self.data.filter(|_| place == Place::Data);
        data.map(|data| format!("/{}", data.step().unwrap_or_default())).unwrap_or_default()
    }
}

/// Returns whether the envelope may have it beside its data: success, code, message, and the row's own.
fn is_beside_data(name: &str, shape: &[ShapeField]) -> bool {
    let mut own = shape.iter().flat_map(|field| &field.members);
    is_of_envelope(name) || own.any(|(place, known)| *place == Place::Root && known.name == name)
}

fn within<'d>(place: Place, object: Value<'d>, name: &str) -> MemberValue<'d> {
    match member(object, name) {
        Some(value) if value.kind() != Type::Null => MemberValue::At(place, value),
        _ => MemberValue::Absent,
    }
}

struct Writer<'o> {
    out: &'o mut Vec<u8>,
    longest: usize,
    /// JSON pointer of the object that is written.
    path: String,
    unreadable: Vec<String>,
}

enum Leaf {
    Written,
    Absent,
    Unreadable,
}

impl Writer<'_> {
    /// Makes room, so that a lack of memory is an error.
    fn reserve(&mut self, length: usize) -> Result<(), TooLong> {
        let fits = self.out.len() + length <= self.longest && self.out.try_reserve(length).is_ok();
        if fits { Ok(()) } else { Err(TooLong) }
    }

    fn fields(&mut self, shape: &[ShapeField], places: &Places<'_>) -> Result<(), TooLong> {
        self.reserve(2)?;
        self.out.push(b'{');
        for (index, field) in shape.iter().enumerate() {
            self.reserve(field.name.len() + 8)?;
            if index > 0 {
                self.out.push(b',');
            }
            quote(&field.name, self.out);
            self.out.push(b':');
            self.field(field, shape, places)?;
        }
        self.out.push(b'}');
        Ok(())
    }

    /// The first value of the field that can be read.
    fn field(&mut self, field: &ShapeField, shape: &[ShapeField], places: &Places<'_>) -> Result<(), TooLong> {
        let mut unreadable = None;
        for (place, member) in &field.members {
            let (place, value) = match places.find(*place, member.name, shape) {
                MemberValue::Absent => continue,
                MemberValue::WithinOther(place) => {
                    unreadable.get_or_insert_with(|| format!("{}{}", self.path, places.step(place)));
                    continue;
                }
                MemberValue::At(place, value) => (place, value),
            };
            let pointer = || format!("{}/{}", places.step(place), value.step().unwrap_or_default());
            match (member.kind, value.kind()) {
                (AnswerKind::Object(_), Type::Object) => {
                    return self.below(&pointer(), |writer| writer.object(field, value));
                }
                (AnswerKind::List(_), Type::Array) => {
                    return self.below(&pointer(), |writer| writer.list(field, value));
                }
                _ => {}
            }
            self.reserve(value.raw().len() + 40)?;
            match leaf(member.kind, value, self.out) {
                Leaf::Written => return Ok(()),
                Leaf::Absent => {}
                Leaf::Unreadable => _ = unreadable.get_or_insert_with(|| format!("{}{}", self.path, pointer())),
            }
        }
        self.out.extend_from_slice(b"null");
        self.report(unreadable);
        Ok(())
    }

    /// Writes what stands at a pointer from here.
    fn below<T>(&mut self, pointer: &str, write: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        self.path.push_str(pointer);
        let written = write(self);
        self.path.truncate(length);
        written
    }

    fn report(&mut self, unreadable: Option<String>) {
        if let Some(pointer) =
            unreadable.filter(|it| self.unreadable.len() < MAX_ERRORS && !self.unreadable.contains(it))
        {
            self.unreadable.push(pointer);
        }
    }

    fn object(&mut self, field: &ShapeField, object: Value<'_>) -> Result<(), TooLong> {
        self.fields(&field.fields, &Places::of_object(object))
    }

    /// An element that is no object is null.
    fn list(&mut self, field: &ShapeField, list: Value<'_>) -> Result<(), TooLong> {
        self.reserve(2)?;
        self.out.push(b'[');
        for (index, element) in list.children().enumerate() {
            self.reserve(6)?;
            if index > 0 {
                self.out.push(b',');
            }
            if element.kind() == Type::Object {
                self.below(&format!("/{index}"), |writer| writer.object(field, element))?;
            } else {
                self.out.extend_from_slice(b"null");
                self.report(Some(format!("{}/{index}", self.path)));
            }
        }
        self.out.push(b']');
        Ok(())
    }
}

/// Writes a value in the form of its kind.
fn leaf(kind: AnswerKind, value: Value<'_>, out: &mut Vec<u8>) -> Leaf {
    let raw = value.raw();
    match (kind, value.kind()) {
        (AnswerKind::Any, _) | (AnswerKind::Text, Type::Text) | (AnswerKind::Flag, Type::Bool) => {
            out.extend_from_slice(raw.as_bytes());
            return Leaf::Written;
        }
        (AnswerKind::Text, Type::Number) => return written(out, Some(format!("\"{raw}\""))),
        (AnswerKind::Object(_) | AnswerKind::List(_), _) => return Leaf::Unreadable,
        _ => {}
    }
    let text = match value.kind() {
        Type::Number => Some(raw.into()),
        _ => value.text(),
    };
    let Some(text) = text else { return Leaf::Unreadable };
    let (text, is_text) = (text.trim_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c']), value.kind() == Type::Text);
    if text.is_empty() {
        return Leaf::Absent;
    }
    let found = match kind {
        AnswerKind::Integer => integer(text),
        AnswerKind::Amount | AnswerKind::Decimal => decimal(text).map(|text| format!("\"{text}\"")),
        AnswerKind::Flag if is_text => {
            ["true", "false"].into_iter().find(|word| word.eq_ignore_ascii_case(text)).map(str::to_owned)
        }
        AnswerKind::Time if is_text => match utc(text) {
            Some(None) => return Leaf::Absent,
            Some(Some(time)) => Some(format!("\"{time}\"")),
            None => None,
        },
        _ => None,
    };
    written(out, found)
}

fn written(out: &mut Vec<u8>, text: Option<String>) -> Leaf {
    let Some(text) = text else { return Leaf::Unreadable };
    write!(out, "{text}").expect("writing to memory cannot fail");
    Leaf::Written
}

/// Returns an integer of 64 bits; the text may have a fraction of zeros.
fn integer(text: &str) -> Option<String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_whole = is_digits(whole.strip_prefix('-').unwrap_or(whole)) && is_digits(fraction);
    (is_whole && fraction.bytes().all(|digit| digit == b'0'))
        .then(|| whole.parse::<i64>().ok())?
        .map(|it| it.to_string())
}

/// With its digits, but for leading zeros.
fn decimal(text: &str) -> Option<String> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(whole, fraction)| (whole, Some(fraction)));
    if text.len() > LONGEST_AMOUNT || !is_digits(whole) || !fraction.is_none_or(is_digits) {
        return None;
    }
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    Some(format!("{sign}{whole}{}", &digits[digits.len() - fraction.map_or(0, |it| it.len() + 1)..]))
}

/// An ISO 8601 time in UTC, which it is if it names no zone, with microseconds; further digits are cut off. `Some(None)`:
/// what the service writes where there is no time. `None`: it is no time.
fn utc(text: &str) -> Option<Option<String>> {
    let number = |from: usize, to: usize| text.get(from..to).filter(|it| is_digits(it)).and_then(|it| it.parse().ok());
    let at = |index: usize| text.as_bytes().get(index).copied();
    let separated = [at(4), at(7), at(13), at(16)] == [b'-', b'-', b':', b':'].map(Some);
    if !text.is_ascii() || !separated || !matches!(at(10), Some(b'T' | b' ')) {
        return None;
    }
    let year: u16 = number(0, 4)?;
    let [month, day, hour, minute, second] = [(5, 7), (8, 10), (11, 13), (14, 16), (17, 19)]
        .map(|(from, to)| number(from, to).and_then(|it: u16| u8::try_from(it).ok()));
    let (fraction, zone) = match text[19..].strip_prefix('.') {
        Some(rest) => rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count()),
        None => ("0", &text[19..]),
    };
    if !(1..=9).contains(&fraction.len()) {
        return None;
    }
    let micros: u32 = format!("{fraction:0<6.6}").parse().ok()?;
    let date = Date::from_calendar_date(i32::from(year), Month::try_from(month?).ok()?, day?).ok()?;
    let time = Time::from_hms_micro(hour?, minute?, second?, micros).ok()?;
    let offset = match zone.as_bytes() {
        b"" | b"Z" | b"z" => UtcOffset::UTC,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let [hours, minutes] = [(1, 3), (4, 6)].map(|(from, to)| zone.get(from..to).filter(|it| is_digits(it)));
            let (hours, minutes) = (hours?.parse::<i8>().ok()?, minutes?.parse::<i8>().ok()?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let sign = if *sign == b'-' { -1 } else { 1 };
            UtcOffset::from_hms(sign * hours, sign * minutes, 0).ok()?
        }
        _ => return None,
    };
    let is_none = (year, month, day) == (1, Some(1), Some(1)) && time == Time::MIDNIGHT;
    if is_none && fraction.bytes().all(|digit| digit == b'0') {
        return Some(None);
    }
    if !(1900..=9998).contains(&year) {
        return None;
    }
    let utc = PrimitiveDateTime::new(date, time).assume_offset(offset).to_offset(UtcOffset::UTC);
    let (date, (hour, minute, second, micros)) = (utc.date(), utc.time().as_hms_micro());
    Some(Some(format!("{date}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::document::Document;
    use paysvc_spec::endpoint;

    /// The response, and what cannot be read of it.
    fn read(row: &str, body: &str) -> (String, Vec<String>) {
        let document = Document::scan_own(body).unwrap_or_else(|_| panic!("{body}"));
        let mut out = Vec::new();
        let Ok(unreadable) = write(&endpoint(row).answer.shape(), document.root(body), &mut out) else {
            panic!("{body}: too long")
        };
        (String::from_utf8(out).unwrap(), unreadable)
    }

    /// `tests/integration/typed_answers/normal.rs` compares every row.
    #[test]
    fn the_data_is_read_with_its_envelope_and_without() {
        for (body, expected) in [
            (
                r#"{"status":true,"data":{"reference":"O-1","status":"pending"}}"#,
                r#""O-1","amount_refunded":null,"status":"pending""#,
            ),
            (r#"{"Data":{"Reference":7,"amount_refunded":"007.50"}}"#, r#""7","amount_refunded":"7.50","status":null"#),
            // The word beside the data is the request's.
            (r#"{"status":"success","reference":"O-1"}"#, r#""O-1","amount_refunded":null,"status":null"#),
        ] {
            assert_eq!(read("order_refund", body), (format!("{{\"reference\":{expected}}}"), vec![]), "{body}");
        }
        let (answer, unreadable) =
            read("order_refund", r#"{"data":{"amount_refunded":{},"status":[],"reference":" "}}"#);
        assert_eq!(answer, r#"{"reference":" ","amount_refunded":null,"status":null}"#);
        assert_eq!(unreadable, ["/data/amount_refunded", "/data/status"]);
        assert_eq!(read("order_refund", r#"{"data":[{}]}"#).1, ["/data"]);
        assert_eq!(read("order_refund", "[]").1, [""]);
    }

    #[test]
    fn a_time_is_in_utc() {
        for (written, expected) in [
            ("2026-01-01T00:30:00+01:00", Some(Some("2025-12-31T23:30:00.000000Z"))),
            (" 2026-01-31 09:30:00.1234567", None),
            ("2026-01-31 09:30:00.1234567z", Some(Some("2026-01-31T09:30:00.123456Z"))),
            ("0001-01-01T00:00:00", Some(None)),
            ("2026-02-29T00:00:00", None),
            ("2026-01-31T09:30:00+24:00", None),
            ("9999-01-01T00:00:00", None),
        ] {
            assert_eq!(utc(written), expected.map(|time| time.map(str::to_owned)), "{written}");
        }
    }
}
