//! A file with the PTX of many programs.
//!
//! It begins with an eight-byte signature and the SHA-256 of the rest. The rest, compressed with zlib, has
//! little-endian 32-bit numbers and texts: the major and minor version of NVRTC; the number of texts, then each text
//! after its length; the number of programs, then for each its 32-byte key, a compute capability and the index of a
//! text. A program is listed once per capability, and equal texts are stored once.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::ops::Range;

use flate2::{Compression, read::ZlibDecoder, write::ZlibEncoder};
use sha2::{Digest, Sha256};

use super::super::nvrtc::OPTIONS;
use super::build::Ptx;
use crate::shader::twin::ENTRY_POINT;
use record::error::{Error, Result};

/// The last byte is the version of the format.
const SIGNATURE: [u8; 8] = *b"SB PTX\0\x01";

/// Bytes after decompression: more than any file has.
const LARGEST: u64 = 1 << 30;

/// SHA-256 of a complete program, its entry point and the compiler's options except the architecture.
type Key = [u8; 32];

/// The PTX of many programs.
#[derive(Debug)]
pub struct PtxArchive {
    version: (u32, u32),
    contents: Vec<u8>,
    /// By program and compute capability: the range of the text in `contents`.
    programs: BTreeMap<Key, BTreeMap<u32, Range<usize>>>,
}

impl PtxArchive {
    /// A file with `programs`, compiled by NVRTC of this `version`. Equal programs in equal order give equal bytes.
    ///
    /// # Errors
    /// [`Error::Validation`] if there are more programs than the format has room for.
    pub fn write(version: (u32, u32), programs: &[(&str, Vec<Ptx>)]) -> Result<Vec<u8>> {
        let too_large = || Error::Validation("too many programs for one PTX file".to_owned());
        let mut texts: Vec<&[u8]> = Vec::new();
        let mut known: BTreeMap<&[u8], usize> = BTreeMap::new();
        let mut entries: BTreeMap<(Key, u32), usize> = BTreeMap::new();
        for (program, all) in programs {
            for ptx in all {
                let index = *known.entry(&ptx.text).or_insert_with(|| {
                    texts.push(&ptx.text);
                    texts.len() - 1
                });
                entries.insert((key(program), ptx.capability), index);
            }
        }
        let mut contents = Vec::new();
        let number = |contents: &mut Vec<u8>, value: usize| {
            let value = u32::try_from(value).map_err(|_| too_large())?;
            contents.extend(value.to_le_bytes());
            Ok(())
        };
        contents.extend([version.0, version.1].into_iter().flat_map(u32::to_le_bytes));
        number(&mut contents, texts.len())?;
        for text in texts {
            number(&mut contents, text.len())?;
            contents.extend(text);
        }
        number(&mut contents, entries.len())?;
        for ((key, capability), index) in entries {
            contents.extend(key);
            contents.extend(capability.to_le_bytes());
            number(&mut contents, index)?;
        }
        let fault = |error: std::io::Error| Error::Validation(format!("zlib cannot compress the PTX: {error}"));
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&contents).map_err(fault)?;
        let compressed = encoder.finish().map_err(fault)?;
        Ok([&SIGNATURE[..], &Sha256::digest(&compressed)[..], &compressed].concat())
    }

    /// Reads what [`PtxArchive::write`] wrote.
    ///
    /// # Errors
    /// [`Error::Validation`] in one sentence if the file is damaged or has another format.
    pub fn read(file: &[u8]) -> Result<Self> {
        Self::parse(file).ok_or_else(|| {
            Error::Validation("the CUDA kernels (PTX) in this program are damaged: reinstall the program".to_owned())
        })
    }

    fn parse(file: &[u8]) -> Option<Self> {
        let (sum, compressed) = file.strip_prefix(&SIGNATURE)?.split_at_checked(32)?;
        if Sha256::digest(compressed)[..] != *sum {
            return None;
        }
        let mut contents = Vec::new();
        ZlibDecoder::new(compressed).take(LARGEST).read_to_end(&mut contents).ok()?;
        let mut reader = Reader { contents: &contents, at: 0 };
        let version = (reader.number()?, reader.number()?);
        let mut texts = Vec::new();
        for _ in 0..reader.number()? {
            let length = reader.number()? as usize;
            let text = reader.bytes(length)?;
            // The driver reads up to the first zero.
            contents.get(text.clone())?.ends_with(&[0]).then_some(())?;
            texts.push(text);
        }
        let mut programs: BTreeMap<Key, BTreeMap<u32, Range<usize>>> = BTreeMap::new();
        for _ in 0..reader.number()? {
            let key = contents.get(reader.bytes(32)?)?.try_into().ok()?;
            let capability = reader.number()?;
            let text = texts.get(reader.number()? as usize)?.clone();
            programs.entry(key).or_default().insert(capability, text);
        }
        (reader.at == contents.len()).then_some(Self { version, contents, programs })
    }

    /// Version of the NVRTC that compiled the programs: major and minor. The driver must support this version of CUDA.
    #[must_use]
    pub const fn version(&self) -> (u32, u32) {
        self.version
    }

    /// Number of programs.
    #[must_use]
    pub fn programs(&self) -> usize {
        self.programs.len()
    }

    /// The lowest and highest architecture of the PTX, as 10 × major + minor.
    #[must_use]
    pub fn capabilities(&self) -> Option<(u32, u32)> {
        let all = || self.programs.values().flat_map(BTreeMap::keys);
        Some((*all().min()?, *all().max()?))
    }

    /// The PTX of `program` for a device of this compute capability (10 × major + minor), ending with a zero byte.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the file lacks the program, or the device is too old for it.
    pub fn find(&self, program: &str, capability: u32) -> Result<&[u8]> {
        let Some(texts) = self.programs.get(&key(program)) else {
            return Err(Error::Unsupported(
                "this kernel with these parameters needs NVRTC: install the CUDA toolkit, or `pip install \
                 nvidia-cuda-nvrtc`"
                    .to_owned(),
            ));
        };
        let fitting = texts.range(..=capability).next_back().and_then(|(_, text)| self.contents.get(text.clone()));
        fitting.ok_or_else(|| cannot_run(texts.keys().next().copied().unwrap_or_default(), capability))
    }
}

/// The error if a program needs a higher compute capability (10 × major + minor) than the device's.
pub(crate) fn cannot_run(needs: u32, capability: u32) -> Error {
    Error::Unsupported(format!(
        "needs compute capability {}.{}, but the device has {}.{}",
        needs / 10,
        needs % 10,
        capability / 10,
        capability % 10
    ))
}

fn key(program: &str) -> Key {
    let mut hasher = Sha256::new();
    for part in [ENTRY_POINT].iter().chain(&OPTIONS).chain(&[program]) {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

struct Reader<'a> {
    contents: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn bytes(&mut self, length: usize) -> Option<Range<usize>> {
        let range = self.at..self.at.checked_add(length).filter(|end| *end <= self.contents.len())?;
        self.at = range.end;
        Some(range)
    }

    fn number(&mut self) -> Option<u32> {
        let range = self.bytes(4)?;
        Some(u32::from_le_bytes(self.contents.get(range)?.try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ptx(capability: u32, text: &str) -> Ptx {
        Ptx { capability, text: format!("{text}\0").into_bytes() }
    }

    fn file() -> Vec<u8> {
        let (same, new) = (ptx(50, "same"), ptx(80, "new"));
        let programs = [("a", vec![same.clone(), new]), ("b", vec![Ptx { capability: 75, ..same }])];
        PtxArchive::write((12, 8), &programs).expect("a file")
    }

    #[test]
    fn a_device_gets_the_newest_text_that_it_runs() {
        assert_eq!(file(), file());
        let archive = PtxArchive::read(&file()).expect("readable");
        assert_eq!((archive.version(), archive.programs(), archive.capabilities()), ((12, 8), 2, Some((50, 80))));
        for (program, capability, expected) in
            [("a", 50, "same\0"), ("a", 79, "same\0"), ("a", 80, "new\0"), ("a", 120, "new\0"), ("b", 75, "same\0")]
        {
            assert_eq!(archive.find(program, capability).expect("found"), expected.as_bytes());
        }
        let refused = |program, capability| archive.find(program, capability).expect_err("refused").to_string();
        assert_eq!(refused("b", 61), "needs compute capability 7.5, but the device has 6.1");
        assert!(refused("c", 90).starts_with("this kernel with these parameters needs NVRTC: install"));
        assert!(archive.find("c", 90).expect_err("refused").is_skip());
    }

    #[test]
    fn a_damaged_file_is_one_sentence() {
        let whole = file();
        let mut damaged: Vec<Vec<u8>> = (0..whole.len()).map(|length| whole[..length].to_vec()).collect();
        damaged.extend((0..whole.len()).map(|index| {
            let mut file = whole.clone();
            file[index] ^= 1;
            file
        }));
        // Correct checksums of wrong contents: invalid lengths, indices and ends.
        let signed = |contents: &[u8]| {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(contents).expect("memory");
            let compressed = encoder.finish().expect("memory");
            [&SIGNATURE[..], &Sha256::digest(&compressed)[..], &compressed].concat()
        };
        let words = |words: &[u32]| signed(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>());
        damaged.extend([
            words(&[12, 8, u32::MAX]),
            words(&[12, 8, 1, u32::MAX, 0]),
            words(&[12, 8, 1, 4, u32::MAX, 0]),
            words(&[12, 8, 0, 0, 0]),
        ]);
        damaged.push(words(&[&[12, 8, 0, 1][..], &[0; 8], &[75, 3]].concat()));
        for file in damaged {
            let error = PtxArchive::read(&file).expect_err("damaged").to_string();
            assert!(error.contains("damaged: reinstall") && !error.contains('\n'), "{error}");
        }
    }
}
