//! The program's own store of the journal: set before the first call, or never.

use once_cell::race::OnceBox;

use crate::journal::store::Store;

/// Lock-free: a child that is forked while another thread holds a lock would wait for ever.
#[derive(Default)]
pub struct StoreCell(OnceBox<Option<Box<dyn Store>>>);

impl StoreCell {
    /// Fails with the reason.
    pub fn set(&self, store: Box<dyn Store>) -> Result<(), &'static str> {
        self.0.set(Box::new(Some(store))).map_err(|_| match self.get() {
            Some(_) => "the client has a store already",
            None => "the client has begun its first call: set the store before it",
        })
    }

    /// The store. If there is none, none can be set from now on.
    pub fn get(&self) -> Option<&dyn Store> {
        self.0.get_or_init(Box::default).as_deref()
    }
}
