//! §18 The client: calls to a server of any era, over HTTP, stdio, or in this process.
//! Law: what is declared is what there are handlers for; nothing is asked of the user or the model without one.
//! Law: what the server said and what broke on this side are never mixed up.
//!
//! ```no_run
//! # #[cfg(feature = "http")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use plain_mcp::client::Client;
//!
//! let client = Client::http("http://127.0.0.1:3001/mcp").info("demo", "0.1.0").connect()?;
//! let sum = client.tool("add", serde_json::json!({"a": 1, "b": 2})).call()?;
//! println!("{}", sum.text());
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "http"))]
//! # fn main() {}
//! ```

// What a step of a call may take, and what comes of it.
mod error; // §12
mod limits;
mod cancel; // §9
mod wait; // §9
mod message; // §1
mod transport; // §13, §14

// What results and events are read into, and what a server can ask for.
mod received; // §3, §5
mod progress; // §8
mod change; // §11
mod inputs; // §10
mod catalog; // §13.6
mod cache; // §7

// The ways to a server.
#[cfg(feature = "http")]
mod http; // §13
mod stdio; // §14
mod direct;

// A call, from the inside to the outside.
mod settings;
mod options;
mod core;
mod post; // §9
mod connect; // §15
mod rounds; // §10
mod lists; // §6
mod old_listen; // §15
mod handle;
mod subscription; // §11
mod fields; // §13
mod call;
mod methods;
mod builder;

pub use self::builder::ClientBuilder;
pub use self::cache::Cache;
pub use self::call::Call;
pub use self::cancel::Cancel;
pub use self::change::Change;
pub use self::error::{Error, ServerError};
pub use self::inputs::Failure;
pub use self::limits::ClientLimits;
pub use self::methods::Client;
pub use self::progress::{LogMessage, Progress};
pub use self::received::{CompletionResult, PromptResult, Received, ResourceResult, Seen, ToolFailed, ToolResult};
pub use self::subscription::{Listen, Subscription};
pub use self::transport::Problem;
