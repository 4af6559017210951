//! §7 Caching.
//! Law: the six cacheable results always carry `ttlMs` and `cacheScope`; no other result does.

/// Who may share a cached result (§7).
// req 7-2 7-3
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CacheScope {
    /// One authorization context only.
    #[default]
    Private,
    /// Any client: only for what is the same for everybody.
    Public,
}

impl CacheScope {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            CacheScope::Private => "private",
            CacheScope::Public => "public",
        }
    }
}

/// For how long, and for whom, a result is fresh (§7). The default is `ttlMs` 0, private: stale at once.
// req 7-2 7-3
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CacheHint {
    /// Milliseconds; 0: stale at once.
    pub ttl_ms: u64,
    /// Who may share it.
    pub scope: CacheScope,
}

impl CacheHint {
    /// Fresh for `ttl_ms` milliseconds within one authorization context.
    pub const fn private(ttl_ms: u64) -> CacheHint {
        CacheHint { ttl_ms, scope: CacheScope::Private }
    }

    /// Fresh for `ttl_ms` milliseconds, the same for everybody.
    pub const fn public(ttl_ms: u64) -> CacheHint {
        CacheHint { ttl_ms, scope: CacheScope::Public }
    }
}

/// The cache policy of a server, one hint for each cacheable result.
// req 7-1 7-4
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CachePolicy {
    /// server/discover
    pub discover: CacheHint,
    /// tools/list
    pub tools: CacheHint,
    /// prompts/list
    pub prompts: CacheHint,
    /// resources/list
    pub resources: CacheHint,
    /// resources/templates/list
    pub templates: CacheHint,
    /// resources/read, where neither the resource nor the handler says otherwise
    pub read: CacheHint,
}
