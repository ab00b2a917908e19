#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| paysvc::fuzzing::event(input));
