//! The buffers and textures of a job.

use super::step::Step;
use record::suite::Dispatch;
use record::suite::input::{Input, Values};
use record::suite::{Access, Interface};
use record::suite::{Contents, POISON, Route, Scalar, Shape, Significands, Texture};

/// A buffer or texture to allocate.
#[derive(Debug, Clone, PartialEq)]
pub struct JobBuffer {
    /// Name, for labels.
    pub name: &'static str,
    /// Type of its scalars.
    pub scalar: Scalar,
    /// Length in bytes, a multiple of 16.
    pub bytes: u64,
    /// Bytes that are bound, from which kernels compute `arrayLength`; a multiple of 4.
    pub told_bytes: u64,
    /// Bytes of the guard zone after the buffer, and before it if the API uses pointers. No launch may write there.
    pub guard: u64,
    /// Its contents before the first launch.
    pub contents: Contents,
    /// Number of the random stream that input is drawn from.
    pub stream: u64,
    /// Significands of the input.
    pub significands: Significands,
    /// Whether a kernel or a copy writes it. Such a buffer is not shared between jobs.
    pub is_written: bool,
    /// Whether it is bound as a uniform buffer.
    pub is_uniform: bool,
    /// Whether the device reads workgroup counts of a dispatch from it.
    pub is_indirect: bool,
    /// How the host maps it; `None` for device memory that the host does not map.
    pub mapping: Option<Mapping>,
    /// Whether it is staging memory, which only copies use.
    pub is_staging: bool,
}

/// How the host uses a mapped buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapping {
    /// Writes it.
    Write,
    /// Reads it.
    Read,
    /// Not at all: the buffer is host memory that the device accesses.
    Pinned,
}

impl JobBuffer {
    /// Writes the initial contents from byte `offset` into `bytes`. `offset` and the length are multiples of 16.
    pub fn fill(&self, offset: u64, bytes: &mut [u8]) {
        match &self.contents {
            Contents::Input(values) => {
                self.input(*values).encode(self.scalar, offset / self.scalar.bytes() as u64, bytes);
            }
            Contents::Words(words) => {
                let words = words.iter().skip(offset as usize / 4).copied().chain(std::iter::repeat(0));
                for (word, slot) in words.zip(bytes.chunks_exact_mut(4)) {
                    slot.copy_from_slice(bytemuck::bytes_of(&word));
                }
            }
            Contents::Cycle(cycle) => cycle.encode(offset / 4, bytes),
            Contents::Csr(csr, array) => csr.encode(*array, offset / 4, bytes),
            Contents::Poison | Contents::PoisonF32 | Contents::Clock => {
                bytes.chunks_exact_mut(4).for_each(|slot| slot.copy_from_slice(bytemuck::bytes_of(&POISON)));
            }
            Contents::Texture(Texture { texels: contents, .. })
            | Contents::OnHost(contents)
            | Contents::OnPeer(_, contents)
            | Contents::Of(_, contents) => {
                Self { contents: (**contents).clone(), ..self.clone() }.fill(offset, bytes);
            }
        }
    }

    pub(crate) const fn input(&self, values: Values) -> Input {
        Input { values, stream: self.stream, significands: self.significands }
    }

    /// Whether to cache the buffer for later jobs, which often have the same input: large and never written.
    #[must_use]
    pub fn is_shareable(&self) -> bool {
        let is_fixed = !self.is_written && self.mapping.is_none();
        is_fixed && matches!(self.contents, Contents::Input(_) | Contents::Csr(..)) && self.bytes >= 1 << 20
    }

    /// Whether both have the same initial contents, whatever their names.
    #[must_use]
    pub fn is_same_input(&self, other: &Self) -> bool {
        let key = |buffer: &Self| (buffer.scalar, buffer.bytes, buffer.guard, buffer.stream, buffer.significands);
        key(self) == key(other) && self.contents == other.contents
    }

    /// Whether it is staging memory that the host fills and the device copies from.
    #[must_use]
    pub fn is_upload_staging(&self) -> bool {
        self.is_staging && self.mapping == Some(Mapping::Write)
    }

    /// Whether it is host memory that kernels access.
    #[must_use]
    pub const fn is_on_host(&self) -> bool {
        matches!(self.contents, Contents::OnHost(_))
    }

    /// Number of the other card that holds the buffer, as in [`Contents::OnPeer`]; `None` for this card.
    #[must_use]
    pub const fn peer(&self) -> Option<u32> {
        match self.contents {
            Contents::OnPeer(places, _) => Some(places),
            _ => None,
        }
    }

    /// The texture; `None` for a buffer.
    #[must_use]
    pub const fn texture(&self) -> Option<&Texture> {
        match &self.contents {
            Contents::Texture(texture) => Some(texture),
            _ => None,
        }
    }

    /// Whether it is a picture that the kernel reads.
    #[must_use]
    pub fn is_picture(&self) -> bool {
        let contents = self.texture().map_or(&self.contents, |texture| texture.texels.as_ref());
        matches!(contents, Contents::Input(Values::Picture(_)))
    }

    /// Whether it is an output: poisoned before a launch.
    #[must_use]
    pub fn is_output(&self) -> bool {
        let contents = self.texture().map_or(&self.contents, |texture| texture.texels.as_ref());
        let contents =
            if let Contents::Of(_, contents) | Contents::OnPeer(_, contents) = contents { contents } else { contents };
        matches!(contents, Contents::Poison | Contents::PoisonF32 | Contents::Clock)
    }

    pub(super) fn bind(
        index: usize,
        declared: &record::suite::Buffer,
        shape: &Shape,
        interface: &Interface,
        steps: &[Step],
    ) -> Self {
        let bound_as = |access: Access| {
            steps.iter().any(|step| match step {
                Step::Dispatch(own) => {
                    let uses = |place: &usize| {
                        own.buffers.get(*place) == Some(&index) && interface.bindings[*place].access == access
                    };
                    interface.entries.get(own.entry).is_some_and(|entry| entry.bindings.iter().any(uses))
                }
                _ => false,
            })
        };
        let is_copied_over = steps.iter().any(|step| match step {
            Step::Restore { to, .. }
            | Step::CopyRows { to, .. }
            | Step::CopyPitched { to, .. }
            | Step::Send { to, .. }
            | Step::Receive { to, .. } => *to == index,
            Step::Clear(buffer) => *buffer == index,
            Step::Library { buffers, .. } => buffers.last() == Some(&index),
            _ => false,
        });
        let contents = match &declared.contents {
            Contents::Texture(Texture { texels: contents, .. })
            | Contents::OnHost(contents)
            | Contents::OnPeer(_, contents) => contents,
            contents => contents,
        };
        let scalar = match contents {
            Contents::Words(_) | Contents::Cycle(_) | Contents::Csr(..) | Contents::Clock => Scalar::U32,
            Contents::PoisonF32 => Scalar::F32,
            Contents::Of(scalar, _) => *scalar,
            _ => shape.dtype.scalar(),
        };
        let mapping = steps.iter().find_map(|step| match step {
            Step::Send { to, route: Route::Mapped, .. } if *to == index => Some(Mapping::Write),
            Step::Receive { from, route: Route::Mapped, .. } if *from == index => Some(Mapping::Read),
            Step::Send { from, route: Route::StagingOnly, .. } if *from == index => Some(Mapping::Write),
            Step::Receive { to, route: Route::StagingOnly, .. } if *to == index => Some(Mapping::Read),
            Step::Send { from, route: Route::Pinned, .. } if *from == index => Some(Mapping::Pinned),
            _ => None,
        });
        let is_on_host = matches!(declared.contents, Contents::OnHost(_));
        let mapping = if is_on_host { Some(Mapping::Pinned) } else { mapping };
        let is_staging = steps.iter().any(|step| match step {
            Step::Send { from: staged, route: Route::StagingOnly, .. }
            | Step::Receive { to: staged, route: Route::StagingOnly, .. } => *staged == index,
            _ => false,
        });
        let bytes =
            declared.scalars.saturating_mul(scalar.bytes() as u64).checked_next_multiple_of(16).unwrap_or(u64::MAX);
        Self {
            name: declared.name,
            scalar,
            bytes,
            told_bytes: bytes,
            guard: 0,
            contents: declared.contents.clone(),
            stream: shape.stream,
            significands: shape.significands,
            is_written: is_copied_over || bound_as(Access::ReadWrite) || bound_as(Access::StorageTexture),
            is_uniform: bound_as(Access::Uniform),
            is_indirect: steps.iter().any(|step| {
                matches!(step,
                Step::Dispatch(Dispatch { indirect: Some((own, _)), .. }) if *own == index)
            }),
            mapping,
            is_staging,
        }
    }
}
