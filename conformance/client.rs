//! §18 The client that the official runner tests: `conformance-client URL`.
//!
//! It connects, lists, calls what there is to call with arguments that the runner gives or the schemas allow, answers what it is asked,
//! and ends with exit code 0 if all went as it should, else with 1. Why not, it says on standard error.

mod sample;

use std::env;
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use plain_mcp::client::{Call, Client, ClientBuilder, Error as CallError, Failure, Received};
use plain_mcp::types::{Action, CreateMessageResult, ElicitResult, Form, Prompt, Root, Tool};
use serde_json::{Map, Value, json};

use sample::sample;

/// What the runner says beside the URL: JSON, with the calls that it wants.
const CONTEXT: &str = "MCP_CONFORMANCE_CONTEXT";

/// The revision that the runner looks for.
const REVISION: &str = "MCP_CONFORMANCE_PROTOCOL_VERSION";

/// The silence after which a call has failed: less than what the runner grants the whole client.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The tool that wants the input schema of another one, as it was listed.
const ECHO: (&str, &str) = ("json_schema_echo", "json_schema_2020_12_tool");

fn main() -> ExitCode {
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(failed) => {
            eprintln!("conformance-client: {failed} calls failed");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("conformance-client: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Connects and makes the calls; how many of them failed.
fn run() -> Result<u32, Box<dyn Error>> {
    let url = env::args().nth(1).ok_or("usage: conformance-client URL")?;
    let context: Value = env::var(CONTEXT).map_or(Ok(Value::Null), |text| serde_json::from_str(&text))?;
    let client = connect(&url, env::var(REVISION).ok().as_deref())?;
    let mut calls = Calls { client: &client, failed: 0 };
    calls.all(&wanted(&context));
    let failed = calls.failed;
    client.close();
    Ok(failed)
}

/// Connects as the server likes best, and anew where it also speaks the revision that is looked for.
fn connect(url: &str, revision: Option<&str>) -> Result<Client, CallError> {
    let client = answering(Client::http(url)).connect()?;
    let Some(revision) = revision.filter(|revision| *revision != client.version()) else { return Ok(client) };
    match answering(Client::http(url)).version(revision).connect() {
        Ok(other) => {
            client.close();
            Ok(other)
        }
        Err(error) => {
            eprintln!("not {revision} but {}: {error}", client.version());
            Ok(client)
        }
    }
}

/// A client that answers whatever it is asked.
fn answering(builder: ClientBuilder) -> ClientBuilder {
    builder
        .info("plain-mcp-conformance", env!("CARGO_PKG_VERSION"))
        .timeout(TIMEOUT)
        .on_elicit(|form| Ok(ElicitResult::accept(Some(filled(form)?))))
        .on_elicit_url(|_page| Ok(Action::Accept))
        .on_sample(|_ask| Ok(CreateMessageResult::new("A sample.", "no-model").stop_reason("endTurn")))
        .roots([Root::new("file:///workspace").name("workspace")])
        .on_problem(|problem| eprintln!("problem: {problem:?}"))
}

/// What a form shows before anyone answers, and samples for the fields that show nothing.
fn filled(form: &Form) -> Result<Map<String, Value>, Failure> {
    let mut content = form.defaults();
    for (name, field) in &form.requested_schema.properties.0 {
        if !content.contains_key(name) {
            content.insert(name.clone(), sample(&serde_json::to_value(field)?));
        }
    }
    Ok(content)
}

/// The calls that the runner wants: (tool, arguments).
fn wanted(context: &Value) -> Vec<(String, Value)> {
    let calls = context.get("toolCalls").and_then(Value::as_array).into_iter().flatten();
    let call = |call: &Value| Some((call.get("name")?.as_str()?.to_owned(), call.get("arguments")?.clone()));
    calls.filter_map(call).collect()
}

/// Every listed tool, with arguments that its schema allows.
fn sampled(tools: &[Received<Tool>]) -> Vec<(String, Value)> {
    let schema = |tool: &Received<Tool>| tool.raw().get("inputSchema").cloned().unwrap_or_default();
    let arguments = |tool: &Received<Tool>| match tools.iter().find(|other| other.name == ECHO.1) {
        Some(other) if tool.name == ECHO.0 => json!({ "schema": schema(other) }),
        _ => sample(&schema(tool)),
    };
    tools.iter().map(|tool| (tool.name.clone(), arguments(tool))).collect()
}

/// What has been called so far.
struct Calls<'c> {
    client: &'c Client,
    failed: u32,
}

impl<'c> Calls<'c> {
    /// Everything that the server offers, with these calls of tools, or with calls of all tools where there are none.
    fn all(&mut self, wanted: &[(String, Value)]) {
        let (client, offers) = (self.client, self.client.capabilities());
        if offers.tools.is_some() {
            let tools = self.call("tools/list", client.tools()).unwrap_or_default();
            let calls = if wanted.is_empty() { sampled(&tools) } else { wanted.to_vec() };
            for (name, arguments) in calls {
                let called = self.call(&name, client.tool(&name, arguments).on_progress(|_| ()));
                if let Some(result) = called.filter(plain_mcp::client::ToolResult::is_error) {
                    eprintln!("{name}: the tool failed: {}", result.text());
                }
            }
        }
        if offers.resources.is_some() {
            for resource in self.call("resources/list", client.resources()).unwrap_or_default() {
                self.call(&resource.uri, client.resource(&resource.uri));
            }
            self.call("resources/templates/list", client.resource_templates());
        }
        if offers.prompts.is_some() {
            for prompt in self.call("prompts/list", client.prompts()).unwrap_or_default() {
                self.prompt(&prompt);
            }
        }
    }

    fn prompt(&mut self, prompt: &Prompt) {
        let required = prompt.arguments.iter().filter(|argument| argument.required == Some(true));
        let call = required.fold(self.client.prompt(&prompt.name), |call, argument| call.arg(&argument.name, "sample"));
        self.call(&prompt.name, call);
    }

    /// Makes a call. That a server does not have a method after all is its own affair; every other error is a failure.
    fn call<T>(&mut self, what: &str, call: Call<'c, T>) -> Option<T> {
        let error = match call.call() {
            Ok(result) => return Some(result),
            Err(error) => error,
        };
        eprintln!("{what}: {error}");
        if !matches!(&error, CallError::Server(error) if error.code == -32601) {
            self.failed += 1;
        }
        None
    }
}
