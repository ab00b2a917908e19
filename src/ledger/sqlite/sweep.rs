//! Puts a tombstone in the place of keys that were closed long ago: of a few with each new key, so that no call takes long
//! and the file stays small. No row is removed without one, so a wrong clock costs details and no money.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{INSERT, failure::Failure};
use crate::ledger::claims::ClaimRecord;
use crate::ledger::key::Name;
use crate::ledger::row::{Kind, Row, Tombstone};
use crate::ledger::store::NewRow;
use paysvc_spec::status::{Outcome, State};

/// With each new key. More than one, so that old keys are replaced faster than new ones are written.
const KEYS: usize = 4;

const NEXT: &str = "SELECT key FROM journal_row WHERE key > (SELECT swept FROM journal_about) ORDER BY key LIMIT 1";

/// A row of the key or its order that is open, as new as that, or of another account. Attempts are counted by order, so
/// the old rows of an order are needed as long as there are new ones.
const NEEDED: &str = "SELECT EXISTS (SELECT 1 FROM journal_row
    WHERE (key = ?1 OR order_ref = (SELECT order_ref FROM journal_row WHERE key = ?1 AND seq = 1))
    AND (open = 1 OR time_ms >= ?2 OR account <> ?3))";

/// `new`: the row that is written now; it says what is old, and whose keys may be replaced.
pub fn sweep(connection: &Connection, new: &NewRow<'_>) -> Result<(), Failure> {
    let keep_from_ms = i64::try_from(new.keep_from_ms).unwrap_or(0);
    for _ in 0..KEYS {
        let next: Option<String> = connection.query_row(NEXT, [], |row| row.get(0)).optional()?;
        connection.execute("UPDATE journal_about SET swept = ?1", [next.as_deref().unwrap_or("")])?;
        let Some(key) = next else { break };
        let needed = params![key, keep_from_ms, new.account];
        if !connection.query_row(NEEDED, needed, |row| row.get::<_, bool>(0))? {
            replace(connection, &key)?;
        }
    }
    Ok(())
}

/// A key that cannot be read stays as it is.
fn replace(connection: &Connection, key: &str) -> Result<(), Failure> {
    let rows = super::rows(connection, "WHERE key = ?1 ORDER BY seq", [key])?;
    let Ok(rows) = rows.iter().map(|(_, row)| Row::parse(row)).collect::<Result<Vec<_>, _>>() else { return Ok(()) };
    let Some(Ok((row, json))) = tombstone(&rows).map(|row| row.to_json().map(|json| (row, json))) else {
        return Ok(());
    };
    connection.execute("DELETE FROM journal_row WHERE key = ?1", [key])?;
    let order = row.order.as_ref().map(|order| &*order.index);
    let time_ms = i64::try_from(row.time_ms).unwrap_or(i64::MAX);
    connection.execute(INSERT, params![row.key.index, row.seq, order, false, time_ms, row.account, json])?;
    Ok(())
}

/// What is left of a closed key; `None` for a tombstone.
fn tombstone(rows: &[Row]) -> Option<Row> {
    let claims = ClaimRecord::all(rows);
    let ends: Vec<_> = claims.iter().filter_map(ClaimRecord::deciding_end).map(|(_, end)| end).collect();
    let end = ends.iter().find(|end| end.outcome == Outcome::Confirmed).or(ends.last());
    let (outcome, state) = end.map_or((Outcome::Unknown, State::NONE), |end| (end.outcome, end.state));
    let kind = Kind::Tombstone(Tombstone { step: claims.first()?.claim.step, outcome, state });
    let last = rows.last()?.clone();
    let under = |name: &Name| Name::new(&Tombstone::name_of(&name.index));
    Some(Row { key: under(&last.key), order: last.order.as_ref().map(under), seq: 1, open: false, kind, ..last })
}
