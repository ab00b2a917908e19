//! How many rendered lines an endpoint costs.

use std::collections::BTreeMap;
use std::path::Path;

use paysvc_spec::ENDPOINTS;

#[test]
fn an_endpoint_costs_at_most() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let lines = |rows| -> BTreeMap<String, i64> {
        let mut by_file = BTreeMap::new();
        for (path, text) in xtask::files_of(root, rows).unwrap() {
            let name = match path.rsplit_once('/') {
                Some((folder @ ("docs/endpoints" | "docs/man/man3"), _)) => folder.to_owned(),
                _ => path,
            };
            *by_file.entry(name).or_default() += text.lines().count() as i64;
        }
        by_file
    };
    let (all, none) = (lines(ENDPOINTS), lines(&[]));
    let mut total = 0;
    for (file, lines) in &all {
        let cost = lines - none.get(file).unwrap_or(&0);
        total += cost;
        println!("{file:45} {:7.1}", cost as f64 / ENDPOINTS.len() as f64);
    }
    println!("total {:7.1}", total as f64 / ENDPOINTS.len() as f64);
}
