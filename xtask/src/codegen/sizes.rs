//! How many bytes the example of each encrypted endpoint has before it is encrypted, and which keys can encrypt it.

use minijinja::{Value, context};
use paysvc_spec::schema::Endpoint;

use super::requests::Requests;
use crate::templates;

/// Lengths of keys in bits.
const KEYS: [usize; 3] = [2048, 3072, 4096];

/// What PKCS#1 v1.5 padding takes of each block.
const PADDING: usize = 11;

pub fn render(rows: &[Endpoint], requests: &Requests) -> Result<String, String> {
    let keys: Vec<Value> = KEYS.iter().map(|bits| context! { bits, most => most(*bits) }).collect();
    let of = |row: &Endpoint| {
        let bytes = requests.payload(row)?;
        let left: Vec<Value> = KEYS.iter().map(|bits| left(most(*bits), bytes)).collect();
        Ok(context! { name => row.name, bytes, left })
    };
    let rows = rows.iter().filter(|row| row.encrypted).map(of).collect::<Result<Vec<_>, String>>()?;
    Ok(templates::render("sizes.md", context! { keys, rows }))
}

fn most(bits: usize) -> usize {
    bits / 8 - PADDING
}

fn left(most: usize, bytes: usize) -> Value {
    context! { fits => bytes <= most, bytes => most.abs_diff(bytes) }
}
