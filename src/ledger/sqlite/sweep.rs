//! Puts a tombstone in the place of keys that were closed long ago: of a few with some new keys, so that no call takes long
//! and the file stays small. No row is removed without one, so a wrong clock costs details and no money.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{INSERT, failure::Failure};
use crate::ledger::claims::ClaimRecord;
use crate::ledger::key::Name;
use crate::ledger::row::{Kind, Row, Tombstone};
use crate::ledger::store::NewRow;
use paysvc_spec::status::{Outcome, State};

/// A client sweeps at the first new key that it writes, and then at each so many.
pub const EVERY: u32 = 16;
/// Keys per sweep: more than are written meanwhile, so that old keys are replaced faster than new ones are written.
const KEYS: usize = 32;

const NEXT: &str = "SELECT key FROM journal_row WHERE key > ?1 ORDER BY key LIMIT 1";

/// A row of the key or its order that is open, as new as that, or of another account. Attempts are counted by order, so
/// the old rows of an order are needed as long as there are new ones.
const NEEDED: &str = "SELECT EXISTS (SELECT 1 FROM journal_row
    WHERE (key = ?1 OR order_ref = (SELECT order_ref FROM journal_row WHERE key = ?1 AND seq = 1))
    AND (open = 1 OR time_ms >= ?2 OR account <> ?3))";

/// `new`: the row that is written now; it determines which keys are old, and whose may be replaced.
pub fn sweep(connection: &Connection, new: &NewRow) -> Result<(), Failure> {
    let keep_from_ms = i64::try_from(new.keep_from_ms).unwrap_or(0);
    let mut swept: String =
        connection.prepare_cached("SELECT swept FROM journal_about")?.query_row([], |row| row.get(0))?;
    for _ in 0..KEYS {
        let next = connection.prepare_cached(NEXT)?.query_row([&swept], |row| row.get(0)).optional()?;
        swept = next.unwrap_or_default();
        if swept.is_empty() {
            break;
        }
        let needed = params![swept, keep_from_ms, new.account];
        if !connection.prepare_cached(NEEDED)?.query_row(needed, |row| row.get::<_, bool>(0))? {
            replace(connection, &swept)?;
        }
    }
    connection.prepare_cached("UPDATE journal_about SET swept = ?1")?.execute([&swept])?;
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

/// Returns the tombstone of a closed key; `None` if it is one already.
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
