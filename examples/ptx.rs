//! Compiles every CUDA twin of the catalogue to PTX in one file; a build with the file's path in `SHADERBENCH_PTX`
//! embeds it. Run with `cargo run --release --example ptx -- FILE`; no GPU and no driver are needed. `NVRTC_LIB` is the
//! folder of NVRTC. A driver compiles PTX of its own CUDA version and of older ones, so `scripts/release.sh` uses the
//! oldest NVRTC whose drivers the program supports, 12.8.

use std::error::Error;
use std::path::PathBuf;

use gpu::backend::cuda::{Compiler, Ptx, PtxArchive, ptx};
use gpu::engine::catalogue;
use gpu::job::Language;
use gpu::shader::twin::ENTRY_POINT;
use rayon::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: ptx FILE")?;
    let folders: Vec<PathBuf> = std::env::var_os("NVRTC_LIB").map(PathBuf::from).into_iter().collect();
    let compiler = Compiler::find(&folders)?;
    let kernels = catalogue(Language::Cuda)?;
    let programs = kernels
        .par_iter()
        .map(|kernel| Ok((kernel.cuda.as_str(), ptx(&compiler, &kernel.cuda)?)))
        .collect::<record::error::Result<Vec<(&str, Vec<Ptx>)>>>()?;
    let entry = format!(".visible .entry {ENTRY_POINT}(").into_bytes();
    let has_entry = |ptx: &Ptx| ptx.text.windows(entry.len()).any(|bytes| bytes == entry);
    if let Some((program, _)) = programs.iter().find(|(_, all)| !all.iter().all(has_entry)) {
        return Err(format!("PTX without the entry point '{ENTRY_POINT}', of this program:\n{program}").into());
    }
    let file = PtxArchive::write(compiler.version(), &programs)?;
    if PtxArchive::read(&file)?.programs() != programs.len() {
        return Err("two programs have the same key".into());
    }
    std::fs::write(&path, &file)?;
    let (major, minor) = compiler.version();
    let texts = || programs.iter().flat_map(|(_, all)| all);
    let mut counts = std::collections::BTreeMap::new();
    texts().for_each(|ptx| *counts.entry(ptx.capability).or_insert(0_u32) += 1);
    let counts: Vec<String> =
        counts.into_iter().map(|(target, count)| format!("{count} for compute_{target}")).collect();
    let bytes: usize = texts().map(|ptx| ptx.text.len()).sum();
    println!(
        "{path}: {} programs by NVRTC {major}.{minor}: {}; {:.1} MB of PTX in {:.2} MB",
        programs.len(),
        counts.join(", "),
        bytes as f64 / 1e6,
        file.len() as f64 / 1e6
    );
    Ok(())
}
