//! A server that says what a test tells it to, over HTTP on loopback or as a child process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    pub verb: String,
    pub fields: Vec<(String, String)>,
    /// `null` where there is no body.
    pub body: Value,
}

impl Asked {
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut values = self.fields.iter().filter(|(own, _)| own == name).map(|(_, value)| value.as_str());
        let value = values.next();
        assert_eq!(values.next(), None, "{name} stands twice");
        value
    }

    /// The method of the message; the verb where there is none.
    pub fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or(&self.verb)
    }

    pub fn id(&self) -> &Value {
        &self.body["id"]
    }

    pub fn params(&self) -> &Value {
        &self.body["params"]
    }
}

type Play = dyn Fn(&Asked) -> Vec<u8> + Send + Sync;

/// A server over HTTP. Each reply closes its connection.
pub struct Script {
    pub url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Script {
    pub fn start(play: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static) -> Script {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let (asked, over) = (Arc::<Mutex<Vec<Asked>>>::default(), Arc::<AtomicBool>::default());
        let play: Arc<Play> = Arc::new(play);
        let thread = {
            let (asked, over) = (Arc::clone(&asked), Arc::clone(&over));
            thread::spawn(move || {
                for stream in listener.incoming() {
                    if over.load(Ordering::Acquire) {
                        return;
                    }
                    let (asked, play) = (Arc::clone(&asked), Arc::clone(&play));
                    thread::spawn(move || answer(stream.unwrap(), &asked, &*play));
                }
            })
        };
        Script { url, asked, over, thread: Some(thread) }
    }

    /// All that was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// The methods of all that was asked so far.
    pub fn methods(&self) -> Vec<String> {
        self.asked().iter().map(|asked| asked.method().to_owned()).collect()
    }

    /// The only request of this method.
    pub fn only(&self, method: &str) -> Asked {
        let mut found: Vec<Asked> = self.asked().into_iter().filter(|asked| asked.method() == method).collect();
        assert_eq!(found.len(), 1, "{method}");
        found.remove(0)
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        let address = self.url.trim_start_matches("http://").trim_end_matches("/mcp");
        let _ = TcpStream::connect(address);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(thread::panicking() || matches!(ended, Some(Ok(()))));
    }
}

fn answer(mut stream: TcpStream, asked: &Mutex<Vec<Asked>>, play: &Play) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let fields: Vec<(String, String)> = lines[1..]
        .iter()
        .map(|line| {
            line.split_once(": ")
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .unwrap_or_else(|| (line.trim_end_matches(':').to_owned(), String::new()))
        })
        .collect();
    let length =
        fields.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap() };
    let request = Asked { verb: lines[0].split(' ').next().unwrap().to_owned(), fields, body };
    asked.lock().unwrap().push(request.clone());
    let _ = stream.write_all(&play(&request)); // the client may have hung up
}

/// A reply with a body of JSON.
pub fn reply(status: u16, body: &Value) -> Vec<u8> {
    raw(status, "content-type: application/json\r\n", &body.to_string())
}

pub fn raw(status: u16, fields: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} X\r\n{fields}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
        .into_bytes()
}

/// 200 with a result.
pub fn result(asked: &Asked, result: Value) -> Vec<u8> {
    reply(200, &json!({"jsonrpc": "2.0", "id": asked.id(), "result": result}))
}

/// An error with its status.
pub fn error(asked: &Asked, status: u16, error: Value) -> Vec<u8> {
    reply(status, &json!({"jsonrpc": "2.0", "id": asked.id(), "error": error}))
}

/// A stream of these messages, which ends with the connection.
pub fn stream(messages: &[Value]) -> Vec<u8> {
    let events: String = messages.iter().map(|message| format!("data: {message}\n\n")).collect();
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{events}").into_bytes()
}

/// What a server of the stateless revision says to `server/discover`.
pub fn discovered() -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "peer", "version": "0"}},
    })
}

/// A tool's answer of one text.
pub fn said(text: &str) -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": text}]})
}

/// A script that answers discovery and the list of tools by itself.
pub fn modern(tools: Value, play: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static) -> Script {
    Script::start(move |asked| match asked.method() {
        "server/discover" => result(asked, discovered()),
        "tools/list" if !tools.is_null() => {
            result(asked, json!({"resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private"}))
        }
        _ => play(asked),
    })
}

/// A child process that plays a shell script: `on METHOD 'JSON …'` answers a request, `$ID` standing for its id; what the client writes goes to the
/// file that `$LOG` names.
pub fn child(log: &std::path::Path, script: &str) -> Command {
    let mut command = Command::new("sh");
    let prelude = r#"
next() { IFS= read -r LINE || exit 0; printf '%s\n' "$LINE" >>"$LOG"; ID=$(printf '%s' "$LINE" | sed 's/.*"id":\([0-9]*\).*/\1/'); }
say() { printf '%s\n' "$1"; }
discover() { next; say '{"jsonrpc":"2.0","id":'$ID',"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}}'; }
answer() { say '{"jsonrpc":"2.0","id":'$ID',"result":{"resultType":"complete",'"$1"'}}'; }
"#;
    command.arg("-c").arg([prelude, script].concat()).env("LOG", log);
    command
}

/// A file of this test, and what is in it as messages.
pub struct Log(pub std::path::PathBuf);

impl Log {
    pub fn new(name: &str) -> Log {
        let path = std::env::temp_dir().join(format!("plain-mcp-{}-{name}", std::process::id()));
        std::fs::write(&path, "").unwrap();
        Log(path)
    }

    pub fn lines(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.0).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub fn methods(&self) -> Vec<String> {
        self.lines().iter().map(|line| line["method"].as_str().unwrap_or("a response").to_owned()).collect()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
