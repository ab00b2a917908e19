//! New references, as a C program makes them.

use std::collections::HashSet;

use crate::support::capi::reference_new;

/// Checks the header's promise about the text after the prefix.
fn is_reference(text: &str) -> bool {
    text.len() == 26 && text.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase() && !b"ILOU".contains(&b))
}

#[test]
fn a_reference_has_its_prefix_and_fits_or_is_not_made() {
    for (prefix, before) in [(None, ""), (Some(""), ""), (Some("T7"), "T7-"), (Some("a.b_c-D"), "a.b_c-D-")] {
        let whole = before.len() + 26;
        let (length, text) = reference_new(prefix, 64);
        assert_eq!(usize::try_from(length).unwrap(), whole);
        assert!(text.strip_prefix(before).is_some_and(is_reference), "{text}");
        assert_eq!(reference_new(prefix, whole + 1).1.len(), whole, "with the NUL it fits exactly");
        for size in [0, 1, whole] {
            assert_eq!(reference_new(prefix, size), (0, String::new()), "{size} bytes");
        }
    }
    let long = "x".repeat(32);
    assert_eq!(reference_new(Some(&long), 60).0, 59);
    for bad in ["a b", "a/b", "é", "\"", &format!("{long}x")] {
        assert_eq!(reference_new(Some(bad), 99), (0, String::new()), "{bad:?}");
    }
}

#[test]
fn references_of_many_threads_differ_and_later_ones_sort_behind() {
    let make = || (0..25_000).map(|_| reference_new(Some("T7"), 64).1).collect::<Vec<_>>();
    let made: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(make)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(made.iter().collect::<HashSet<_>>().len(), 100_000);
    std::thread::sleep(std::time::Duration::from_millis(2));
    let later = reference_new(Some("T7"), 64).1;
    assert!(made.iter().all(|earlier| *earlier < later));
}
