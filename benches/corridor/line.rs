//! A line in, a line out: what `stdio::serve` does on its way, without pipes and threads.

use plain_mcp::Server;
use plain_mcp::arrival::Via;
use plain_mcp::cancellation::cancellation;
use plain_mcp::dialect::{Arrival, select};
use plain_mcp::envelope::{self, Message};
use plain_mcp::sink::Collect;

/// The answer to a line.
pub fn answer(server: &Server, line: &[u8]) -> Vec<u8> {
    let message = envelope::read(line, server.limits()).unwrap();
    let Message::Request(request) = message else { panic!("no request") };
    let dialect = select(None, &request.params, server.dialects()).unwrap();
    let arrival = Arrival { dialect, principal: None, via: Via::Stdio, ending: None };
    let (_source, cancel) = cancellation();
    let mut text = server.serve(request, &arrival, &Collect::default(), &cancel).to_json();
    text.push('\n');
    text.into_bytes()
}
