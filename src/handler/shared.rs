//! What all requests of one server share, beside the catalog: its configuration, its keys and its hub.

use crate::caching::CachePolicy;
use crate::clock::Clock;
use crate::contained;
use crate::envelope::Object;
use crate::handler::hooks::{Direction, Event, Observer, Tap};
use crate::limits::Limits;
use crate::mrtr::state::Keys;
use crate::results::Stamp;
use crate::subscriptions::{Hub, Offered};
use crate::types::Implementation;

/// What a server has to offer, and so advertises (§4). A method whose feature is not offered does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// `server/discover`: always there.
    Core,
    /// `tools/…`
    Tools,
    /// `resources/…`
    Resources,
    /// `prompts/…`
    Prompts,
    /// `completion/complete`
    Completions,
    /// `subscriptions/listen`
    Listen,
}

/// Which capabilities a server advertises (§4).
#[derive(Clone, Debug, Default)]
pub(crate) struct Offer {
    pub(crate) tools: bool,
    pub(crate) resources: bool,
    pub(crate) prompts: bool,
    pub(crate) completions: bool,
    pub(crate) logging: bool,
    pub(crate) listen: bool,
    pub(crate) list_changed: bool,
    pub(crate) subscribe: bool,
    pub(crate) experimental: Object,
    pub(crate) extensions: Object,
}

impl Offer {
    /// What a listen stream can be granted (§11).
    pub(crate) fn streamed(&self) -> Offered {
        Offered {
            tools: self.tools && self.list_changed,
            prompts: self.prompts && self.list_changed,
            resources: self.resources && self.list_changed,
            updates: self.resources && self.subscribe,
        }
    }

    pub(crate) fn has(&self, feature: Feature) -> bool {
        match feature {
            // req 4-7: a server of nothing still says so
            Feature::Core => true,
            Feature::Tools => self.tools,
            Feature::Resources => self.resources,
            Feature::Prompts => self.prompts,
            Feature::Completions => self.completions,
            Feature::Listen => self.listen,
        }
    }
}

/// The configuration and the state of one server.
pub(crate) struct Shared {
    pub(crate) info: Implementation,
    /// The server's identity for `_meta` (§3); `None` where it does not name itself.
    pub(crate) stamp: Option<Stamp>,
    pub(crate) instructions: Option<String>,
    pub(crate) versions: Vec<&'static str>,
    pub(crate) offer: Offer,
    pub(crate) cache: CachePolicy,
    pub(crate) limits: Limits,
    pub(crate) clock: Box<dyn Clock>,
    pub(crate) keys: Keys,
    pub(crate) hub: Hub,
    pub(crate) observer: Option<Observer>,
    pub(crate) tap: Option<Tap>,
}

impl Shared {
    pub(crate) fn observe(&self, event: &Event<'_>) {
        if let Some(observer) = &self.observer {
            alone(|| observer(event));
        }
    }

    pub(crate) fn cause(&self, method: &str, cause: &str) {
        self.observe(&Event::Cause { method, cause });
    }

    pub(crate) fn tap(&self, direction: Direction, message: &[u8]) {
        if let Some(tap) = &self.tap {
            alone(|| tap(direction, message));
        }
    }
}

/// Runs a hook: its panic is its own affair, and no request goes without its answer for it.
fn alone(hook: impl FnOnce()) {
    let _panicked = contained(hook);
}
