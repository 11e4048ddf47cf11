//! Kernels from a folder, in place of the suite's: what a compiler or driver developer changes, measured and verified as the suite's own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::engine::plan::{Source, unknown_benchmark};
use crate::error::{Error, Result};
use crate::families::FAMILIES;

/// The kernels `FAMILY/BENCHMARK.wgsl` and `.cu` in a folder, by `family/benchmark`. Other kinds of files are let be.
///
/// # Errors
/// [`Error::Usage`] where the folder holds no kernel, or one that no benchmark is named after; [`Error::Io`] where it cannot be read.
pub(super) fn sources(folder: &Path) -> Result<BTreeMap<String, Source>> {
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
            "--shaders: {folder} holds no kernel: name them {folder}/transpose/tiled.wgsl and so on"
        )));
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
