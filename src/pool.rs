//! §13 §14 Threads that are used again. Both ends of the corridor take theirs from here.
//! Law: a job is handed over only to a thread that is really waiting; else a thread is started. A job waits in a queue only where
//! its giver says how many may, and only when the limit of threads is reached.
//! Law: a panic ends the job, never the thread.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::{contained, lock};

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
    patience: Duration,
    state: Mutex<State>,
    /// A job was handed over, or the pool was closed.
    handed: Condvar,
    /// A thread has become free or has ended, or a job has left the queue.
    freed: Condvar,
}

#[derive(Default)]
struct State {
    threads: usize,
    waiting: usize,
    /// Callers of [`Pool::queue`] that wait: where there are none nobody is told, since telling costs a call of the kernel each time.
    queueing: usize,
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
        Pool::patient(name, limit, PATIENCE)
    }

    fn patient(name: &'static str, limit: usize, patience: Duration) -> Pool {
        let (handed, freed) = (Condvar::new(), Condvar::new());
        Pool { shared: Arc::new(Shared { name, limit, patience, state: Mutex::default(), handed, freed }) }
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
            let mut state = lock(&self.shared.state);
            state.threads -= 1;
            self.shared.tell_freed(&state);
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
            state.queueing += 1;
            state = self.shared.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.queueing -= 1;
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
    /// To be called with the lock held: who queues has been counted in the step in which it began to wait.
    fn tell_freed(&self, state: &State) {
        if state.queueing > 0 {
            self.freed.notify_one();
        }
    }

    /// The next job; `None` when the thread should end. It is then no longer counted, in the very step that found no job for it:
    /// a job that came between the two would wait for a thread that is not there.
    fn next(&self) -> Option<Job> {
        let mut state = lock(&self.state);
        state.waiting += 1;
        self.tell_freed(&state);
        let mut patient = true;
        loop {
            let job = state.jobs.pop_front();
            if job.is_some() || state.closed || !patient {
                state.waiting -= 1;
                if job.is_none() {
                    state.threads -= 1;
                }
                self.tell_freed(&state); // there is room for a thread, or in the queue
                return job;
            }
            let (again, waited) =
                self.handed.wait_timeout(state, self.patience).unwrap_or_else(PoisonError::into_inner);
            state = again;
            patient = !waited.timed_out();
        }
    }
}

fn work(shared: &Shared, first: Job) {
    let mut next = Some(first);
    while let Some(job) = next {
        // The job reports its own panics; here it is only kept from ending the thread.
        let _ = contained(job);
        next = shared.next();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use crossbeam_channel::unbounded;

    use super::*;

    /// Threads give up nearly at once, and all together, so that jobs meet threads that are about to end.
    #[test]
    fn a_job_that_meets_a_thread_which_ends_is_run() {
        const LIMIT: usize = 16;
        let pool = Pool::patient("hasty", LIMIT, Duration::from_millis(1));
        let (done, each) = unbounded();
        for round in 0..1_000 {
            let begin = Arc::new(Barrier::new(LIMIT));
            for _ in 0..LIMIT {
                let (begin, done) = (Arc::clone(&begin), done.clone());
                let job = move || {
                    begin.wait(); // only if all of them run at the same time does any of them end
                    let _ = done.send(());
                };
                assert_eq!(pool.queue(Box::new(job), LIMIT), Ok(()));
            }
            for _ in 0..LIMIT {
                assert_eq!(each.recv_timeout(Duration::from_secs(5)), Ok(()), "round {round}");
            }
            // nothing comes: this waits about as long as they do
            let _ = each.recv_timeout(Duration::from_micros(800 + round % 20 * 20));
        }
    }

    /// A job on its way to a waiting thread takes a place in the queue only until the thread has it.
    #[test]
    fn who_waits_for_a_place_in_the_queue_is_told_of_each() {
        let pool = Pool::new("told", 2);
        let (ended, each) = unbounded();
        for round in 0..500 {
            let (go, may_go) = unbounded();
            let running = |_: usize| -> Job {
                let (may_go, ended) = (may_go.clone(), ended.clone());
                Box::new(move || {
                    let _ = ended.send(may_go.recv_timeout(Duration::from_secs(5)));
                })
            };
            for job in (0..3).map(running) {
                assert_eq!(pool.queue(job, 1), Ok(()));
            }
            // the third job is in the queue, so that now the first two may end
            for _ in 0..3 {
                assert_eq!(go.send(()), Ok(()));
            }
            for _ in 0..3 {
                assert_eq!(each.recv_timeout(Duration::from_secs(20)), Ok(Ok(())), "round {round}");
            }
        }
    }
}
