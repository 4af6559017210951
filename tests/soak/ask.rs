//! One request, and exactly what must come back for it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

pub const REVISION: &str = "2026-07-28";
pub const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub const CAPS: &str = "io.modelcontextprotocol/clientCapabilities";
pub const LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
const SERVER: &str = "io.modelcontextprotocol/serverInfo";

/// Stands in a result for a text that only the server knows: a cursor, a state.
pub const ANY: &str = "(any)";

/// The request that follows, made of the result of this one: the next round, the next page.
pub type Then = Box<dyn FnOnce(&Value) -> Ask + Send>;

pub struct Ask {
    /// What it is counted as.
    pub kind: &'static str,
    pub method: &'static str,
    pub params: Value,
    /// The notifications before the answer, in their order.
    pub notes: Vec<Value>,
    /// The result, or the error and its status over HTTP.
    pub answer: Result<Value, (u16, Value)>,
    /// What HTTP needs beside the common headers.
    pub fields: Vec<(&'static str, String)>,
    /// Changes the message into one that is none.
    pub spoil: Option<fn(Value) -> String>,
    pub then: Option<Then>,
}

impl Ask {
    /// A request of a client that can do everything. What must come back is still to be said.
    pub fn new(kind: &'static str, method: &'static str, mut params: Value) -> Ask {
        params["_meta"] = json!({
            VERSION: REVISION,
            CAPS: {"sampling": {}, "elicitation": {}, "roots": {"listChanged": true}},
        });
        let answer = Err((0, Value::Null));
        Ask { kind, method, params, notes: Vec::new(), answer, fields: Vec::new(), spoil: None, then: None }
    }

    /// A call of a tool.
    pub fn tool(kind: &'static str, name: &str, arguments: Value) -> Ask {
        Ask::new(kind, "tools/call", json!({"name": name, "arguments": arguments}))
    }

    /// With this member in its `_meta`.
    pub fn meta(mut self, name: &str, value: impl Into<Value>) -> Ask {
        self.params["_meta"][name] = value.into();
        self
    }

    /// Is answered with this result; what all results carry is added.
    pub fn gives(mut self, result: Value) -> Ask {
        self.answer = Ok(stamped(result, "complete"));
        self
    }

    /// Is answered with this content of a tool that has not failed.
    pub fn content(self, content: Value) -> Ask {
        self.gives(json!({"content": content, "isError": false}))
    }

    /// Is answered with one text block.
    pub fn text(self, text: &str) -> Ask {
        self.content(json!([{"type": "text", "text": text}]))
    }

    /// Is answered with what the model can read as a failure.
    pub fn fails(self, text: &str) -> Ask {
        self.gives(json!({"content": [{"type": "text", "text": text}], "isError": true}))
    }

    /// Is answered with questions to the client, with a state or without.
    pub fn asks(mut self, requests: Value, state: bool) -> Ask {
        let mut result = json!({"inputRequests": requests});
        if state {
            result["requestState"] = ANY.into();
        }
        self.answer = Ok(stamped(result, "input_required"));
        self
    }

    /// Is answered with this error.
    pub fn refused(mut self, status: u16, code: i64, text: &str) -> Ask {
        self.answer = Err((status, json!({"code": code, "message": text})));
        self
    }

    /// The error has this data.
    pub fn data(mut self, data: Value) -> Ask {
        let (_, error) = self.answer.as_mut().expect_err("an error");
        error["data"] = data;
        self
    }

    /// Is followed by the next round: the same request with these answers, and with the state if there is one.
    pub fn round(mut self, answers: Value, next: impl FnOnce(Ask) -> Ask + Send + 'static) -> Ask {
        let (kind, method, mut params) = (self.kind, self.method, self.params.clone());
        self.then = Some(Box::new(move |result| {
            params["inputResponses"] = answers;
            if let Some(state) = result.get("requestState") {
                params["requestState"] = state.clone();
            }
            let meta = params["_meta"].clone();
            let mut ask = Ask::new(kind, method, params);
            ask.params["_meta"] = meta;
            next(ask)
        }));
        self
    }

    /// The message as it is sent.
    pub fn line(&self, id: &Value) -> String {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": self.method, "params": self.params});
        match self.spoil {
            Some(spoil) => spoil(message),
            None => message.to_string(),
        }
    }

    /// The value of `Mcp-Name`, for a method that has one.
    pub fn header_name(&self) -> Option<String> {
        let member = match self.method {
            "tools/call" | "prompts/get" => "name",
            "resources/read" => "uri",
            _ => return None,
        };
        self.params[member].as_str().map(header_text)
    }

    pub fn status(&self) -> u16 {
        self.answer.as_ref().map_or_else(|(status, _)| *status, |_| 200)
    }

    /// The answer is the one that this request must get.
    pub fn check(&self, id: &Value, answer: &Value) {
        let mut wanted = json!({"jsonrpc": "2.0", "id": id});
        match &self.answer {
            Ok(result) => wanted["result"] = result.clone(),
            Err((_, error)) => wanted["error"] = error.clone(),
        }
        for member in ["nextCursor", "requestState"] {
            let given = answer["result"][member].as_str().is_some_and(|text| !text.is_empty());
            if wanted["result"].get(member).is_some_and(|wanted| wanted == ANY) && given {
                wanted["result"][member] = answer["result"][member].clone();
            }
        }
        self.same("answer", answer, &wanted);
    }

    /// A notification is the one that is due.
    pub fn check_note(&self, number: usize, note: &Value) {
        let wanted = self.notes.get(number).unwrap_or(&Value::Null);
        self.same("notification", note, wanted);
    }

    fn same(&self, what: &str, seen: &Value, wanted: &Value) {
        if seen != wanted {
            let (seen, wanted, sent) = (seen.to_string(), wanted.to_string(), self.line(&Value::Null));
            panic!("{}: {what}\n  is     {seen:.2000}\n  wanted {wanted:.2000}\n  sent   {sent:.1000}", self.kind);
        }
    }
}

fn stamped(mut result: Value, kind: &str) -> Value {
    result["resultType"] = kind.into();
    result["_meta"] = json!({SERVER: {"name": "plain-mcp-cases", "version": env!("CARGO_PKG_VERSION")}});
    result
}

/// A text as a header can hold it.
pub fn header_text(text: &str) -> String {
    if text.is_ascii() { text.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(text)) }
}
