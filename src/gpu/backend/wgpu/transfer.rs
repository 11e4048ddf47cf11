//! Copies between a wgpu device and the host.

use std::ops::Range;

use futures_channel::oneshot;

use super::errors::unmappable;
use super::gpu::Gpu;
use super::platform::{self, PIECE};
use crate::job::{JobBuffer, TexelFormat, Texture};
use record::error::Result;
use record::suite::Layers;

/// Most bytes to upload through the queue, which copies them once more than a mapped buffer.
const SMALL: u64 = 1 << 18;

pub(super) const fn texel_format(format: TexelFormat) -> wgpu::TextureFormat {
    match format {
        TexelFormat::Rgba8Unorm => wgpu::TextureFormat::Rgba8Unorm,
        TexelFormat::Rgba8Uint => wgpu::TextureFormat::Rgba8Uint,
        TexelFormat::Rgba16Float => wgpu::TextureFormat::Rgba16Float,
        TexelFormat::R32Float => wgpu::TextureFormat::R32Float,
        TexelFormat::R32Uint => wgpu::TextureFormat::R32Uint,
        TexelFormat::R32Sint => wgpu::TextureFormat::R32Sint,
        TexelFormat::Rg32Float => wgpu::TextureFormat::Rg32Float,
        TexelFormat::Rg32Uint => wgpu::TextureFormat::Rg32Uint,
        TexelFormat::Rgba32Float => wgpu::TextureFormat::Rgba32Float,
        TexelFormat::Rgba32Uint => wgpu::TextureFormat::Rgba32Uint,
    }
}

impl Gpu {
    /// Writes the initial contents of `spec`: large random ones by a kernel, small ones through the queue, others in
    /// pieces, each while the device copies the previous one. Does not wait for the last copies.
    pub(super) async fn upload_contents(&self, spec: &JobBuffer, buffer: &wgpu::Buffer) -> Result<()> {
        if self.draw_contents(spec, buffer).await? {
            return Ok(());
        }
        if spec.bytes <= SMALL {
            // `JobBuffer::fill` writes multiples of 16 bytes.
            let mut bytes = vec![0; spec.bytes.next_multiple_of(16) as usize];
            spec.fill(0, &mut bytes);
            self.queue.write_buffer(buffer, 0, &bytes[..spec.bytes as usize]);
            self.queue.submit([]);
            return Ok(());
        }
        // The last copy from each staging buffer.
        let mut copies = [None, None];
        for (number, offset) in (0..spec.bytes).step_by(PIECE as usize).enumerate() {
            let (bytes, staging) = ((spec.bytes - offset).min(PIECE), &self.upload[number % 2]);
            self.map_after(copies[number % 2].take(), staging, wgpu::MapMode::Write, bytes).await?;
            write_contents(spec, offset, staging, 0..bytes)?;
            staging.unmap();
            let copied = self.copy_commands(staging, 0, buffer, offset, bytes);
            copies[number % 2] = Some(self.queue.submit([copied.finish()]));
        }
        Ok(())
    }

    pub(super) fn texture(&self, label: &str, texture: &Texture) -> wgpu::Texture {
        let storage = wgpu::TextureUsages::STORAGE_BINDING;
        let is_stored = if texture.is_storage { storage } else { wgpu::TextureUsages::empty() };
        let usage = wgpu::TextureUsages::TEXTURE_BINDING | is_stored;
        let side = |length: u64| u32::try_from(length).unwrap_or(u32::MAX);
        self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: wgpu::Extent3d {
                width: side(texture.width),
                height: side(texture.layer_height()),
                depth_or_array_layers: side(texture.height / texture.layer_height().max(1)),
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: match texture.layers {
                Layers::Deep(_) => wgpu::TextureDimension::D3,
                Layers::One | Layers::Array(_) => wgpu::TextureDimension::D2,
            },
            format: texel_format(texture.format),
            usage: usage | wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        })
    }

    /// Uploads the initial contents of `spec` through the queue's staging, in queue order, without waiting.
    pub(super) fn upload_texture(&self, spec: &JobBuffer, texture: &wgpu::Texture) -> Result<()> {
        let Some(shape) = spec.texture() else { return Ok(()) };
        let row = shape.width * shape.format.bytes();
        // Whole rows; `JobBuffer::fill` writes multiples of 16 bytes.
        let rows = (PIECE / row).max(4) / 4 * 4;
        let mut first = 0;
        while first < shape.height {
            let rows = rows.min(shape.layer_height() - first % shape.layer_height());
            // A layer may start at any byte.
            let before = first * row % 16;
            let mut bytes = vec![0; (before + rows * row).next_multiple_of(16) as usize];
            spec.fill(first * row - before, &mut bytes);
            let bytes = &bytes[before as usize..(before + rows * row) as usize];
            let layout =
                wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row as u32), rows_per_image: None };
            let size = wgpu::Extent3d { width: texture.width(), height: rows as u32, depth_or_array_layers: 1 };
            self.queue.write_texture(texture_at(texture, first), bytes, layout, size);
            first += rows;
        }
        Ok(())
    }

    /// Passes the first `bytes` of a texture to `sink`, in packed rows.
    pub(super) async fn read_texture(
        &self,
        spec: &JobBuffer,
        texture: &wgpu::Texture,
        bytes: u64,
        sink: &mut dyn FnMut(u64, &[u8]),
    ) -> Result<()> {
        let Some(shape) = spec.texture() else { return Ok(()) };
        let (row, pitch) = (shape.width * shape.format.bytes(), shape.pitch());
        let rows = (PIECE / pitch).max(1);
        let mut first = 0;
        while first < bytes.div_ceil(row) {
            let rows = rows.min(shape.layer_height() - first % shape.layer_height());
            let mut encoder = self.encoder();
            let layout =
                wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(pitch as u32), rows_per_image: None };
            let size = wgpu::Extent3d { width: texture.width(), height: rows as u32, depth_or_array_layers: 1 };
            let to = wgpu::TexelCopyBufferInfo { buffer: &self.readback[0], layout };
            encoder.copy_texture_to_buffer(texture_at(texture, first), to, size);
            self.run(encoder).await?;
            let mut packed = Vec::with_capacity((rows * row) as usize);
            self.read_mapped(&self.readback[0], rows * pitch, |view| {
                view.chunks(pitch as usize).for_each(|padded| packed.extend_from_slice(&padded[..row as usize]));
            })
            .await?;
            packed.truncate((bytes - first * row) as usize);
            sink(first * row, &packed);
            first += rows;
        }
        Ok(())
    }

    /// Copies `bytes` to the start of `buffer` through the staging buffer, in pieces, waiting for each.
    pub(super) async fn upload_staged(&self, bytes: &[u8], buffer: &wgpu::Buffer) -> Result<()> {
        let [staging, _] = &self.upload;
        for (number, piece) in bytes.chunks(PIECE as usize).enumerate() {
            self.write_mapped(piece, staging).await?;
            self.run(self.copy_commands(staging, 0, buffer, number as u64 * PIECE, piece.len() as u64)).await?;
        }
        Ok(())
    }

    pub(super) async fn write_mapped_contents(&self, spec: &JobBuffer, buffer: &wgpu::Buffer) -> Result<()> {
        self.map(buffer, wgpu::MapMode::Write, spec.bytes).await?;
        for offset in (0..spec.bytes).step_by(PIECE as usize) {
            write_contents(spec, offset, buffer, offset..spec.bytes.min(offset + PIECE))?;
        }
        buffer.unmap();
        Ok(())
    }

    /// Writes `bytes`, a multiple of 8, to the start of a mappable buffer that no submission in flight uses.
    pub(super) async fn write_mapped(&self, bytes: &[u8], buffer: &wgpu::Buffer) -> Result<()> {
        let length = bytes.len() as u64;
        self.map(buffer, wgpu::MapMode::Write, length).await?;
        let mut view = buffer.get_mapped_range_mut(..length).map_err(|error| unmappable(&error.to_string()))?;
        view.copy_from_slice(bytes);
        drop(view);
        buffer.unmap();
        Ok(())
    }

    fn copy_commands(
        &self,
        from: &wgpu::Buffer,
        at: u64,
        to: &wgpu::Buffer,
        offset: u64,
        bytes: u64,
    ) -> wgpu::CommandEncoder {
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(from, at, to, offset, bytes);
        encoder
    }

    /// Passes the bytes `range` of `buffer` to `sink` in pieces, while the device copies the next piece.
    pub(super) async fn read(
        &self,
        buffer: &wgpu::Buffer,
        range: Range<u64>,
        sink: &mut dyn FnMut(u64, &[u8]),
    ) -> Result<()> {
        let start = |offset: u64| {
            let [even, odd] = &self.readback;
            let to = if ((offset - range.start) / PIECE).is_multiple_of(2) { even } else { odd };
            let piece = (range.end - offset).min(PIECE);
            let copied = self.copy_commands(buffer, offset, to, 0, piece.next_multiple_of(4));
            (offset, to, piece, self.queue.submit([copied.finish()]))
        };
        let mut in_flight = (!range.is_empty()).then(|| start(range.start));
        while let Some((offset, from, piece, submission)) = in_flight {
            self.wait(submission).await?;
            // Mapping waits for all submissions: map before the next copy is submitted.
            self.map(from, wgpu::MapMode::Read, piece.next_multiple_of(8)).await?;
            in_flight = (offset + PIECE < range.end).then(|| start(offset + PIECE));
            read_view(from, piece, |view| sink(offset, view))?;
        }
        Ok(())
    }

    /// Passes the bytes of `buffer` in `ranges` to `sink`. Small ranges share a submission: waiting takes longer than
    /// copying.
    pub(super) async fn read_parts(
        &self,
        buffer: &wgpu::Buffer,
        ranges: &[Range<u64>],
        sink: &mut dyn FnMut(u64, &[u8]),
    ) -> Result<()> {
        let room = |range: &Range<u64>| (range.end - range.start).next_multiple_of(16);
        let (staging, mut rest) = (&self.readback[0], ranges);
        while let Some(first) = rest.first() {
            let mut used = 0;
            let fits = |range: &&Range<u64>| {
                used += room(range);
                used <= PIECE
            };
            let together = rest.iter().take_while(fits).count();
            if together < 2 {
                self.read(buffer, first.clone(), sink).await?;
                rest = &rest[1..];
                continue;
            }
            let (now, later) = rest.split_at(together);
            rest = later;
            let (mut encoder, mut at) = (self.encoder(), 0);
            for range in now {
                let bytes = (range.end - range.start).next_multiple_of(4);
                encoder.copy_buffer_to_buffer(buffer, range.start, staging, at, bytes);
                at += room(range);
            }
            self.run(encoder).await?;
            self.read_mapped(staging, at, |view| {
                let mut at = 0;
                for range in now {
                    sink(range.start, &view[at as usize..][..(range.end - range.start) as usize]);
                    at += room(range);
                }
            })
            .await?;
        }
        Ok(())
    }

    /// Passes the first `bytes` of a mappable buffer that no submission in flight writes to `sink`.
    pub(super) async fn read_mapped(&self, buffer: &wgpu::Buffer, bytes: u64, sink: impl FnOnce(&[u8])) -> Result<()> {
        self.map(buffer, wgpu::MapMode::Read, bytes.next_multiple_of(8)).await?;
        read_view(buffer, bytes, sink)
    }

    /// Maps the start of a buffer once all submissions have finished.
    async fn map(&self, buffer: &wgpu::Buffer, mode: wgpu::MapMode, bytes: u64) -> Result<()> {
        self.map_after(None, buffer, mode, bytes).await
    }

    /// Maps the start of a buffer once the `last` submission that uses it has finished, or all if `last` is unknown.
    async fn map_after(
        &self,
        last: Option<wgpu::SubmissionIndex>,
        buffer: &wgpu::Buffer,
        mode: wgpu::MapMode,
        bytes: u64,
    ) -> Result<()> {
        let (mapped, is_mapped) = oneshot::channel();
        buffer.map_async(mode, ..bytes, move |result| {
            let _ = mapped.send(result);
        });
        let polled = platform::poll(&self.device, last.as_ref(), self.timeouts);
        self.check()?;
        polled?;
        let mapped = platform::answer(is_mapped, self.timeouts).await?;
        self.check()?;
        mapped.map_err(|error| unmappable(&error.to_string()))
    }

    /// Fills the bytes `range` of `buffer` with [`POISON`](crate::job::POISON), in queue order, without waiting.
    pub(super) fn poison(&self, buffer: &wgpu::Buffer, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let mut encoder = self.encoder();
        for offset in range.clone().step_by(self.poison.size() as usize) {
            let bytes = (range.end - offset).min(self.poison.size());
            encoder.copy_buffer_to_buffer(&self.poison, 0, buffer, offset, bytes);
        }
        self.queue.submit([encoder.finish()]);
    }
}

/// The part of a texture that starts at `row`, for a copy.
pub(super) fn texture_at(texture: &wgpu::Texture, row: u64) -> wgpu::TexelCopyTextureInfo<'_> {
    let height = texture.height().max(1);
    wgpu::TexelCopyTextureInfo {
        texture,
        mip_level: 0,
        origin: wgpu::Origin3d { x: 0, y: row as u32 % height, z: row as u32 / height },
        aspect: wgpu::TextureAspect::All,
    }
}

/// Writes the contents of `spec`, starting at byte `first`, to `to` of a mapped buffer, in views that fit in a CPU
/// cache.
fn write_contents(spec: &JobBuffer, first: u64, buffer: &wgpu::Buffer, to: Range<u64>) -> Result<()> {
    const VIEW: u64 = 1 << 18;
    let views = to.clone().step_by(VIEW as usize).map(|at| {
        let view = buffer.get_mapped_range_mut(at..to.end.min(at + VIEW));
        Ok((first + at - to.start, view.map_err(|error| unmappable(&error.to_string()))?))
    });
    platform::write_views(views.collect::<Result<_>>()?, |offset, bytes| spec.fill(offset, bytes));
    Ok(())
}

/// Passes the first `bytes` of a mapped buffer to `sink` and unmaps it.
fn read_view(buffer: &wgpu::Buffer, bytes: u64, sink: impl FnOnce(&[u8])) -> Result<()> {
    let view = buffer.get_mapped_range(..bytes.next_multiple_of(8)).map_err(|error| unmappable(&error.to_string()))?;
    sink(&view[..bytes as usize]);
    drop(view);
    buffer.unmap();
    Ok(())
}
