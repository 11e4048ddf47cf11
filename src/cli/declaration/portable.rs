//! Self-contained files that declare one kernel, for the bundle of a wrong result.

use std::path::{Path, PathBuf};

use super::data_file::ending;
use super::kernel::{Kernel, Text};
use super::spec::{KernelSpec, KernelTable, Spec};
use crate::cli::inputs;
use record::error::{Result, usage};
use record::suite::{Dtype, hash};

pub(in crate::cli) const TOML: &str = "kernel.toml";

/// The files that declare one kernel of a family: a TOML file with the command line's options, the kernel, its
/// reference and the contents of its buffers.
pub(super) fn portable(
    family: &str,
    spec: &Spec,
    kernel: &Kernel,
    reference: Option<&Kernel>,
    dtype: Dtype,
    is_unchecked: bool,
) -> Result<Vec<(String, Vec<u8>)>> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut add = |name: String, bytes: Vec<u8>| {
        files.push((name.clone(), bytes));
        PathBuf::from(name)
    };
    let (name, dtype_name) = (Some(family.to_owned()), Some(dtype.name().to_owned()));
    let mut alone = Spec { name, dtype: dtype_name, preprocess: None, ..spec.clone() };
    // Already applied to the kernel's text.
    (alone.defines, alone.prepend) = Default::default();
    // Already in the kernel's table.
    (alone.groups, alone.steps, alone.entry, alone.params) = Default::default();
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let (end, text) = match kernel.text {
        Text { spirv: Some(module), .. } if is_unchecked || module.unread.is_some() => {
            ("spv", bytemuck::cast_slice(&module.words))
        }
        Text { wgsl: "", cuda, .. } => ("cu", cuda.as_bytes()),
        Text { wgsl, .. } => ("wgsl", wgsl.as_bytes()),
    };
    let name = format!("{}.{end}", stem(&kernel.path));
    add(name.clone(), text.to_vec());
    if end == "wgsl" && !kernel.text.cuda.is_empty() {
        add(format!("{}.cu", stem(&kernel.path)), kernel.text.cuda.as_bytes().to_vec());
    }
    let mut table = KernelTable { file: name, name: Some(kernel.name.clone()), ..kernel.table.clone() };
    if let Some(known) = kernel.overrides(dtype)? {
        table.params.retain(|name, _| known.contains(name));
    }
    alone.kernels = Some(vec![KernelSpec::Table(table)]);
    // Drops what only other kernels use. Numbers stand for bindings of any kernel.
    let mut bound = kernel.declared_names(dtype)?;
    bound.extend(kernel.steps.buffers(true).into_iter().map(str::to_owned));
    if let Some(reference) = reference {
        bound.extend(reference.declared_names(dtype)?);
    }
    let is_own = |name: &String| bound.contains(name) || name.starts_with(|c: char| c.is_ascii_digit());
    alone.buffers.retain(|name, _| is_own(name));
    alone.uniforms.retain(|name, _| is_own(name));
    for (name, buffer) in &mut alone.buffers {
        if let Some(path) = buffer.file.take() {
            let bytes = inputs::contents(&path, inputs::DATA)?;
            buffer.file = Some(add(format!("{name}.{}", ending(&bytes)), bytes));
        }
    }
    let mut is_added = false;
    for (number, verify) in alone.verify.iter_mut().enumerate() {
        if let Some(path) = verify.file.take() {
            let bytes = inputs::contents(&path, inputs::DATA)?;
            let end = ending(&bytes);
            let name = if number == 0 { format!("right.{end}") } else { format!("right-{number}.{end}") };
            verify.file = Some(add(name, bytes));
        }
        if let (Some(_), Some(reference)) = (verify.reference.take(), reference) {
            let name = format!("reference-{}.wgsl", stem(&reference.path));
            if !is_added {
                is_added = true;
                add(name.clone(), reference.text.wgsl.as_bytes().to_vec());
            }
            verify.reference = Some(PathBuf::from(name));
            verify.reference_groups.clone_from(&reference.table.groups);
            verify.reference_steps.clone_from(&reference.table.steps);
            verify.reference_entry = reference.steps.entries.first().cloned();
            verify.reference_names.clone_from(&reference.table.names);
        }
    }
    let toml = toml::to_string(&alone).map_err(|error| usage!("{TOML}: {error}"))?;
    files.insert(0, (TOML.to_owned(), toml.into_bytes()));
    Ok(files)
}

/// A hash of a kernel's [`portable`] files, without the kernel (its own hash ignores comments) and without its sizes,
/// since a run may be completed with more.
pub(super) fn identity(files: &[(String, Vec<u8>)]) -> String {
    let mut all: Vec<u8> = Vec::new();
    for (name, bytes) in files {
        if name == TOML {
            let text = String::from_utf8_lossy(bytes);
            let lines = text.lines().filter(|line| !line.starts_with("sizes = "));
            lines.for_each(|line| all.extend_from_slice(format!("{line}\n").as_bytes()));
        } else if [".bin", ".npy", ".png"].iter().any(|end| name.ends_with(end)) || name.starts_with("reference-") {
            all.extend_from_slice(hash(bytes).as_bytes());
        }
    }
    hash(&all)
}
