//! Files of numbers and pictures, recognized by their first bytes, then by their extension.

use std::path::Path;

use super::npy;
use super::stored::Numbers;
use crate::cli::inputs;
use record::error::{Result, shown, usage};

pub(super) enum Data {
    Numbers(Numbers),
    Picture(Picture),
    Bytes(Vec<u8>),
}

/// Red, green, blue and opacity of each pixel.
#[derive(Clone)]
pub(super) struct Picture {
    pub width: u64,
    pub height: u64,
    pub rgba: Vec<u16>,
    /// The largest value of a channel: 255, or 65535 with 16 bits.
    pub most: u16,
}

/// File signatures and their usual extensions. Archives are recognized only to be refused.
const MAGIC: [(&[u8], &str); 4] =
    [(npy::MAGIC, "npy"), (b"\x89PNG\r\n\x1a\n", "png"), (b"PK\x03\x04", "npz"), (b"\x1f\x8b", "gz")];

pub(super) fn ending(bytes: &[u8]) -> &'static str {
    MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)).map_or("bin", |(_, end)| end)
}

impl Data {
    /// Reads a file; `what` is the prefix of its errors.
    pub(super) fn read(path: &Path, what: &str) -> Result<Self> {
        let bytes = inputs::contents(path, inputs::DATA)?;
        let fault = |why: String| usage!("{what}: {}: {why}", shown(path));
        match ending(&bytes) {
            "npy" => npy::read(&bytes).map(Self::Numbers).map_err(fault),
            "png" => picture(&bytes).map(Self::Picture).map_err(fault),
            "npz" => Err(fault("the file is an archive; save each array as a .npy file with numpy.save".to_owned())),
            "gz" => Err(fault("the file is compressed; unpack the file first".to_owned())),
            _ => match path.extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase).as_deref() {
                Some("npy") => npy::read(&bytes).map(Self::Numbers).map_err(fault),
                Some("png") => picture(&bytes).map(Self::Picture).map_err(fault),
                _ => Ok(Self::Bytes(bytes)),
            },
        }
    }
}

/// Maximum number of pixels of a picture: 1 GiB of red, green, blue and opacity.
const MOST_PIXELS: u64 = 1 << 28;

/// The most bytes that one compressed byte expands to (RFC 1951: 258 bytes for two bits).
const DEFLATE_RATIO: u64 = 1032;

fn picture(bytes: &[u8]) -> Result<Picture, String> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let (width, height) = reader.info().size();
    let (claimed, row) = (u64::from(width) * u64::from(height), reader.info().raw_row_length() as u64);
    if claimed > MOST_PIXELS {
        return Err(format!("the header claims {width} x {height} pixels, above the limit of {MOST_PIXELS}"));
    }
    if row.saturating_mul(height.into()) > DEFLATE_RATIO.saturating_mul(bytes.len() as u64) {
        let size = bytes.len();
        return Err(format!("the header claims {width} x {height} pixels, more than a file of {size} B can hold"));
    }
    let mut pixels = vec![0; reader.output_buffer_size().ok_or("the picture is too large")?];
    let info = reader.next_frame(&mut pixels).map_err(|error| error.to_string())?;
    pixels.truncate(info.buffer_size());
    let (values, most): (Vec<u16>, u16) = match info.bit_depth {
        png::BitDepth::Sixteen => {
            (pixels.as_chunks::<2>().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect(), u16::MAX)
        }
        _ => (pixels.into_iter().map(u16::from).collect(), 255),
    };
    let rgba = match info.color_type {
        png::ColorType::Rgba => values,
        png::ColorType::Rgb => values.as_chunks::<3>().0.iter().flat_map(|[r, g, b]| [*r, *g, *b, most]).collect(),
        png::ColorType::GrayscaleAlpha => {
            values.as_chunks::<2>().0.iter().flat_map(|[grey, a]| [*grey, *grey, *grey, *a]).collect()
        }
        _ => values.iter().flat_map(|grey| [*grey, *grey, *grey, most]).collect(),
    };
    Ok(Picture { width: u64::from(info.width), height: u64::from(info.height), rgba, most })
}
