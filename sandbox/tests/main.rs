//! The tests that use the sandbox from outside. One program, because each would be linked with all of TLS.

mod common;

mod access;
mod canned;
mod card_steps;
mod certify;
mod direct_debit;
mod facts;
mod fault_rules;
mod fault_sequences;
mod faults;
mod imports;
mod orders;
mod page;
mod payouts;
mod readme;
mod saved;
mod session;
mod start;
mod time_control;
mod unchanged;
mod webhooks;
