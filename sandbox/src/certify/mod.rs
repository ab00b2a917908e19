//! `certify`: watches a client go through scenarios and says what it did wrong.
//!
//! `scenario` is the table, `checks` what is looked for, `desk` where the client reads its task and tells its conclusion.

pub mod checks;
pub mod desk;
pub mod report;
pub mod run;
pub mod scenario;
