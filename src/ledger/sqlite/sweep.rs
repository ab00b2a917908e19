//! Removes keys that were closed long ago: a few with each new key, so that no call takes long and the file stays
//! bounded.

use rusqlite::{Connection, OptionalExtension as _};

/// With each new key. More than one, so that old keys are removed faster than new ones are written.
const KEYS: usize = 4;

const NEXT: &str = "SELECT key FROM journal_row WHERE key > (SELECT swept FROM journal_about) ORDER BY key LIMIT 1";

/// A row of the key or its order that is open, or as new as that. Attempts are counted by order, so the old
/// rows of an order are needed as long as there are new ones.
const NEEDED: &str = "SELECT EXISTS (SELECT 1 FROM journal_row
    WHERE (key = ?1 OR order_ref = (SELECT order_ref FROM journal_row WHERE key = ?1 AND seq = 1))
    AND (open = 1 OR time_ms >= ?2))";

/// `keep_from_ms`: rows written since then must be kept.
pub fn sweep(connection: &Connection, keep_from_ms: u64) -> rusqlite::Result<()> {
    let keep_from_ms = i64::try_from(keep_from_ms).unwrap_or(0);
    for _ in 0..KEYS {
        let next: Option<String> = connection.query_row(NEXT, [], |row| row.get(0)).optional()?;
        connection.execute("UPDATE journal_about SET swept = ?1", [next.as_deref().unwrap_or("")])?;
        let Some(key) = next else { break };
        if !connection.query_row(NEEDED, (&key, keep_from_ms), |row| row.get::<_, bool>(0))? {
            connection.execute("DELETE FROM journal_row WHERE key = ?1", [&key])?;
        }
    }
    Ok(())
}
