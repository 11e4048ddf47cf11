//! Compiles programs on half of the cores while cases run, in the order in which the cases need them. The number of
//! programs compiled early needs no limit, because finished programs are cached for the whole run anyway.

use std::collections::{HashSet, VecDeque};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::device::Device;
use crate::job::{Job, Kernel};

/// Compiles a program; `None` if that fails: the case that needs it then compiles it again and reports the error.
pub(super) type Work<T> = Box<dyn FnOnce() -> Option<T> + Send>;

/// Programs that no thread has started, by key, in order.
type Queue<T> = VecDeque<(u64, Work<T>)>;

pub(super) struct BackgroundCompiler<T> {
    /// Keys of the programs that were not received yet.
    pending: HashSet<u64>,
    queue: Arc<Mutex<Queue<T>>>,
    finished: Receiver<(u64, Option<T>)>,
    threads: Vec<JoinHandle<()>>,
}

impl<T> BackgroundCompiler<T> {
    /// Starts to compile programs, each with a unique key.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn start(programs: Queue<T>) -> Self
    where
        T: Send + 'static,
    {
        let pending = programs.iter().map(|(key, _)| *key).collect();
        let queue = Arc::new(Mutex::new(programs));
        let (sender, finished) = std::sync::mpsc::channel();
        let threads = (0..cores().div_ceil(2)).map(|_| {
            let (queue, sender) = (Arc::clone(&queue), sender.clone());
            std::thread::spawn(move || {
                let next = || locked(&queue).pop_front();
                while let Some((key, work)) = next() {
                    if sender.send((key, work())).is_err() {
                        break;
                    }
                }
            })
        });
        Self { pending, threads: threads.collect(), queue, finished }
    }

    /// Passes every finished program to `sink`. Waits for the program `key` if a thread compiles it. If none has
    /// started it, removes it from the queue: the caller compiles it at once.
    pub(super) fn receive(&mut self, key: u64, mut sink: impl FnMut(u64, T)) {
        let mut queue = locked(&self.queue);
        if let Some(index) = queue.iter().position(|(queued, _)| *queued == key) {
            queue.remove(index);
            self.pending.remove(&key);
        }
        drop(queue);
        while !self.pending.is_empty() {
            let next =
                if self.pending.contains(&key) { self.finished.recv().ok() } else { self.finished.try_recv().ok() };
            // `None`: nothing more is finished, or every thread has ended.
            let Some((finished, program)) = next else { break };
            self.pending.remove(&finished);
            if let Some(program) = program {
                sink(finished, program);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn is_idle(&self) -> bool {
        self.threads.iter().all(JoinHandle::is_finished)
    }

    /// Stops, without waiting for the threads or dropping their results: on a lost device either may block forever.
    pub(super) fn leak(self) {
        locked(&self.queue).clear();
        std::mem::forget(self);
    }
}

impl<T> Drop for BackgroundCompiler<T> {
    /// Waits for the programs in progress: a process that exits inside a driver's compiler may crash there.
    fn drop(&mut self) {
        locked(&self.queue).clear();
        for thread in self.threads.drain(..) {
            // A thread that panicked has already reported it.
            let _ = thread.join();
        }
    }
}

fn locked<T>(queue: &Mutex<Queue<T>>) -> MutexGuard<'_, Queue<T>> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(not(target_family = "wasm"))]
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The kernels that `device` can run, with their keys, in the order of the jobs, without duplicates or `known` keys.
pub(super) fn kernels<'a>(device: &Device, jobs: &'a [Job], mut known: HashSet<u64>) -> Vec<(u64, &'a Kernel)> {
    let is_written = |job: &&Job| job.kernel.is_in(device.language);
    let wanted = jobs.iter().filter(is_written).filter(|job| device.check(job).is_ok());
    let keyed = wanted.map(|job| (job.kernel.key(device.language), &job.kernel));
    keyed.filter(|(key, _)| known.insert(*key)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// A program that finishes when its gate opens and returns its number. `started` counts the programs in progress.
    fn gated(number: u64, started: &Arc<AtomicUsize>) -> ((u64, Work<u64>), Sender<bool>) {
        let (gate, opened) = channel::<bool>();
        let started = Arc::clone(started);
        let work: Work<u64> = Box::new(move || {
            started.fetch_add(1, Ordering::SeqCst);
            opened.recv().expect("opened").then_some(number)
        });
        ((number, work), gate)
    }

    fn wait_until(started: &AtomicUsize, programs: usize) {
        while started.load(Ordering::SeqCst) < programs {
            std::thread::yield_now();
        }
    }

    fn received(compiler: &mut BackgroundCompiler<u64>, key: u64) -> Vec<u64> {
        let mut keys = Vec::new();
        compiler.receive(key, |key, program| {
            assert_eq!(key, program);
            keys.push(key);
        });
        keys
    }

    #[test]
    fn a_started_program_is_waited_for_and_a_queued_one_is_the_callers() {
        let started = Arc::new(AtomicUsize::new(0));
        let threads = cores().div_ceil(2);
        let (programs, gates): (Queue<u64>, Vec<_>) =
            (0..threads as u64 + 2).map(|number| gated(number, &started)).unzip();
        let mut compiler = BackgroundCompiler::start(programs);
        wait_until(&started, threads);
        assert!(received(&mut compiler, threads as u64).is_empty(), "every thread compiles another program");
        gates[0].send(true).expect("a thread waits");
        assert_eq!(received(&mut compiler, 0), [0]);
        wait_until(&started, threads + 1);
        gates[1..threads].iter().for_each(|gate| gate.send(true).expect("a thread waits"));
        gates[threads + 1].send(false).expect("a thread waits");
        let last = received(&mut compiler, threads as u64 + 1);
        assert!(last.iter().all(|key| (1..threads as u64).contains(key)), "{last:?}");
        assert_eq!(started.load(Ordering::SeqCst), threads + 1, "no thread starts a program that the caller removed");
    }

    #[test]
    fn dropping_waits_for_started_programs_only() {
        let started = Arc::new(AtomicUsize::new(0));
        let (programs, gates): (Queue<u64>, Vec<_>) = (0..100).map(|number| gated(number, &started)).unzip();
        let compiler = BackgroundCompiler::start(programs);
        wait_until(&started, 1);
        let opener = std::thread::spawn(move || {
            for gate in gates {
                let _ = gate.send(true);
            }
        });
        drop(compiler);
        let at_drop = started.load(Ordering::SeqCst);
        opener.join().expect("opened");
        assert_eq!(started.load(Ordering::SeqCst), at_drop);
    }

    #[test]
    fn leaking_waits_for_nothing() {
        let started = Arc::new(AtomicUsize::new(0));
        let (programs, gates): (Queue<u64>, Vec<_>) = (0..100).map(|number| gated(number, &started)).unzip();
        let compiler = BackgroundCompiler::start(programs);
        wait_until(&started, cores().div_ceil(2));
        compiler.leak();
        for gate in gates {
            let _ = gate.send(true);
        }
        assert_eq!(started.load(Ordering::SeqCst), cores().div_ceil(2), "the queue was stopped");
    }
}
