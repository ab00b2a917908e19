//! The rules for a raw request whose path belongs to a row of the table after all.

use crate::config::Config;
use crate::util::url_path;
use paysvc_spec::ENDPOINTS;
use paysvc_spec::schema::{ApiKey, Endpoint, Method};

/// The segments as a lenient server may understand them: in lower case, without empty ones, without blanks around them,
/// without an extension such as `.json`.
fn normalized_segments(path: &str) -> Vec<String> {
    let plain = |segment: &String| {
        let bare = segment.trim();
        // A name that begins with a dot has no extension.
        let end = bare.char_indices().find(|(at, c)| *at > 0 && *c == '.').map_or(bare.len(), |(at, _)| at);
        bare[..end].trim().to_ascii_lowercase()
    };
    url_path::segments(path).iter().map(plain).filter(|segment| !segment.is_empty()).collect()
}

/// The rows at or above this URL, whatever the method, and however the path is split between it and `base_url`; each
/// with the number of segments that follow the row's path. Both parts have been checked by [`url_path::check`].
fn rows_at_or_above(base_path: &str, path: &str) -> Vec<(&'static Endpoint, usize)> {
    let base = normalized_segments(base_path);
    let whole: Vec<_> = base.iter().cloned().chain(normalized_segments(path)).collect();
    let mut rows = Vec::new();
    for row in ENDPOINTS {
        let known = normalized_segments(row.path);
        let same =
            |given: &[String]| known.iter().zip(given).all(|(known, given)| known.starts_with('{') || known == given);
        // The row's path starts within `base_url` or right after it.
        let starts = (0..=base.len()).rev().filter(|start| start + known.len() <= whole.len());
        let below = starts.filter(|&start| same(&whole[start..])).map(|start| whole.len() - start - known.len());
        rows.extend(below.min().map(|below| (row, below)));
    }
    rows
}

/// The parts of a raw request that the rules depend on.
pub struct RawRequest {
    pub method: Method,
    pub key: ApiKey,
    pub encrypt: bool,
    pub has_body: bool,
    /// `None` if left out.
    pub read_only: Option<bool>,
}

/// The rules by which a request to its path is sent.
pub struct Policy {
    /// The row of the table that it calls.
    pub row: Option<&'static Endpoint>,
    pub read_only: bool,
}

/// A field of the request and its fault.
type InvalidMember = (&'static str, String);

/// Enforces the rules of the rows that the path belongs to:
///
/// - A row keeps its key, its encryption and its retry rule.
/// - With another method, its path still gets no unencrypted payload and no key that is not its own.
/// - At and below the path of a row that changes something, nothing is retried except read-only rows.
pub fn enforce(base_path: &str, path: &str, request: &RawRequest, config: &Config) -> Result<Policy, InvalidMember> {
    let is_own = |row: &Endpoint| config.key_of(row) == request.key;
    let wrong_key =
        |row: &Endpoint| ("key", format!("must be the {} of paysvc_{}", config.key_of(row).setting(), row.name));
    let related = rows_at_or_above(base_path, path);
    let rows: Vec<_> = related.iter().filter(|(_, below)| *below == 0).map(|(row, _)| *row).collect();
    let exact = rows.iter().copied().find(|row| row.method == request.method);
    if let Some(row) = rows.iter().find(|row| row.encrypted && request.has_body && !request.encrypt) {
        return Err(must_encrypt(row));
    }
    if let Some(row) = rows.first().filter(|_| request.key == ApiKey::Secret && !rows.iter().any(|row| is_own(row))) {
        return Err(wrong_key(row));
    }
    match exact {
        Some(row) if row.encrypted && !request.encrypt => return Err(must_encrypt(row)),
        Some(row) if !is_own(row) => return Err(wrong_key(row)),
        _ => {}
    }
    let changing = match exact {
        Some(row) if !row.path.contains('{') => Some(row).filter(|row| !row.read_only()),
        // The segment that stands for a field may be the name of a row that changes something.
        _ => related.iter().map(|(row, _)| *row).find(|row| !row.read_only()),
    };
    match (changing, request.read_only) {
        (Some(row), Some(true)) => Err(not_read_only(row)),
        (changing, given) => {
            let default = request.method == Method::Get && changing.is_none();
            Ok(Policy { row: exact, read_only: given.unwrap_or(default) })
        }
    }
}

fn not_read_only(row: &Endpoint) -> InvalidMember {
    let reason = format!(
        "must be false: a read-only request may be repeated, but paysvc_{} changes something at {} and below it",
        row.name, row.path
    );
    ("read_only", reason)
}

fn must_encrypt(row: &Endpoint) -> InvalidMember {
    ("encrypt", format!("must be true: the payload of paysvc_{} is never sent unencrypted", row.name))
}

#[cfg(test)]
mod tests;
