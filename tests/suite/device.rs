//! A real device to run kernels on, and what is wrong with what they wrote. Without any Vulkan, Metal, DirectX 12 or OpenGL device
//! tests skip, and say so.

#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    unreachable_pub,
    reason = "each test program that includes this file uses its own part"
)]

use shaderbench::backend::wgpu::{Adapter, Timeouts, WgpuBackend, adapters};
use shaderbench::backend::{Backend, Prepared};
use shaderbench::engine::verify::verify;
use shaderbench::error::Error;
use shaderbench::families::FAMILIES;
use shaderbench::job::{Contents, Job, POISON};
use shaderbench::suite::{Benchmark, Dtype, Family};

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

/// A CUDA device, where there are one and its compiler.
#[cfg(feature = "cuda")]
pub fn cuda() -> Option<shaderbench::backend::cuda::CudaBackend> {
    use shaderbench::backend::cuda::{CudaBackend, devices};
    // Under a tool that watches every access kernels take a thousand times as long.
    let patience = if std::env::var_os("SHADERBENCH_ONLY").is_some() {
        30 * Timeouts::DEFAULT.idle
    } else {
        Timeouts::DEFAULT.idle
    };
    let opened = devices().and_then(|mut found| CudaBackend::open(found.swap_remove(0), patience));
    opened.inspect_err(|error| eprintln!("SKIPPED: {error}")).ok()
}

/// Bytes beyond every buffer that no kernel may touch: inputs go on with values that would spoil a result, outputs with poison.
const GUARD: u64 = 4096;

/// Runs a case once, twice in a submission; gives what is wrong with what it wrote, or with what it should not have written.
pub fn fault(backend: &mut dyn Backend, job: &mut Job) -> Result<Option<String>, Error> {
    // A copy moves whole buffers: only kernels have bounds to keep.
    let is_guarded = job.runs_kernel();
    for buffer in job.buffers.iter_mut().filter(|buffer| is_guarded && !buffer.is_uniform && buffer.texture().is_none())
    {
        buffer.bytes += GUARD;
    }
    pollster::block_on(async {
        let mut prepared = backend.prepare(job).await?;
        prepared.poison().await?;
        prepared.sample(2).await?;
        if let Some(mismatch) = verify(prepared.as_mut(), job).await? {
            return Ok(Some(mismatch.to_string()));
        }
        for place in 0..if is_guarded { job.buffers.len() } else { 0 } {
            if let Some(touched) = guard_touched(prepared.as_mut(), job, place).await? {
                return Ok(Some(touched));
            }
        }
        Ok(None)
    })
}

async fn guard_touched(prepared: &mut dyn Prepared, job: &Job, place: usize) -> Result<Option<String>, Error> {
    let spec = &job.buffers[place];
    let is_restored =
        job.steps.iter().any(|step| matches!(step, shaderbench::job::Step::Restore { to, .. } if *to == place));
    let is_cleared = job.steps.contains(&shaderbench::job::Step::Clear(place));
    if !matches!(spec.contents, Contents::Poison | Contents::PoisonF32 | Contents::Clock) || is_restored || is_cleared {
        return Ok(None);
    }
    let mut all = Vec::new();
    prepared.read(place, spec.bytes, &mut |_, bytes| all.extend_from_slice(bytes)).await?;
    let guard = &all[(spec.bytes - GUARD) as usize..];
    let touched = guard.chunks_exact(4).position(|word| word != POISON.to_le_bytes());
    Ok(touched.map(|word| format!("word {word} beyond '{}' was written", spec.name)))
}

/// The type that every device has in place of one that few have. Kernels that have no `T` are written for their own.
pub fn stand_in(benchmark: &Benchmark, dtype: Dtype) -> Dtype {
    if benchmark.wgsl.contains("alias T =") || benchmark.wgsl.is_empty() { in_f32(dtype) } else { dtype }
}

fn in_f32(dtype: Dtype) -> Dtype {
    match dtype {
        Dtype::F64 | Dtype::F16 => Dtype::F32,
        Dtype::Vec2F16 => Dtype::Vec2F32,
        dtype => dtype,
    }
}

pub fn find(name: &str) -> (&'static Family, &'static Benchmark) {
    FAMILIES
        .iter()
        .flat_map(|family| family.benchmarks.iter().map(move |benchmark| (*family, benchmark)))
        .find(|(family, benchmark)| format!("{}/{}", family.name, benchmark.name) == name)
        .expect("a benchmark of that name")
}

pub fn family(name: &str) -> &'static Family {
    FAMILIES.iter().find(|family| family.name == name).expect("a family of that name")
}

/// A test for each family, which calls a function with its name; and one that no family is left out.
macro_rules! each_family {
    ($hold:ident) => {
        crate::device::each_family!(
            $hold: atomics, bank_conflict, barrier, cache_curve, ceiling, coalescing, histogram, matmul, memory_spaces, pitched,
            reduction, roofline, safety_tax, scan, stream, sum_of_cubes, texture, transfer, transpose, workgroup_memory
        );
    };
    ($hold:ident: $($family:ident),*) => {
        $(
            #[test]
            fn $family() {
                $hold(stringify!($family));
            }
        )*

        #[test]
        fn no_family_is_left_out() {
            let mut all: Vec<&str> = shaderbench::families::FAMILIES.iter().map(|family| family.name).collect();
            all.sort_unstable();
            assert_eq!(all, [$(stringify!($family)),*], "name it in tests/suite/device.rs");
        }
    };
}
pub(crate) use each_family;
