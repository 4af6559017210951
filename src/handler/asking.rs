//! §10 What a handler asks of the client.
//! Law: asking is leaving: the handler runs again from its top in the next round.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::handler::Interrupt;
use crate::handler::context::Context;
use crate::lock;
use crate::mrtr::InputRequired;
use crate::mrtr::state::BAD_STATE;
use crate::types::{Ask, InputRequest};

/// Asking the client (§10).
impl Context<'_> {
    /// The client's answer to what an earlier round asked under this id; or leaves the handler to ask it. The handler is run
    /// again from its top in the next round. An answer of the wrong shape is asked again. Answers of earlier rounds are kept for
    /// the following ones, so that one `ask` after another just works; they travel in `requestState`, and where they do not fit
    /// into [`Limits::state`](crate::Limits) the request fails with -32603, of which the observer hears why.
    pub fn ask<Q: Ask>(&self, id: &str, question: Q) -> Result<Q::Answer, Interrupt> {
        match self.answer(id, &question) {
            Some(answer) => Ok(answer),
            // req 10.1-10 10.3-5
            None => Err(InputRequired::new().ask(id, question.request()).into()),
        }
    }

    /// The client's answer, where there is one of the right shape.
    pub fn answer<Q: Ask>(&self, id: &str, question: &Q) -> Option<Q::Answer> {
        // req 10.3-4 10.3-6: only the ids that the handler names are looked at, and only what fits is an answer
        let result = self.carried.answers.get(id).or_else(|| self.retry.responses.get(id))?;
        let answer = question.read(result)?;
        lock(&self.keep).answers.insert(id.to_owned(), result.clone());
        Some(answer)
    }

    /// The answers to several questions at once; or leaves the handler to ask all that are missing, in one round. The questions
    /// are a tuple of up to six `(id, question)`, and the answers are a tuple of the same order, each of its own type:
    ///
    /// ```
    /// # use plain_mcp::{Context, Interrupt, elicit, roots};
    /// # fn handler(cx: &Context<'_>) -> Result<(), Interrupt> {
    /// let (name, roots) = cx.ask_all((("name", elicit::form("Your name?").string("name")), ("roots", roots::list())))?;
    /// # Ok(()) }
    /// ```
    ///
    /// An array of `(id, InputRequest)` gives the bare results, by id.
    pub fn ask_all<Q: Questions>(&self, questions: Q) -> Result<Q::Answers, Interrupt> {
        let mut missing = InputRequired::new();
        questions.answers(self, &mut missing).ok_or_else(|| missing.into())
    }

    /// The state that an earlier round kept; `None` in the first round, and where `null` was kept. A state of another shape is
    /// refused like a forged one, with -32602 (§10.4).
    pub fn state<T: DeserializeOwned>(&self) -> Result<Option<T>, Interrupt> {
        let Some(state) = &self.carried.state else { return Ok(None) };
        T::deserialize(state).map(Some).map_err(|_| BAD_STATE.fault().into())
    }

    /// Keeps a state for the next round, sealed into `requestState` (§10.4): signed, not encrypted. It goes along with whatever
    /// is asked after this.
    pub fn keep(&self, state: &impl Serialize) {
        lock(&self.keep).state = Some(serde_json::to_value(state).unwrap_or(Value::Null));
    }
}

/// What [`Context::ask_all`] can ask at once: tuples of two to six `(id, question)`, and arrays of `(id, InputRequest)`.
pub trait Questions {
    /// What the answers are read into.
    type Answers;

    /// The answers, if all are there; each that is missing is added to `missing`.
    fn answers(self, cx: &Context<'_>, missing: &mut InputRequired) -> Option<Self::Answers>;
}

fn answer<Q: Ask>(cx: &Context<'_>, missing: &mut InputRequired, (id, question): (&str, Q)) -> Option<Q::Answer> {
    let answer = cx.answer(id, &question);
    if answer.is_none() {
        missing.requests.insert(id.to_owned(), question.request());
    }
    answer
}

impl<const N: usize> Questions for [(&str, InputRequest); N] {
    /// The bare results, by id.
    type Answers = BTreeMap<String, Value>;

    fn answers(self, cx: &Context<'_>, missing: &mut InputRequired) -> Option<Self::Answers> {
        let answers = self.map(|(id, question)| Some((id.to_owned(), answer(cx, missing, (id, question))?)));
        answers.into_iter().collect()
    }
}

macro_rules! tuples {
    ($($($question:ident)+;)+) => {$(
        impl<$($question: Ask),+> Questions for ($((&str, $question),)+) {
            type Answers = ($($question::Answer,)+);

            #[allow(non_snake_case, reason = "a type parameter names its question too")]
            fn answers(self, cx: &Context<'_>, missing: &mut InputRequired) -> Option<Self::Answers> {
                let ($($question,)+) = self;
                $(let $question = answer(cx, missing, $question);)+ // all of them, before the first that is missing ends it
                Some(($($question?,)+))
            }
        }
    )+};
}

tuples! {
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
}
