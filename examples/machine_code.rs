//! The machine code of the suite's kernels from the compilers of both APIs. Run with
//! `cargo run --release --example machine_code -- DIRECTORY FILTER…` on a machine with an NVIDIA GPU.
//!
//! For every kernel of the `thorough` plan that a filter names, once for each element type, it writes
//! `NAME.vulkan.sass` (from the pipeline cache of the Vulkan driver) and `NAME.cuda.cubin` (from NVRTC). The first is
//! raw machine code: disassemble it with `nvdisasm --binary SM90` (or your GPU's generation), the second with
//! `nvdisasm`.
//!
//! NVIDIA does not document the format of its pipeline cache. This is the format of driver 580: after the headers of
//! wgpu and Vulkan follows a Zstandard frame. It has a section whose size is at byte 0x4c and whose start is at byte
//! 0x50; the section has eight bytes before the first instruction. A cache of any other format is written unchanged.

use std::error::Error;
use std::io::Read as _;
use std::path::Path;

use shaderbench::engine::plan::{Request, plan};
use shaderbench::job::{Job, Kernel, Language};
use shaderbench::suite::Profile;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or("usage: machine_code DIRECTORY FILTER…")?;
    let directory = Path::new(&directory);
    std::fs::create_dir_all(directory)?;
    let filters: Vec<String> = arguments.collect();
    let (device, name) = pollster::block_on(device())?;
    println!("{name}");
    #[cfg(feature = "cuda")]
    let nvrtc = nvrtc().inspect_err(|error| println!("without CUDA twins: {error}")).ok();
    let request = Request::new(filters.clone(), Profile::Thorough);
    let mut written = std::collections::BTreeSet::new();
    for case in plan(&request)? {
        // A plan includes the ceilings of its cases.
        let is_named = filters.is_empty() || filters.iter().any(|filter| case.name().contains(filter.as_str()));
        let params = case.params_text().replace(';', ",");
        let stem = format!("{} {} {params}", case.name().replace('/', "."), case.shape.dtype.name());
        let Ok(job) = Job::new(&case) else { continue };
        if !is_named || job.kernel.is_empty() || !written.insert(job.kernel.hash(Language::Wgsl)) {
            continue;
        }
        let path = |end: &str| directory.join(format!("{}.{end}", stem.trim_end()));
        if !job.kernel.source.is_empty() {
            match pollster::block_on(cache(&device, &job.kernel)) {
                Ok(cache) => match instructions(&cache) {
                    Some(code) => std::fs::write(path("vulkan.sass"), code)?,
                    None => std::fs::write(path("vulkan.cache"), cache)?,
                },
                Err(error) => println!("{stem}: {error}"),
            }
        }
        #[cfg(feature = "cuda")]
        if let Some((compiler, target)) = &nvrtc
            && !job.kernel.cuda.is_empty()
        {
            std::fs::write(path("cuda.cubin"), compiler.compile(&job.kernel.cuda, target)?.image)?;
        }
    }
    println!("{} kernels", written.len());
    Ok(())
}

/// NVRTC and its target: without a device, the architecture of the committed reports.
#[cfg(feature = "cuda")]
fn nvrtc() -> shaderbench::error::Result<(shaderbench::backend::cuda::Compiler, String)> {
    use shaderbench::backend::cuda::{Compiler, devices};
    let compiler = Compiler::find(&[])?;
    let target = compiler.target(devices().map_or(90, |found| found[0].capability))?;
    Ok((compiler, target))
}

/// The first device that wgpu finds, with the features of the suite's kernels.
async fn device() -> Result<(wgpu::Device, String), Box<dyn Error>> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await?;
    let wanted = wgpu::Features::PIPELINE_CACHE
        | wgpu::Features::SUBGROUP
        | wgpu::Features::SHADER_F16
        | wgpu::Features::SHADER_F64
        | wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX;
    #[expect(unsafe_code, reason = "cooperative matrices are an experimental feature of wgpu")]
    let descriptor = wgpu::DeviceDescriptor {
        required_features: adapter.features() & wanted,
        required_limits: adapter.limits(),
        // SAFETY: no kernel runs on this device.
        experimental_features: unsafe { wgpu::ExperimentalFeatures::enabled() },
        ..Default::default()
    };
    let (device, _) = adapter.request_device(&descriptor).await?;
    Ok((device, adapter.get_info().name))
}

/// The pipeline cache after the compilation of one kernel without run-time checks.
#[expect(unsafe_code, reason = "an unchecked kernel and a pipeline cache need unsafe calls")]
async fn cache(device: &wgpu::Device, kernel: &Kernel) -> Result<Vec<u8>, Box<dyn Error>> {
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let source = wgpu::ShaderSource::Wgsl(kernel.source.as_str().into());
    let descriptor = wgpu::ShaderModuleDescriptor { label: None, source };
    // SAFETY: the kernel never runs.
    let module = unsafe { device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked()) };
    // SAFETY: there is no initial data.
    let cache = unsafe {
        device.create_pipeline_cache(&wgpu::PipelineCacheDescriptor { label: None, data: None, fallback: true })
    };
    let constants: Vec<_> = kernel.constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let _pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &constants,
            zero_initialize_workgroup_memory: false,
        },
        cache: Some(&cache),
    });
    match scope.pop().await {
        Some(error) => Err(error.to_string().split_whitespace().collect::<Vec<_>>().join(" ").into()),
        None => cache.get_data().ok_or_else(|| "the driver has no pipeline cache".into()),
    }
}

/// The instructions in a pipeline cache of the format above.
fn instructions(cache: &[u8]) -> Option<Vec<u8>> {
    const FRAME: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
    let start = cache.windows(4).position(|bytes| bytes == FRAME)?;
    let mut entry = Vec::new();
    ruzstd::decoding::StreamingDecoder::new(&cache[start..]).ok()?.read_to_end(&mut entry).ok()?;
    let word = |at: usize| Some(u32::from_le_bytes(*entry.get(at..)?.first_chunk()?) as usize);
    let (bytes, offset) = (word(0x4c)?, word(0x50)?);
    let is_nvidia = entry.starts_with(b"NVDANVVM") && bytes > 8;
    // Instructions have 16 bytes.
    let length = bytes.checked_sub(8)? / 16 * 16;
    is_nvidia.then(|| entry.get(offset + 8..offset + 8 + length).map(<[u8]>::to_vec))?
}
