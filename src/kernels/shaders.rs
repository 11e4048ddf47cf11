//! The table of the kernels in `shaders/`, which `build.rs` writes, and what benchmarks take from it.

use record::suite::prelude::*;

/// Contents of the files `shaders/<kernel>.*`; empty if there is no such file.
struct Shaders {
    /// Family and benchmark: `transpose/tiled`.
    kernel: &'static str,
    /// From the first file that exists: WGSL, GLSL, CUDA C++, a header alone.
    summary: &'static str,
    /// The next three are empty if there is a kernel, whose header has them.
    work: &'static str,
    look_for: &'static str,
    limits: &'static str,
    wgsl: &'static str,
    glsl: &'static str,
    cuda: &'static str,
    spirv: &'static [u8],
}

const SHADERS: &[Shaders] = include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

/// `benchmarks` with the texts and programs that their literals leave empty, from their files, at compile time.
pub(super) const fn with_shaders<const COUNT: usize>(family: &str, benchmarks: &[Benchmark]) -> [Benchmark; COUNT] {
    let mut all = [Benchmark::BLANK; COUNT];
    let mut index = 0;
    while index < COUNT {
        let mut one = benchmarks[index];
        if let Some(own) = shaders_of(family, one.name, "") {
            if one.summary.is_empty() {
                one.summary = own.summary;
            }
            if one.look_for.is_empty() {
                (one.work_text, one.look_for, one.limited_by) = (own.work, own.look_for, own.limits);
            }
        }
        if let Some(files) = shaders_of(family, one.name, one.kernel) {
            if one.summary.is_empty() {
                one.summary = files.summary;
            }
            if one.wgsl.is_empty() && one.only_cuda.is_none() {
                one.wgsl = files.wgsl;
            }
            if one.cuda.is_empty() {
                one.cuda = files.cuda;
            }
            (one.glsl, one.spirv) = (files.glsl, files.spirv);
        }
        // The browser's program has no `explain`, and stays small.
        if cfg!(target_family = "wasm") {
            (one.look_for, one.limited_by, one.work_text) = ("", "", "");
        }
        all[index] = one;
        index += 1;
    }
    all
}

/// The files of a benchmark, or of the `kernel` that it borrows.
const fn shaders_of(family: &str, name: &str, kernel: &str) -> Option<&'static Shaders> {
    let mut index = 0;
    while index < SHADERS.len() {
        let known = SHADERS[index].kernel.as_bytes();
        let is_own = known.len() == family.len() + 1 + name.len()
            && starts_with(known, family.as_bytes())
            && starts_with(known.split_at(family.len() + 1).1, name.as_bytes());
        let is_borrowed = known.len() == kernel.len() && starts_with(known, kernel.as_bytes());
        if is_borrowed || kernel.is_empty() && is_own {
            return Some(&SHADERS[index]);
        }
        index += 1;
    }
    None
}

const fn starts_with(text: &[u8], start: &[u8]) -> bool {
    let mut index = 0;
    while index < start.len() {
        if text[index] != start[index] {
            return false;
        }
        index += 1;
    }
    true
}
