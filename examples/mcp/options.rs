//! The command line.
//! Law: pure.

use std::time::Duration;

use plain_mcp::Level;
use plain_mcp::types::wire::CompletionReference;
use serde_json::Value;

/// What `--help` prints.
pub(crate) const HELP: &str = "\
usage: mcp [OPTIONS] http URL ACTION
       mcp [OPTIONS] stdio ACTION -- PROGRAM [ARGUMENTS]

actions
  list [tools|resources|templates|prompts]    what the server offers
  call NAME [JSON]                            call a tool with an object of arguments
  read URI                                    read a resource
  prompt NAME [ARGUMENT=VALUE]...             get a prompt
  complete prompt NAME ARGUMENT VALUE [OTHER=VALUE]...
  complete template URI ARGUMENT VALUE [OTHER=VALUE]...
                                              complete an argument
  listen [URI]...                             print what changes: the lists, and these resources

options
  --json               print results as the server wrote them
  --answer FIELD=VALUE answer a field of a form; can be repeated. Without it the questions are asked here
  --decline            answer no question
  --timeout SECONDS    how long the server may be silent (default 60)
  --seconds N          end listen after so long
  --header NAME:VALUE  send a header field with each request; can be repeated
  --log LEVEL          show log messages of this level and graver
  --revision DATE      speak this revision only

Results go to standard output, all else to standard error.
Exit code 0: it worked; 1: the tool or the server said no; 2: it could not be asked.
";

/// What was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) server: Server,
    pub(crate) action: Action,
    pub(crate) json: bool,
    pub(crate) answers: Answers,
    pub(crate) timeout: Option<Duration>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) log: Option<Level>,
    pub(crate) revision: Option<String>,
}

/// Where the server is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Server {
    /// At a URL.
    Http(String),
    /// A program and its arguments.
    Stdio(Vec<String>),
}

/// What a server lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    Tools,
    Resources,
    Templates,
    Prompts,
}

/// What is done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    List(Option<List>),
    Call { name: String, arguments: Value },
    Read { uri: String },
    Prompt { name: String, arguments: Vec<(String, String)> },
    Complete { of: CompletionReference, argument: String, value: String, known: Vec<(String, String)> },
    Listen { uris: Vec<String>, time: Option<Duration> },
}

/// Who answers what the server asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answers {
    /// These, where there are any.
    pub(crate) given: Vec<(String, String)>,
    /// Nobody.
    pub(crate) decline: bool,
}

impl Options {
    /// Reads the arguments after the program's name; `None` when they ask for help.
    ///
    /// # Errors
    /// What is wrong, in a phrase.
    pub(crate) fn parse(mut arguments: Vec<String>) -> Result<Option<Options>, String> {
        let dashes = arguments.iter().position(|argument| argument == "--");
        let program = dashes.map(|at| arguments.split_off(at).split_off(1));
        let mut words = Vec::new();
        let mut seconds = None;
        let (mut json, mut answers, mut timeout, mut headers, mut log, mut revision) =
            (false, Answers::default(), None, Vec::new(), None, None);
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--json" => json = true,
                "--decline" => answers.decline = true,
                "--answer" => answers.given.push(pair(&value()?, '=')?),
                "--timeout" => timeout = Some(time(&value()?)?),
                "--seconds" => seconds = Some(time(&value()?)?),
                "--header" => headers.push(pair(&value()?, ':')?),
                "--log" => log = Some(level(&value()?)?),
                "--revision" => revision = Some(value()?),
                option if option.starts_with("--") => return Err(format!("unknown option {option}")),
                _ => words.push(argument),
            }
        }
        if answers.decline && !answers.given.is_empty() {
            return Err("--answer and --decline together".to_owned());
        }
        let mut words = Words(words.into_iter());
        let server = server(&mut words, program)?;
        let mut action = action(&mut words)?;
        words.end()?;
        match (&mut action, seconds) {
            (Action::Listen { time, .. }, seconds) => *time = seconds,
            (_, Some(_)) => return Err("--seconds is for listen".to_owned()),
            _ => {}
        }
        Ok(Some(Options { server, action, json, answers, timeout, headers, log, revision }))
    }
}

/// The words that are no options.
struct Words(std::vec::IntoIter<String>);

impl Words {
    fn next(&mut self, what: &str) -> Result<String, String> {
        self.0.next().ok_or_else(|| format!("{what} is missing"))
    }

    fn pairs(&mut self) -> Result<Vec<(String, String)>, String> {
        self.0.by_ref().map(|word| pair(&word, '=')).collect()
    }

    fn end(mut self) -> Result<(), String> {
        self.0.next().map_or(Ok(()), |word| Err(format!("{word:?} is too much")))
    }
}

fn server(words: &mut Words, program: Option<Vec<String>>) -> Result<Server, String> {
    match (words.next("http or stdio")?.as_str(), program) {
        ("http", None) => Ok(Server::Http(words.next("the URL")?)),
        ("http", Some(_)) => Err("-- is for stdio".to_owned()),
        ("stdio", Some(program)) if !program.is_empty() => Ok(Server::Stdio(program)),
        ("stdio", _) => Err("the program is missing: stdio ACTION -- PROGRAM".to_owned()),
        (other, _) => Err(format!("{other:?} is neither http nor stdio")),
    }
}

fn action(words: &mut Words) -> Result<Action, String> {
    Ok(match words.next("the action")?.as_str() {
        "list" => Action::List(words.0.next().map(|word| list(&word)).transpose()?),
        "call" => {
            let name = words.next("the tool's name")?;
            let arguments = words.0.next().map_or(Ok(Value::Null), |text| object(&text))?;
            Action::Call { name, arguments }
        }
        "read" => Action::Read { uri: words.next("the URI")? },
        "prompt" => Action::Prompt { name: words.next("the prompt's name")?, arguments: words.pairs()? },
        "complete" => {
            let kind = words.next("prompt or template")?;
            let name = words.next("whose argument")?;
            let of = match kind.as_str() {
                "prompt" => CompletionReference::Prompt { name, title: None },
                "template" => CompletionReference::Resource { uri: name },
                _ => return Err(format!("{kind:?} is neither prompt nor template")),
            };
            let (argument, value) = (words.next("the argument")?, words.next("the value so far")?);
            Action::Complete { of, argument, value, known: words.pairs()? }
        }
        "listen" => Action::Listen { uris: words.0.by_ref().collect(), time: None },
        other => return Err(format!("{other:?} is no action")),
    })
}

fn list(word: &str) -> Result<List, String> {
    match word {
        "tools" => Ok(List::Tools),
        "resources" => Ok(List::Resources),
        "templates" => Ok(List::Templates),
        "prompts" => Ok(List::Prompts),
        _ => Err(format!("{word:?} is no list")),
    }
}

fn object(text: &str) -> Result<Value, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("arguments that are no JSON: {error}"))?;
    if value.is_object() { Ok(value) } else { Err("arguments that are no object".to_owned()) }
}

fn pair(text: &str, between: char) -> Result<(String, String), String> {
    let (name, value) = text.split_once(between).ok_or_else(|| format!("{text:?} has no {between:?} in it"))?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn time(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| format!("{text:?} is no number of seconds"))
}

fn level(name: &str) -> Result<Level, String> {
    Level::parse(name).ok_or_else(|| {
        let levels: Vec<&str> = Level::ALL.iter().map(|level| level.name()).collect();
        format!("{name:?} is no level: {}", levels.join(", "))
    })
}
