//! Compresses text: DEFLATE in base64, which the page unpacks.

use std::io::Write;

use base64::prelude::{BASE64_STANDARD, Engine};
use flate2::Compression;
use flate2::write::DeflateEncoder;

/// The compressed text. No character of it has a meaning in HTML.
pub(super) fn packed(text: &str) -> String {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    // Writes to a vector cannot fail.
    let written = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    BASE64_STANDARD.encode(written.unwrap_or_default())
}

/// Unpacks the text of an element of a page, for tests; `None` if there is none.
#[must_use]
pub fn unpacked(page: &str, id: &str) -> Option<String> {
    let (_, rest) = page.split_once(&format!("id=\"{id}\">"))?;
    let bytes = BASE64_STANDARD.decode(rest.split_once('<')?.0).ok()?;
    std::io::read_to_string(flate2::read::DeflateDecoder::new(&bytes[..])).ok()
}
