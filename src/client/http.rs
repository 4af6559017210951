//! §13 stub
use super::error::Error;
use super::limits::ClientLimits;
use super::message::Outgoing;
use super::transport::{Ears, Opened, Transport};
use super::wait::Wait;
use std::sync::Weak;
pub(crate) struct HttpTransport;
impl HttpTransport {
    pub(crate) fn new(_: &str, _: &ClientLimits, _: Vec<Vec<u8>>) -> Result<HttpTransport, Error> {
        Ok(HttpTransport)
    }
}
impl Transport for HttpTransport {
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
