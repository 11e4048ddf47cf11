//! `texture`: a picture rotated by an angle (source article 001), by the texture unit and in the kernel.
//!
//! As in CUDA's sample: pixel (x, y) gets the colour at u = x/width, v = y/height, moved by −0.5, rotated, moved back,
//! with linear filtering and wrap addressing. The parameter `ANGLE` is in degrees; the host computes its sine and
//! cosine, since a shader's may be a pixel off.
//!
//! The tolerance of a pixel covers the error of f32 coordinates: 16 roundings of 2^-24 of the picture's side. For the
//! texture unit, it also covers one step of the device's sub-texel precision ([`Shape::sub_texel_bits`]: 8 bits on
//! GPUs, 4 on some software devices), and one of 255 levels for the filter's arithmetic. Every value of the filtered
//! picture within that distance passes.
//!
//! The article's picture has one channel of f32: `…_float`. Not every device filters it ([`Feature::FilteredF32`]).
//!
//! [`Feature::FilteredF32`]: record::suite::Feature::FilteredF32

pub(crate) mod claims;

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use record::suite::input::Input;
use record::suite::prelude::*;
use record::suite::{TexelFormat, by_rows};

pub(super) const FAMILY: Family = Family {
    name: "texture",
    summary: "rotation of a picture with linear filtering, in the texture unit, or in the kernel from a storage buffer",
    tags: &[Tag::Article, Tag::Memory],
    model_text: "Bytes are counted as if each pixel were read once and written once, so a copy of the same bytes is \
        the limit. The kernel without the texture unit loads four pixels for each output pixel, mostly from a cache; \
        the texture unit does the same in one request.",
    headlines: &[Headline {
        name: "rotation",
        place: 11,
        benchmarks: &["rotate_sampled", "rotate_by_hand"],
        naive: "rotate_by_hand",
        scalar: None,
        ..Headline::F32
    }],
    benchmarks: &[
        Benchmark {
            name: "rotate_sampled",
            quick: &[Quick::at(&[Dtype::Rgba8], Extent::Matrix(4096, 4096), &[&[("ANGLE", 30.0)]])],
            buffers: |shape, _| {
                let (width, height) = (shape.columns(), shape.rows());
                let texels = Contents::Input(Values::Picture(width));
                buffers(shape, Contents::texture((width, height), TexelFormat::Rgba8Unorm, texels))
            },
            tolerance: Some(|shape, _| Rotation::<4>::new(shape).tolerance(sub_texel_step(shape), 1.0)),
            ..BASE
        },
        Benchmark {
            name: "rotate_by_hand",
            quick: &[Quick::at(&[Dtype::Rgba8], Extent::Matrix(4096, 4096), &[&[("ANGLE", 30.0)]])],
            buffers: |shape, _| buffers(shape, Contents::Input(Values::Picture(shape.columns()))),
            tolerance: Some(|shape, _| Rotation::<4>::new(shape).tolerance(0.0, 0.0)),
            ..BASE
        },
        Benchmark {
            name: "rotate_sampled_float",
            buffers: |shape, _| {
                let (width, height) = (shape.columns(), shape.rows());
                let texels = Contents::Input(Values::Grey(width));
                buffers(shape, Contents::texture((width, height), TexelFormat::R32Float, texels))
            },
            tolerance: Some(|shape, _| Rotation::<1>::new(shape).tolerance(sub_texel_step(shape), 0.0)),
            ..FLOAT
        },
        Benchmark {
            name: "rotate_by_hand_float",
            buffers: |shape, _| buffers(shape, Contents::Input(Values::Grey(shape.columns()))),
            tolerance: Some(|shape, _| Rotation::<1>::new(shape).tolerance(0.0, 0.0)),
            ..FLOAT
        },
    ],
    ..Family::BLANK
};

/// The step between positions that a device's texture unit distinguishes, in pixels.
fn sub_texel_step(shape: &Shape) -> f64 {
    f64::from(shape.sub_texel_bits).exp2().recip()
}

const BASE: Benchmark = Benchmark {
    accepts: &[("ANGLE", Accepted::Number(1e6))],
    cases: &[
        Cases::standard(&[Dtype::Rgba8], &[Extent::Matrix(1024, 1024)], &[&[("ANGLE", 30.0)]]),
        Cases::standard(&[Dtype::Rgba8], &[Extent::Matrix(771, 1025)], &[&[("ANGLE", 30.0)]]),
        Cases::standard(&[Dtype::Rgba8], &[Extent::Matrix(4096, 4096)], &sets(&values("ANGLE", [5.0, 30.0, 90.0]))),
    ],
    steps: |shape, _| Step::dividing([(shape.columns(), 16), (shape.rows(), 16), (1, 1)]),
    work: |shape| Work { bytes: 2 * 4 * shape.count(), flops: 0 },
    ceiling: Some(Limit::Copy),
    check: Check::of("output", |shape, _| 4 * shape.count(), |shape, _| Rotation::<4>::new(shape).answer()),
    ..Benchmark::BLANK
};

/// One channel of f32.
const FLOAT: Benchmark = Benchmark {
    cases: &[
        Cases::standard(&[Dtype::F32], &[Extent::Matrix(771, 1025)], &[&[("ANGLE", 30.0)]]),
        Cases::standard(&[Dtype::F32], &[Extent::Matrix(4096, 4096)], &[&[("ANGLE", 30.0)]]),
    ],
    // In a larger picture the error of coordinates hides that of the texels.
    precise_at: Some(Extent::Matrix(13, 17)),
    check: Check::of("output", |shape, _| shape.count(), |shape, _| Rotation::<1>::new(shape).answer()),
    ..BASE
};

fn channels(shape: &Shape) -> u64 {
    if shape.dtype == Dtype::Rgba8 { 4 } else { 1 }
}

fn buffers(shape: &Shape, image: Contents) -> Vec<Buffer> {
    let ((height, width), (sin, cos)) = (shape.extent.matrix(), sin_cos(shape));
    let bits = |value: f32| u64::from(value.to_bits());
    vec![
        Buffer::new("image", channels(shape) * shape.count(), image),
        Buffer::output("output", channels(shape) * shape.count()),
        uniform("sizes", &[width, height, bits(cos), bits(sin)]),
    ]
}

fn sin_cos(shape: &Shape) -> (f32, f32) {
    let (sin, cos) = shape.param("ANGLE", 30.0).to_radians().sin_cos();
    (sin as f32, cos as f32)
}

/// Roundings of f32 coordinates between 0.5 and 2 from a pixel to its source position: division (2.5 units in the last
/// place, as Vulkan allows), two products, two sums, and the scaling to pixels.
const COORDINATE_STEPS: f64 = 16.0;

/// The rotated picture, in f64. A pixel has four channels of 256 levels, rounded, or one f32 of 1/256 per level.
struct Rotation<const CHANNELS: usize> {
    input: Input,
    width: u64,
    height: u64,
    sin: f64,
    cos: f64,
    /// The levels of the original picture, unless they have full significands.
    image: OnceLock<Arc<Vec<u8>>>,
}

/// The four pixels around a position, upper ones and left ones first, and the distance from the upper left one.
type Around<const CHANNELS: usize> = ([[[f64; CHANNELS]; 2]; 2], (f64, f64));

impl<const CHANNELS: usize> Rotation<CHANNELS> {
    const LEVEL: f64 = if CHANNELS == 4 { 1.0 } else { 1.0 / 256.0 };

    fn new(shape: &Shape) -> Self {
        let ((height, width), (sin, cos)) = (shape.extent.matrix(), sin_cos(shape));
        let values = if CHANNELS == 4 { Values::Picture(width) } else { Values::Grey(width) };
        let (input, sin, cos) = (shape.input(values), f64::from(sin), f64::from(cos));
        Self { input, width, height, sin, cos, image: OnceLock::new() }
    }

    /// The rotated picture: bytes, rounded to whole levels, or floats.
    fn answer(self) -> Oracle {
        Box::new(move |first, slots| {
            self.by_pixels(first, slots, |pixel, channel, slots| {
                let levels = &Self::rounded(self.around(self.source(pixel)))[channel as usize..];
                slots.iter_mut().zip(levels).for_each(|(slot, level)| *slot = level * Self::LEVEL);
            });
        })
    }

    /// The error allowed for each element of [`Rotation::answer`]: positions may be off by `pixels` in addition to the
    /// error of f32, and colours by `levels` in addition to their rounding to bytes or the error of f32. For floats,
    /// the product of the two weights may also be rounded to multiples of `pixels`, as in an H200's texture unit.
    fn tolerance(self, pixels: f64, levels: f64) -> Oracle {
        let side = self.width.max(self.height) as f64;
        let reach = pixels + COORDINATE_STEPS * side / f64::from(1 << 24);
        let levels = levels + 1e-3 + if CHANNELS == 4 { 0.5 } else { 0.0 };
        Box::new(move |first, slots| {
            self.by_pixels(first, slots, |pixel, channel, slots| {
                let (x, y) = self.source(pixel);
                let answer = Self::rounded(self.around((x, y)));
                // Between lines through pixel centres, the picture is bilinear: its extremes are at corners of parts.
                let (mut farthest, mut twist) = ([0.0_f64; CHANNELS], 0.0_f64);
                for y in bends(y, reach) {
                    for x in bends(x, reach) {
                        let around = self.around((x, y));
                        let pairs = farthest.iter_mut().zip(Self::filtered(around).into_iter().zip(answer));
                        pairs.for_each(|(farthest, (there, answer))| *farthest = farthest.max((there - answer).abs()));
                        if CHANNELS == 1 {
                            twist = twist.max(Self::twist(around));
                        }
                    }
                }
                let levels = levels + twist * pixels / 2.0;
                let allowed = farthest[channel as usize..].iter().map(|farthest| (farthest + levels) * Self::LEVEL);
                slots.iter_mut().zip(allowed).for_each(|(slot, allowed)| *slot = allowed);
            });
        })
    }

    /// Splits slots from element `first` into pixels: `fill` gets each one's column and row, first channel and slots.
    fn by_pixels(&self, first: u64, slots: &mut [f64], fill: impl Fn((u64, u64), u64, &mut [f64])) {
        by_rows(first, slots, CHANNELS as u64 * self.width, |y, start, slots| {
            by_rows(start, slots, CHANNELS as u64, |x, channel, slots| fill((x, y), channel, slots));
        });
    }

    /// The source position of a pixel, in pixels; whole numbers are pixel centres.
    fn source(&self, (column, row): (u64, u64)) -> (f64, f64) {
        let (width, height) = (self.width as f64, self.height as f64);
        let (u, v) = (column as f64 / width - 0.5, row as f64 / height - 0.5);
        let (x, y) = (u * self.cos - v * self.sin + 0.5, v * self.cos + u * self.sin + 0.5);
        (x * width - 0.5, y * height - 0.5)
    }

    /// The picture at a position, channel by channel: linear between the four pixels around it.
    fn filtered(([above, below], (part_x, part_y)): Around<CHANNELS>) -> [f64; CHANNELS] {
        let mixed = |from: f64, to: f64, part: f64| from + (to - from) * part;
        let [above, below] = [above, below].map(|[left, right]| {
            std::array::from_fn::<_, CHANNELS, _>(|channel| mixed(left[channel], right[channel], part_x))
        });
        std::array::from_fn(|channel| mixed(above[channel], below[channel], part_y))
    }

    /// The factor of the product of the two weights, in the first channel.
    fn twist(([[a, b], [c, d]], _): Around<CHANNELS>) -> f64 {
        (a[0] - b[0] - c[0] + d[0]).abs()
    }

    fn around(&self, (x, y): (f64, f64)) -> Around<CHANNELS> {
        let wrapped = |at: i64, length: u64| {
            // Few positions need the division.
            if (0..length as i64).contains(&at) { at as u64 } else { at.rem_euclid(length as i64) as u64 }
        };
        let (whole_x, whole_y) = (floor(x), floor(y));
        let (left, right) = (wrapped(whole_x, self.width), wrapped(whole_x + 1, self.width));
        let (upper, lower) = (wrapped(whole_y, self.height), wrapped(whole_y + 1, self.height));
        let pixels = [upper, lower].map(|y| [left, right].map(|x| self.pixel(y * self.width + x)));
        (pixels, (x - whole_x as f64, y - whole_y as f64))
    }

    fn pixel(&self, number: u64) -> [f64; CHANNELS] {
        if self.input.is_general(Scalar::F32) {
            return [self.input.at(Scalar::F32, number) / Self::LEVEL; CHANNELS];
        }
        let image = self.image.get_or_init(|| levels(self.input, CHANNELS * (self.width * self.height) as usize));
        image.as_chunks::<CHANNELS>().0[number as usize].map(f64::from)
    }

    /// The filtered levels as the output stores them: bytes have whole levels, which are never negative.
    fn rounded(around: Around<CHANNELS>) -> [f64; CHANNELS] {
        let levels = Self::filtered(around);
        if CHANNELS == 1 { levels } else { levels.map(|level| f64::from((level + 0.5) as u8)) }
    }
}

/// The levels of a picture, which an answer and its tolerance share while both exist.
fn levels(input: Input, count: usize) -> Arc<Vec<u8>> {
    static LAST: Mutex<Option<(Input, Weak<Vec<u8>>)>> = Mutex::new(None);
    let last = || LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let shared = last().as_ref().filter(|(of, _)| *of == input).and_then(|(_, bytes)| bytes.upgrade());
    if let Some(bytes) = shared.filter(|bytes| bytes.len() == count) {
        return bytes;
    }
    // Not while the lock is held: a thread that draws may be given another piece that needs it.
    let mut bytes = vec![0; count];
    input.encode(Scalar::Unorm8, 0, &mut bytes);
    let bytes = Arc::new(bytes);
    *last() = Some((input, Arc::downgrade(&bytes)));
    bytes
}

/// `at.floor()`, inlined: without SSE4.1 the standard one is a function call.
fn floor(at: f64) -> i64 {
    let whole = at as i64;
    whole - i64::from(whole as f64 > at)
}

/// The ends of the interval within `reach` (less than a half) of `at`, and the whole number between them, if any.
fn bends(at: f64, reach: f64) -> impl Iterator<Item = f64> {
    let (low, high) = (at - reach, at + reach);
    let whole = floor(high) as f64;
    [low, high].into_iter().chain((whole > low).then_some(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(height: u64, width: u64, angle: f64) -> Shape {
        let params = [("ANGLE".to_owned(), angle)].into();
        Shape::new(Dtype::Rgba8, Extent::Matrix(height, width), params)
    }

    fn image(width: u64, height: u64) -> Vec<f64> {
        (0..4 * width * height).map(|i| Values::Picture(width).of(0).at(Scalar::Unorm8, i)).collect()
    }

    #[test]
    fn rotation_by_zero_averages_each_pixel_with_those_before_it() {
        // The sample's coordinates are those of pixel corners: a quarter of each of four.
        let mut rotated = vec![0.0; 4 * 7 * 5];
        Rotation::<4>::new(&shape(5, 7, 0.0)).answer()(0, &mut rotated);
        let image = image(7, 5);
        let level = |x: usize, y: usize| image[4 * (y % 5 * 7 + x % 7) + 2];
        for (x, y) in [(1, 1), (3, 4), (0, 2), (0, 0), (6, 4)] {
            let four = level(x, y) + level(x + 6, y) + level(x, y + 4) + level(x + 6, y + 4);
            assert_eq!(rotated[4 * (y * 7 + x) + 2], (four / 4.0).round(), "{x} {y}");
        }
    }

    #[test]
    fn half_a_turn_mirrors_the_picture() {
        let rotation = Rotation::<4>::new(&shape(64, 64, 180.0));
        for pixel in [(0, 0), (5, 0), (0, 1), (40, 15), (63, 63)] {
            let (x, y) = rotation.source(pixel);
            let (column, row) = (pixel.0 as f64, pixel.1 as f64);
            assert!((x - (64.0 - column - 0.5)).abs() < 1e-4 && (y - (64.0 - row - 0.5)).abs() < 1e-4, "{x} {y}");
        }
    }

    /// The noise separates most pixels from their neighbours; otherwise the tolerance would hide a wrong position.
    #[test]
    fn the_tolerance_separates_a_pixel_from_its_neighbours() {
        for (sub_texel_bits, least_separate) in [(8, 0.8), (4, 0.5)] {
            let shape = Shape { sub_texel_bits, ..shape(128, 128, 30.0) };
            let (mut answer, mut allowed) = (vec![0.0; 4 * 128 * 128], vec![0.0; 4 * 128 * 128]);
            Rotation::<4>::new(&shape).answer()(0, &mut answer);
            let step = sub_texel_step(&shape);
            assert_eq!(step, if sub_texel_bits == 8 { 1.0 / 256.0 } else { 1.0 / 16.0 });
            Rotation::<4>::new(&shape).tolerance(step, 1.0)(0, &mut allowed);
            let largest = allowed.iter().copied().fold(0.0, f64::max);
            // Neighbours differ by up to 255 levels in each direction.
            assert!(largest <= 2.0 * 255.0 * step + 2.1, "{sub_texel_bits} bits: {largest} levels");
            let separate =
                (4..answer.len()).filter(|i| i % 4 == 2 && (answer[*i] - answer[i - 4]).abs() > allowed[*i]).count();
            let separate = separate as f64 / f64::from(128 * 128);
            assert!(separate > least_separate, "{sub_texel_bits} bits: {separate}");
        }
    }
}
