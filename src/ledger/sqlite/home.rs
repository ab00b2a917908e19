//! The place where a journal was made. A journal in another place is a copy or a restored backup, or was moved: another
//! journal may have sent requests that it does not have.

use std::path::Path;

use rusqlite::Connection;

use super::place::Identity;
use crate::ledger::digest::digest;
use crate::util::unique;

/// Records in a new journal where it was made.
pub fn write(connection: &Connection, path: &Path) -> Result<(), String> {
    let id = unique::reference("").ok_or("the system has no randomness")?;
    let home = home(&id, path)?;
    let insert = "INSERT INTO journal_about (id, home, swept) VALUES (?1, ?2, '')";
    connection.execute(insert, [&id, &home]).map(|_| ()).map_err(|error| error.to_string())
}

pub fn is_elsewhere(connection: &Connection, path: &Path) -> Result<bool, String> {
    let about = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let read = connection.query_row("SELECT id, home FROM journal_about", [], about);
    let (id, made_at): (String, String) = read.map_err(|error| error.to_string())?;
    Ok(home(&id, path)? != made_at)
}

/// The machine's number can be confidential, so only a digest of it is kept.
fn home(id: &str, path: &Path) -> Result<String, String> {
    Ok(digest(id, &Identity::of(path)?.number_of_file(), &machine()))
}

/// As systemd and D-Bus number it; empty in most containers, where the number of the file must do.
#[cfg(unix)]
fn machine() -> String {
    let read = |path| std::fs::read_to_string(path).ok();
    let found = ["/etc/machine-id", "/var/lib/dbus/machine-id"].into_iter().find_map(read);
    found.unwrap_or_default().trim().to_owned()
}

/// The computer's name, which is unique in a Windows network.
#[cfg(not(unix))]
fn machine() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}
