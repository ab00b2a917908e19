//! Writes JSON: a string, and an object field by field.

use std::fmt::Display;
use std::io::Write as _;

/// Appends a JSON string.
pub fn quote(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("writing text to memory cannot fail");
}

/// Writes the fields of a JSON object.
pub struct Object<'a> {
    out: &'a mut Vec<u8>,
    first: bool,
}

impl Object<'_> {
    pub fn raw(&mut self, name: &str, value: impl FnOnce(&mut Vec<u8>)) {
        self.name(name);
        value(self.out);
    }

    #[inline(never)]
    fn name(&mut self, name: &str) {
        if !std::mem::take(&mut self.first) {
            self.out.push(b',');
        }
        // Nearly every name is plain.
        match name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            true => [b"\"", name.as_bytes(), b"\""].iter().for_each(|part| self.out.extend_from_slice(part)),
            false => quote(name, self.out),
        }
        self.out.push(b':');
    }

    #[inline(never)]
    pub fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        quote(text, self.out);
    }

    pub fn optional(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    pub fn text_or_null(&mut self, name: &str, text: Option<&str>) {
        match text {
            Some(text) => self.text(name, text),
            None => self.literal(name, "null"),
        }
    }

    /// A number, a boolean or `null`.
    pub fn literal(&mut self, name: &str, value: impl Display) {
        self.name(name);
        write!(self.out, "{value}").expect("writing to memory cannot fail");
    }
}

pub fn object(out: &mut Vec<u8>, members: impl FnOnce(&mut Object<'_>)) {
    out.push(b'{');
    members(&mut Object { out, first: true });
    out.push(b'}');
}

pub fn list<T>(out: &mut Vec<u8>, items: impl IntoIterator<Item = T>, mut push: impl FnMut(&mut Vec<u8>, T)) {
    out.push(b'[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        push(out, item);
    }
    out.push(b']');
}

pub fn object_text(members: impl FnOnce(&mut Object<'_>)) -> String {
    let mut out = Vec::new();
    object(&mut out, members);
    String::from_utf8(out).expect("JSON made of text is UTF-8")
}
