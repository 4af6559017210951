//! §1 - §11 The official examples pass through our types unchanged: read, written again, the same JSON value.
//!
//! The examples lie beside the package where they lie at all; without them the vectors of this file must do.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::string_slice,
    missing_docs,
    unreachable_pub
)]

mod vectors;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use plain_mcp::types::conversation::{SamplingBlock, SamplingMessage};
use plain_mcp::types::results::*;
use plain_mcp::types::sampling::ModelPreferences;
use plain_mcp::types::wire::*;
use plain_mcp::types::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Reads a text as `T` and writes it again; from a text and from a value, which must come to the same.
fn through<T: Serialize + DeserializeOwned>(text: &str) -> Result<Value, String> {
    let from_text: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let from_value: T =
        serde_json::from_value(serde_json::from_str(text).unwrap()).map_err(|error| error.to_string())?;
    let written = serde_json::to_value(&from_text).map_err(|error| error.to_string())?;
    let line = serde_json::to_string(&from_value).map_err(|error| error.to_string())?;
    assert_eq!(written, serde_json::from_str::<Value>(&line).unwrap(), "two ways to write {text}");
    Ok(written)
}

/// As [`through`], for a request of the server to the client, which must not have been kept raw and must be sendable.
fn asks(text: &str) -> Result<Value, String> {
    let request: InputRequest = serde_json::from_str(text).map_err(|error| error.to_string())?;
    request.validate()?;
    match request {
        InputRequest::Raw(_) => Err(String::from("kept raw")),
        _ => through::<InputRequest>(text),
    }
}

/// As [`asks`], for a map of requests.
fn asks_all(text: &str) -> Result<Value, String> {
    let requests: BTreeMap<String, Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let written: Result<serde_json::Map<String, Value>, String> =
        requests.into_iter().map(|(id, request)| Ok((id, asks(&request.to_string())?))).collect();
    assert_eq!(through::<BTreeMap<String, InputRequest>>(text)?, Value::from(written.clone()?));
    written.map(Value::from)
}

/// A map of answers, each of the first kind that reads it.
fn answers(text: &str) -> Result<Value, String> {
    let answers: BTreeMap<String, Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let one = |answer: &Value| {
        let text = answer.to_string();
        through::<CreateMessageResult>(&text)
            .or_else(|_| through::<ListRootsResult>(&text))
            .or_else(|_| through::<ElicitResult>(&text))
    };
    answers.into_iter().map(|(id, answer)| Ok((id, one(&answer)?))).collect::<Result<_, String>>().map(Value::Object)
}

type Through = fn(&str) -> Result<Value, String>;

/// Folder (the name of the `$def`) and the type that stands for it.
const TABLE: &[(&str, Through)] = &[
    ("AudioContent", through::<ContentBlock>),
    ("BlobResourceContents", through::<ResourceContents>),
    ("BooleanSchema", through::<FieldSchema>),
    ("CallToolRequest", through::<Request<CallToolRequestParams>>),
    ("CallToolRequestParams", through::<CallToolRequestParams>),
    ("CallToolResult", through::<CallToolResult>),
    ("CallToolResultResponse", through::<ResultResponse<CallToolResult>>),
    ("CancelledNotification", through::<Notification<CancelledNotificationParams>>),
    ("CancelledNotificationParams", through::<CancelledNotificationParams>),
    ("ClientCapabilities", through::<ClientCapabilities>),
    ("CompleteRequest", through::<Request<CompleteRequestParams>>),
    ("CompleteRequestParams", through::<CompleteRequestParams>),
    ("CompleteResult", through::<CompleteResult>),
    ("CompleteResultResponse", through::<ResultResponse<CompleteResult>>),
    ("CreateMessageRequest", asks),
    ("CreateMessageRequestParams", through::<CreateMessage>),
    ("CreateMessageResult", through::<CreateMessageResult>),
    ("DiscoverRequest", through::<Request<RequestParams>>),
    ("DiscoverResult", through::<DiscoverResult>),
    ("DiscoverResultResponse", through::<ResultResponse<DiscoverResult>>),
    ("ElicitRequest", asks),
    ("ElicitRequestFormParams", through::<Form>),
    ("ElicitRequestURLParams", through::<UrlRequest>),
    ("ElicitResult", through::<ElicitResult>),
    ("EmbeddedResource", through::<ContentBlock>),
    ("GetPromptRequest", through::<Request<GetPromptRequestParams>>),
    ("GetPromptRequestParams", through::<GetPromptRequestParams>),
    ("GetPromptResult", through::<GetPromptResult>),
    ("GetPromptResultResponse", through::<ResultResponse<GetPromptResult>>),
    ("HeaderMismatchError", through::<ErrorResponse>),
    ("ImageContent", through::<ContentBlock>),
    ("InputRequests", asks_all),
    ("InputRequiredResult", through::<InputRequiredResult>),
    ("InputResponses", answers),
    ("InternalError", through::<ErrorObject>),
    ("InvalidParamsError", through::<ErrorObject>),
    ("ListPromptsRequest", through::<Request<PaginatedRequestParams>>),
    ("ListPromptsResult", through::<ListPromptsResult>),
    ("ListPromptsResultResponse", through::<ResultResponse<ListPromptsResult>>),
    ("ListResourceTemplatesRequest", through::<Request<PaginatedRequestParams>>),
    ("ListResourceTemplatesResult", through::<ListResourceTemplatesResult>),
    ("ListResourceTemplatesResultResponse", through::<ResultResponse<ListResourceTemplatesResult>>),
    ("ListResourcesRequest", through::<Request<PaginatedRequestParams>>),
    ("ListResourcesResult", through::<ListResourcesResult>),
    ("ListResourcesResultResponse", through::<ResultResponse<ListResourcesResult>>),
    ("ListRootsRequest", asks),
    ("ListRootsResult", through::<ListRootsResult>),
    ("ListToolsRequest", through::<Request<PaginatedRequestParams>>),
    ("ListToolsResult", through::<ListToolsResult>),
    ("ListToolsResultResponse", through::<ResultResponse<ListToolsResult>>),
    ("LoggingMessageNotification", through::<Notification<LoggingMessageNotificationParams>>),
    ("LoggingMessageNotificationParams", through::<LoggingMessageNotificationParams>),
    ("MethodNotFoundError", through::<ErrorObject>),
    ("MissingRequiredClientCapabilityError", through::<ErrorResponse>),
    ("ModelPreferences", through::<ModelPreferences>),
    ("NumberSchema", through::<FieldSchema>),
    ("PaginatedRequestParams", through::<PaginatedRequestParams>),
    ("ParseError", through::<ErrorObject>),
    ("ProgressNotification", through::<Notification<ProgressNotificationParams>>),
    ("ProgressNotificationParams", through::<ProgressNotificationParams>),
    ("PromptListChangedNotification", through::<Notification<NotificationParams>>),
    ("ReadResourceRequest", through::<Request<ReadResourceRequestParams>>),
    ("ReadResourceResult", through::<ReadResourceResult>),
    ("ReadResourceResultResponse", through::<ResultResponse<ReadResourceResult>>),
    ("Resource", through::<Resource>),
    ("ResourceLink", through::<ContentBlock>),
    ("ResourceListChangedNotification", through::<Notification<NotificationParams>>),
    ("ResourceUpdatedNotification", through::<Notification<ResourceUpdatedNotificationParams>>),
    ("ResourceUpdatedNotificationParams", through::<ResourceUpdatedNotificationParams>),
    ("Root", through::<Root>),
    ("SamplingMessage", through::<SamplingMessage>),
    ("ServerCapabilities", through::<ServerCapabilities>),
    ("StringSchema", through::<FieldSchema>),
    ("SubscriptionsAcknowledgedNotification", through::<Notification<SubscriptionsAcknowledgedNotificationParams>>),
    ("SubscriptionsListenRequest", through::<Request<SubscriptionsListenRequestParams>>),
    ("SubscriptionsListenResult", through::<SubscriptionsListenResult>),
    ("SubscriptionsListenResultResponse", through::<ResultResponse<SubscriptionsListenResult>>),
    ("TextContent", through::<ContentBlock>),
    ("TextResourceContents", through::<ResourceContents>),
    ("TitledMultiSelectEnumSchema", through::<FieldSchema>),
    ("TitledSingleSelectEnumSchema", through::<FieldSchema>),
    ("Tool", through::<Tool>),
    ("ToolListChangedNotification", through::<Notification<NotificationParams>>),
    ("ToolResultContent", through::<SamplingBlock>),
    ("ToolUseContent", through::<SamplingBlock>),
    ("UnsupportedProtocolVersionError", through::<ErrorResponse>),
    ("UntitledMultiSelectEnumSchema", through::<FieldSchema>),
    ("UntitledSingleSelectEnumSchema", through::<FieldSchema>),
];

/// Folders that a server neither reads nor writes, each with its reason. There is none.
const NEITHER: &[(&str, &str)] = &[];

/// Members of an example that its own `$def` does not have, and why they do not come back.
const DROPPED: &[(&str, &str, &str)] =
    &[("ListRootsRequest", "id", "an input request is bare (§10.1); the $def has only method and params")];

/// The number of official examples of the revision.
const EXAMPLES: usize = 129;

fn examples() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    Some(beside.join("shared/spec/schema/2026-07-28-examples")).filter(|path| path.is_dir())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names: BTreeSet<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.into_iter().collect()
}

/// One example: it comes back as it went in, save for the members that [`DROPPED`] names, which must be there.
fn check(folder: &str, text: &str, through: Through) -> Result<(), String> {
    let mut wanted: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    for (_, member, _) in DROPPED.iter().filter(|(of, _, _)| *of == folder) {
        wanted.as_object_mut().unwrap().remove(*member).ok_or_else(|| format!("has no {member} to drop"))?;
    }
    let got = through(text)?;
    if got == wanted { Ok(()) } else { Err(format!("went in as\n{wanted}\nand came back as\n{got}")) }
}

#[test]
fn official_examples_pass_unchanged() {
    let Some(root) = examples() else {
        println!("the official examples are not here; the vectors of this file ran");
        return;
    };
    let (mut passed, mut excused, mut wrong) = (0, 0, Vec::new());
    for folder in names(&root) {
        let through = TABLE.iter().find(|(name, _)| *name == folder).map(|(_, through)| *through);
        let excuse = NEITHER.iter().any(|(name, _)| *name == folder);
        for file in names(&root.join(&folder)) {
            let text = fs::read_to_string(root.join(&folder).join(&file)).unwrap();
            match (through, excuse) {
                (Some(through), false) => match check(&folder, &text, through) {
                    Ok(()) => passed += 1,
                    Err(why) => wrong.push(format!("{folder}/{file} {why}")),
                },
                (None, true) => excused += 1,
                _ => wrong.push(format!("{folder}/{file} stands in both tables or in none")),
            }
        }
    }
    println!("{passed} examples unchanged, {excused} not a server's");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(passed + excused, EXAMPLES);
    for (name, _) in TABLE {
        assert!(root.join(name).is_dir(), "{name} has no example any more");
    }
}

#[test]
fn own_vectors_pass_unchanged() {
    let mut wrong = Vec::new();
    for (folder, through) in TABLE {
        let vectors = vectors::of(folder);
        assert!(!vectors.is_empty(), "{folder} has no vector");
        for vector in vectors {
            if let Err(why) = check(folder, &vector.to_string(), *through) {
                wrong.push(format!("{folder} {why}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn absent_members_are_read_and_null_is_never_written() {
    // What an older server leaves out (§3), and optional members that a peer writes as null.
    let old: ListToolsResult = serde_json::from_value(json!({"tools": [], "nextCursor": null})).unwrap();
    assert_eq!(old.result_type, ResultType::Complete);
    assert_eq!(serde_json::to_string(&old).unwrap(), r#"{"resultType":"complete","tools":[]}"#);
    let tool: Tool =
        serde_json::from_value(json!({"name": "n", "inputSchema": {"type": "object"}, "title": null})).unwrap();
    assert_eq!(serde_json::to_string(&tool).unwrap(), r#"{"name":"n","inputSchema":{"type":"object"}}"#);
}
