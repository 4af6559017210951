//! §13, §14 Over real sockets and pipes of this machine. Nothing here measures time; every wait has a bound.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::string_slice,
    missing_docs,
    unreachable_pub
)]

mod framing;
mod hang_up;
mod host;
mod loopback;
mod mutation;
mod shutdown;
mod stub;
mod weather;
