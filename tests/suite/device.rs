//! Kernels against oracles on a real device (Vulkan, Metal, DirectX 12, OpenGL); without one, tests print SKIPPED.

#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    unreachable_pub,
    reason = "each test program that includes this file uses its own part"
)]

use std::collections::{BTreeMap, BTreeSet};

use gpu::backend::wgpu::{Adapter, Timeouts, WgpuBackend, adapters};
use gpu::backend::{Backend, Prepared};
use gpu::engine::checks::output::verify;
use gpu::engine::plan::{Request, plan};
use gpu::job::{Contents, Job, JobBuffer, POISON};
use record::error::Error;
use record::suite::{Benchmark, Case, Dtype, Extent, Profile, Shape};

pub fn adapter() -> Option<Adapter> {
    let found = pollster::block_on(adapters(None)).into_iter().next();
    if found.is_none() {
        eprintln!("SKIPPED: there is no device to run kernels on");
    }
    found
}

pub fn open(adapter: Adapter) -> WgpuBackend {
    pollster::block_on(WgpuBackend::open(adapter, Timeouts::DEFAULT)).expect("the device opens")
}

/// A CUDA device, if there are a device and NVRTC.
#[cfg(feature = "cuda")]
pub fn cuda() -> Option<gpu::backend::cuda::CudaBackend> {
    use gpu::backend::cuda::{CudaBackend, devices};
    // Under compute-sanitizer kernels take a thousand times as long.
    let patience = if std::env::var_os("SHADERBENCH_ONLY").is_some() {
        30 * Timeouts::DEFAULT.idle
    } else {
        Timeouts::DEFAULT.idle
    };
    let opened = devices().and_then(|mut found| CudaBackend::open(found.swap_remove(0), patience));
    opened.inspect_err(|error| eprintln!("SKIPPED: {error}")).ok()
}

/// Bytes behind every buffer that no kernel may touch: in inputs, values that make results wrong; in outputs, poison.
const GUARD: u64 = 4096;

/// Runs a job in one submission of two launches. Returns what is wrong: its output, or a write beyond a buffer.
pub fn fault(backend: &mut dyn Backend, job: &mut Job) -> Result<Option<String>, Error> {
    // Copies move whole buffers: only kernels have bounds.
    let is_guarded = job.runs_kernel();
    // No kernel binds the buffers that flush the caches.
    let has_guard =
        |buffer: &&mut JobBuffer| !buffer.is_uniform && buffer.texture().is_none() && !buffer.name.starts_with("flush");
    for buffer in job.buffers.iter_mut().filter(|buffer| is_guarded && has_guard(buffer)) {
        buffer.bytes += GUARD;
    }
    pollster::block_on(async {
        let mut prepared = backend.prepare(job).await?;
        prepared.poison().await?;
        prepared.sample(2).await?;
        if let Some(mismatch) = verify(prepared.as_mut(), job, 7).await? {
            return Ok(Some(mismatch.to_string()));
        }
        for index in 0..if is_guarded { job.buffers.len() } else { 0 } {
            if let Some(touched) = guard_touched(prepared.as_mut(), job, index).await? {
                return Ok(Some(touched));
            }
        }
        Ok(None)
    })
}

async fn guard_touched(prepared: &mut dyn Prepared, job: &Job, index: usize) -> Result<Option<String>, Error> {
    let spec = &job.buffers[index];
    let is_restored = job.steps.iter().any(|step| matches!(step, gpu::job::Step::Restore { to, .. } if *to == index));
    let is_cleared = job.steps.contains(&gpu::job::Step::Clear(index));
    if !matches!(spec.contents, Contents::Poison | Contents::PoisonF32 | Contents::Clock) || is_restored || is_cleared {
        return Ok(None);
    }
    let mut all = Vec::new();
    prepared.read(index, spec.bytes, &mut |_, bytes| all.extend_from_slice(bytes)).await?;
    let guard = &all[(spec.bytes - GUARD) as usize..];
    let touched = guard.chunks_exact(4).position(|word| word != POISON.to_le_bytes());
    Ok(touched.map(|word| format!("word {word} beyond '{}' was written", spec.name)))
}

/// `dtype`, or f32 in place of a type that few devices have. A kernel without `T`, and some with it, keep their types.
pub fn common_dtype(benchmark: &Benchmark, dtype: Dtype) -> Dtype {
    let common = Shape::new(in_f32(dtype), Extent::Linear(1), BTreeMap::new());
    let has_type = benchmark.wgsl.contains("alias T =") || benchmark.wgsl.is_empty();
    if has_type && (benchmark.unsupported)(&common).is_none() { common.dtype } else { dtype }
}

/// One small case of each WGSL kernel, in a type that every device has if the kernel supports one.
pub fn one_case_each() -> Vec<Case> {
    let sizes = ["1000", "33x70", "17x33x65", "3x256"].map(|size| Extent::parse(size).expect("a size"));
    let request = Request { sizes: sizes.to_vec(), ..Request::new(Vec::new(), Profile::Standard) };
    let mut seen = BTreeSet::new();
    let is_first = |case: &Case| {
        case.benchmark.only_cuda.is_none()
            && (case.benchmark.unsupported)(&case.shape).is_none()
            && seen.insert(case.name())
    };
    let small = |case: Case| {
        let dtype = common_dtype(case.benchmark, case.shape.dtype);
        // Plans keep the ceilings' own sizes, which take a CPU minutes.
        let least = case.benchmark.small.filter(|_| case.family.name == "ceiling");
        let shape = Shape::new(dtype, least.unwrap_or(case.shape.extent), case.shape.params);
        Case::new(case.family, case.benchmark, shape)
    };
    plan(&request).expect("a plan").into_iter().filter(is_first).map(small).collect()
}

fn in_f32(dtype: Dtype) -> Dtype {
    match dtype {
        Dtype::F64 | Dtype::F16 => Dtype::F32,
        Dtype::Vec2F16 => Dtype::Vec2F32,
        dtype => dtype,
    }
}

/// A test per family, which calls `$function` (in parallel: compilation takes one core), and a test that none is
/// missing.
macro_rules! each_family {
    ($(#[$attribute:meta])* $function:ident) => {
        crate::device::each_family!(
            $(#[$attribute])* $function: atomics, attention, bank_conflict, barrier, cache_curve, ceiling, coalescing, fft, gemv, histogram,
            host_cost, matmul, memory_spaces, pitched, radix_sort, rates, reduction, rmsnorm, roofline, safety_tax, scan, softmax, spmv, stencil,
            stream, sum_of_cubes, texture, transfer, transpose, workgroup_memory
        );
    };
    ($(#[$attribute:meta])* $function:ident: $($family:ident),*) => {
        crate::device::each_family!(@ [$(#[$attribute])*] $function: $($family),*);

        #[test]
        fn no_family_is_missing() {
            let mut all: Vec<&str> = kernels::FAMILIES.iter().map(|family| family.name).collect();
            all.sort_unstable();
            assert_eq!(all, [$(stringify!($family)),*], "add the family to tests/suite/device.rs");
        }
    };
    (@ $attributes:tt $function:ident: $($family:ident),*) => {
        $(crate::device::each_family!(@@ $attributes $function $family);)*
    };
    (@@ [$(#[$attribute:meta])*] $function:ident $family:ident) => {
            #[test]
            $(#[$attribute])*
            fn $family() {
                $function(stringify!($family));
            }
    };
}
pub(crate) use each_family;
