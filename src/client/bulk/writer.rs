//! Writes the JSON of a report and of a step.

use crate::json;

/// Writes the members of a JSON object.
pub struct Object<'a> {
    out: &'a mut Vec<u8>,
    first: bool,
}

impl Object<'_> {
    pub fn raw(&mut self, name: &str, value: impl FnOnce(&mut Vec<u8>)) {
        if !std::mem::take(&mut self.first) {
            self.out.push(b',');
        }
        json::quote(name, self.out);
        self.out.push(b':');
        value(self.out);
    }

    pub fn text(&mut self, name: &str, text: &str) {
        self.raw(name, |out| json::quote(text, out));
    }

    pub fn optional(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    pub fn number(&mut self, name: &str, number: usize) {
        self.raw(name, |out| out.extend_from_slice(number.to_string().as_bytes()));
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
