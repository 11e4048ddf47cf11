//! Compiling ahead: on half of the cores, in the order in which programs will be asked for, while cases run.
//!
//! What is compiled is kept for as long as the run has kernels, ahead or not: running ahead needs no bound of its own.

use std::collections::{HashSet, VecDeque};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::Device;
use crate::job::{Job, Kernel, Language};

/// Compiles a program; `None` where the compiler refuses. Whoever asks for it then compiles it again, and is told why.
pub(super) type Work<T> = Box<dyn FnOnce() -> Option<T> + Send>;

/// What no thread has begun, the first one first, by key.
type Queue<T> = VecDeque<(u64, Work<T>)>;

/// Programs that are being compiled.
pub(super) struct Ahead<T> {
    /// What nobody has received yet.
    pending: HashSet<u64>,
    queue: Arc<Mutex<Queue<T>>>,
    finished: Receiver<(u64, Option<T>)>,
    threads: Vec<JoinHandle<()>>,
}

impl<T> Ahead<T> {
    /// Starts to compile programs, each named by a key of its own.
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

    /// Hands over what is finished. Waits for the program `key` where a thread is at work on it; where none has begun it, it is the
    /// caller's, who is not kept waiting for those before it.
    pub(super) fn receive(&mut self, key: u64, mut sink: impl FnMut(u64, T)) {
        let mut queue = locked(&self.queue);
        if let Some(place) = queue.iter().position(|(queued, _)| *queued == key) {
            queue.remove(place);
            self.pending.remove(&key);
        }
        drop(queue);
        while !self.pending.is_empty() {
            let next =
                if self.pending.contains(&key) { self.finished.recv().ok() } else { self.finished.try_recv().ok() };
            // Where every thread is gone, nothing comes any more.
            let Some((finished, program)) = next else { break };
            self.pending.remove(&finished);
            if let Some(program) = program {
                sink(finished, program);
            }
        }
    }

    /// Whether every program is finished that anybody had begun.
    #[cfg(test)]
    pub(super) fn is_idle(&self) -> bool {
        self.threads.iter().all(JoinHandle::is_finished)
    }

    /// Stops, and neither waits for the threads nor drops what they finish: they may be at work for a device that is lost, on which both
    /// may take forever.
    pub(super) fn let_go(self) {
        locked(&self.queue).clear();
        std::mem::forget(self);
    }
}

impl<T> Drop for Ahead<T> {
    /// Waits for the programs that are in work: a process that ends within a driver's compiler may crash there.
    fn drop(&mut self) {
        locked(&self.queue).clear();
        for thread in self.threads.drain(..) {
            // A panic was its own.
            let _ = thread.join();
        }
    }
}

fn locked<T>(queue: &Mutex<Queue<T>>) -> MutexGuard<'_, Queue<T>> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Cores that this process may use.
#[cfg(not(target_family = "wasm"))]
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The kernels of those jobs that `device` can run, each once, with its key, in the order of the jobs; but for those that are `known`.
pub(super) fn kernels<'a>(device: &Device, jobs: &'a [Job], mut known: HashSet<u64>) -> Vec<(u64, &'a Kernel)> {
    let language = device.language();
    let is_written = |kernel: &Kernel| match language {
        Language::Wgsl => !kernel.source.is_empty(),
        Language::Cuda => !kernel.cuda.is_empty(),
    };
    let wanted = jobs.iter().filter(|job| is_written(&job.kernel) && device.check(job).is_ok());
    let keyed = wanted.map(|job| (job.kernel.key(language), &job.kernel));
    keyed.filter(|(key, _)| known.insert(*key)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// A program that is finished when it is told to, and then is its own number; counted when it is begun.
    fn gated(number: u64, begun: &Arc<AtomicUsize>) -> ((u64, Work<u64>), Sender<bool>) {
        let (gate, opened) = channel::<bool>();
        let begun = Arc::clone(begun);
        let work: Work<u64> = Box::new(move || {
            begun.fetch_add(1, Ordering::SeqCst);
            opened.recv().expect("told").then_some(number)
        });
        ((number, work), gate)
    }

    fn wait_until(begun: &AtomicUsize, programs: usize) {
        while begun.load(Ordering::SeqCst) < programs {
            std::thread::yield_now();
        }
    }

    fn received(ahead: &mut Ahead<u64>, key: u64) -> Vec<u64> {
        let mut keys = Vec::new();
        ahead.receive(key, |key, program| {
            assert_eq!(key, program);
            keys.push(key);
        });
        keys
    }

    #[test]
    fn what_is_in_work_is_waited_for_what_is_not_begun_is_the_callers_and_what_fails_is_left_out() {
        let begun = Arc::new(AtomicUsize::new(0));
        let threads = cores().div_ceil(2);
        let (programs, gates): (Queue<u64>, Vec<_>) =
            (0..threads as u64 + 2).map(|number| gated(number, &begun)).unzip();
        let mut ahead = Ahead::start(programs);
        wait_until(&begun, threads);
        assert!(received(&mut ahead, threads as u64).is_empty(), "every thread is at work on something else");
        gates[0].send(true).expect("it waits");
        assert_eq!(received(&mut ahead, 0), [0]);
        wait_until(&begun, threads + 1);
        gates[1..threads].iter().for_each(|gate| gate.send(true).expect("it waits"));
        gates[threads + 1].send(false).expect("it waits");
        let last = received(&mut ahead, threads as u64 + 1);
        assert!(last.iter().all(|key| (1..threads as u64).contains(key)), "{last:?}");
        assert_eq!(begun.load(Ordering::SeqCst), threads + 1, "what the caller took no thread begins");
    }

    #[test]
    fn dropping_waits_for_what_is_in_work_and_leaves_the_rest() {
        let begun = Arc::new(AtomicUsize::new(0));
        let (programs, gates): (Queue<u64>, Vec<_>) = (0..100).map(|number| gated(number, &begun)).unzip();
        let ahead = Ahead::start(programs);
        wait_until(&begun, 1);
        let opener = std::thread::spawn(move || {
            for gate in gates {
                let _ = gate.send(true);
            }
        });
        drop(ahead);
        let at_drop = begun.load(Ordering::SeqCst);
        opener.join().expect("opened");
        assert_eq!(begun.load(Ordering::SeqCst), at_drop);
    }

    #[test]
    fn letting_go_waits_for_nothing() {
        let begun = Arc::new(AtomicUsize::new(0));
        let (programs, gates): (Queue<u64>, Vec<_>) = (0..100).map(|number| gated(number, &begun)).unzip();
        let ahead = Ahead::start(programs);
        wait_until(&begun, cores().div_ceil(2));
        ahead.let_go();
        for gate in gates {
            let _ = gate.send(true);
        }
        assert_eq!(begun.load(Ordering::SeqCst), cores().div_ceil(2), "the queue was stopped");
    }
}
