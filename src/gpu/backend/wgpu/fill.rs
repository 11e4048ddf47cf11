//! Fills random inputs on the device: the host needs a tenth of a second per gigabyte, while a GPU's clock falls.
//!
//! At its first use, the kernel draws elements of every kind. If any differs from the host's, the host writes all
//! inputs. Besides, every result is compared with one that the host computes from its own elements.

use super::gpu::Gpu;
use crate::backend::ALIGNMENT;
use crate::job::{Contents, JobBuffer};
use record::error::Result;
use record::suite::Scalar;
use record::suite::input::{Draw, Input, Scaled, Values};

const KERNEL: &str = include_str!("fill.wgsl");

/// Smallest buffer in bytes that the device fills: for smaller ones, writing takes less time than submitting.
const LEAST: u64 = 1 << 19;

/// Most bytes of a dispatch, whose element positions are 32-bit.
const MOST: u64 = 1 << 30;

/// Invocations per workgroup, as in the kernel.
const INVOCATIONS: u64 = 256;

/// Bytes written per invocation.
const EACH: u64 = 16;

/// Most workgroups in a row of the grid.
const ROW: u64 = 1 << 15;

/// The rule for a buffer's elements, if the device can draw them.
fn drawn(spec: &JobBuffer) -> Option<Draw> {
    let contents = match &spec.contents {
        Contents::Of(_, contents) => contents.as_ref(),
        contents => contents,
    };
    let Contents::Input(values) = contents else { return None };
    let is_bound = !spec.is_uniform && !spec.is_staging && spec.mapping.is_none();
    // Rows are counted in 32 bits.
    let is_countable = |draw: &Draw| draw.row == 0 || spec.bytes / spec.scalar.bytes() as u64 <= u64::from(u32::MAX);
    spec.input(*values).draw(spec.scalar).filter(|draw| is_bound && spec.bytes >= LEAST && is_countable(draw))
}

impl Gpu {
    /// Fills the buffer from `spec` by a kernel, in queue order, without waiting. Returns whether it could.
    pub(super) async fn draw_contents(&self, spec: &JobBuffer, buffer: &wgpu::Buffer) -> Result<bool> {
        let Some(draw) = drawn(spec) else { return Ok(false) };
        if self.filler.get().is_none() {
            let checked = self.checked_filler(KERNEL).await?;
            let _ = self.filler.set(checked);
        }
        let Some(Some(pipeline)) = self.filler.get() else { return Ok(false) };
        self.submit_draw(pipeline, draw, spec.scalar, buffer, spec.bytes);
        Ok(true)
    }

    fn submit_draw(
        &self,
        pipeline: &wgpu::ComputePipeline,
        draw: Draw,
        scalar: Scalar,
        buffer: &wgpu::Buffer,
        bytes: u64,
    ) {
        let limit = self.device.limits().max_storage_buffer_binding_size;
        // A binding starts at a multiple of 256 bytes.
        let piece = MOST.min(limit & !255);
        let mut encoder = self.encoder();
        for start in (0..bytes).step_by(piece as usize) {
            let length = (bytes - start).min(piece);
            let groups = length.div_ceil(EACH * INVOCATIONS);
            let columns = groups.min(ROW);
            let first = start / scalar.bytes() as u64;
            let position = draw.position.wrapping_add(first);
            let words = [
                position as u32,
                (position >> 32) as u32,
                draw.key,
                draw.kind as u32,
                encoding(scalar),
                (columns * INVOCATIONS) as u32,
                first as u32,
                u32::try_from(draw.row).unwrap_or(u32::MAX),
                draw.row_key,
                draw.most,
                0,
                0,
            ];
            let uniform = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("draw"),
                size: ALIGNMENT,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            self.queue.write_buffer(&uniform, 0, bytemuck::cast_slice(&words));
            let target = wgpu::BufferBinding { buffer, offset: start, size: std::num::NonZeroU64::new(length) };
            let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("draw"),
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[
                    wgpu::BindGroupEntry { binding: 0, resource: uniform.as_entire_binding() },
                    wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Buffer(target) },
                ],
            });
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(columns as u32, groups.div_ceil(columns) as u32, 1);
        }
        self.queue.submit([encoder.finish()]);
    }

    /// The kernel; `None` if it does not compile or draws any element differently from the host.
    async fn checked_filler(&self, kernel: &str) -> Result<Option<wgpu::ComputePipeline>> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("fill"),
            source: wgpu::ShaderSource::Wgsl(kernel.into()),
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("fill"),
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        if scope.pop().await.is_some() {
            return Ok(None);
        }
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("fill check"),
            size: SAMPLE,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut is_right = true;
        for (input, scalar) in samples() {
            let Some(draw) = input.draw(scalar) else { continue };
            self.poison(&buffer, 0..buffer.size());
            self.submit_draw(&pipeline, draw, scalar, &buffer, SAMPLE);
            let mut compare = |offset: u64, bytes: &[u8]| {
                let mut drawn = vec![0; bytes.len()];
                input.encode(scalar, offset / scalar.bytes() as u64, &mut drawn);
                is_right &= drawn == bytes;
            };
            self.read(&buffer, 0..SAMPLE, &mut compare).await?;
        }
        Ok(is_right.then_some(pipeline))
    }
}

/// Bytes drawn per kind for the check.
const SAMPLE: u64 = 1 << 16;

/// Inputs of every kind, from several streams. Inputs with `across` cross 2^32 within the sample.
fn samples() -> impl Iterator<Item = (Input, Scalar)> {
    let across = (1 << 32) - 1001;
    let kinds = [
        Values::Wide,
        Values::Summable,
        Values::Signs,
        Values::Digits,
        Values::SummableFrom(across),
        Values::WideFrom(across),
        Values::Signed,
        Values::SignedFrom(across),
        Values::Any,
        Values::Scaled(Scaled { most: 127, row: 77, first: across }),
        Values::Scaled(Scaled { most: 7, row: Scaled::ONE_ROW, first: 9 }),
        Values::LogitRows(77),
        Values::SortKeys(9001),
        Values::SortKeys(1 << 20),
        Values::Queries(128),
        Values::AttentionKeys(77),
    ];
    let inputs = kinds
        .into_iter()
        .zip([0, 1, 2, 7, 63, 1 << 33, 3, 4, 6, 8, 9, 10, 11, 12, 13, 14])
        .map(|(values, stream)| values.of(stream));
    inputs.flat_map(|input| [Scalar::U32, Scalar::F32, Scalar::F16].map(|scalar| (input, scalar)))
}

/// The number of a type in `fill.wgsl`.
const fn encoding(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::U32 => 0,
        Scalar::F32 => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::wgpu::{Timeouts, adapters};
    use record::error::Error;

    fn gpu() -> Option<Gpu> {
        let mut adapter = pollster::block_on(adapters(None)).into_iter().next()?;
        // Small, so that a buffer needs several dispatches.
        adapter.device.max_binding_bytes = 1 << 20;
        Some(pollster::block_on(Gpu::open(&adapter, Timeouts::DEFAULT)).expect("the device opens"))
    }

    #[test]
    fn the_device_draws_what_the_host_draws_in_every_dispatch_and_no_more() {
        let Some(gpu) = gpu() else {
            eprintln!("SKIPPED: there is no device");
            return;
        };
        const BYTES: u64 = (3 << 20) + 48;
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: BYTES + 64,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        for (input, scalar) in samples() {
            if input.draw(scalar).is_none() {
                continue;
            }
            let spec = JobBuffer {
                name: "input",
                scalar,
                bytes: BYTES,
                told_bytes: BYTES,
                guard: 0,
                contents: Contents::Input(input.values),
                stream: input.stream,
                significands: input.significands,
                is_written: false,
                is_uniform: false,
                is_indirect: false,
                mapping: None,
                is_staging: false,
            };
            let (mut own, mut read) = (vec![0; BYTES as usize], Vec::new());
            spec.fill(0, &mut own);
            own.extend(crate::job::POISON.to_le_bytes().repeat(16));
            let result = pollster::block_on(async {
                gpu.poison(&buffer, 0..buffer.size());
                assert!(gpu.draw_contents(&spec, &buffer).await?, "{input:?}: the host must fill it");
                gpu.read(&buffer, 0..BYTES + 64, &mut |_, bytes| read.extend_from_slice(bytes)).await?;
                Ok::<_, Error>(())
            });
            result.expect("the device runs");
            assert!(own == read, "{input:?} of {scalar:?}");
        }
    }

    #[test]
    fn a_device_that_draws_other_elements_is_not_used() {
        let Some(gpu) = gpu() else {
            eprintln!("SKIPPED: there is no device");
            return;
        };
        let is_used = |from: &str, to: &str| {
            assert!(KERNEL.contains(from), "{from}");
            pollster::block_on(gpu.checked_filler(&KERNEL.replacen(from, to, 1))).expect("the device runs").is_some()
        };
        assert!(is_used("draw.key", "draw.key"));
        for (from, to) in [
            ("x ^= x >> 15u", "x ^= x >> 14u"),
            ("select(0u, 1u, low < element)", "0u"),
            ("draw.low + element", "element"),
            ("high * 0x9e3779b9u", "high"),
            ("(random & 1u) == 1u", "(random & 2u) == 2u"),
            ("(random >> 8u) | 1u", "random >> 8u"),
            ("random & 2u", "random & 4u"),
            ("-fraction(random)", "fraction(random)"),
            ("<< 15u, draw.kind", "<< 14u, draw.kind"),
            ("* 9u", "* 8u"),
            ("summable(random) * (1.0 / 128.0)", "summable(random) * (1.0 / 64.0)"),
            ("+ (low >> 16u)", ""),
            ("max(random_at(index), 1u)", "random_at(index) + 1u"),
            ("(draw.first + element) / draw.columns", "element / (draw.columns + 1u)"),
            ("+ 101u", "+ 102u"),
            ("* most) >> 16u", "* 127u) >> 16u"),
            ("+ 8.0 * summable", "+ 4.0 * summable"),
            ("* 254u", "* 253u"),
            ("* 30u", "* 29u"),
            ("index >> 8u", "index >> 9u"),
            ("choice == 5u", "choice == 6u"),
            ("(1u << 20u)", "(1u << 21u)"),
            ("& 4095u", "& 2047u"),
            ("index >= draw.columns", "index + 300u >= draw.columns"),
            ("2u * index + 1u", "2u * index"),
            ("@workgroup_size(256)", "@workgroup_size(256"),
            ("4u * at + 3u", "4u * at + 2u"),
        ] {
            assert!(!is_used(from, to), "{from} as {to}");
        }
    }
}
