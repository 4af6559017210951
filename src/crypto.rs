//! §10.4 Keys, and the little cryptography that request states and the hashes of lists (§6) need.
//! Law: `ring` appears in no other file.
//! Law: nothing here prints or returns the bytes of a secret.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use ring::rand::{SecureRandom, SystemRandom};
use ring::{digest, hmac};

/// The fewest bytes that a secret may have (§10.4).
pub const SECRET_MIN: usize = 32;

/// The most bytes that the id of a key may have.
const KEY_ID_MAX: usize = 32;

/// The most keys of a keyring.
const KEYS_MAX: usize = 8;

/// HMAC-SHA256 over the parts, one after the other. The parts are not kept apart: the caller frames them.
pub fn hmac_sha256(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, key));
    for part in parts {
        context.update(part);
    }
    array(context.sign().as_ref())
}

/// Whether `tag` is the HMAC-SHA256 of the parts. Takes the same time wherever the first difference lies.
// req 10.4-9
pub fn verify(key: &[u8], parts: &[&[u8]], tag: &[u8]) -> bool {
    hmac::verify(&hmac::Key::new(hmac::HMAC_SHA256, key), &parts.concat(), tag).is_ok()
}

/// SHA-256 over the parts, one after the other.
pub fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut context = digest::Context::new(&digest::SHA256);
    for part in parts {
        context.update(part);
    }
    array(context.finish().as_ref())
}

/// Both of ring's outputs are 32 bytes long.
fn array(bytes: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    for (to, from) in out.iter_mut().zip(bytes) {
        *to = *from;
    }
    out
}

/// The operating system gave no random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRandomness;

impl fmt::Display for NoRandomness {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the operating system gave no random bytes")
    }
}

impl std::error::Error for NoRandomness {}

/// Random bytes from the operating system, fit for keys and for ids that nobody may guess.
pub fn random<const N: usize>() -> Result<[u8; N], NoRandomness> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| NoRandomness)?;
    Ok(bytes)
}

/// Why a secret could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretError {
    /// It has this many bytes, which is fewer than [`SECRET_MIN`].
    TooShort(usize),
    /// There were no random bytes.
    NoRandomness,
}

impl fmt::Display for SecretError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SecretError::TooShort(len) => write!(out, "a secret needs at least {SECRET_MIN} bytes, this one has {len}"),
            SecretError::NoRandomness => NoRandomness.fmt(out),
        }
    }
}

impl std::error::Error for SecretError {}

/// A key that signs request states (§10.4). Servers that share clients share the secret; one process alone may draw its own.
#[derive(Clone)]
pub struct Secret(Arc<[u8]>);

impl Secret {
    /// A secret of the operator's choice: at least [`SECRET_MIN`] bytes that nobody can guess.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<Secret, SecretError> {
        let bytes: Vec<u8> = bytes.into();
        // req 10.4-8
        if bytes.len() < SECRET_MIN {
            return Err(SecretError::TooShort(bytes.len()));
        }
        Ok(Secret(bytes.into()))
    }

    /// A new random secret: states signed with it are refused by every other process and after a restart.
    pub fn random() -> Result<Secret, SecretError> {
        let bytes = random::<SECRET_MIN>().map_err(|_| SecretError::NoRandomness)?;
        Ok(Secret(bytes.into()))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret(..)")
    }
}

/// Why a keyring could not be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyringError {
    /// An id of a key is 1 to 32 bytes of `A-Z a-z 0-9 _ -`.
    BadId(String),
    /// A key with this id is there already.
    Repeated(String),
    /// A keyring has at most 8 keys: retire one first.
    TooMany,
    /// The key with this id seals new states, so it cannot be taken out.
    Current(String),
}

impl fmt::Display for KeyringError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyringError::BadId(id) => write!(out, "key id {id:?} is not 1 to {KEY_ID_MAX} bytes of A-Z a-z 0-9 _ -"),
            KeyringError::Repeated(id) => write!(out, "key id {id:?} occurs twice"),
            KeyringError::TooMany => write!(out, "a keyring has at most {KEYS_MAX} keys"),
            KeyringError::Current(id) => write!(out, "key {id:?} is the current one"),
        }
    }
}

impl std::error::Error for KeyringError {}

/// Named secrets, so that a key can be changed without refusing the states that clients hold: one of them seals, all of
/// them open (§10.4). Rotate, wait for the longest time to live, retire.
#[derive(Clone, Debug)]
pub struct Keyring {
    current: (String, Secret),
    older: BTreeMap<String, Secret>,
}

impl Keyring {
    /// A keyring of one key, which seals and opens.
    pub fn new(id: impl Into<String>, secret: Secret) -> Result<Keyring, KeyringError> {
        Ok(Keyring { current: (checked(id.into())?, secret), older: BTreeMap::new() })
    }

    /// Adds a key that only opens: one that sealed before, or one that other servers begin to seal with.
    pub fn accept(mut self, id: impl Into<String>, secret: Secret) -> Result<Keyring, KeyringError> {
        let id = self.unused(id.into())?;
        self.older.insert(id, secret);
        Ok(self)
    }

    /// Makes a new key the one that seals; the former one goes on opening.
    pub fn rotate(mut self, id: impl Into<String>, secret: Secret) -> Result<Keyring, KeyringError> {
        let id = self.unused(id.into())?;
        let (old_id, old_secret) = std::mem::replace(&mut self.current, (id, secret));
        self.older.insert(old_id, old_secret);
        Ok(self)
    }

    /// Takes a key out: states that it sealed are refused from now on. An unknown id changes nothing.
    pub fn retire(mut self, id: &str) -> Result<Keyring, KeyringError> {
        if self.current.0 == id {
            return Err(KeyringError::Current(id.to_owned()));
        }
        self.older.remove(id);
        Ok(self)
    }

    /// The key that seals: its id and its secret.
    pub fn current(&self) -> (&str, &Secret) {
        (&self.current.0, &self.current.1)
    }

    /// The key with this id.
    pub fn find(&self, id: &str) -> Option<&Secret> {
        if self.current.0 == id { Some(&self.current.1) } else { self.older.get(id) }
    }

    /// All secrets, the current one first.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &Secret> {
        std::iter::once(&self.current.1).chain(self.older.values())
    }

    fn unused(&self, id: String) -> Result<String, KeyringError> {
        let id = checked(id)?;
        if self.find(&id).is_some() {
            return Err(KeyringError::Repeated(id));
        }
        if self.older.len() + 1 >= KEYS_MAX { Err(KeyringError::TooMany) } else { Ok(id) }
    }
}

/// The id stands in a token between dots, so it has none.
fn checked(id: String) -> Result<String, KeyringError> {
    let plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if plain && (1..=KEY_ID_MAX).contains(&id.len()) { Ok(id) } else { Err(KeyringError::BadId(id)) }
}
