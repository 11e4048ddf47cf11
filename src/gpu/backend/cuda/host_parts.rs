//! Times parts of the host's work for a submission.

use std::hash::{BuildHasher, RandomState};

use web_time::Instant;

use super::host::{Host, Source};
use super::module::Module;
use super::prepared::CudaJob;
use super::twins::Image;
use crate::backend::Sample;
use record::error::{Error, Result};
use record::suite::HostPart;

/// The definition whose value makes a kernel new to every cache.
const NONCE: &str = "#define NONCE 0u";

impl CudaJob {
    /// Runs `launches` submissions one after another. `device_ns` of the sample is the host time of the part.
    pub(super) fn host_sample(&mut self, host: &Host, launches: u32) -> Result<Sample> {
        let (start, mut part_ns) = (Instant::now(), 0.0);
        for _ in 0..launches {
            part_ns += self.host_launch(host)?;
        }
        Ok(Sample { device_ns: Some(part_ns), wall_ns: start.elapsed().as_nanos() as f64 })
    }

    /// Runs one submission and returns the time of the part, in nanoseconds.
    fn host_launch(&mut self, host: &Host) -> Result<f64> {
        if host.part == HostPart::Graph {
            let graph = self.timed_as_graph(1)?;
            return match graph {
                Some(sample) => Ok(sample.wall_ns),
                None => Err(Error::Unsupported("the driver cannot make a graph from these launches".to_owned())),
            };
        }
        // Unloaded after the last clock is read.
        let mut old = None;
        let start = Instant::now();
        if let Some(Source { compiler, target, program, entries }) = &host.compiler {
            let is_first = host.part == HostPart::FirstPipeline;
            // A number that no cache has seen, in this process or another.
            let number = if is_first { RandomState::new().hash_one(0) as u32 } else { 1 };
            let program = program.replacen(NONCE, &format!("#define NONCE {number}u"), 1);
            let image = Image::of(compiler, &program, target, entries)?;
            // SAFETY: `image` came from `Compiler::compile_named`.
            let module = unsafe { Module::load(&self.gpu.context, &image.code, &image.names)? };
            old = self.module.replace(module);
        }
        let compiled = Instant::now();
        self.submit(1)?;
        let submitted = Instant::now();
        self.gpu.context.wait()?;
        let done = Instant::now();
        drop(old);
        let part = match host.part {
            HostPart::FirstPipeline | HostPart::NextPipeline => compiled - start,
            HostPart::Submit => submitted - compiled,
            HostPart::Wait => done - submitted,
            _ => done - compiled,
        };
        Ok(part.as_nanos() as f64)
    }
}
