//! The tests that use the sandbox from outside. One program, because each would be linked with all of TLS.

mod common;

mod abandoned;
mod access;
mod accounts;
mod canned;
mod card_steps;
mod certify;
mod comfort;
mod direct_debit;
mod facts;
mod fault_cleanup;
mod fault_rules;
mod fault_sequences;
mod faults;
mod hosts;
mod imports;
mod kept_ca;
mod magic_look_ups;
mod openapi;
mod orders;
mod page;
mod pay_options;
mod pay_twice;
mod payouts;
mod readme;
mod refunds;
mod saved;
mod session;
mod shapes;
mod start;
mod time_control;
mod unchanged;
mod webhooks;
