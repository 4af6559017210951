#![no_main]
// What is judged stands in `invariants/schema.rs`.
libfuzzer_sys::fuzz_target!(|data: &[u8]| plain_mcp_fuzz::schema::check(data));
