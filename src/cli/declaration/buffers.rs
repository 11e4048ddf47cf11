//! Buffers and textures as the file declares them, and their contents.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::data_file::Picture;
use super::expression::{Data, Meaning, Value};
use super::fields::{Word, scalar};
use super::script::{Scope, Script};
use super::stored::{Number, Numbers, words_each};
use crate::cli::inputs;
use gpu::shader::module::words;
use gpu::shader::{Layout, Texels};
use record::error::{Result, usage};
use record::suite::budget::Budget;
use record::suite::input::Values;
use record::suite::{Contents, Layers, Scalar, TexelFormat, Texture};

#[derive(Default, Clone)]
pub(super) struct Own {
    pub length: Option<Script>,
    pub contents: Option<Filling>,
    pub words: Vec<Word>,
    /// Width, height and layers of a texture.
    pub size: Vec<Script>,
    pub format: Option<TexelFormat>,
}

#[derive(Clone)]
pub(super) enum Filling {
    /// Random values, different for each buffer.
    Random(Values),
    /// The values of an expression of `i`; in a texture, also of `x`, `y`, `z` and `channel`. Keeps the last results.
    Expression(Script, Arc<Mutex<Known>>),
    /// The bytes of a file, as words.
    Words(Arc<Vec<u32>>),
    /// Numbers from a file, converted to the buffer's scalar type. The file must have at least as many as the buffer.
    Numbers(Arc<Numbers>),
    Picture(Arc<Picture>),
    /// Black at the left to white at the right.
    Gradient,
    /// Nothing: the kernel writes it.
    Output,
}

/// Results of an expression, by the number and type of the scalars, and the texture and variables as text.
pub(super) type Known = Vec<((u64, Scalar, String), Arc<Vec<u32>>)>;

/// Layers of a texture whose `size` does not set them.
const LAYERS: u64 = 4;

/// Distance between the random streams of two buffers, in elements: more than any buffer has.
const APART: u64 = 1 << 34;

pub(super) struct Bound {
    pub scalars: u64,
    pub contents: Contents,
    /// The declared type; `contents` may be stored in another one.
    pub scalar: Scalar,
}

impl Own {
    /// The words of a buffer with a `words` list.
    pub(super) fn words(&self, what: &str, layout: &Layout, scope: &Scope, file: &str) -> Result<Vec<u32>> {
        let size = layout.scalar.bytes();
        let mut words = Vec::new();
        for word in &self.words {
            let mut bytes = [0; 4];
            // A list has 32-bit words, whatever the type: two for an f64.
            let kind = if size == 4 { layout.scalar } else { Scalar::U32 };
            scalar(word, kind, scope, &mut bytes)?;
            words.push(u32::from_le_bytes(bytes));
        }
        let wanted = layout.bytes.unwrap_or(0).div_ceil(4);
        if (words.len() as u64) < wanted {
            let count = words.len();
            return Err(usage!("{file}: {what}: the buffer's type needs {wanted} words, but the list has {count}"));
        }
        Ok(words)
    }

    /// Binds the buffer to a variable of this layout. `number` selects its random stream.
    pub(super) fn bound(
        &self,
        (layout, number, is_output): (&Layout, u64, bool),
        scope: &Scope,
        n: u64,
        file: &str,
    ) -> Result<Bound> {
        if let Some(texels) = layout.texels {
            return self.texture((layout, texels, number, is_output), scope, file);
        }
        let size = layout.scalar.bytes() as u64;
        let length = match (&self.length, layout.bytes) {
            (Some(length), _) => length.whole(scope, 1)?.saturating_mul(size),
            (None, Some(bytes)) => bytes,
            (None, None) => n.saturating_mul(size),
        };
        let usual = if is_output { Filling::Output } else { Filling::Random(Values::Signed) };
        let filling = self.contents.clone().unwrap_or(usual);
        if !self.size.is_empty() || self.format.is_some() {
            return Err(usage!("{file}: [buffers.{}]: `size` and `format` apply to textures only", layout.name));
        }
        let (scalars, scalar) = (length.div_ceil(size), layout.scalar);
        let contents = filling.contents((scalars, scalar, None), number, scope, file)?;
        if let Contents::Words(words) = &contents {
            let scalars = (words.len() as u64).max(length.div_ceil(4));
            return Ok(Bound { scalars, contents, scalar });
        }
        let (scalars, contents) = stored_as(scalar, scalars, contents);
        Ok(Bound { scalars, contents, scalar })
    }

    fn texture(
        &self,
        (layout, texels, number, is_output): (&Layout, Texels, u64, bool),
        scope: &Scope,
        file: &str,
    ) -> Result<Bound> {
        let refused = |why: &str| Err(usage!("{file}: [buffers.{}]: {why}", layout.name));
        let usual = match texels {
            Texels::Storage(format) => format,
            Texels::Float => TexelFormat::Rgba8Unorm,
            Texels::Signed => TexelFormat::R32Sint,
            Texels::Unsigned => TexelFormat::R32Uint,
            Texels::Other => {
                let known = TexelFormat::ALL.map(TexelFormat::name).join(", ");
                return refused(&format!(
                    "bench supports only sampled and storage textures that are 2D, 2D arrays or 3D, with the formats \
                     {known}"
                ));
            }
        };
        let format = self.format.unwrap_or(usual);
        let is_signed = format == TexelFormat::R32Sint;
        let is_integer = !format.scalar().is_float() && format != TexelFormat::Rgba8Unorm;
        let is_fitting = match texels {
            Texels::Storage(own) => own == format,
            Texels::Float => !is_integer,
            Texels::Signed => is_signed,
            _ => is_integer && !is_signed,
        };
        if !is_fitting {
            return refused(&format!("format {} does not match the kernel's texture", format.name()));
        }
        let (width, height) = match (&self.size[..], scope.get("columns"), scope.get("rows"), &self.contents) {
            ([width, height, ..], ..) => (width.whole(scope, 1)?, height.whole(scope, 1)?),
            ([], Some(Meaning::Value(columns)), Some(Meaning::Value(rows)), _) => {
                (columns.real() as u64, rows.real() as u64)
            }
            (.., Some(Filling::Picture(picture))) => (picture.width, picture.height),
            _ => {
                return refused(
                    "the texture needs size = [\"WIDTH\", \"HEIGHT\"], or `sizes` of the form ROWSxCOLUMNS",
                );
            }
        };
        let layers = self.size.get(2).map_or(Ok(LAYERS), |layers| layers.whole(scope, 1))?;
        let (of_layer, layers) = match layout.layers {
            Layers::One if self.size.len() > 2 => {
                return refused("`size` must have two values, since the texture is 2-D");
            }
            Layers::One => (height, Layers::One),
            Layers::Array(_) => (height, Layers::Array(layers)),
            Layers::Deep(_) => (height, Layers::Deep(layers)),
        };
        let height = if let Layers::Array(layers) | Layers::Deep(layers) = layers {
            height.saturating_mul(layers)
        } else {
            height
        };
        let usual = if is_output { Filling::Output } else { Filling::Random(Values::Wide) };
        let filling = self.contents.clone().unwrap_or(usual);
        let scalar = if is_signed { Scalar::I32 } else { format.scalar() };
        let scalars = width.saturating_mul(height).saturating_mul(format.channels());
        let contents = filling.contents((scalars, scalar, Some((format, width, of_layer))), number, scope, file)?;
        let is_words = matches!(contents, Contents::Words(_));
        let texels = if is_words { contents } else { stored_as(scalar, scalars, contents).1 };
        let is_storage = matches!(layout.texels, Some(Texels::Storage(_)));
        let words = (scalars * scalar.bytes() as u64).div_ceil(4);
        Ok(Bound {
            scalars: if is_words { words } else { scalars },
            contents: Contents::Texture(Texture {
                width,
                height,
                layers,
                format,
                is_storage,
                texels: Box::new(texels),
            }),
            scalar,
        })
    }
}

/// The number of scalars to fill and their type. For a texture, also its format, width and height.
type Place = (u64, Scalar, Option<(TexelFormat, u64, u64)>);

impl Filling {
    fn contents(self, place: Place, number: u64, scope: &Scope, file: &str) -> Result<Contents> {
        let (scalars, scalar, texture) = place;
        let first = number * APART;
        let is_integer = matches!(scalar, Scalar::U32 | Scalar::I32 | Scalar::U64 | Scalar::I64) && texture.is_none();
        Ok(match self {
            Self::Random(Values::Signed) if is_integer => Contents::Input(Values::MixedFrom(first)),
            Self::Random(Values::Wide) if number > 0 => Contents::Input(Values::WideFrom(first)),
            Self::Random(Values::Signed) if number > 0 => Contents::Input(Values::SignedFrom(first)),
            Self::Random(Values::Summable) if number > 0 => Contents::Input(Values::SummableFrom(first)),
            Self::Random(Values::Signs) if number > 0 => Contents::Input(Values::SignsFrom(first)),
            Self::Random(Values::Digits) if number > 0 => Contents::Input(Values::DigitsFrom(first)),
            // An f64 cannot hold every random 64-bit integer, but holds all of these values.
            Self::Random(values @ (Values::Constant(_) | Values::Ramp)) if words_each(scalar) > 1 => {
                Contents::Words(words_of(scalar, scalars, |index| values.of(0).at(scalar, index)))
            }
            Self::Random(values) => Contents::Input(values),
            Self::Output => Contents::Poison,
            Self::Words(words) => {
                let (has, wanted) = (4 * words.len() as u64, scalars.saturating_mul(scalar.bytes() as u64));
                if has < wanted {
                    return Err(usage!("{file}: the data file has {has} B, but the buffer has {wanted} B"));
                }
                Contents::Words(words.to_vec())
            }
            Self::Numbers(numbers) => {
                if numbers.len() < scalars {
                    let count = numbers.len();
                    return Err(usage!("{file}: the data file has {count} numbers, but the buffer has {scalars}"));
                }
                let size = scalar.bytes();
                let mut bytes = vec![0; (scalars as usize * size).next_multiple_of(4)];
                for (index, slot) in (0..scalars).zip(bytes.chunks_exact_mut(size)) {
                    let Some(number) = numbers.at(index) else { break };
                    if scalar.is_float() {
                        scalar.encode(&[number.real()], slot);
                        continue;
                    }
                    let bits = number.bits(scalar, false);
                    let bits = bits.map_err(|why| usage!("{file}: number {index} of the data file is {why}"))?;
                    slot.copy_from_slice(&bits.to_le_bytes()[..size]);
                }
                Contents::Words(words(&bytes))
            }
            Self::Picture(picture) => {
                let Picture { width, height, rgba, most } = &*picture;
                let Some((format, own_width, own_height)) = texture else {
                    return Err(usage!("{file}: only a texture can be filled from a .png file"));
                };
                if (own_width, own_height) != (*width, *height) {
                    return Err(usage!(
                        "{file}: the .png file has {width} x {height} pixels, but the texture has {own_width} x \
                         {own_height} texels"
                    ));
                }
                let channels = format.channels();
                Contents::Words(words_of(scalar, scalars, |index| {
                    let value = f64::from(rgba[(index / channels * 4 + index % channels) as usize]);
                    match scalar {
                        // Rounds 16-bit samples to 8 bits.
                        Scalar::Unorm8 => (value / f64::from(*most) * 255.0).round(),
                        scalar if scalar.is_float() => value / f64::from(*most),
                        _ => value,
                    }
                }))
            }
            Self::Gradient | Self::Expression(..) if scalars.saturating_mul(scalar.bytes() as u64) > inputs::DATA => {
                let most = inputs::DATA >> 20;
                return Err(usage!("{file}: the contents of a buffer of {scalars} scalars exceed {most} MiB"));
            }
            Self::Gradient => {
                let Some((format, width, _)) = texture else {
                    return Err(usage!("{file}: only a texture can be filled with a gradient"));
                };
                let (channels, most) = (format.channels(), if scalar.is_float() { 1.0 } else { 255.0 });
                Contents::Words(words_of(scalar, scalars, |index| {
                    let x = index / channels % width;
                    let part = if channels == 4 && index % 4 == 3 { 1.0 } else { x as f64 / (width - 1).max(1) as f64 };
                    if scalar.is_float() { part } else { (most * part).round() }
                }))
            }
            Self::Expression(script, known) => {
                let value = |(name, meaning): (&String, &Meaning)| match meaning {
                    Meaning::Value(value) => Some((name.clone(), value.real())),
                    Meaning::Buffer(_) | Meaning::Output(..) => None,
                };
                let values: Vec<(String, f64)> = scope.iter().filter_map(value).collect();
                let key = (scalars, scalar, format!("{texture:?} {values:?}"));
                let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((_, words)) = known.iter().find(|(own, _)| *own == key) {
                    return Ok(Contents::Words(words.to_vec()));
                }
                let words = Arc::new(evaluated(&script, place, scope)?);
                // Every epoch runs all sizes in turn: keep the results of several.
                known.truncate(3);
                known.insert(0, (key, words.clone()));
                Contents::Words(words.to_vec())
            }
        })
    }
}

/// Evaluates an expression for every scalar, and packs the values into words.
fn evaluated(script: &Script, (scalars, scalar, texture): Place, scope: &Scope) -> Result<Vec<u32>> {
    let mut scope = scope.clone();
    for name in ["i", "x", "y", "z", "channel"] {
        scope.insert(name.to_owned(), Meaning::Value(Value::Whole(0)));
    }
    // Reports errors that every index has before the threads start.
    drop(script.frame(&scope)?);
    const PIECE: u64 = 1 << 12;
    let budget = Budget::start();
    let pieces: Vec<Vec<f64>> = (0..scalars.div_ceil(PIECE))
        .into_par_iter()
        .map(|piece| {
            let mut frame = script.frame(&scope)?.within(budget);
            let range = piece * PIECE..scalars.min((piece + 1) * PIECE);
            let value = |index: u64| {
                frame.set("i", Value::Whole(index as i64));
                if let Some((format, width, height)) = texture {
                    let texel = index / format.channels();
                    frame.set("x", Value::Whole((texel % width) as i64));
                    frame.set("y", Value::Whole((texel / width % height) as i64));
                    frame.set("z", Value::Whole((texel / width / height) as i64));
                    frame.set("channel", Value::Whole((index % format.channels()) as i64));
                }
                script.value_in(&mut frame).map(Value::real)
            };
            range.map(value).collect::<Result<Vec<f64>>>()
        })
        .collect::<Result<_>>()?;
    Ok(words_of(scalar, scalars, |index| pieces[(index / PIECE) as usize][(index % PIECE) as usize]))
}

/// The number of scalars and the contents as the job stores them: words for random 32-bit and all 64-bit integers.
fn stored_as(scalar: Scalar, scalars: u64, contents: Contents) -> (u64, Contents) {
    let is_drawn = matches!(contents, Contents::Input(values) if !matches!(values, Values::Constant(_) | Values::Ramp));
    let stored = match scalar {
        Scalar::I32 if is_drawn => Scalar::U32,
        Scalar::I64 | Scalar::U64 => Scalar::U32,
        own => own,
    };
    (scalars * (scalar.bytes() / stored.bytes()) as u64, Contents::Of(stored, Box::new(contents)))
}

/// Packs scalars into words, 32-bit integers modulo their range.
fn words_of(scalar: Scalar, scalars: u64, value: impl Fn(u64) -> f64) -> Vec<u32> {
    let size = scalar.bytes();
    let mut bytes = vec![0; (scalars as usize * size).next_multiple_of(4)];
    for (index, slot) in (0..scalars).zip(bytes.chunks_exact_mut(size)) {
        let value = match (scalar, value(index)) {
            (Scalar::U32, value) => f64::from(value as i64 as u32),
            (Scalar::I32, value) => f64::from(value as i64 as i32),
            (_, value) => value,
        };
        scalar.encode(&[value], slot);
    }
    words(&bytes)
}

impl Bound {
    /// The contents; of a texture, its texels.
    fn elements(&self) -> &Contents {
        if let Contents::Texture(texture) = &self.contents { &texture.texels } else { &self.contents }
    }

    /// The contents inside `Contents::Of`.
    fn inner(&self) -> &Contents {
        if let Contents::Of(_, contents) = self.elements() { contents } else { self.elements() }
    }

    /// Whether the kernel starts with poison instead of data.
    pub(super) fn is_output(&self) -> bool {
        matches!(self.inner(), Contents::Poison)
    }

    /// The type in which the job stores the scalars.
    fn stored(&self) -> Scalar {
        match self.elements() {
            Contents::Of(scalar, _) => *scalar,
            Contents::Words(_) => Scalar::U32,
            _ => self.scalar,
        }
    }

    /// The length in scalars of the declared type.
    pub(super) fn length(&self) -> u64 {
        self.scalars * self.stored().bytes() as u64 / self.scalar.bytes() as u64
    }

    /// The same buffer as an output: the number of scalars, and poison.
    pub(super) fn poisoned(&self) -> (u64, Contents) {
        let (scalars, poison) = stored_as(self.scalar, self.length(), Contents::Poison);
        let contents = match &self.contents {
            Contents::Texture(texture) => Contents::Texture(Texture { texels: Box::new(poison), ..texture.clone() }),
            _ => poison,
        };
        (scalars, contents)
    }

    /// The elements, as expressions read them.
    pub(super) fn data(&self, stream: u64) -> Data {
        let (scalar, stored) = (self.scalar, self.stored());
        let size = scalar.bytes();
        let at: Arc<dyn Fn(u64) -> Value + Send + Sync> = match self.inner() {
            Contents::Words(words) => {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                Arc::new(move |index| {
                    let part = bytes.get(index as usize * size..(index as usize + 1) * size);
                    part.map_or(Value::Real(f64::NAN), |part| Number::of_bytes(scalar, part))
                })
            }
            Contents::Input(values) => {
                let values = values.of(stream);
                Arc::new(move |index| {
                    let mut bytes = [0; 8];
                    let units = (size / stored.bytes()) as u64;
                    for (unit, slot) in (0..units).zip(bytes.chunks_exact_mut(stored.bytes())) {
                        stored.encode(&[values.at(stored, units * index + unit)], slot);
                    }
                    Number::of_bytes(scalar, &bytes[..size])
                })
            }
            _ => Arc::new(|_| Value::Real(f64::NAN)),
        };
        Data { at, count: self.length(), is_integer: !scalar.is_float() }
    }
}
