//! Encodes images from kernels as PNG.

use record::error::{Error, Result};

/// Encodes `rgba` (4 bytes per pixel, row-major) as a PNG file.
///
/// # Errors
/// [`Error::Validation`] if the length of `rgba` does not match `width` and `height`.
pub fn write(width: u32, height: u32, rgba: &[u8]) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(rgba));
    written.map_err(|error| Error::Validation(format!("cannot encode a {width}x{height} picture: {error}")))?;
    Ok(file)
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
