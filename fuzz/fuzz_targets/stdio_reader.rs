#![no_main]
// What is judged stands in `invariants/stdio_reader.rs`.
libfuzzer_sys::fuzz_target!(|data: &[u8]| plain_mcp_fuzz::stdio_reader::check(data));
