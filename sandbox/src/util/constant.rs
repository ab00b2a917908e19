//! Texts of the program in what is read from a file.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Deserializer};

pub type Constant = &'static str;

/// Reads one of few texts; each different one stays in memory once.
pub fn constant<'de, D: Deserializer<'de>>(from: D) -> Result<Constant, D::Error> {
    static KNOWN: Mutex<Option<HashSet<Constant>>> = Mutex::new(None);
    let text = String::deserialize(from)?;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    Ok(known.get(text.as_str()).copied().unwrap_or_else(|| {
        let kept = text.leak();
        known.insert(kept);
        kept
    }))
}
