//! Threads that are used again. Both ends of the corridor take theirs from here.
//! Law: a job is handed over only to a thread that is really waiting; else a thread is started. A job waits in a queue only where
//! its giver says how many may, and only when the limit of threads is reached.
//! Law: a panic ends the job, never the thread.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::lock;

/// What a thread does.
pub(crate) type Job = Box<dyn FnOnce() + Send + 'static>;

/// The stack of a thread, in bytes: what Rust gives a thread by default, hence what an author of handlers counts on. JSON of
/// depth 128 and the schema checker need less than a quarter of it. Only pages that are touched cost memory.
const STACK: usize = 2 * 1024 * 1024;

/// How long a thread waits for another job before it ends: long against a pause between two requests, short against what an
/// operator who looks at the number of threads would call a leak.
const PATIENCE: Duration = Duration::from_secs(1);

/// No thread is free and none can be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Busy;

/// A pool that grows with the work, up to a limit, and shrinks when there is none. Dropping it ends the threads that wait; one
/// that works ends after its job.
pub(crate) struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    name: &'static str,
    limit: usize,
    state: Mutex<State>,
    /// A job was handed over, or the pool was closed.
    handed: Condvar,
    /// A thread has become free, or has ended.
    freed: Condvar,
}

#[derive(Default)]
struct State {
    threads: usize,
    waiting: usize,
    /// Jobs on their way to a waiting thread, and those that [`Pool::queue`] lets wait for one.
    jobs: VecDeque<Job>,
    closed: bool,
}

impl State {
    fn may_hand_over(&self) -> bool {
        self.jobs.len() < self.waiting
    }
}

impl Pool {
    /// A pool without threads yet. They will bear the name; at most `limit` of them run at a time.
    pub(crate) fn new(name: &'static str, limit: usize) -> Pool {
        let (handed, freed) = (Condvar::new(), Condvar::new());
        Pool { shared: Arc::new(Shared { name, limit, state: Mutex::default(), handed, freed }) }
    }

    /// Runs a job on a thread of its own, or drops it and says [`Busy`]. Does not block.
    pub(crate) fn run(&self, job: Job) -> Result<(), Busy> {
        let mut state = lock(&self.shared.state);
        if state.may_hand_over() {
            state.jobs.push_back(job);
            drop(state);
            self.shared.handed.notify_one();
            return Ok(());
        }
        if state.threads >= self.shared.limit {
            return Err(Busy);
        }
        state.threads += 1;
        drop(state);
        let shared = Arc::clone(&self.shared);
        let started = thread::Builder::new()
            .name(self.shared.name.to_owned())
            .stack_size(STACK)
            .spawn(move || work(&shared, job));
        if started.is_err() {
            self.shared.ended();
            return Err(Busy);
        }
        Ok(())
    }

    /// As [`run`](Pool::run), but where the limit is reached up to `room` jobs wait for a thread, in their order; where they are
    /// as many, the caller waits too. [`Busy`] only if the machine refuses a thread.
    pub(crate) fn queue(&self, job: Job, room: usize) -> Result<(), Busy> {
        let mut state = lock(&self.shared.state);
        while !state.may_hand_over() && state.threads >= self.shared.limit {
            if state.jobs.len() < room {
                state.jobs.push_back(job);
                return Ok(());
            }
            state = self.shared.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        drop(state);
        // There is one caller that waits, and only it hands out jobs: what is free now is still free.
        self.run(job)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        lock(&self.shared.state).closed = true;
        self.shared.handed.notify_all();
    }
}

impl Shared {
    fn ended(&self) {
        lock(&self.state).threads -= 1;
        self.freed.notify_one();
    }

    /// The next job; `None` when the thread should end. It is then no longer counted as waiting.
    fn next(&self) -> Option<Job> {
        let mut state = lock(&self.state);
        state.waiting += 1;
        self.freed.notify_one();
        let mut patient = true;
        loop {
            let job = state.jobs.pop_front();
            if job.is_some() || state.closed || !patient {
                state.waiting -= 1;
                return job;
            }
            let (again, waited) = self.handed.wait_timeout(state, PATIENCE).unwrap_or_else(PoisonError::into_inner);
            state = again;
            patient = !waited.timed_out();
        }
    }
}

fn work(shared: &Shared, first: Job) {
    let mut next = Some(first);
    while let Some(job) = next {
        // The job reports its own panics; here it is only kept from ending the thread.
        let _ = catch_unwind(AssertUnwindSafe(job));
        next = shared.next();
    }
    shared.ended();
}
