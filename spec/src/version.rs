//! Version of the library, which is the workspace's.

/// "0.3.0"
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The same as a number that grows with every release: 300 is 0.3.0, 10203 is 1.2.3.
pub const NUMBER: i32 = number(VERSION);

/// Minor version and patch have two digits each, so that the numbers are in the order of the versions.
const fn number(version: &str) -> i32 {
    let bytes = version.as_bytes();
    let (mut parts, mut part, mut dots, mut at) = (0, 0, 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            digit @ b'0'..=b'9' => part = part * 10 + (digit - b'0') as i32,
            b'.' => {
                assert!(part < 100 && dots < 2);
                (parts, part, dots) = (parts * 100 + part, 0, dots + 1);
            }
            _ => panic!("a version has digits and dots only"),
        }
        at += 1;
    }
    assert!(part < 100 && dots == 2);
    parts * 100 + part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_versions_have_higher_numbers() {
        let versions = ["0.1.0", "0.1.9", "0.1.10", "0.2.0", "0.99.99", "1.0.0", "1.2.3", "12.0.1"];
        let numbers = versions.map(number);
        assert_eq!(numbers, [100, 109, 110, 200, 9999, 10_000, 10_203, 120_001]);
        assert!(numbers.is_sorted());
        assert_eq!(number(VERSION), NUMBER);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for version in ["1.2", "1.2.3.4", "1.100.0", "1.0.100", "1.2.3-rc1", ""] {
            assert!(std::panic::catch_unwind(|| number(version)).is_err(), "{version}");
        }
    }
}
