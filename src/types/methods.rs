//! §10.1 The methods of input requests.

/// The method of both elicitations.
pub(super) const ELICIT: &str = "elicitation/create";
/// The method that asks the client's model.
pub(super) const CREATE_MESSAGE: &str = "sampling/createMessage";
/// The method that asks for the client's roots.
pub(super) const LIST_ROOTS: &str = "roots/list";
