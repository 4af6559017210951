//! Keys and digests.

use plain_mcp::crypto::{
    Keyring, KeyringError, NoRandomness, Secret, SecretError, hmac_sha256, random as random_bytes, sha256, verify,
};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn secret(byte: u8) -> Secret {
    Secret::from_bytes([byte; 32]).unwrap()
}

#[test]
fn known_answers() {
    assert_eq!(
        hex(&hmac_sha256(b"Jefe", &[b"what do ya want ", b"for nothing?"])),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" // RFC 4231, case 2
    );
    assert_eq!(
        hex(&sha256(&[b"a", b"", b"bc"])),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, B.1
    );
}

#[test]
fn a_tag_is_verified_as_a_whole() {
    let tag = hmac_sha256(b"key", &[b"message"]);
    assert!(verify(b"key", &[b"mess", b"age"], &tag));
    assert!(!verify(b"other", &[b"message"], &tag));
    assert!(!verify(b"key", &[b"massage"], &tag));
    assert!(!verify(b"key", &[b"message"], &tag[..31]));
    assert!(!verify(b"key", &[b"message"], &[]));
    for place in 0..tag.len() {
        let mut bent = tag;
        bent[place] ^= 1;
        assert!(!verify(b"key", &[b"message"], &bent), "{place}");
    }
}

#[test]
fn random_bytes_differ() {
    assert_ne!(random_bytes::<32>().unwrap(), random_bytes::<32>().unwrap());
}

#[test]
fn a_secret_is_long_and_silent() {
    covers!("10.4-8");
    // §10.4: at least 32 bytes
    assert_eq!(Secret::from_bytes(vec![7; 31]).unwrap_err(), SecretError::TooShort(31));
    assert_eq!(format!("{:?}", secret(7)), "Secret(..)");
    assert!(!format!("{:?}", Keyring::new("a", secret(7)).unwrap()).contains('7'));
    assert!(Secret::random().is_ok());
}

#[test]
fn what_is_wrong_with_a_key_is_said() {
    for (error, text) in [
        (SecretError::TooShort(31), "a secret needs at least 32 bytes, this one has 31"),
        (SecretError::NoRandomness, "the operating system gave no random bytes"),
    ] {
        assert_eq!(error.to_string(), text);
    }
    assert_eq!(NoRandomness.to_string(), "the operating system gave no random bytes");
    for (error, text) in [
        (KeyringError::BadId("a.b".to_owned()), "key id \"a.b\" is not 1 to 32 bytes of A-Z a-z 0-9 _ -"),
        (KeyringError::Repeated("a".to_owned()), "key id \"a\" occurs twice"),
        (KeyringError::TooMany, "a keyring has at most 8 keys"),
        (KeyringError::Current("a".to_owned()), "key \"a\" is the current one"),
    ] {
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn a_keyring_rotates() {
    covers!("10.4-3");
    let ring = Keyring::new("a", secret(1)).unwrap().accept("b", secret(2)).unwrap().rotate("c", secret(3)).unwrap();
    assert_eq!(ring.current().0, "c");
    assert!(["a", "b", "c"].iter().all(|id| ring.find(id).is_some()));
    assert!(ring.find("d").is_none());

    assert_eq!(ring.clone().accept("a", secret(4)).unwrap_err(), KeyringError::Repeated("a".to_owned()));
    assert_eq!(ring.clone().rotate("c", secret(4)).unwrap_err(), KeyringError::Repeated("c".to_owned()));
    assert_eq!(ring.clone().retire("c").unwrap_err(), KeyringError::Current("c".to_owned()));
    let ring = ring.retire("a").unwrap();
    assert!(ring.find("a").is_none());
    assert!(ring.accept("a", secret(1)).is_ok());
}

#[test]
fn a_keyring_is_bounded_and_its_ids_are_plain() {
    for id in ["", "a.b", "a b", "ä", "a/b", &"x".repeat(33)] {
        assert_eq!(Keyring::new(id, secret(1)).unwrap_err(), KeyringError::BadId(id.to_owned()));
    }
    let mut ring = Keyring::new("A-Z_09", secret(1)).unwrap();
    for id in 1..8 {
        ring = ring.accept(id.to_string(), secret(1)).unwrap();
    }
    assert_eq!(ring.accept("8", secret(1)).unwrap_err(), KeyringError::TooMany);
}
