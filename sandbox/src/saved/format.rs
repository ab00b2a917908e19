//! The file: a line with version and checksum, then a line with the content.

use serde::{Deserialize, Serialize};

use super::content::Saved;
use crate::util::seed::sha256_hex;

/// To be raised when an older program could misread the content.
const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
struct Head {
    paysvc_sandbox_state: u64,
    sha256: String,
}

pub fn file(content: &[u8], sha256: &str) -> Vec<u8> {
    let head = format!("{{\"paysvc_sandbox_state\":{VERSION},\"sha256\":\"{sha256}\"}}");
    [head.as_bytes(), b"\n", content, b"\n"].concat()
}

/// A damaged file is an error, never an empty state.
pub fn read(bytes: &[u8]) -> Result<Saved, String> {
    let (head, content) = bytes.split_at(bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len()));
    let Ok(head) = serde_json::from_slice::<Head>(head) else {
        return Err("it is not a state of paysvc-sandbox, or its first line is damaged".to_string());
    };
    if head.paysvc_sandbox_state != VERSION {
        let found = head.paysvc_sandbox_state;
        return Err(format!("its version is {found}, and this paysvc-sandbox reads version {VERSION} only"));
    }
    let content = content.strip_prefix(b"\n").and_then(|content| content.strip_suffix(b"\n")).unwrap_or_default();
    if sha256_hex(content) != head.sha256 {
        return Err("it is damaged: its checksum is another".to_string());
    }
    serde_json::from_slice(content).map_err(|error| format!("it cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_files_are_refused() {
        let problem = |bytes: &[u8]| read(bytes).err().unwrap();
        let good = file(b"{}", &sha256_hex(b"{}"));
        // Whole, but without the fields of a state.
        assert!(problem(&good).contains("missing field"));
        for end in 0..good.len() {
            let words = problem(&good[..end]);
            assert!(words.contains("damaged"), "{end}: {words}");
        }
        let newer = String::from_utf8(good).unwrap().replace(":1,", ":2,");
        assert_eq!(problem(newer.as_bytes()), "its version is 2, and this paysvc-sandbox reads version 1 only");
    }
}
