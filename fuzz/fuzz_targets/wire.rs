#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| paysvc::ffi::fuzzing::wire(input));
