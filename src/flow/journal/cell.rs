//! The journal of a client: set before its first call, or never.

use once_cell::race::OnceBox;

use crate::ledger::Journal;

/// Lock-free: a child that is forked while another thread holds a lock would wait for ever.
#[derive(Default)]
pub struct JournalCell(OnceBox<Option<Journal>>);

impl JournalCell {
    /// Fails with the reason.
    pub fn set(&self, journal: Journal) -> Result<(), &'static str> {
        self.0.set(Box::new(Some(journal))).map_err(|_| match self.get() {
            Some(_) => "the client already has a store",
            None => "the client has already begun its first call: set the store before that call",
        })
    }

    /// The journal. If there is none, none can be set from now on.
    pub fn get(&self) -> Option<&Journal> {
        self.0.get_or_init(Box::default).as_ref()
    }
}
