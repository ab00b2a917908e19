//! Deliberate defects: scripts/fuzz.sh shows with them that the fuzzer finds such a defect. The input names one.
#![no_main]

use std::hint::black_box;

fn planted(input: &[u8]) {
    match input {
        // One byte beyond an allocation: only AddressSanitizer notices.
        b"overflow" => {
            let bytes = black_box(vec![1u8; 8]);
            // SAFETY: there is none; this is the defect.
            black_box(unsafe { bytes.as_ptr().add(black_box(8)).read() });
        }
        b"leak" => {
            black_box(Box::leak(black_box(Box::new([7u8; 4096])))[0]);
        }
        b"panic" => panic!("planted"),
        b"hang" => loop {
            black_box(input);
        },
        _ => {}
    }
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| planted(input));
