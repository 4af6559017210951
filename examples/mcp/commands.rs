//! What is done with the server.

use std::io::{self, Write};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plain_mcp::client::{Call, Client, ClientBuilder, Error, Received};
use serde_json::{Map, Value, json};

use crate::options::{Action, List, Options, Server};
use crate::{ask, show};

/// Why there is no result.
pub(crate) enum Fault {
    /// The tool or the server said no.
    Refused(String),
    /// It could not be asked, or not be understood.
    Broken(String),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        match error {
            Error::Server(error) => {
                let data = error.data.as_ref().map(|data| format!(" {data}")).unwrap_or_default();
                Fault::Refused(format!("{error}{data}"))
            }
            error => Fault::Broken(error.to_string()),
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::Broken(error.to_string())
    }
}

/// Connects, does it, and closes.
pub(crate) fn run(options: Options, out: &mut dyn Write) -> Result<(), Fault> {
    let client = builder(&options).connect()?;
    let mut session = Session { client: &client, json: options.json, out };
    let outcome = session.act(&options.action);
    client.close();
    outcome
}

fn builder(options: &Options) -> ClientBuilder {
    let client = match &options.server {
        Server::Http(url) => Client::http(url),
        Server::Stdio(words) => {
            let mut words = words.iter();
            let mut command = Command::new(words.next().map_or("", String::as_str));
            command.args(words);
            Client::stdio(command)
        }
    };
    let answers = Arc::new(options.answers.clone());
    let of_pages = Arc::clone(&answers);
    let mut client = client
        .info("plain-mcp-example", env!("CARGO_PKG_VERSION"))
        .on_elicit(move |form| ask::form(form, &answers))
        .on_elicit_url(move |page| ask::page(page, &of_pages))
        .on_problem(|problem| show::tell(&format!("problem: {problem}")))
        .on_stderr(|line| show::tell(&format!("server: {line}")));
    if let Some(timeout) = options.timeout {
        client = client.timeout(timeout);
    }
    if let Some(level) = options.log {
        client = client.on_log(level, |message| {
            let logger = message.logger.as_deref().unwrap_or("log");
            show::tell(&format!("{}: {logger}: {}", message.level.name(), message.data));
        });
    }
    if let Some(revision) = &options.revision {
        client = client.version(revision);
    }
    options.headers.iter().fold(client, |client, (name, value)| client.header(name, value))
}

/// A client that is connected.
struct Session<'s> {
    client: &'s Client,
    json: bool,
    out: &'s mut dyn Write,
}

impl Session<'_> {
    fn act(&mut self, action: &Action) -> Result<(), Fault> {
        let client = self.client;
        match action {
            Action::List(wanted) => self.list(*wanted),
            Action::Call { name, arguments } => self.call(name, arguments),
            Action::Read { uri } => {
                let result = made(client.resource(uri))?;
                Ok(if self.json { show::json(self.out, result.raw()) } else { show::resource(self.out, &result) }?)
            }
            Action::Prompt { name, arguments } => {
                let call = arguments.iter().fold(client.prompt(name), |call, (name, value)| call.arg(name, value));
                let result = made(call)?;
                Ok(if self.json { show::json(self.out, result.raw()) } else { show::prompt(self.out, &result) }?)
            }
            Action::Complete { of, argument, value, known } => {
                let call = client.complete(of.clone(), argument, value);
                let result = made(known.iter().fold(call, |call, (name, value)| call.known(name, value)))?;
                if self.json {
                    return Ok(show::json(self.out, result.raw())?);
                }
                result.values().iter().try_for_each(|value| writeln!(self.out, "{}", show::clean(value)))?;
                Ok(())
            }
            Action::Listen { uris, time } => self.listen(uris, *time),
        }
    }

    fn list(&mut self, wanted: Option<List>) -> Result<(), Fault> {
        let (client, offers) = (self.client, self.client.capabilities());
        let resources = offers.resources.is_some();
        let lists = [
            (List::Tools, "tools", offers.tools.is_some()),
            (List::Resources, "resources", resources),
            (List::Templates, "resourceTemplates", resources),
            (List::Prompts, "prompts", offers.prompts.is_some()),
        ];
        let mut all = Vec::new();
        for (list, name, offered) in lists {
            if wanted.map_or(!offered, |wanted| wanted != list) {
                continue;
            }
            let items = match list {
                List::Tools => raw(client.tools()),
                List::Resources => raw(client.resources()),
                List::Templates => raw(client.resource_templates()),
                List::Prompts => raw(client.prompts()),
            };
            match items {
                // who offers resources need not have templates
                Err(Error::Server(error)) if wanted.is_none() => show::tell(&format!("{name}: {error}")),
                items => all.push((name, items?)),
            }
        }
        if self.json {
            let all: Map<String, Value> = all.into_iter().map(|(name, items)| (name.to_owned(), items)).collect();
            return Ok(show::json(self.out, &Value::Object(all))?);
        }
        Ok(show::lists(self.out, &all)?)
    }

    fn call(&mut self, name: &str, arguments: &Value) -> Result<(), Fault> {
        let result = made(self.client.tool(name, arguments))?;
        if self.json {
            show::json(self.out, result.raw())?;
        } else if !result.is_error() {
            show::tool(self.out, &result)?;
        }
        result.check().map(drop).map_err(|failed| Fault::Refused(failed.to_string()))
    }

    fn listen(&mut self, uris: &[String], time: Option<Duration>) -> Result<(), Fault> {
        let lists = self.client.listen().tools().prompts().resources();
        let mut subscription = uris.iter().fold(lists, |listen, uri| listen.resource(uri)).open()?;
        show::tell(&format!("granted: {}", json!(subscription.granted())));
        let end = time.and_then(|time| Instant::now().checked_add(time));
        loop {
            let change = match end {
                Some(end) => subscription.next_within(end.saturating_duration_since(Instant::now())),
                None => subscription.next_change(),
            };
            let change = match change {
                Ok(Some(change)) => show::change(&change),
                Ok(None) | Err(Error::Timeout { .. }) => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            if let Some(change) = change {
                if self.json {
                    show::json(self.out, &json!({ "changed": change }))?;
                } else {
                    writeln!(self.out, "{}", show::clean(&change))?;
                }
                self.out.flush()?;
            }
        }
    }
}

/// Makes the call, and tells how far it has come.
fn made<T>(call: Call<'_, T>) -> Result<T, Error> {
    let call = call.on_progress(|step| {
        let total = step.total.map(|total| format!(" of {total}")).unwrap_or_default();
        let message = step.message.as_deref().map(|message| format!(": {message}")).unwrap_or_default();
        show::tell(&format!("progress: {}{total}{message}", step.progress));
    });
    call.call()
}

/// The items of a list, as the server wrote them.
fn raw<T>(call: Call<'_, Vec<Received<T>>>) -> Result<Value, Error> {
    Ok(call.call()?.iter().map(|item| item.raw().clone()).collect())
}
