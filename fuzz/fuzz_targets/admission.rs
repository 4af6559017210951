#![no_main]
// What is judged stands in `invariants/admission.rs`.
libfuzzer_sys::fuzz_target!(|data: &[u8]| plain_mcp_fuzz::admission::check(data));
