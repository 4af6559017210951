//! §5.2 Content blocks.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::{Error, Value};

use super::annotations::Annotations;
use super::json::{Meta, add_meta, kind, no_such_kind, read_value};
use super::listing::Resource;

/// A text block (§5.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TextContent {
    /// The text.
    pub text: String,
    /// Hints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// An image block (§5.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ImageContent {
    /// The bytes in base64.
    pub data: String,
    /// The media type, for example `image/png`.
    pub mime_type: String,
    /// Hints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// A sound block (§5.2); the same members as an image.
pub type AudioContent = ImageContent;

/// A resource carried inside a message (§5.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EmbeddedResource {
    /// What the resource holds.
    pub resource: ResourceContents,
    /// Hints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// One block of content: what tools answer and what prompt messages hold (§5.2, §5.5).
// req 5.2-12
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    Text(TextContent),
    /// An image.
    Image(ImageContent),
    /// Sound.
    Audio(AudioContent),
    /// The address of a resource, which need not be listed.
    ResourceLink(Resource),
    /// A resource itself.
    Resource(EmbeddedResource),
}

read_value!(ContentBlock, |block| match kind(block) {
    Some("text") => TextContent::deserialize(block).map(ContentBlock::Text),
    Some("image") => ImageContent::deserialize(block).map(ContentBlock::Image),
    Some("audio") => AudioContent::deserialize(block).map(ContentBlock::Audio),
    Some("resource_link") => Resource::deserialize(block).map(ContentBlock::ResourceLink),
    Some("resource") => EmbeddedResource::deserialize(block).map(ContentBlock::Resource),
    _ => Err(no_such_kind()),
});

impl ContentBlock {
    /// A text block.
    pub fn text(text: impl Into<String>) -> ContentBlock {
        ContentBlock::Text(TextContent { text: text.into(), annotations: None, meta: None })
    }

    /// An image from its bytes, for example a whole PNG file with `image/png`.
    pub fn image(bytes: &[u8], mime_type: impl Into<String>) -> ContentBlock {
        ContentBlock::image_base64(STANDARD.encode(bytes), mime_type)
    }

    /// An image whose bytes are base64 already (standard alphabet, padded); taken over unchecked.
    pub fn image_base64(data: impl Into<String>, mime_type: impl Into<String>) -> ContentBlock {
        ContentBlock::Image(bytes_block(data.into(), mime_type.into()))
    }

    /// Sound from its bytes, for example a whole WAV file with `audio/wav`.
    pub fn audio(bytes: &[u8], mime_type: impl Into<String>) -> ContentBlock {
        ContentBlock::audio_base64(STANDARD.encode(bytes), mime_type)
    }

    /// Sound whose bytes are base64 already (standard alphabet, padded); taken over unchecked.
    pub fn audio_base64(data: impl Into<String>, mime_type: impl Into<String>) -> ContentBlock {
        ContentBlock::Audio(bytes_block(data.into(), mime_type.into()))
    }

    /// The address of a resource.
    pub fn resource_link(resource: Resource) -> ContentBlock {
        ContentBlock::ResourceLink(resource)
    }

    /// A resource itself; give it an address with [`ResourceContents::uri`].
    pub fn resource(resource: ResourceContents) -> ContentBlock {
        ContentBlock::Resource(EmbeddedResource { resource, annotations: None, meta: None })
    }

    /// Sets the hints of this block.
    #[must_use]
    pub fn annotations(mut self, annotations: Annotations) -> ContentBlock {
        let slot = match &mut self {
            ContentBlock::Text(block) => &mut block.annotations,
            ContentBlock::Image(block) | ContentBlock::Audio(block) => &mut block.annotations,
            ContentBlock::ResourceLink(block) => &mut block.annotations,
            ContentBlock::Resource(block) => &mut block.annotations,
        };
        *slot = Some(annotations);
        self
    }

    /// Adds one member to the `_meta` of this block.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> ContentBlock {
        let slot = match &mut self {
            ContentBlock::Text(block) => &mut block.meta,
            ContentBlock::Image(block) | ContentBlock::Audio(block) => &mut block.meta,
            ContentBlock::ResourceLink(block) => &mut block.meta,
            ContentBlock::Resource(block) => &mut block.meta,
        };
        add_meta(slot, key, value);
        self
    }

    /// The text, where this is a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            ContentBlock::Text(block) => Some(&block.text),
            _ => None,
        }
    }
}

/// An image or sound block without hints.
fn bytes_block(data: String, mime_type: String) -> ImageContent {
    ImageContent { data, mime_type, annotations: None, meta: None }
}

impl From<&str> for ContentBlock {
    fn from(text: &str) -> ContentBlock {
        ContentBlock::text(text)
    }
}

impl From<String> for ContentBlock {
    fn from(text: String) -> ContentBlock {
        ContentBlock::text(text)
    }
}

impl From<ResourceContents> for ContentBlock {
    fn from(resource: ResourceContents) -> ContentBlock {
        ContentBlock::resource(resource)
    }
}

/// What a resource holds: a text or bytes (§5.4).
// req 5.4-5
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceContents {
    /// The address; empty until the author or the server fills it in.
    pub uri: String,
    /// The media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The text or the bytes.
    #[serde(flatten)]
    pub body: ResourceBody,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// [`ResourceContents`] as they are written.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    uri: String,
    mime_type: Option<String>,
    text: Option<String>,
    blob: Option<String>,
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
}

read_value!(ResourceContents, |contents| {
    let Written { uri, mime_type, text, blob, meta } = Written::deserialize(contents)?;
    let body = text.map(ResourceBody::Text).or(blob.map(ResourceBody::Blob));
    let body = body.ok_or_else(|| Error::custom("contents have a text or a blob"))?;
    Ok(ResourceContents { uri, mime_type, body, meta })
});

/// The text or the bytes of a resource (§5.4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ResourceBody {
    /// A text.
    Text(String),
    /// Bytes in base64 (standard alphabet, padded).
    Blob(String),
}

impl ResourceContents {
    /// A text; without an address yet.
    pub fn text(mime_type: impl Into<String>, text: impl Into<String>) -> ResourceContents {
        ResourceContents::of(mime_type.into(), ResourceBody::Text(text.into()))
    }

    /// Bytes; without an address yet.
    pub fn blob(mime_type: impl Into<String>, bytes: &[u8]) -> ResourceContents {
        ResourceContents::of(mime_type.into(), ResourceBody::Blob(STANDARD.encode(bytes)))
    }

    fn of(mime_type: String, body: ResourceBody) -> ResourceContents {
        ResourceContents { uri: String::new(), mime_type: Some(mime_type), body, meta: None }
    }

    /// Sets the address. A resource read by `resources/read` needs none: it gets the address that was asked for.
    #[must_use]
    pub fn uri(mut self, uri: impl Into<String>) -> ResourceContents {
        self.uri = uri.into();
        self
    }

    /// Sets the address where none is set yet.
    #[must_use]
    pub fn or_uri(mut self, uri: &str) -> ResourceContents {
        if self.uri.is_empty() {
            self.uri = uri.to_owned();
        }
        self
    }

    /// Adds one member to `_meta`.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> ResourceContents {
        add_meta(&mut self.meta, key, value);
        self
    }
}
