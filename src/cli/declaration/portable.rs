//! A kernel's declaration in files of its own, for the bundle of a wrong result.

use std::path::{Path, PathBuf};

use super::kernel::{Kernel, Text};
use super::spec::{KernelSpec, KernelTable, OneOrMany, Spec, Text as Written};
use crate::cli::inputs;
use crate::error::{Error, Result};
use crate::suite::{Dtype, hash};

/// The name of the TOML file.
pub(in crate::cli) const TOML: &str = "kernel.toml";

/// The files that declare one kernel of a family: its TOML file, with what the command line said, then the kernel, its
/// reference, and the contents of its buffers.
///
/// # Errors
/// [`Error::Io`] if a file cannot be read.
pub(super) fn portable(
    family: &str,
    spec: &Spec,
    kernel: &Kernel,
    reference: Option<&Kernel>,
    dtype: Dtype,
) -> Result<Vec<(String, Vec<u8>)>> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut add = |name: String, bytes: Vec<u8>| {
        files.push((name.clone(), bytes));
        PathBuf::from(name)
    };
    let groups = |kernel: &Kernel| {
        (!kernel.written_groups.is_empty())
            .then(|| OneOrMany::Many(kernel.written_groups.iter().cloned().map(Written::Written).collect()))
    };
    let mut own = Spec { groups: None, ..spec.clone() };
    own.name = Some(family.to_owned());
    own.dtype = Some(dtype.name().to_owned());
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let of_text = |text: Text| match text {
        Text { wgsl: "", cuda, .. } => ("cu", cuda),
        Text { wgsl, .. } => ("wgsl", wgsl),
    };
    let (end, text) = of_text(kernel.text);
    let name = format!("{}.{end}", stem(&kernel.path));
    add(name.clone(), text.as_bytes().to_vec());
    if end == "wgsl" && !kernel.text.cuda.is_empty() {
        add(format!("{}.cu", stem(&kernel.path)), kernel.text.cuda.as_bytes().to_vec());
    }
    own.kernels = Some(vec![KernelSpec::Table(KernelTable { file: name, groups: groups(kernel) })]);
    let bound: Vec<String> = kernel.layouts(dtype)?.into_iter().map(|layout| layout.name).collect();
    own.buffers.retain(|name, _| bound.contains(name));
    for (name, buffer) in &mut own.buffers {
        if let Some(path) = buffer.file.take() {
            buffer.file = Some(add(format!("{name}.bin"), bytes(&path)?));
        }
    }
    if let Some(known) = kernel.overrides(dtype)? {
        own.params.retain(|name, _| known.contains(name));
    }
    if let Some(verify) = &mut own.verify {
        if let Some(path) = verify.file.take() {
            verify.file = Some(add("right.bin".to_owned(), bytes(&path)?));
        }
        if let (Some(_), Some(reference)) = (verify.reference.take(), reference) {
            let name = format!("reference-{}.wgsl", stem(&reference.path));
            verify.reference = Some(add(name, reference.text.wgsl.as_bytes().to_vec()));
            verify.reference_groups = groups(reference);
        }
    }
    let toml = toml::to_string(&own).map_err(|error| Error::Usage(format!("{TOML}: {error}")))?;
    files.insert(0, (TOML.to_owned(), toml.into_bytes()));
    Ok(files)
}

/// A hash of a kernel's [`portable`] files without the kernel, whose own hash leaves out comments, and without its sizes:
/// a run may be completed with more.
pub(super) fn identity(files: &[(String, Vec<u8>)]) -> String {
    let mut all: Vec<u8> = Vec::new();
    for (name, bytes) in files {
        if name == TOML {
            let text = String::from_utf8_lossy(bytes);
            let lines = text.lines().filter(|line| !line.starts_with("sizes = "));
            lines.for_each(|line| all.extend_from_slice(format!("{line}\n").as_bytes()));
        } else if name.ends_with(".bin") || name.starts_with("reference-") {
            all.extend_from_slice(hash(bytes).as_bytes());
        }
    }
    hash(&all)
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    inputs::contents(path, inputs::DATA)
}
