//! §13 TLS under the same wire, by rustls.

use std::io::{self, Read, Write};
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::client::error::Error;

/// Whom to trust.
pub(super) struct Trust(Arc<ClientConfig>);

impl Trust {
    /// The usual authorities, and these certificates in DER.
    pub(super) fn new(trusted: Vec<Vec<u8>>) -> Result<Trust, Error> {
        let bad = |error: rustls::Error| Error::Invalid(format!("a certificate that cannot be trusted: {error}"));
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        for certificate in trusted {
            roots.add(CertificateDer::from(certificate)).map_err(bad)?;
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder =
            ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().map_err(bad)?;
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Trust(Arc::new(config)))
    }
}

/// A connection under TLS. The handshake happens with the first write.
pub(super) struct Tls<S: Read + Write>(StreamOwned<ClientConnection, S>);

impl<S: Read + Write> Tls<S> {
    pub(super) fn new(trust: &Trust, host: &str, socket: S) -> Result<Tls<S>, Error> {
        let name = ServerName::try_from(host.to_owned());
        let name = name.map_err(|_| Error::Invalid(format!("{host:?} is no name that a certificate can have")))?;
        let connection = ClientConnection::new(Arc::clone(&trust.0), name)
            .map_err(|error| Error::Transport { cause: error.to_string(), sent: false })?;
        Ok(Tls(StreamOwned::new(connection, socket)))
    }
}

impl<S: Read + Write> Read for Tls<S> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.0.read(room)
    }
}

impl<S: Read + Write> Write for Tls<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
