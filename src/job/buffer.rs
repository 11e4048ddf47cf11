//! What is allocated.

use super::Step;
use crate::suite::{Access, Interface};
use crate::suite::{Contents, POISON, Route, Scalar, Texture};

/// A buffer or texture to allocate.
#[derive(Debug, Clone, PartialEq)]
pub struct Buffer {
    /// Name, for labels.
    pub name: &'static str,
    /// Type of its scalars.
    pub scalar: Scalar,
    /// Length in bytes, a multiple of 16.
    pub bytes: u64,
    /// What it holds before the first launch.
    pub contents: Contents,
    /// Whether a kernel or a copy writes it, so that it cannot be shared between jobs.
    pub is_written: bool,
    /// Whether it is bound as a uniform buffer.
    pub is_uniform: bool,
    /// Whether the host reaches into it where it lies.
    pub mapping: Option<Mapping>,
    /// Whether it lies in staging memory, which copies alone reach.
    pub is_staging: bool,
}

/// What the host does with a buffer that it maps where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapping {
    /// Writes it.
    Write,
    /// Reads it.
    Read,
    /// Nothing: it lies in the host's memory, where the device reaches it.
    Pinned,
}

impl Buffer {
    /// Writes the bytes from `offset` on that the buffer starts with. `offset` and the length are multiples of 16.
    pub fn fill(&self, offset: u64, bytes: &mut [u8]) {
        match &self.contents {
            Contents::Input(values) | Contents::InputOnHost(values) => {
                values.encode(self.scalar, offset / self.scalar.bytes() as u64, bytes);
            }
            Contents::Words(words) => {
                let words = words.iter().skip(offset as usize / 4).copied().chain(std::iter::repeat(0));
                for (word, slot) in words.zip(bytes.chunks_exact_mut(4)) {
                    slot.copy_from_slice(&word.to_le_bytes());
                }
            }
            Contents::Cycle(cycle) => cycle.encode(offset / 4, bytes),
            Contents::Poison | Contents::PoisonF32 | Contents::Clock => {
                bytes.chunks_exact_mut(4).for_each(|slot| slot.copy_from_slice(&POISON.to_le_bytes()));
            }
            Contents::Texture(texture) => {
                Self { contents: (*texture.texels).clone(), ..self.clone() }.fill(offset, bytes);
            }
        }
    }

    /// Whether it is worth keeping for the next job, which often starts with the same: a large input that nobody writes.
    #[must_use]
    pub fn is_shareable(&self) -> bool {
        let is_fixed = !self.is_written && self.mapping.is_none();
        is_fixed && matches!(self.contents, Contents::Input(_)) && self.bytes >= 1 << 20
    }

    /// Whether both hold the same before a launch, whatever they are called.
    #[must_use]
    pub fn is_same_input(&self, other: &Self) -> bool {
        (self.scalar, self.bytes, &self.contents) == (other.scalar, other.bytes, &other.contents)
    }

    /// Whether the host fills it in staging memory, for the device to copy.
    #[must_use]
    pub fn is_staged_to_send(&self) -> bool {
        self.is_staging && self.mapping == Some(Mapping::Write)
    }

    /// Whether it lies in the host's memory, where kernels reach it.
    #[must_use]
    pub const fn is_on_host(&self) -> bool {
        matches!(self.contents, Contents::InputOnHost(_))
    }

    /// The texture, where it is one.
    #[must_use]
    pub const fn texture(&self) -> Option<&Texture> {
        match &self.contents {
            Contents::Texture(texture) => Some(texture),
            _ => None,
        }
    }

    /// Whether it holds garbage before a launch.
    #[must_use]
    pub fn is_output(&self) -> bool {
        let contents = self.texture().map_or(&self.contents, |texture| texture.texels.as_ref());
        matches!(contents, Contents::Poison | Contents::PoisonF32 | Contents::Clock)
    }
}

/// The buffer number `place` of a job, as its steps use it.
pub(super) fn concrete(
    place: usize,
    declared: &crate::suite::Buffer,
    scalar: Scalar,
    interface: &Interface,
    steps: &[Step],
) -> Buffer {
    let bound_as = |access: Access| {
        steps.iter().any(|step| match step {
            Step::Dispatch { buffers, .. } => buffers
                .iter()
                .zip(&interface.bindings)
                .any(|(buffer, binding)| *buffer == place && binding.access == access),
            _ => false,
        })
    };
    let is_copied_over = steps.iter().any(|step| match step {
        Step::Restore { to, .. } | Step::CopyRows { to, .. } | Step::Send { to, .. } | Step::Receive { to, .. } => {
            *to == place
        }
        Step::Clear(buffer) => *buffer == place,
        Step::Library { buffers, .. } => buffers.last() == Some(&place),
        _ => false,
    });
    let contents = match &declared.contents {
        Contents::Texture(texture) => &texture.texels,
        contents => contents,
    };
    let scalar = match contents {
        Contents::Words(_) | Contents::Cycle(_) | Contents::Clock => Scalar::U32,
        Contents::PoisonF32 => Scalar::F32,
        _ => scalar,
    };
    let mapping = steps.iter().find_map(|step| match step {
        Step::Send { to, route: Route::Mapped, .. } if *to == place => Some(Mapping::Write),
        Step::Receive { from, route: Route::Mapped, .. } if *from == place => Some(Mapping::Read),
        Step::Send { from, route: Route::Held, .. } if *from == place => Some(Mapping::Write),
        Step::Receive { to, route: Route::Held, .. } if *to == place => Some(Mapping::Read),
        Step::Send { from, route: Route::Pinned, .. } if *from == place => Some(Mapping::Pinned),
        _ => None,
    });
    let mapping = if matches!(contents, Contents::InputOnHost(_)) { Some(Mapping::Pinned) } else { mapping };
    let is_staging = steps.iter().any(|step| match step {
        Step::Send { from: staged, route: Route::Held, .. } | Step::Receive { to: staged, route: Route::Held, .. } => {
            *staged == place
        }
        _ => false,
    });
    Buffer {
        name: declared.name,
        scalar,
        bytes: declared.scalars.saturating_mul(scalar.bytes() as u64).checked_next_multiple_of(16).unwrap_or(u64::MAX),
        contents: declared.contents.clone(),
        is_written: is_copied_over || bound_as(Access::ReadWrite),
        is_uniform: bound_as(Access::Uniform),
        mapping,
        is_staging,
    }
}
