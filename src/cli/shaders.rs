//! Kernels from a folder that replace those of the suite, for developers of kernels, compilers and drivers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::engine::plan::{Source, unknown_benchmark};
use crate::error::{Error, Result};
use crate::families::FAMILIES;

/// The kernels `FAMILY/BENCHMARK.wgsl` and `.cu` in a folder, by `family/benchmark`. Other files are ignored. With
/// `is_unchecked`, they run without run-time checks.
///
/// # Errors
/// [`Error::Usage`] if the folder has no kernel or a kernel has an unknown name, [`Error::Io`] if a file or folder
/// cannot be read.
pub(super) fn sources(folder: &Path, is_unchecked: bool) -> Result<BTreeMap<String, Source>> {
    let known: Vec<String> = FAMILIES
        .iter()
        .flat_map(|family| family.benchmarks.iter().map(|benchmark| format!("{}/{}", family.name, benchmark.name)))
        .collect();
    let mut sources: BTreeMap<String, Source> = BTreeMap::new();
    for family in entries(folder)?.into_iter().filter(|path| path.is_dir()) {
        for file in entries(&family)? {
            let kind = file.extension().unwrap_or_default();
            if kind != "wgsl" && kind != "cu" {
                continue;
            }
            let part = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let name = format!("{}/{}", part(&family), part(&file));
            if !known.contains(&name) {
                return Err(Error::Usage(format!(
                    "--shaders: {}: {}",
                    file.display(),
                    unknown_benchmark("benchmark", &name, &known)
                )));
            }
            let text = std::fs::read_to_string(&file).map_err(|source| fault(&file, source))?;
            let source = sources.entry(name).or_default();
            *(if kind == "cu" { &mut source.cuda } else { &mut source.wgsl }) = Some(text);
        }
    }
    if sources.is_empty() {
        let folder = folder.display();
        return Err(Error::Usage(format!(
            "--shaders: {folder} has no kernel: name them {folder}/transpose/tiled.wgsl and so on"
        )));
    }
    if is_unchecked {
        for source in sources.values_mut() {
            #[expect(unsafe_code, reason = "--unchecked")]
            // SAFETY: with --unchecked, the user guarantees that the WGSL keeps the promise of `Source::trust`. The
            // help of --unchecked states the consequence.
            unsafe {
                source.trust();
            }
        }
    }
    Ok(sources)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = || std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>();
    read().map_err(|source| fault(folder, source))
}

fn fault(path: &Path, source: std::io::Error) -> Error {
    Error::Io { action: "read", path: path.to_owned(), source }
}
