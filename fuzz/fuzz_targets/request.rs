#![no_main]
// What is judged stands in `invariants/request.rs`.
libfuzzer_sys::fuzz_target!(|data: &[u8]| plain_mcp_fuzz::request::check(data));
