//! Encodes images from kernels as PNG.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use crate::error::{Error, Result};

/// Encodes `rgba` (4 bytes per pixel, row-major) as a PNG file: a header, one chunk of rows without filters, an end.
///
/// # Errors
/// [`Error::Validation`] if the length of `rgba` does not match `width` and `height`.
pub fn write(width: u32, height: u32, rgba: &[u8]) -> Result<Vec<u8>> {
    let row = 4 * width as usize;
    if row == 0 || rgba.len() != row * height as usize {
        return Err(Error::Validation(format!("a picture of {width} by {height} pixels has {} bytes", rgba.len())));
    }
    let rows: Vec<u8> = rgba.chunks_exact(row).flat_map(|row| [&[0], row].concat()).collect();
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    let packed = packed.write_all(&rows).and_then(|()| packed.finish());
    let packed = packed.map_err(|error| Error::Validation(format!("a picture cannot be packed: {error}")))?;
    // Eight bits for each of red, green, blue and alpha.
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
    let chunks = [chunk(b"IHDR", &header), chunk(b"IDAT", &packed), chunk(b"IEND", &[])];
    Ok([b"\x89PNG\r\n\x1a\n", &*chunks.concat()].concat())
}

/// Its length, its name, its content and their checksum.
fn chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let mut sum = Crc::new();
    sum.update(name);
    sum.update(content);
    [&(content.len() as u32).to_be_bytes()[..], name, content, &sum.sum().to_be_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let rgba: Vec<u8> = (0..4 * 3 * 5).collect();
        let file = write(3, 5, &rgba).expect("as large as it says");
        let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().expect("a header");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut pixels).expect("a picture");
        assert_eq!((info.width, info.height, &pixels[..]), (3, 5, &rgba[..]));
        assert!(write(3, 6, &rgba).is_err());
    }
}
