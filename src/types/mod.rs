//! §5, §10 The shapes of the schema's `$defs`, as serde structs.
//! Law: member names on the wire are those of the schema; an optional member that is absent is never written as null.
//! Law: this room imports nothing from the rest of the crate but `uri`.

pub mod annotations; // §5.2
pub mod answer; // §10.3
pub mod ask; // §10
pub mod capabilities; // §4, §10.2
pub mod content; // §5.2
pub mod contents; // §5.4
pub mod conversation; // §10.1
pub mod elicit; // §10.1
pub mod form; // §10.1
pub mod input; // §10.1
pub mod json; // §2.1
pub mod level; // §8.1
pub mod listing; // §5.3
mod methods; // §10.1
pub mod prompt; // §5.5
pub mod results; // §3 - §11
pub mod roots; // §10.1
pub mod sampling; // §10.1
mod schema_text; // §5.1
mod setters; // §5
pub mod tool; // §5.1
mod uri;
mod validate; // §10.1
mod validate_form; // §10.1
mod validate_sampling; // §10.1
mod verdict; // §10.1
pub mod wire; // §1 - §11

pub use annotations::{Annotations, Role};
pub use answer::{Action, AnswerError, ElicitResult, FormAnswer};
pub use ask::Ask;
pub use capabilities::{ClientCapabilities, ListCapability, ResourcesCapability, ServerCapabilities};
pub use content::{
    AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceBody, ResourceContents, TextContent,
};
pub use conversation::{SamplingBlock, SamplingContent, SamplingMessage, ToolResultContent, ToolUseContent};
pub use elicit::{Form, UrlRequest};
pub use form::{FieldKind, FieldSchema, FormSchema};
pub use input::{InputRequest, Kind, RawRequest};
pub use json::Meta;
pub use level::Level;
pub use listing::{Icon, Implementation, Resource, ResourceTemplate};
pub use prompt::{Prompt, PromptArgument, PromptMessage};
pub use roots::{ListRoots, ListRootsResult, Root};
pub use sampling::{CreateMessage, CreateMessageResult};
pub use schema_text::SchemaText;
pub use tool::{Tool, ToolAnnotations};
