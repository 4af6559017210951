//! Reads a transcript into steps. What a line is, its first sign says; a line that says nothing known is a fault.

/// A transcript.
#[derive(Debug)]
pub struct Script {
    /// The name of the server under test.
    pub server: String,
    pub over: Over,
    pub steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    Http,
    Stdio,
}

/// A block of lines of one kind.
#[derive(Debug)]
pub struct Step {
    /// The number of its first line.
    pub line: usize,
    /// Which of several exchanges it belongs to; usually empty.
    pub who: String,
    pub kind: Kind,
    pub lines: Vec<Line>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `> `
    Send,
    /// `< `
    Expect,
    /// `! `
    Act,
}

#[derive(Debug)]
pub struct Line {
    pub number: usize,
    pub text: String,
    /// `>> `: sent as it stands.
    pub raw: bool,
}

impl Script {
    pub fn read(text: &str) -> Result<Script, String> {
        let mut header = None;
        let mut steps: Vec<Step> = Vec::new();
        let mut open = false; // whether the next line may belong to the last step
        for (number, line) in text.lines().enumerate().map(|(at, line)| (at + 1, line)) {
            if line.is_empty() || line == "#" || line.starts_with("# ") {
                open = false;
            } else if let Some(words) = line.strip_prefix("server: ") {
                if header.is_some() || !steps.is_empty() {
                    return Err(format!("line {number}: the server is named once, before all else"));
                }
                header = Some(read_header(words).ok_or_else(|| format!("line {number}: not `NAME over http|stdio`"))?);
            } else {
                let (who, kind, line) = read_line(line, number)?;
                match steps.last_mut().filter(|last| open && last.kind == kind && last.who == who) {
                    Some(last) => last.lines.push(line),
                    None => steps.push(Step { line: number, who: who.to_owned(), kind, lines: vec![line] }),
                }
                open = kind != Kind::Act;
            }
        }
        let (server, over) = header.ok_or("no line `server: NAME over http|stdio`")?;
        if !steps.iter().any(|step| step.kind == Kind::Expect) {
            return Err("nothing is expected".to_owned());
        }
        Ok(Script { server, over, steps })
    }
}

fn read_header(words: &str) -> Option<(String, Over)> {
    let (server, over) = words.split_once(" over ")?;
    let over = match over {
        "http" => Over::Http,
        "stdio" => Over::Stdio,
        _ => return None,
    };
    Some((server.to_owned(), over))
}

/// The exchange, the kind, and what stands behind the sign.
fn read_line(line: &str, number: usize) -> Result<(&str, Kind, Line), String> {
    let name = line.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(line.len());
    let (who, rest) = line.split_at(name);
    let signs =
        [(">>", Kind::Send, true), (">", Kind::Send, false), ("<", Kind::Expect, false), ("!", Kind::Act, false)];
    for (sign, kind, raw) in signs {
        let Some(behind) = rest.strip_prefix(sign) else { continue };
        if kind == Kind::Act && !who.is_empty() {
            break;
        }
        let text = if behind.is_empty() { Some("") } else { behind.strip_prefix(' ') };
        let text = text.ok_or_else(|| format!("line {number}: no space after {sign}"))?;
        return Ok((who, kind, Line { number, text: text.to_owned(), raw }));
    }
    Err(format!("line {number}: neither sent, expected, done nor prose: {line}"))
}
