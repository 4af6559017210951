//! §5.3 What resources and templates look like in their lists; the identity of an implementation.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::annotations::Annotations;
use super::json::{Meta, add_meta};
use super::setters::setters;
use super::uri;

setters! {
    Implementation: title description icon;
    Resource: title description mime_type icon annotations meta;
    ResourceTemplate: title description mime_type icon annotations meta;
}

/// A picture for people (§5.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Icon {
    /// An http, https or data URI.
    pub src: String,
    /// The media type, where the one that `src` answers does not do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Sizes such as `48x48`, or `any`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Vec<String>>,
    /// `light` or `dark`: the background it is made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theme: Option<String>,
}

impl Icon {
    /// A picture at an http, https or data URI.
    pub fn new(src: impl Into<String>) -> Icon {
        Icon { src: src.into(), mime_type: None, sizes: None, theme: None }
    }

    /// Sets the media type.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Icon {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Adds a size such as `48x48`, or `any`.
    #[must_use]
    pub fn size(mut self, size: impl Into<String>) -> Icon {
        self.sizes.get_or_insert_with(Vec::new).push(size.into());
        self
    }

    /// Sets the background it is made for: `light` or `dark`.
    #[must_use]
    pub fn theme(mut self, theme: impl Into<String>) -> Icon {
        self.theme = Some(theme.into());
        self
    }

    /// What keeps this icon from being listed.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        let theme = self.theme.as_deref();
        if !uri::is_icon(&self.src) {
            return Some("an icon's src must be an http, https or data URI");
        }
        theme.is_some_and(|theme| theme != "light" && theme != "dark").then_some("an icon's theme is light or dark")
    }
}

/// Who a peer says it is (§2, §3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Implementation {
    /// The name for programs.
    pub name: String,
    /// The version of the software, not of the protocol.
    pub version: String,
    /// The name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Pictures for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Where to read more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub website_url: Option<String>,
}

impl Implementation {
    /// An implementation with its name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Implementation {
        let (name, version) = (name.into(), version.into());
        Implementation { name, version, title: None, description: None, icons: Vec::new(), website_url: None }
    }

    /// Sets where to read more.
    #[must_use]
    pub fn website_url(mut self, url: impl Into<String>) -> Implementation {
        self.website_url = Some(url.into());
        self
    }
}

/// A resource as it is listed, and the body of a `resource_link` block (§5.2, §5.3).
// req 5.3-1
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Resource {
    /// The address that `resources/read` gives.
    pub uri: String,
    /// The name for programs.
    pub name: String,
    /// The name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The size in bytes, before base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Pictures for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Hints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl Resource {
    /// A resource with its address and its name.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Resource {
        Resource {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            icons: Vec::new(),
            annotations: None,
            meta: None,
        }
    }

    /// Sets the size in bytes, before base64.
    #[must_use]
    pub fn size(mut self, bytes: u64) -> Resource {
        self.size = Some(bytes);
        self
    }
}

/// A family of resources as it is listed (§5.3).
// req 5.3-3
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceTemplate {
    /// The URI template (RFC 6570).
    pub uri_template: String,
    /// The name for programs.
    pub name: String,
    /// The name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What its resources hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The media type, where all its resources have the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Pictures for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Hints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl ResourceTemplate {
    /// A template with its name.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> ResourceTemplate {
        ResourceTemplate {
            uri_template: uri_template.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            icons: Vec::new(),
            annotations: None,
            meta: None,
        }
    }
}

/// What resources and templates are asked before they are listed.
macro_rules! problems {
    ($($kind:ident)*) => {$(
        impl $kind {
            /// What keeps it from being listed, one plain phrase each; its address is the catalog's to judge.
            pub fn problems(&self) -> impl Iterator<Item = &str> {
                let found = [
                    self.name.is_empty().then_some("the name is empty"),
                    self.icons.iter().find_map(Icon::problem),
                    self.annotations.as_ref().and_then(Annotations::problem),
                ];
                found.into_iter().flatten()
            }
        }
    )*};
}

problems! { Resource ResourceTemplate }
