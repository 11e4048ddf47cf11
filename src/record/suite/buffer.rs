use super::csr::{Csr, CsrArray};
use super::input::Values;
use super::pointer_chase::Cycle;
use super::scalar::Scalar;
use super::shape::Shape;

/// A buffer of a job.
pub struct Buffer {
    /// Name by which steps and bindings find it.
    pub name: &'static str,
    /// Length in scalars of the case's element type; in f32 for `PoisonF32`, in the type of [`Contents::Of`], and in
    /// words for [`Contents::Words`], [`Contents::Cycle`], [`Contents::Csr`] and [`Contents::Clock`].
    pub scalars: u64,
    /// Its contents before the first launch.
    pub contents: Contents,
}

impl Buffer {
    /// A buffer with these contents.
    pub const fn new(name: &'static str, scalars: u64, contents: Contents) -> Self {
        Self { name, scalars, contents }
    }

    /// A buffer of random scalars.
    pub const fn input(name: &'static str, scalars: u64, values: Values) -> Self {
        Self { name, scalars, contents: Contents::Input(values) }
    }

    /// A buffer that a kernel writes, of the case's element type.
    pub const fn output(name: &'static str, scalars: u64) -> Self {
        Self { name, scalars, contents: Contents::Poison }
    }

    /// A buffer that a kernel writes, of f32 whatever the element type.
    pub const fn output_f32(name: &'static str, scalars: u64) -> Self {
        Self { name, scalars, contents: Contents::PoisonF32 }
    }

    /// Random `input` and `output`, both of the case's size, and the uniform `sizes`.
    pub fn in_and_out(shape: &Shape, values: Values, sizes: &[u64]) -> Vec<Self> {
        Self::from_to((shape.count(), values), shape.count(), sizes)
    }

    /// Random `input`, `output`, and the uniform `sizes`.
    pub fn from_to(input: (u64, Values), results: u64, sizes: &[u64]) -> Vec<Self> {
        Self::into("output", input, results, sizes)
    }

    /// [`Self::from_to`] with another name for the output.
    pub fn into(name: &'static str, (scalars, values): (u64, Values), results: u64, sizes: &[u64]) -> Vec<Self> {
        vec![Self::input("input", scalars, values), Self::output(name, results), uniform("sizes", sizes)]
    }

    /// Random `input` and `output` of the same length: for copies and routines, which read no sizes.
    pub fn of_copy(scalars: u64, values: Values) -> Vec<Self> {
        vec![Self::input("input", scalars, values), Self::output("output", scalars)]
    }

    /// These buffers and some more.
    pub fn and(mut buffers: Vec<Self>, more: impl IntoIterator<Item = Self>) -> Vec<Self> {
        buffers.extend(more);
        buffers
    }

    /// A uniform for each launch of a kernel: these sizes, and the number of the launch.
    pub fn of_launches(names: &[&'static str], sizes: &[u64]) -> Vec<Self> {
        let of_launch = |(number, name): (u64, &&'static str)| uniform(name, &[sizes, &[number]].concat());
        (0..).zip(names).map(of_launch).collect()
    }

    /// The buffers of a kernel in which one invocation follows a cycle and stores its position for the next launch.
    pub fn of_walk(cycle: Cycle, contents: Contents, sizes: &[u64]) -> Vec<Self> {
        vec![
            Self::new("cycle", cycle.words(), contents),
            Self::new("place", 4, Contents::Words(vec![0; 4])),
            Self::output("output", 4),
            uniform("sizes", sizes),
        ]
    }
}

/// The contents of a buffer before a launch.
#[derive(Debug, Clone, PartialEq)]
pub enum Contents {
    /// Random input.
    Input(Values),
    /// Contents of this scalar type, whatever the element type.
    Of(Scalar, Box<Contents>),
    /// Contents in host memory, where kernels access them.
    OnHost(Box<Contents>),
    /// Contents on the card this many positions further in the driver's list, cyclically; 0 = here, in another context.
    OnPeer(u32, Box<Contents>),
    /// Constants for a uniform buffer, or state that one launch passes to the next.
    Words(Vec<u32>),
    /// A walk through memory for dependent loads.
    Cycle(Cycle),
    /// An array of a sparse matrix, in words.
    Csr(Csr, CsrArray),
    /// A 2-D texture; the host sees its texels row by row, without padding.
    Texture(Texture),
    /// An output: garbage that no right answer contains.
    Poison,
    /// [`Contents::Poison`] of f32, whatever the element type: for sums of products of narrower numbers.
    PoisonF32,
    /// [`Contents::Poison`] for the times at each workgroup's start and end: two 64-bit counts of nanoseconds.
    Clock,
}

/// How the rows of a texture are divided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layers {
    /// A 2-D texture.
    #[default]
    One,
    /// An array of this many 2-D textures.
    Array(u64),
    /// A 3-D texture of this depth.
    Deep(u64),
}

/// A texture of one level.
#[derive(Debug, Clone, PartialEq)]
pub struct Texture {
    /// Texels of a row.
    pub width: u64,
    /// Rows of all layers together.
    pub height: u64,
    /// How the rows are divided.
    pub layers: Layers,
    /// The type of a texel.
    pub format: TexelFormat,
    /// Whether a kernel binds it as a storage texture.
    pub is_storage: bool,
    /// Contents of the texels, row by row; [`Contents::Poison`] for an output.
    pub texels: Box<Contents>,
}

impl Contents {
    /// The contents as [`Self::Of`] a scalar type.
    #[must_use]
    pub fn of(self, scalar: Scalar) -> Self {
        Self::Of(scalar, Box::new(self))
    }

    /// A texture that kernels read.
    pub fn texture((width, height): (u64, u64), format: TexelFormat, texels: Self) -> Self {
        let (layers, texels) = (Layers::One, Box::new(texels));
        Self::Texture(Texture { width, height, layers, format, is_storage: false, texels })
    }
}

impl Texture {
    /// Rows of a layer.
    #[must_use]
    pub const fn layer_height(&self) -> u64 {
        match self.layers {
            Layers::One | Layers::Array(0) | Layers::Deep(0) => self.height,
            Layers::Array(layers) | Layers::Deep(layers) => self.height / layers,
        }
    }

    /// Row pitch, in bytes, of a buffer that is copied to or from the texture.
    #[must_use]
    pub const fn pitch(&self) -> u64 {
        (self.width * self.format.bytes()).next_multiple_of(ROW_PITCH)
    }
}

/// The type of a texel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TexelFormat {
    /// Four 8-bit fractions: the usual format of pictures, which every device filters.
    Rgba8Unorm,
    /// Four bytes.
    Rgba8Uint,
    /// Four 16-bit floats.
    Rgba16Float,
    /// One 32-bit float, which not every device filters.
    R32Float,
    /// One word.
    R32Uint,
    /// One signed word.
    R32Sint,
    /// Two 32-bit floats.
    Rg32Float,
    /// Two words.
    Rg32Uint,
    /// Four 32-bit floats.
    Rgba32Float,
    /// Four words.
    Rgba32Uint,
}

impl TexelFormat {
    /// Every format.
    pub const ALL: [Self; 10] = [
        Self::Rgba8Unorm,
        Self::Rgba8Uint,
        Self::Rgba16Float,
        Self::R32Float,
        Self::R32Uint,
        Self::R32Sint,
        Self::Rg32Float,
        Self::Rg32Uint,
        Self::Rgba32Float,
        Self::Rgba32Uint,
    ];

    /// Its name in WGSL.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rgba8Unorm => "rgba8unorm",
            Self::Rgba8Uint => "rgba8uint",
            Self::Rgba16Float => "rgba16float",
            Self::R32Float => "r32float",
            Self::R32Uint => "r32uint",
            Self::R32Sint => "r32sint",
            Self::Rg32Float => "rg32float",
            Self::Rg32Uint => "rg32uint",
            Self::Rgba32Float => "rgba32float",
            Self::Rgba32Uint => "rgba32uint",
        }
    }

    /// The type of its scalars. Fractions of 8 bits are numbers from 0 to 255.
    #[must_use]
    pub const fn scalar(self) -> Scalar {
        match self {
            Self::Rgba8Unorm | Self::Rgba8Uint => Scalar::Unorm8,
            Self::Rgba16Float => Scalar::F16,
            Self::R32Float | Self::Rg32Float | Self::Rgba32Float => Scalar::F32,
            Self::R32Uint | Self::R32Sint | Self::Rg32Uint | Self::Rgba32Uint => Scalar::U32,
        }
    }

    /// Scalars of a texel.
    #[must_use]
    pub const fn channels(self) -> u64 {
        match self {
            Self::R32Float | Self::R32Uint | Self::R32Sint => 1,
            Self::Rg32Float | Self::Rg32Uint => 2,
            Self::Rgba8Unorm | Self::Rgba8Uint | Self::Rgba16Float | Self::Rgba32Float | Self::Rgba32Uint => 4,
        }
    }

    /// Bytes of a texel.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.channels() * self.scalar().bytes() as u64
    }

    /// Whether its scalars are 32-bit floats, which only some devices filter.
    #[must_use]
    pub const fn is_f32(self) -> bool {
        matches!(self, Self::R32Float | Self::Rg32Float | Self::Rgba32Float)
    }
}

/// How a sampler reads between and beyond texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    /// Whether it interpolates between texels; else it takes the nearest one.
    pub is_linear: bool,
    /// Whether a texture repeats beyond its borders; else its border texels do.
    pub repeats: bool,
}

impl Sampling {
    /// Linear filtering and a repeating texture, as for the suite's kernels.
    pub const LINEAR: Self = Self { is_linear: true, repeats: true };
}

/// Buffer rows in texture copies start at multiples of this many bytes: wgpu's rule, which CUDA's pitch also satisfies.
pub const ROW_PITCH: u64 = 256;

/// The word that fills outputs before they are checked: an unlikely integer; a NaN as f32, f64 and f16.
pub const POISON: u32 = 0xffc0_fead;

/// A uniform buffer of these words, padded to 16 bytes, the alignment of uniform blocks.
#[must_use]
pub fn uniform(name: &'static str, words: &[u64]) -> Buffer {
    let mut words: Vec<u32> = words.iter().map(|&word| u32::try_from(word).unwrap_or(u32::MAX)).collect();
    words.resize(words.len().next_multiple_of(4), 0);
    Buffer { name, scalars: words.len() as u64, contents: Contents::Words(words) }
}
