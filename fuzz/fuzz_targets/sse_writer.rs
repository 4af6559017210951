#![no_main]
// What is judged stands in `invariants/sse_writer.rs`.
libfuzzer_sys::fuzz_target!(|data: &[u8]| plain_mcp_fuzz::sse_writer::check(data));
