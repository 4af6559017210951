//! §5.5 What a prompt looks like in its list, and the messages it gives.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::annotations::Role;
use super::content::ContentBlock;
use super::json::{Meta, add_meta};
use super::listing::Icon;
use super::setters::setters;

setters! {
    PromptArgument: title description;
    Prompt: title icon meta;
}

/// One argument of a prompt (§5.5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptArgument {
    /// The name that `prompts/get` gives.
    pub name: String,
    /// The name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it must be given; absent means it need not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
}

impl PromptArgument {
    /// An argument that need not be given.
    pub fn new(name: impl Into<String>) -> PromptArgument {
        PromptArgument { name: name.into(), title: None, description: None, required: None }
    }

    /// Says that it must be given.
    #[must_use]
    pub fn required(mut self) -> PromptArgument {
        self.required = Some(true);
        self
    }
}

/// A prompt as it is listed (§5.5).
// req 5.5-5
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Prompt {
    /// The name that `prompts/get` gives.
    pub name: String,
    /// The name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it takes, in the order of the author.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<PromptArgument>,
    /// Pictures for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl Prompt {
    /// A prompt without arguments.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Prompt {
        Prompt {
            name: name.into(),
            title: None,
            description: Some(description.into()),
            arguments: Vec::new(),
            icons: Vec::new(),
            meta: None,
        }
    }

    /// Adds an argument that must be given.
    #[must_use]
    pub fn arg(self, name: impl Into<String>) -> Prompt {
        self.argument(PromptArgument::new(name).required())
    }

    /// Adds an argument that need not be given.
    #[must_use]
    pub fn optional_arg(self, name: impl Into<String>) -> Prompt {
        self.argument(PromptArgument::new(name))
    }

    /// Adds an argument with all its members.
    #[must_use]
    pub fn argument(mut self, argument: PromptArgument) -> Prompt {
        self.arguments.push(argument);
        self
    }

    /// The names of the arguments that must be given, in their order.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        self.arguments.iter().filter(|argument| argument.required == Some(true)).map(|argument| argument.name.as_str())
    }

    /// What keeps this prompt from being listed, one plain phrase each.
    pub fn problems(&self) -> impl Iterator<Item = &str> {
        let twice = |(at, argument): (usize, &PromptArgument)| {
            self.arguments.iter().take(at).any(|earlier| earlier.name == argument.name)
        };
        let found = [
            self.name.is_empty().then_some("the name is empty"),
            self.arguments
                .iter()
                .any(|argument| argument.name.is_empty())
                .then_some("the name of an argument is empty"),
            self.arguments.iter().enumerate().any(twice).then_some("two arguments have the same name"),
            self.icons.iter().find_map(Icon::problem),
        ];
        found.into_iter().flatten()
    }
}

/// One message of a prompt (§5.5).
// req 5.5-6
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said: exactly one block.
    pub content: ContentBlock,
}

impl PromptMessage {
    /// A message of the person; a text becomes a text block.
    pub fn user(content: impl Into<ContentBlock>) -> PromptMessage {
        PromptMessage { role: Role::User, content: content.into() }
    }

    /// A message of the model; a text becomes a text block.
    pub fn assistant(content: impl Into<ContentBlock>) -> PromptMessage {
        PromptMessage { role: Role::Assistant, content: content.into() }
    }
}
