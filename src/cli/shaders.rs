//! Kernels from a folder that replace those of the suite, for developers of kernels, compilers and drivers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::inputs;
use gpu::engine::plan::{Source, select, unknown_benchmark};
use kernels::FAMILIES;
use record::error::{Error, Result, usage};
use record::suite::{Benchmark, Family};

/// Loads the kernels `FAMILY/BENCHMARK.wgsl` and `.cu` from a folder, keyed by `family/benchmark`; other files are
/// ignored. With `is_unchecked`, the kernels run without run-time checks.
pub(super) fn sources(folder: &Path, is_unchecked: bool, filters: &[String]) -> Result<BTreeMap<String, Source>> {
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
                return Err(usage!("{}: {}", file.display(), unknown_benchmark("benchmark", &name, &known)));
            }
            let bytes = inputs::contents(&file, inputs::KERNEL)?;
            let text = text(bytes).map_err(|why| usage!("{}: {why}", file.display()))?;
            let source = sources.entry(name).or_default();
            *(if kind == "cu" { &mut source.cuda } else { &mut source.wgsl }) = Some(text);
        }
    }
    if sources.is_empty() {
        let folder = folder.display();
        return Err(usage!("folder {folder} has no kernel: use names such as {folder}/transpose/tiled.wgsl"));
    }
    let selected = select(filters)?;
    let is_selected = |name: &String| {
        selected.iter().any(|(family, benchmark)| *name == format!("{}/{}", family.name, benchmark.name))
    };
    if !sources.keys().any(is_selected) {
        let names: Vec<&str> = sources.keys().map(String::as_str).collect();
        return Err(usage!(
            "folder {} has no kernel of the selected benchmarks, only {}",
            folder.display(),
            names.join(", ")
        ));
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

/// A user's kernels, unchanged, to run without run-time checks: all if `is_unchecked`, else those in SPIR-V to which
/// nothing can add checks.
pub(super) fn trusted(family: &Family, is_unchecked: bool) -> BTreeMap<String, Source> {
    let source = || {
        let mut source = Source::default();
        #[expect(unsafe_code, reason = "--unchecked")]
        // SAFETY: as above. For SPIR-V that naga cannot read, `bench` reports that nothing checks its accesses.
        unsafe {
            source.trust();
        }
        source
    };
    let benchmarks = family.benchmarks.iter().filter(|own| is_unchecked || is_unread(own));
    benchmarks.map(|benchmark| (format!("{}/{}", family.name, benchmark.name), source())).collect()
}

/// Whether the kernel is SPIR-V that naga cannot read.
pub(super) const fn is_unread(benchmark: &Benchmark) -> bool {
    benchmark.wgsl.is_empty() && !benchmark.spirv.is_empty()
}

pub(super) fn text(bytes: Vec<u8>) -> Result<String, String> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err("the file is UTF-16: save it as UTF-8".to_owned());
    }
    let line = |at: usize| 1 + bytes[..at].iter().filter(|byte| **byte == b'\n').count();
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(format!("line {} has a NUL byte", line(at)));
    }
    match std::str::from_utf8(&bytes) {
        Err(error) => Err(format!("line {} is not UTF-8", line(error.valid_up_to()))),
        Ok(text) if text.trim().is_empty() => Err("the file is empty".to_owned()),
        Ok(text) => Ok(without_extensions(text)),
    }
}

/// The text without names in `enable` and `requires` that naga always has or does not know, and without the numbers of
/// overrides, which have names.
fn without_extensions(text: &str) -> String {
    const NEEDLESS: [&str; 5] = [
        "subgroups",
        "subgroup_id",
        "subgroup_uniformity",
        "immediate_address_space",
        "uniform_buffer_standard_layout",
    ];
    let line = |line: &str| {
        let mut line = line.to_owned();
        while let Some((before, rest)) = line.split_once("@id(").filter(|(_, rest)| rest.contains("override")) {
            let Some((_, after)) = rest.split_once(')') else { break };
            line = format!("{before}{}", after.trim_start());
        }
        let directive =
            ["enable", "requires"].into_iter().find_map(|word| Some((word, line.trim().strip_prefix(word)?)));
        let Some((word, names)) = directive.filter(|(_, rest)| rest.starts_with(' ')) else { return line };
        let Some(names) = names.trim_end().strip_suffix(';') else { return line };
        let names: Vec<&str> = names.split(',').map(str::trim).collect();
        let others: Vec<&str> = names.iter().copied().filter(|name| !NEEDLESS.contains(name)).collect();
        match others.len() {
            0 => String::new(),
            count if count == names.len() => line.clone(),
            _ => format!("{word} {};", others.join(", ")),
        }
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = || std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>();
    read().map_err(Error::io("read", folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_text_is_refused_with_the_reason() {
        for (bytes, reason) in [
            (&b"fn main() {}\n\n\0 x"[..], "line 3 has a NUL byte"),
            (b"\xff\xfef\0n\0", "the file is UTF-16: save it as UTF-8"),
            (b"\xfe\xff\0f\0n", "the file is UTF-16: save it as UTF-8"),
            (b"a\nb\xff", "line 2 is not UTF-8"),
            (b"", "the file is empty"),
            (b" \n\t", "the file is empty"),
        ] {
            assert_eq!(text(bytes.to_vec()), Err(reason.to_owned()));
        }
        assert_eq!(text(b"\xc3\xa4".to_vec()).as_deref(), Ok("\u{e4}"));
        let kernel = "enable f16, subgroups;\nenable subgroups;\r\nrequires subgroup_id;\n@id(7) override k: u32;\nfn main() { let \
                      subgroups = 1; }\n"
            .to_owned();
        let expected = "enable f16;\n\n\noverride k: u32;\nfn main() { let subgroups = 1; }\n";
        assert_eq!(text(kernel.into_bytes()).as_deref(), Ok(expected));
    }
}
