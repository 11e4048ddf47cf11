//! A wgpu device: submissions that are waited for, and what travels between it and the host.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_channel::oneshot;

use super::Patience;
use super::adapter::{self, Adapter};
use super::platform::{self, PIECE};
use crate::error::{Error, Result};
use crate::job::{Buffer, Format, Texture};

/// Device, queue, and what went wrong on them since somebody looked.
#[derive(Clone)]
pub(super) struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) patience: Patience,
    trouble: Arc<Mutex<Option<Error>>>,
    is_lost: Arc<AtomicBool>,
    /// A piece of [`crate::job::POISON`] to copy from.
    poison: wgpu::Buffer,
    /// Host-visible memory through which large buffers travel, made once: its pages cost more to touch first than to fill.
    upload: wgpu::Buffer,
    readback: [wgpu::Buffer; 2],
}

impl Gpu {
    pub(super) async fn open(adapter: &Adapter, patience: Patience) -> Result<Self> {
        let required_features = adapter::wanted_features(&adapter.inner);
        let experimental_features = if required_features.intersects(wgpu::Features::all_experimental_mask()) {
            #[expect(unsafe_code, reason = "cooperative matrices are an experiment of wgpu's")]
            // SAFETY: the one that is asked for is used by the suite's own kernels alone, in shapes and types that the adapter says it
            // has; their loads and stores lie within their buffers, which tests hold between guard zones.
            unsafe {
                wgpu::ExperimentalFeatures::enabled()
            }
        } else {
            wgpu::ExperimentalFeatures::disabled()
        };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("shaderbench"),
            required_features,
            experimental_features,
            required_limits: adapter.inner.limits(),
            memory_hints: wgpu::MemoryHints::MemoryUsage,
            ..Default::default()
        };
        let (device, queue) = adapter.inner.request_device(&descriptor).await.map_err(|error| {
            Error::NoDevice(format!("{} ({}) cannot be opened: {error}", adapter.device.name, adapter.device.api))
        })?;
        let trouble = Arc::new(Mutex::new(None));
        let on_error = Arc::clone(&trouble);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let text = one_line(&error.to_string());
            let error = match error {
                wgpu::Error::OutOfMemory { .. } => Error::OutOfMemory(text),
                _ => Error::Validation(text),
            };
            on_error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }));
        let is_lost = Arc::new(AtomicBool::new(false));
        let (on_loss, loss) = (Arc::clone(&trouble), Arc::clone(&is_lost));
        device.set_device_lost_callback(move |reason, message| {
            loss.store(true, Ordering::Relaxed);
            let error = Error::Lost(one_line(&format!("{reason:?}: {message}")));
            *on_loss.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        });
        let buffer = |label, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: PIECE,
                usage,
                mapped_at_creation: false,
            })
        };
        let poison = buffer("poison", wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST);
        let upload = buffer("upload", wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC);
        let readback = ["readback", "readback"]
            .map(|label| buffer(label, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST));
        queue.write_buffer(&poison, 0, &crate::job::POISON.to_le_bytes().repeat(poison.size() as usize / 4));
        Ok(Self { device, queue, patience, trouble, is_lost, poison, upload, readback })
    }

    /// Gives what went wrong, if anything did.
    pub(super) fn check(&self) -> Result<()> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    pub(super) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }

    /// Submits and waits until the device is done.
    pub(super) async fn run(&self, encoder: wgpu::CommandEncoder) -> Result<()> {
        self.wait(self.queue.submit([encoder.finish()])).await
    }

    pub(super) async fn wait(&self, submission: wgpu::SubmissionIndex) -> Result<()> {
        let (done, is_done) = oneshot::channel();
        self.queue.on_submitted_work_done(move || {
            let _ = done.send(());
        });
        let polled = platform::poll(&self.device, Some(&submission), self.patience);
        self.check()?;
        polled?;
        platform::answer(is_done, self.patience).await?;
        self.check()
    }

    pub(super) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Uploads what `spec` starts with, piece by piece.
    pub(super) async fn fill(&self, spec: &Buffer, buffer: &wgpu::Buffer) -> Result<()> {
        for offset in (0..spec.bytes).step_by(PIECE as usize) {
            let bytes = (spec.bytes - offset).min(PIECE);
            self.map(&self.upload, wgpu::MapMode::Write, bytes).await?;
            pour(spec, offset, &self.upload, 0..bytes)?;
            self.upload.unmap();
            self.run(self.copied(&self.upload, 0, buffer, offset, bytes)).await?;
        }
        Ok(())
    }

    pub(super) fn texture(&self, label: &str, texture: &Texture) -> wgpu::Texture {
        let side = |length: u64| u32::try_from(length).unwrap_or(u32::MAX);
        self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: wgpu::Extent3d { width: side(texture.width), height: side(texture.height), depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: match texture.format {
                Format::Rgba8Unorm => wgpu::TextureFormat::Rgba8Unorm,
                Format::R32Uint => wgpu::TextureFormat::R32Uint,
                Format::Rgba32Uint => wgpu::TextureFormat::Rgba32Uint,
            },
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        })
    }

    /// Uploads what `spec` starts with through the queue's own staging; in queue order, not waited for.
    pub(super) fn fill_texture(&self, spec: &Buffer, texture: &wgpu::Texture) -> Result<()> {
        let Some(shape) = spec.texture() else { return Ok(()) };
        let row = shape.width * shape.format.bytes();
        // Whole rows, whose bytes are a multiple of the 16 that contents come in.
        let rows = (PIECE / row).max(4) / 4 * 4;
        for first in (0..shape.height).step_by(rows as usize) {
            let rows = rows.min(shape.height - first);
            let mut bytes = vec![0; (rows * row).next_multiple_of(16) as usize];
            spec.fill(first * row, &mut bytes);
            let layout =
                wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row as u32), rows_per_image: None };
            let size = wgpu::Extent3d { width: texture.width(), height: rows as u32, depth_or_array_layers: 1 };
            self.queue.write_texture(texture_at(texture, first), &bytes[..(rows * row) as usize], layout, size);
        }
        Ok(())
    }

    /// Hands the first `bytes` of a texture's texels to `sink`, row by row as the host sees them.
    pub(super) async fn read_texture(
        &self,
        spec: &Buffer,
        texture: &wgpu::Texture,
        bytes: u64,
        sink: &mut dyn FnMut(u64, &[u8]),
    ) -> Result<()> {
        let Some(shape) = spec.texture() else { return Ok(()) };
        let (row, pitch) = (shape.width * shape.format.bytes(), shape.pitch());
        let rows = (PIECE / pitch).max(1);
        for first in (0..bytes.div_ceil(row)).step_by(rows as usize) {
            let rows = rows.min(shape.height - first);
            let mut encoder = self.encoder();
            let layout =
                wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(pitch as u32), rows_per_image: None };
            let size = wgpu::Extent3d { width: texture.width(), height: rows as u32, depth_or_array_layers: 1 };
            let to = wgpu::TexelCopyBufferInfo { buffer: &self.readback[0], layout };
            encoder.copy_texture_to_buffer(texture_at(texture, first), to, size);
            self.run(encoder).await?;
            let mut packed = Vec::with_capacity((rows * row) as usize);
            self.look(&self.readback[0], rows * pitch, |view| {
                view.chunks(pitch as usize).for_each(|padded| packed.extend_from_slice(&padded[..row as usize]));
            })
            .await?;
            packed.truncate((bytes - first * row) as usize);
            sink(first * row, &packed);
        }
        Ok(())
    }

    /// Copies `bytes` to the front of `buffer` through the mapped staging buffer, piece by piece, and waits for each.
    pub(super) async fn send(&self, bytes: &[u8], buffer: &wgpu::Buffer) -> Result<()> {
        for (number, piece) in bytes.chunks(PIECE as usize).enumerate() {
            self.put(piece, &self.upload).await?;
            self.run(self.copied(&self.upload, 0, buffer, number as u64 * PIECE, piece.len() as u64)).await?;
        }
        Ok(())
    }

    /// Writes what `spec` starts with to a host-visible buffer, piece by piece.
    pub(super) async fn fill_mapped(&self, spec: &Buffer, buffer: &wgpu::Buffer) -> Result<()> {
        self.map(buffer, wgpu::MapMode::Write, spec.bytes).await?;
        for offset in (0..spec.bytes).step_by(PIECE as usize) {
            pour(spec, offset, buffer, offset..spec.bytes.min(offset + PIECE))?;
        }
        buffer.unmap();
        Ok(())
    }

    /// Writes `bytes`, a multiple of 8 of them, to the front of a host-visible buffer, which no submission in flight uses.
    pub(super) async fn put(&self, bytes: &[u8], buffer: &wgpu::Buffer) -> Result<()> {
        let length = bytes.len() as u64;
        self.map(buffer, wgpu::MapMode::Write, length).await?;
        let mut view = buffer.get_mapped_range_mut(..length).map_err(|error| unmappable(&error.to_string()))?;
        view.copy_from_slice(bytes);
        drop(view);
        buffer.unmap();
        Ok(())
    }

    fn copied(&self, from: &wgpu::Buffer, at: u64, to: &wgpu::Buffer, offset: u64, bytes: u64) -> wgpu::CommandEncoder {
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(from, at, to, offset, bytes);
        encoder
    }

    /// Hands the first `bytes` of `buffer` to `sink`, piece by piece: the next one is under way meanwhile.
    pub(super) async fn read(&self, buffer: &wgpu::Buffer, bytes: u64, sink: &mut dyn FnMut(u64, &[u8])) -> Result<()> {
        let start = |offset: u64| {
            let [even, odd] = &self.readback;
            let to = if (offset / PIECE).is_multiple_of(2) { even } else { odd };
            let piece = (bytes - offset).min(PIECE);
            let copied = self.copied(buffer, offset, to, 0, piece.next_multiple_of(4));
            (offset, to, piece, self.queue.submit([copied.finish()]))
        };
        let mut under_way = (bytes > 0).then(|| start(0));
        while let Some((offset, from, piece, submission)) = under_way {
            self.wait(submission).await?;
            // Mapping waits for everything that is under way: before there is more.
            self.map(from, wgpu::MapMode::Read, piece.next_multiple_of(8)).await?;
            under_way = (offset + PIECE < bytes).then(|| start(offset + PIECE));
            show(from, piece, |view| sink(offset, view))?;
        }
        Ok(())
    }

    /// Hands the first `bytes` of a host-visible buffer, which no submission in flight writes, to `eye`.
    pub(super) async fn look(&self, buffer: &wgpu::Buffer, bytes: u64, eye: impl FnOnce(&[u8])) -> Result<()> {
        self.map(buffer, wgpu::MapMode::Read, bytes.next_multiple_of(8)).await?;
        show(buffer, bytes, eye)
    }

    async fn map(&self, buffer: &wgpu::Buffer, mode: wgpu::MapMode, bytes: u64) -> Result<()> {
        let (mapped, is_mapped) = oneshot::channel();
        buffer.map_async(mode, ..bytes, move |result| {
            let _ = mapped.send(result);
        });
        let polled = platform::poll(&self.device, None, self.patience);
        self.check()?;
        polled?;
        let mapped = platform::answer(is_mapped, self.patience).await?;
        self.check()?;
        mapped.map_err(|error| unmappable(&error.to_string()))
    }

    /// Covers `buffer` with poison; in queue order, not waited for.
    pub(super) fn poison(&self, buffer: &wgpu::Buffer) {
        let mut encoder = self.encoder();
        for offset in (0..buffer.size()).step_by(self.poison.size() as usize) {
            let bytes = (buffer.size() - offset).min(self.poison.size());
            encoder.copy_buffer_to_buffer(&self.poison, 0, buffer, offset, bytes);
        }
        self.queue.submit([encoder.finish()]);
    }
}

/// A texture from row `row` on, for a copy.
pub(super) fn texture_at(texture: &wgpu::Texture, row: u64) -> wgpu::TexelCopyTextureInfo<'_> {
    wgpu::TexelCopyTextureInfo {
        texture,
        mip_level: 0,
        origin: wgpu::Origin3d { x: 0, y: row as u32, z: 0 },
        aspect: wgpu::TextureAspect::All,
    }
}

/// Writes what `spec` holds from byte `first` on to the range `to` of a mapped buffer: view by view, which are small enough to stay in a cache
/// on their way.
fn pour(spec: &Buffer, first: u64, buffer: &wgpu::Buffer, to: Range<u64>) -> Result<()> {
    const VIEW: u64 = 1 << 18;
    let views = to.clone().step_by(VIEW as usize).map(|at| {
        let view = buffer.get_mapped_range_mut(at..to.end.min(at + VIEW));
        Ok((first + at - to.start, view.map_err(|error| unmappable(&error.to_string()))?))
    });
    platform::write_views(views.collect::<Result<_>>()?, |offset, bytes| spec.fill(offset, bytes));
    Ok(())
}

/// Hands the first `bytes` of a mapped buffer to `eye`, and unmaps it.
fn show(buffer: &wgpu::Buffer, bytes: u64, eye: impl FnOnce(&[u8])) -> Result<()> {
    let view = buffer.get_mapped_range(..bytes.next_multiple_of(8)).map_err(|error| unmappable(&error.to_string()))?;
    eye(&view[..bytes as usize]);
    drop(view);
    buffer.unmap();
    Ok(())
}

fn unmappable(why: &str) -> Error {
    Error::Lost(format!("a buffer could not be mapped: {why}"))
}

/// wgpu's messages run over many indented lines; a row of a report has one.
pub(super) fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
