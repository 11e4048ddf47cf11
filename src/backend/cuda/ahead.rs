//! Compiling ahead: on half of the cores, in the order in which programs will be asked for, while cases run.

use std::collections::{HashSet, VecDeque};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::nvrtc::Compiler;

/// A program's key and, once it is compiled, its machine code; `None` where the compiler refused.
type Compiled = (u64, Option<Vec<u8>>);

/// Programs that are being compiled.
pub(super) struct Ahead {
    /// What nobody has received yet.
    pending: HashSet<u64>,
    queue: Arc<Mutex<VecDeque<(u64, String)>>>,
    finished: Receiver<Compiled>,
}

impl Ahead {
    /// Starts to compile programs, each named by a key of its own.
    pub(super) fn start(compiler: &Compiler, target: &str, programs: Vec<(u64, String)>) -> Self {
        let pending = programs.iter().map(|(key, _)| *key).collect();
        let queue = Arc::new(Mutex::new(VecDeque::from(programs)));
        let (sender, finished) = channel();
        let cores = thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..cores.div_ceil(2) {
            let (queue, sender) = (Arc::clone(&queue), sender.clone());
            let (compiler, target) = (compiler.clone(), target.to_owned());
            thread::spawn(move || {
                let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                while let Some((key, program)) = next() {
                    let image = compiler.compile(&program, &target).ok().map(|compiled| compiled.image);
                    if sender.send((key, image)).is_err() {
                        break;
                    }
                }
            });
        }
        Self { pending, queue, finished }
    }

    /// Hands over what is finished; waits for the program `key` where it is among those that were asked for.
    pub(super) fn receive(&mut self, key: u64, mut sink: impl FnMut(u64, Vec<u8>)) {
        while !self.pending.is_empty() {
            let next =
                if self.pending.contains(&key) { self.finished.recv().ok() } else { self.finished.try_recv().ok() };
            // Where every thread is gone, nothing comes any more.
            let Some((finished, image)) = next else { break };
            self.pending.remove(&finished);
            if let Some(image) = image {
                sink(finished, image);
            }
        }
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_waited_for_and_what_does_not_compile_is_left_out() {
        let Ok(compiler) = Compiler::find(&[]) else {
            eprintln!("SKIPPED: NVRTC is not installed");
            return;
        };
        let target = compiler.target(90).expect("known");
        let program =
            |number: u64| (number, format!("extern \"C\" __global__ void kernel(int* x) {{ *x = {number}; }}"));
        let mut programs: Vec<_> = (0..6).map(program).collect();
        programs.push((6, "no program".to_owned()));
        let mut ahead = Ahead::start(&compiler, &target, programs);
        let mut images = Vec::new();
        ahead.receive(5, |key, image| images.push((key, image)));
        assert!(images.iter().any(|(key, image)| *key == 5 && !image.is_empty()));
        ahead.receive(6, |key, image| images.push((key, image)));
        ahead.receive(99, |key, image| images.push((key, image)));
        assert!(images.iter().all(|(key, _)| *key < 6));
    }
}
