//! Real sockets and real child processes.
