//! §9 §11 Looks at a socket, and writes to it, without waiting.

use std::io::{self, ErrorKind};
use std::mem::MaybeUninit;
use std::net::TcpStream;

use socket2::SockRef;

/// `MSG_PEEK` where a system is known; socket2 takes flags but does not name these.
const PEEK: i32 = 0x02;
/// `MSG_DONTWAIT`, where a system has it; on Linux with `MSG_NOSIGNAL` for writes.
const DONT_WAIT: Option<(i32, i32)> = if cfg!(any(target_os = "linux", target_os = "android")) {
    Some((0x40, 0x40 | 0x4000))
} else if cfg!(any(
    target_vendor = "apple",
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "openbsd",
    target_os = "dragonfly"
)) {
    Some((0x80, 0x80))
} else {
    None
};

/// req 9-6: whether the client has closed (FIN) or reset the connection. Bytes that wait to be read are no sign of that; they hide a
/// FIN behind them, but not a reset. Where there is no look without waiting, a client that has gone is noticed at the next write.
pub(super) fn gone(stream: &TcpStream) -> bool {
    let Some((reading, _)) = DONT_WAIT else { return false };
    let mut byte = [MaybeUninit::uninit()];
    match SockRef::from(stream).recv_with_flags(&mut byte, PEEK | reading) {
        Ok(0) => true,
        Ok(_) => stream.take_error().map_or(true, |error| error.is_some()),
        Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
    }
}

/// How many bytes the socket takes now. Fails with `WouldBlock` where it takes none.
pub(super) fn send(stream: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
    let (_, writing) = DONT_WAIT.ok_or(ErrorKind::WouldBlock)?;
    SockRef::from(stream).send_with_flags(bytes, writing)
}
