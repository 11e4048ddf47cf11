use std::hash::Hasher;

/// Hash of `bytes` as sixteen hexadecimal digits.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    let mut hasher = Fnv::default();
    hasher.write(bytes);
    format!("{:016x}", hasher.finish())
}

/// FNV-1a: the same for every version of Rust, unlike the standard hasher.
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
