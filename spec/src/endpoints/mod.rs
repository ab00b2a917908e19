//! The rows, a file per family. All knowledge of an endpoint is its row.
//!
//! A new endpoint is a row here and an entry in `tests/scenarios.json`; everything else is rendered from the two.

mod answers;
mod banks;
mod direct_debit;
mod orders;
pub mod payouts;
mod virtual_accounts;

use crate::schema::{Endpoint, doc};

const FAMILIES: &[&[Endpoint]] =
    &[direct_debit::ROWS, orders::ROWS, banks::ROWS, virtual_accounts::ROWS, payouts::ROWS];

const COUNT: usize = {
    let (mut count, mut family) = (0, 0);
    while family < FAMILIES.len() {
        count += FAMILIES[family].len();
        family += 1;
    }
    count
};

/// A static, so that constants of other crates refer to it instead of holding a copy.
static ALL: [Endpoint; COUNT] = {
    let mut all = [Endpoint::ROW; COUNT];
    let (mut index, mut family) = (0, 0);
    while family < FAMILIES.len() {
        let mut row = 0;
        while row < FAMILIES[family].len() {
            let known = FAMILIES[family][row];
            all[index] = Endpoint { doc: doc(known.doc), ..known };
            index += 1;
            row += 1;
        }
        family += 1;
    }
    all
};

/// Every endpoint, family by family: the order of the header.
pub static ENDPOINTS: &[Endpoint] = &ALL;

/// The row of that name. An unknown name does not compile where this is evaluated in a constant.
pub const fn endpoint(name: &str) -> &'static Endpoint {
    let mut index = 0;
    while index < ENDPOINTS.len() {
        if same(ENDPOINTS[index].name, name) {
            return &ENDPOINTS[index];
        }
        index += 1;
    }
    panic!("no endpoint has this name")
}

pub const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}

#[cfg(test)]
mod tests;
