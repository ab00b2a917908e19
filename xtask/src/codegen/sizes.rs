//! The length of each encrypted endpoint's example before it is encrypted, in bytes, and the keys that can encrypt it.

use paysvc_spec::schema::Endpoint;

use super::requests::Requests;
use super::table;

/// Lengths of keys in bits.
const KEYS: [usize; 3] = [2048, 3072, 4096];

/// The bytes that PKCS#1 v1.5 padding takes of each block.
const PADDING: usize = 11;

pub fn render(rows: &[Endpoint], requests: &Requests) -> Result<String, String> {
    let keys = KEYS.map(|bits| format!(" {bits} bits, at most {} |", most(bits)));
    let line = |row: &Endpoint| {
        let bytes = requests.payload(row)?;
        let left = KEYS.map(|bits| match (bytes <= most(bits), most(bits).abs_diff(bytes)) {
            (true, left) => format!(" fits, {left} left |"),
            (false, more) => format!(" {more} too many |"),
        });
        Ok(format!("| `{}` | {bytes} |{}", row.name, left.concat()))
    };
    let lines = rows.iter().filter(|row| row.encrypted).map(line).collect::<Result<Vec<_>, String>>()?;
    let table = table(&format!("| request | bytes of its example |{}", keys.concat()), lines.into_iter());
    Ok(table.replacen("|---|---|", "|---|---:|", 1))
}

fn most(bits: usize) -> usize {
    bits / 8 - PADDING
}
