#![no_main]
// What is judged stands in `invariants/header_value.rs`.
libfuzzer_sys::fuzz_target!(|data: &[u8]| plain_mcp_fuzz::header_value::check(data));
