//! Large buffers that later jobs reuse: a driver takes 25 to 50 ms to allocate a gigabyte, and 20 to 30 ms to free it
//! (docs/research/2026-11-25-limits.md).

use std::cmp::Reverse;
use std::rc::Rc;

/// Smaller buffers cost too little to keep.
const LARGE: u64 = 32 << 20;

/// Whether buffers of this shape are kept. Not if the host maps them, because their first access is measured; not in a
/// browser, which frees buffers on request (`Memory::free`).
fn is_kept((size, usage): Shape) -> bool {
    let mappable = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::MAP_WRITE;
    size >= LARGE && !usage.intersects(mappable) && cfg!(not(target_family = "wasm"))
}

/// The large buffers of jobs. A buffer is idle once no job uses it.
#[derive(Default)]
pub(super) struct Pool {
    buffers: Vec<Rc<wgpu::Buffer>>,
}

pub(super) type Shape = (u64, wgpu::BufferUsages);

impl Pool {
    /// An idle buffer for each wanted shape, by index; `None` if none is wanted or fits. Such a buffer may be larger
    /// than wanted, and has the contents of its last job. If no idle buffer fits a large shape, the other idle buffers
    /// are freed, so that the job has about as much memory as without the pool.
    pub(super) fn take(&mut self, wanted: &[Option<Shape>]) -> Vec<Option<Rc<wgpu::Buffer>>> {
        let mut taken = vec![None; wanted.len()];
        let large =
            wanted.iter().enumerate().filter_map(|(index, wanted)| Some((index, wanted.filter(|it| is_kept(*it))?)));
        let mut large: Vec<(usize, Shape)> = large.collect();
        large.sort_by_key(|(_, (size, _))| Reverse(*size));
        let mut are_all_taken = true;
        for (index, (size, usage)) in large {
            let fits = |buffer: &&Rc<wgpu::Buffer>| is_idle(buffer) && buffer.usage() == usage && buffer.size() >= size;
            let smallest = self.buffers.iter().filter(fits).min_by_key(|buffer| buffer.size());
            are_all_taken &= smallest.is_some();
            taken[index] = smallest.map(Rc::clone);
        }
        if !are_all_taken {
            self.clear();
        }
        taken
    }

    /// Keeps a buffer for later jobs if it is large enough.
    pub(super) fn keep(&mut self, buffer: &Rc<wgpu::Buffer>) {
        if is_kept((buffer.size(), buffer.usage())) {
            self.buffers.push(Rc::clone(buffer));
        }
    }

    /// Drops every idle buffer. wgpu frees their memory at its next poll.
    pub(super) fn clear(&mut self) {
        self.buffers.retain(|buffer| !is_idle(buffer));
    }
}

fn is_idle(buffer: &Rc<wgpu::Buffer>) -> bool {
    Rc::strong_count(buffer) == 1
}

#[cfg(test)]
mod tests {
    use super::super::adapter::adapters;
    use super::*;
    use crate::backend::Backend;
    use crate::backend::wgpu::{Timeouts, WgpuBackend};
    use crate::engine::checks::output::verify;
    use crate::engine::plan::{Request, plan};
    use crate::job::Job;
    use record::suite::{Extent, Profile};

    #[test]
    fn a_job_takes_over_what_is_idle_and_the_rest_is_freed() {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let Ok(adapter) = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default())) else {
            eprintln!("SKIPPED: there is no device");
            return;
        };
        let opened = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()));
        let device = opened.expect("the device opens").0;
        let create = |(size, usage): Shape| {
            let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
            device.create_buffer(&descriptor)
        };
        let storage = wgpu::BufferUsages::STORAGE;
        let (large, larger, small) = ((LARGE, storage), (2 * LARGE, storage), (LARGE - 4, storage));
        let copied = (LARGE, storage | wgpu::BufferUsages::COPY_SRC);
        let mapped = (LARGE, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
        let mut pool = Pool::default();
        // The buffers of a job, and the number of new ones.
        let job = |pool: &mut Pool, wanted: &[Shape]| {
            let taken = pool.take(&wanted.iter().copied().map(Some).collect::<Vec<_>>());
            let created = taken.iter().filter(|buffer| buffer.is_none()).count();
            let buffers = taken.into_iter().zip(wanted).map(|(taken, wanted)| {
                taken.unwrap_or_else(|| {
                    let buffer = Rc::new(create(*wanted));
                    pool.keep(&buffer);
                    buffer
                })
            });
            (buffers.collect::<Vec<_>>(), created)
        };
        let (first, created) = job(&mut pool, &[large]);
        assert_eq!((created, pool.buffers.len()), (1, 1));
        let (second, created) = job(&mut pool, &[large]);
        assert_eq!((created, pool.buffers.len()), (1, 2), "one in use is not given away");
        drop((first, second));
        assert_eq!(job(&mut pool, &[large, large]).1, 0, "idle ones are");
        assert_eq!(job(&mut pool, &[small, mapped]).1, 2, "not to small or mapped buffers");
        assert_eq!(pool.buffers.len(), 2, "which are not kept and free none");
        assert_eq!(job(&mut pool, &[copied]).1, 1, "the usage must be the same");
        assert_eq!(pool.buffers.len(), 1, "what nobody wants is freed before more is allocated");
        let (both, created) = job(&mut pool, &[large, larger]);
        assert_eq!((created, pool.buffers.len()), (2, 2));
        drop(both);
        let (one, created) = job(&mut pool, &[large]);
        assert_eq!((created, one[0].size()), (0, LARGE), "the smallest that fits");
        assert_eq!(job(&mut pool, &[large]).0[0].size(), 2 * LARGE, "else a larger one");
        let (_, created) = job(&mut pool, &[large, larger]);
        assert_eq!((created, pool.buffers.len()), (1, 3), "the larger one is for what needs it");
        drop(one);
        let taken = pool.take(&[None, Some(large), None]);
        assert_eq!(taken.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false], "by index");
        drop(taken);
        pool.clear();
        assert!(pool.buffers.is_empty());
    }

    #[test]
    fn a_buffer_taken_over_gives_the_same_answers() {
        pollster::block_on(async {
            let Some(adapter) = adapters(None).await.into_iter().next() else {
                eprintln!("SKIPPED: there is no device");
                return;
            };
            let mut backend = WgpuBackend::open(adapter, Timeouts::DEFAULT).await.expect("the device opens");
            let mut request = Request::new(vec!["stream/*".to_owned()], Profile::Quick);
            request.sizes = vec![Extent::Linear(LARGE / 4)];
            let cases = plan(&request).expect("a plan");
            let cases = cases.iter().filter(|case| case.family.name == "stream");
            for case in cases.filter(|case| case.shape.count() == LARGE / 4) {
                let job = Job::new(case).expect("valid");
                let mut prepared = backend.prepare(&job).await.expect("prepared");
                prepared.sample(1).await.expect("it runs");
                assert_eq!(verify(prepared.as_mut(), &job, 7).await.expect("read"), None, "{}", job.label);
                // A launch that writes nothing must find poison, not the result of the last job.
                drop(prepared);
                let mut again = backend.prepare(&job).await.expect("prepared");
                assert!(verify(again.as_mut(), &job, 7).await.expect("read").is_some(), "{}", job.label);
            }
        });
    }
}
