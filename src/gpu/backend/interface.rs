//! The traits that a backend implements.

use std::future::Future;
use std::ops::Range;
use std::pin::Pin;

use super::device::Device;
use super::monitor::{self, Monitor};
use super::statistics::Statistics;
use crate::job::{Job, JobBuffer, Kernel};
use record::error::{Error, Result};
use record::suite::DeviceType;

/// Drops `resource`, or leaks it if the device is lost: dropping resources of a lost device may block forever.
pub(crate) fn leak_if_lost<R, T>(resource: R, result: Result<T>) -> Result<T> {
    if result.as_ref().is_err_and(Error::ends_device) {
        std::mem::forget(resource);
    }
    result
}

/// A sink for consecutive pieces of a buffer that passes only the bytes in `ranges` to `sink`.
pub(super) fn within<'s>(ranges: &'s [Range<u64>], sink: &'s mut dyn FnMut(u64, &[u8])) -> impl FnMut(u64, &[u8]) + 's {
    move |offset, bytes| {
        for range in ranges {
            let [from, to] = [range.start, range.end].map(|at| at.clamp(offset, offset + bytes.len() as u64));
            if from < to {
                sink(from, &bytes[(from - offset) as usize..(to - offset) as usize]);
            }
        }
    }
}

/// Sizes in bytes of the unused buffers that shift later allocations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spacers {
    /// In device memory: up to 4 MiB within a block of an allocator, up to 64 MiB among larger allocations, and on a
    /// card with its own memory up to 768 MiB among the largest.
    pub(super) on_device: Vec<u64>,
    /// In host memory.
    pub(super) on_host: u64,
}

/// The spacers for `place`; `None` for place 0.
pub(super) fn spacers(place: u64, kind: DeviceType) -> Option<Spacers> {
    let random = (place + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let mut on_device = vec![(1 + random % 63) << 16, (1 + (random >> 8) % 31) << 21];
    if kind == DeviceType::Discrete {
        on_device.push((1 + (random >> 14) % 12) << 26);
    }
    (place > 0).then(|| Spacers { on_device, on_host: (1 + (random >> 20) % 63) << 16 })
}

/// Alignment of small buffers in device memory, in bytes. The address of 1 KiB of counters can double the speed of
/// their atomics (docs/research/2026-11-25-portable-cost.md, 9), so the speed would depend on earlier allocations.
pub(super) const ALIGNMENT: u64 = 4096;

/// A boxed future: async because a browser never blocks, boxed so that the traits below work as trait objects.
pub type Task<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + 'a>>;

/// One timed submission.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Device time of the timed steps of all launches, in nanoseconds; `None` if the device has no timestamps. For a
    /// job that times a part of the host's work ([`Job::host_part`]), the host time of this part.
    pub device_ns: Option<f64>,
    /// Host time from submission to completion, in nanoseconds.
    pub wall_ns: f64,
}

/// A device that can run jobs.
pub trait Backend {
    /// The device's properties and limits.
    fn device(&self) -> &Device;

    /// Compiles the kernel, allocates the buffers and uploads the inputs.
    fn prepare<'a>(&'a mut self, job: &'a Job) -> Task<'a, Box<dyn Prepared>>;

    /// The driver's figures for a kernel that was prepared before. If they need a second compilation, it is made once
    /// per kernel, and not at all for kernels that compile slowly.
    fn statistics(&mut self, kernel: &Kernel) -> Statistics {
        let _ = kernel;
        Statistics::default()
    }

    /// Opens a new device after this one was lost or stopped answering. Invalidates all prepared jobs.
    fn reopen(&mut self) -> Task<'_, ()>;

    /// Drops cached inputs and moves later allocations to other addresses, because some kernels' times depend on
    /// addresses. Equal values of `place` give unused buffers of equal sizes.
    fn move_to(&mut self, place: u64) -> Task<'_, ()> {
        let _ = place;
        Box::pin(async { Ok(()) })
    }

    /// Frees memory of dropped jobs and cached inputs for another API on the same card.
    fn release(&mut self) {}

    /// A monitor of the card's clocks and temperature; `None` if the card has none.
    fn monitor(&self) -> Option<Box<dyn Monitor>> {
        let device = self.device();
        monitor::find(device.pci_address.as_deref(), device.uuid.as_deref())
    }

    /// Starts to compile the kernels of `jobs` on other threads, if that is slow. Errors fail their cases later.
    fn compile_in_background(&mut self, jobs: &[Job]) {
        let _ = jobs;
    }
}

/// A job that is ready to run.
pub trait Prepared {
    /// Runs `launches` launches in one submission and waits for them.
    fn sample(&mut self, launches: u32) -> Task<'_, Sample>;

    /// Takes up to `count` samples, at least one. A backend may submit them together if waiting for each one would take
    /// longer than the samples themselves. Each sample's host time is then the same share of the total.
    fn samples(&mut self, launches: u32, count: usize) -> Task<'_, Vec<Sample>> {
        Box::pin(async move {
            let mut samples = Vec::new();
            for _ in 0..count.max(1) {
                samples.push(self.sample(launches).await?);
            }
            Ok(samples)
        })
    }

    /// Runs the end-to-end steps once. Returns the wall time in nanoseconds and, if a step sums on the host, the sum.
    fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)>;

    /// Overwrites every output with [`crate::job::POISON`].
    fn poison(&mut self) -> Task<'_, ()>;

    /// Like [`Self::poison`], but only these bytes of one output, if the backend can; always a whole texture. Bytes of
    /// 32-bit words that are only partly in the range are kept.
    fn poison_range(&mut self, buffer: usize, bytes: Range<u64>) -> Task<'_, ()> {
        let _ = (buffer, bytes);
        self.poison()
    }

    /// Overwrites all buffers that are not outputs with the initial contents of `buffers`, which differ in nothing
    /// else. Returns whether the backend can.
    fn refill<'a>(&'a mut self, buffers: &'a [JobBuffer]) -> Task<'a, bool> {
        let _ = buffers;
        Box::pin(async { Ok(false) })
    }

    /// The bytes of a buffer's guard zones ([`crate::job::JobBuffer::guard`]), before and behind it. Both hold
    /// [`crate::job::POISON`] once the job is prepared. Empty if the backend has no such zones.
    fn guards(&mut self, buffer: usize) -> Task<'_, [Vec<u8>; 2]> {
        let _ = buffer;
        Box::pin(async { Ok([Vec::new(), Vec::new()]) })
    }

    /// Passes a buffer's bytes in `ranges` to `sink`, in pieces with their offsets. Ranges start at multiples of 16.
    fn read_parts<'a>(
        &'a mut self,
        buffer: usize,
        ranges: Vec<Range<u64>>,
        sink: &'a mut dyn FnMut(u64, &[u8]),
    ) -> Task<'a, ()> {
        Box::pin(async move {
            let end = ranges.iter().map(|range| range.end).max().unwrap_or(0);
            self.read(buffer, end, &mut within(&ranges, sink)).await
        })
    }

    /// Passes the first `bytes` of a buffer to `sink`, in pieces, each with its offset.
    fn read<'a>(&'a mut self, buffer: usize, bytes: u64, sink: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()>;
}
