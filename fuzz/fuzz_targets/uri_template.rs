#![no_main]
// What is judged stands in `invariants/uri_template.rs`.
libfuzzer_sys::fuzz_target!(|data: &[u8]| plain_mcp_fuzz::uri_template::check(data));
