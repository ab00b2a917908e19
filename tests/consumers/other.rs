//! Another archive of Rust in the same program: with its own copy of Rust's standard library, threads and panics.

use std::collections::HashMap;

/// The count of different words, or -1 if one of them is "panic".
#[unsafe(no_mangle)]
pub extern "C" fn other_words() -> i32 {
    std::panic::set_hook(Box::new(|_| {}));
    let count = |text: &'static str| {
        let words = std::thread::spawn(move || {
            let words = text.split(' ').map(|word| (word, 1)).collect::<HashMap<_, i32>>();
            assert!(!words.contains_key("panic"));
            words.len() as i32
        });
        words.join().unwrap_or(-1)
    };
    if count("do not panic") == -1 { count("one two one") } else { 0 }
}
