//! A server: what its builder has made, shared by all transports.
//! Law: the catalog is a snapshot behind one lock; a request keeps the snapshot that it started with.

pub mod builder;
pub mod direct;
pub mod edit;
mod serve;

use std::fmt;
use std::sync::{Arc, Mutex};

use crate::dialect::Dialect;
use crate::handler::catalog::{Catalog, List};
use crate::handler::hooks::Direction;
use crate::handler::shared::Shared;
use crate::limits::Limits;
use crate::lock;
use crate::param_headers::Mirror;
use crate::subscriptions::Topic;
use crate::types::Implementation;

use self::edit::{BuildError, Edit};

/// A server. A clone is the same server.
#[derive(Clone)]
pub struct Server {
    pub(crate) shared: Arc<Shared>,
    catalog: Arc<Mutex<Arc<Catalog>>>,
    pub(crate) dialects: Arc<[&'static Dialect]>,
}

impl Server {
    /// The bounds of this server.
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// What the server calls itself.
    pub fn info(&self) -> &Implementation {
        &self.shared.info
    }

    /// The enabled revisions, in their order.
    pub fn dialects(&self) -> &[&'static Dialect] {
        &self.dialects
    }

    /// Changes what the server offers while it runs, and tells the listeners whose lists have changed (§11). All changes take
    /// effect at once, or none: the error lists every problem. Requests that run already keep what they started with.
    pub fn edit(&self, record: impl FnOnce(&mut Edit)) -> Result<(), BuildError> {
        let mut edit = Edit::new(self.shared.offer.clone());
        record(&mut edit);
        let (changed, replaced) = {
            let mut current = lock(&self.catalog);
            let mut catalog = Catalog::clone(&current);
            match edit.apply(&mut catalog) {
                Ok(changed) => (Ok(changed), std::mem::replace(&mut *current, Arc::new(catalog))),
                Err(error) => (Err(error), Arc::new(catalog)),
            }
        };
        drop(replaced); // after the lock: what handlers hold may have a `drop` of its own
        let changed = changed?;
        // req 11-11: where `listChanged` is not advertised nobody was granted it
        for list in changed {
            self.shared.hub.publish(&topic(list));
        }
        Ok(())
    }

    /// Tells the listeners that a resource has changed (§11).
    pub fn resource_updated(&self, uri: &str) {
        self.shared.hub.publish(&Topic::updated(uri));
    }

    /// Tells the listeners that a part of a resource has changed: those who subscribed to either are told of the part (§11).
    pub fn resource_part_updated(&self, part: &str, whole: &str) {
        self.shared.hub.publish_part(part, whole);
    }

    /// Ends the listen streams of all transports, each with its result (§11), now and for good. A transport that ends does so for its
    /// own streams by itself.
    pub fn end_streams(&self) {
        self.shared.hub.shut_down();
    }

    /// The catalog as it is now.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&lock(&self.catalog))
    }

    /// The annotated properties of a tool (§13.6), which a client repeats in headers; none where there is no such tool.
    pub fn mirrors(&self, tool: &str) -> Vec<Mirror> {
        self.catalog().tools.get(tool).map(|entry| entry.mirrors.clone()).unwrap_or_default()
    }

    /// Shows a raw message to the hook that wants to see them.
    pub(crate) fn tap(&self, direction: Direction, message: &[u8]) {
        self.shared.tap(direction, message);
    }
}

/// What listeners are told when a list changes: templates are part of the resources.
fn topic(list: List) -> Topic {
    match list {
        List::Tools => Topic::Tools,
        List::Resources | List::Templates => Topic::Resources,
        List::Prompts => Topic::Prompts,
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Server")
            .field("info", &self.shared.info)
            .field("dialects", &self.dialects)
            .finish_non_exhaustive()
    }
}
