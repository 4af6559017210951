//! §13 stub
use super::error::Error;
use super::limits::ClientLimits;
use super::message::Outgoing;
use super::transport::{Ears, Opened, Transport};
use super::wait::Wait;
use std::sync::Weak;
pub(crate) struct DirectTransport;
impl DirectTransport {
    pub(crate) fn new(_: &crate::server::Server, _: &ClientLimits) -> DirectTransport {
        DirectTransport
    }
}
impl Transport for DirectTransport {
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
