//! §13 stub
use super::error::Error;
use super::limits::ClientLimits;
use super::message::Outgoing;
use super::transport::{Ears, Opened, Transport};
use super::wait::Wait;
pub use std::process::Command;
use std::sync::Weak;
pub(crate) struct StdioTransport;
impl StdioTransport {
    pub(crate) fn new(_: Command, _: &ClientLimits) -> StdioTransport {
        StdioTransport
    }
}
impl Transport for StdioTransport {
    fn attach(&self, _: Weak<dyn Ears>) {}
    fn open(&self, _: &Outgoing, _: &Wait<'_>) -> Result<Opened, Error> {
        Err(Error::Cancelled)
    }
    fn tell(&self, _: &Outgoing, _: &Wait<'_>) -> Result<(), Error> {
        Ok(())
    }
    fn drop_cancels(&self) -> bool {
        true
    }
    fn close(&self) {}
}
