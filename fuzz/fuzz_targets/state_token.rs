#![no_main]
// What is judged stands in `invariants/state_token.rs`.
libfuzzer_sys::fuzz_target!(|data: &[u8]| plain_mcp_fuzz::state_token::check(data));
