//! A whole client: `cargo run --example client -- http://127.0.0.1:3001/mcp`, with `cargo run --bin fixture` on the other side.

use plain_mcp::client::Client;
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("usage: client URL")?;
    let client = Client::http(&url).info("example", "0.1.0").connect()?; // of this revision, or of the initialize era
    for tool in client.tools().call()? {
        println!("{}: {}", tool.name, tool.description.as_deref().unwrap_or_default());
    }
    let call = client.tool("test_tool_with_progress", json!({}));
    let result = call.on_progress(|step| println!("{} of {:?}", step.progress, step.total)).call()?.check()?;
    println!("{}", result.text());
    println!("{}", client.resource("test://static-text").call()?.text().unwrap_or("no text"));
    client.close();
    Ok(())
}
