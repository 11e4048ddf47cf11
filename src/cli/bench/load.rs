//! Makes a family of benchmarks from a user's kernels and their TOML file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::declared::{By, Declared, Filling, Own, Shared, Verify};
use super::options::Own as Options;
use super::script::{Script, variables};
use super::spec::{BufferSpec, Contents, KernelSpec, OneOrMany, Spec, Text, VerifySpec};
use crate::cli::shaders;
use crate::error::{Error, Result, shown};
use crate::shader::Shader;
use crate::suite::input::Values;
use crate::suite::{Accepted, Benchmark, Cases, Constants, Dtype, Extent, Family, Limit, Params, Profile, Shape};

/// A kernel before it is a benchmark.
struct Kernel {
    path: PathBuf,
    wgsl: &'static str,
    groups: Vec<Script>,
}

/// The family of these kernels. It lives as long as the program, like the suite's.
///
/// # Errors
/// [`Error::Usage`] where a file is missing, no kernel or no such TOML; where the declaration contradicts the kernels.
pub(super) fn family(files: &[PathBuf], options: &Options) -> Result<&'static Family> {
    let first = files.first().ok_or_else(|| Error::Usage("give a kernel: FILE.wgsl".to_owned()))?;
    let is_toml = |path: &Path| path.extension().is_some_and(|end| end == "toml");
    let beside = if is_toml(first) { first.clone() } else { first.with_extension("toml") };
    let has_file = is_toml(first) || beside.exists();
    let spec = if has_file { Spec::read(&beside)? } else { Spec::default() };
    let file = shown(if has_file { &beside } else { first });
    let folder = beside.parent().unwrap_or(Path::new("")).to_owned();
    let kernels = kernels(files, &spec, &file, &folder, options)?;
    let dtype = dtype(&spec, &kernels[0], &file)?;
    let shared = Arc::new(shared(&spec, &kernels, &file, &folder, options, dtype)?);
    let extents = sizes(&spec, &file)?;
    let (limit, no_ceiling) = limit(&spec, &shared, &file)?;
    let mut benchmarks = Vec::new();
    for Kernel { path, wgsl, groups } in kernels {
        let name = stem(&path);
        if benchmarks.iter().any(|other: &Benchmark| other.name == name) {
            return Err(Error::Usage(format!("two kernels are named {name}: name their files differently")));
        }
        let is_verified = shared.verify.is_some();
        let declared = Declared { shared: shared.clone(), wgsl, groups, is_verified };
        let sets = param_sets(&spec, wgsl, dtype, &path)?;
        let cases = Cases {
            from: Profile::Quick,
            dtypes: vec![dtype].leak(),
            extents: extents.clone().leak(),
            params: sets.leak(),
        };
        benchmarks.push(Benchmark {
            name: name.leak(),
            wgsl,
            cases: vec![cases].leak(),
            accepts: accepts(wgsl, dtype)?.leak(),
            ceiling: limit,
            no_ceiling,
            declared: Some(Box::leak(Box::new(declared))),
            ..Benchmark::BLANK
        });
    }
    let name = spec.name.clone().unwrap_or_else(|| stem(if has_file { &beside } else { first }));
    if crate::families::FAMILIES.iter().any(|family| family.name == name) {
        return Err(Error::Usage(format!("{file}: {name} is a family of the suite: give another name")));
    }
    let family = Family {
        name: name.leak(),
        summary: spec.summary.clone().unwrap_or_default().leak(),
        model_text: "",
        is_by_kernel: false,
        tuned: &[],
        benchmarks: benchmarks.leak(),
    };
    let family: &'static Family = Box::leak(Box::new(family));
    checked(family, &shared)?;
    Ok(family)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The text of a kernel.
fn read(path: &Path) -> Result<&'static str> {
    let fault = |source| Error::Io { action: "read", path: path.to_owned(), source };
    let end = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    if end != "wgsl" {
        return Err(Error::Usage(format!("{}: bench runs .wgsl files", shown(path))));
    }
    let text = shaders::text(std::fs::read(path).map_err(fault)?);
    let text = text.map_err(|why| Error::Usage(format!("{}: {why}", shown(path))))?;
    Ok(text.leak())
}

fn scripts(what: &str, texts: &[String]) -> Result<Vec<Script>> {
    if texts.len() > 3 {
        return Err(Error::Usage(format!("{what}: there are three sides, x, y and z")));
    }
    texts.iter().map(|text| Script::new(what, text)).collect()
}

fn texts(list: &OneOrMany<Text>) -> Vec<String> {
    list.list().iter().map(Text::text).collect()
}

/// The kernels of the command line, or of the file if it alone is named.
fn kernels(files: &[PathBuf], spec: &Spec, file: &str, folder: &Path, options: &Options) -> Result<Vec<Kernel>> {
    let own: Vec<KernelSpec> = spec.kernels.clone().unwrap_or_default();
    let named: Vec<PathBuf> =
        files.iter().filter(|path| path.extension().is_none_or(|end| end != "toml")).cloned().collect();
    let is_all =
        named.is_empty() || (named.len() == 1 && own.iter().any(|kernel| folder.join(kernel.file()) == named[0]));
    let paths = match (&own[..], is_all) {
        ([], true) if named.is_empty() => vec![folder.join(file_beside(files))],
        ([], _) | (_, false) => named,
        (own, true) => own.iter().map(|kernel| folder.join(kernel.file())).collect(),
    };
    paths
        .into_iter()
        .map(|path| {
            let groups = own_groups(spec, folder, &path).unwrap_or_else(|| common_groups(spec, options));
            let groups = scripts(&format!("{file}: groups"), &groups)?;
            Ok(Kernel { wgsl: read(&path)?, groups, path })
        })
        .collect()
}

/// The workgroups that the file gives for this kernel alone.
fn own_groups(spec: &Spec, folder: &Path, path: &Path) -> Option<Vec<String>> {
    spec.kernels.iter().flatten().find_map(|kernel| match kernel {
        KernelSpec::Table { file, groups: Some(groups) } if folder.join(file) == path => Some(texts(groups)),
        _ => None,
    })
}

/// The workgroups of every kernel without its own.
fn common_groups(spec: &Spec, options: &Options) -> Vec<String> {
    match &options.groups[..] {
        [] => spec.groups.as_ref().map(texts).unwrap_or_default(),
        groups => groups.to_vec(),
    }
}

/// The kernel that a TOML file without a list of kernels is for.
fn file_beside(files: &[PathBuf]) -> PathBuf {
    let name = files.first().map(|path| path.with_extension("wgsl")).unwrap_or_default();
    name.file_name().map(PathBuf::from).unwrap_or_default()
}

impl KernelSpec {
    fn file(&self) -> &str {
        match self {
            Self::File(file) | Self::Table { file, .. } => file,
        }
    }
}

/// A parsed kernel, with its file in any fault.
fn parsed(wgsl: &str, dtype: Dtype, path: &Path) -> Result<Shader> {
    Shader::parse(wgsl, dtype.name()).map_err(|error| named(error, path))
}

fn named(error: Error, path: &Path) -> Error {
    match error {
        Error::Shader(message) => {
            let message = message.strip_prefix("error: ").unwrap_or(&message);
            Error::Usage(format!("{}: {message}", shown(path)))
        }
        other => other,
    }
}

/// The element type that the file names, or else that of the first kernel's output.
fn dtype(spec: &Spec, kernel: &Kernel, file: &str) -> Result<Dtype> {
    const TYPES: [Dtype; 4] = [Dtype::F32, Dtype::F16, Dtype::F64, Dtype::U32];
    if let Some(name) = &spec.dtype {
        return TYPES.into_iter().find(|dtype| dtype.name() == name).ok_or_else(|| {
            Error::Usage(format!("{file}: dtype '{name}' is none of {}", TYPES.map(Dtype::name).join(", ")))
        });
    }
    let usual = if kernel.wgsl.contains("enable f16") { Dtype::F16 } else { Dtype::F32 };
    let shader = parsed(kernel.wgsl, usual, &kernel.path)?;
    let constants = Constants::new();
    let layouts = shader.layouts(&constants).map_err(|error| named(error, &kernel.path))?;
    let interface = shader.interface(&constants).map_err(|error| named(error, &kernel.path))?;
    let written = interface.bindings.iter().find(|binding| binding.access == crate::suite::Access::ReadWrite);
    let scalar = written.and_then(|written| layouts.iter().find(|layout| layout.name == written.name));
    let found = scalar.and_then(|layout| TYPES.into_iter().find(|dtype| dtype.scalar() == layout.scalar));
    Ok(found.unwrap_or(usual))
}

fn sizes(spec: &Spec, file: &str) -> Result<Vec<Extent>> {
    let Some(sizes) = &spec.sizes else { return Ok(vec![Extent::Linear(1 << 20)]) };
    let parse =
        |text: Text| Extent::parse(&text.text()).map_err(|error| Error::Usage(format!("{file}: sizes: {error}")));
    let found = sizes.list().into_iter().map(parse).collect::<Result<Vec<_>>>()?;
    let form = |extent: &Extent| std::mem::discriminant(extent);
    match found.first() {
        None => Err(Error::Usage(format!("{file}: sizes: give at least one"))),
        Some(first) if found.iter().any(|extent| form(extent) != form(first)) => {
            Err(Error::Usage(format!("{file}: sizes: give all in one form, N, ROWSxCOLUMNS or MxNxK")))
        }
        Some(_) => Ok(found),
    }
}

/// The peak that the file names, or else the usual one; and why there is none.
fn limit(spec: &Spec, shared: &Shared, file: &str) -> Result<(Option<Limit>, &'static str)> {
    let usual = match (&shared.bytes, &shared.flops) {
        (Some(_), _) => Some(Limit::Copy),
        (None, Some(_)) => Some(Limit::Fma),
        (None, None) => None,
    };
    let found = match spec.limit.as_deref() {
        None => usual,
        Some("none") => None,
        Some(name) => Some(Limit::ALL.into_iter().find(|limit| limit.name() == name).ok_or_else(|| {
            let names = Limit::ALL.map(Limit::name).join(", ");
            Error::Usage(format!("{file}: limit '{name}' is none of {names}, none"))
        })?),
    };
    Ok((found, if found.is_none() { "its declaration names no limit" } else { "" }))
}

/// Every combination of the file's parameters that the kernel has.
fn param_sets(spec: &Spec, wgsl: &str, dtype: Dtype, path: &Path) -> Result<Vec<Params>> {
    let shader = parsed(wgsl, dtype, path)?;
    let own = shader.overrides();
    let mut sets: Vec<Vec<(&'static str, f64)>> = vec![Vec::new()];
    for (name, values) in spec.params.iter().filter(|(name, _)| own.contains(name.as_str())) {
        let name: &'static str = name.clone().leak();
        let values = values.list();
        sets = sets.iter().flat_map(|set| values.iter().map(|value| [&set[..], &[(name, *value)]].concat())).collect();
    }
    Ok(sets.into_iter().map(|set| &*set.leak()).collect())
}

/// The values that the kernel's overrides accept: all of their types.
fn accepts(wgsl: &str, dtype: Dtype) -> Result<Vec<(&'static str, Accepted)>> {
    let shader = Shader::parse(wgsl, dtype.name())?;
    let names: Vec<String> = shader.overrides().into_iter().map(str::to_owned).collect();
    let accepted = |name: String| shader.accepted(&name).map(|accepted| (&*name.leak(), accepted));
    Ok(names.into_iter().filter_map(accepted).collect())
}

fn shared(
    spec: &Spec,
    kernels: &[Kernel],
    file: &str,
    folder: &Path,
    options: &Options,
    dtype: Dtype,
) -> Result<Shared> {
    let mut bindings: Vec<String> = Vec::new();
    let mut overrides: Vec<String> = Vec::new();
    for kernel in kernels {
        let shader = parsed(kernel.wgsl, dtype, &kernel.path)?;
        let layouts = shader.layouts(&Constants::new()).map_err(|error| named(error, &kernel.path))?;
        bindings.extend(layouts.into_iter().map(|layout| layout.name));
        overrides.extend(shader.overrides().into_iter().map(str::to_owned));
    }
    if let Some(unknown) = spec.buffers.keys().find(|name| !bindings.contains(name)) {
        return Err(Error::Usage(format!(
            "{file}: [buffers.{unknown}]: the kernel has no binding '{unknown}': it has {}",
            bindings.join(", ")
        )));
    }
    if let Some(unknown) = spec.params.keys().find(|name| !overrides.contains(name)) {
        let known = if overrides.is_empty() { "none".to_owned() } else { overrides.join(", ") };
        return Err(Error::Usage(format!("{file}: [params]: the kernel has no override '{unknown}': it has {known}")));
    }
    let leak = |text: String| -> &'static str { text.leak() };
    let names = bindings.into_iter().map(|name| {
        let pair = [leak(name.clone()), leak(format!("{name} before"))];
        (name, pair)
    });
    let script =
        |what: &str, text: Option<String>| text.map(|text| Script::new(&format!("{file}: {what}"), &text)).transpose();
    let bytes = options.bytes.clone().or_else(|| spec.bytes.as_ref().map(Text::text));
    let flops = options.flops.clone().or_else(|| spec.flops.as_ref().map(Text::text));
    let own = |(name, spec): (&String, &BufferSpec)| Ok((name.clone(), buffer(name, spec, file, folder)?));
    Ok(Shared {
        file: file.to_owned(),
        buffers: spec.buffers.iter().map(own).collect::<Result<BTreeMap<_, _>>>()?,
        names: names.collect(),
        bytes: script("bytes", bytes)?,
        flops: script("flops", flops)?,
        verify: verify(spec, file, folder, options, dtype)?,
    })
}

fn buffer(name: &str, spec: &BufferSpec, file: &str, folder: &Path) -> Result<Own> {
    let what = format!("{file}: [buffers.{name}]");
    let contents = match (&spec.contents, &spec.file) {
        (Some(_), Some(_)) => return Err(Error::Usage(format!("{what}: give contents or a file, not both"))),
        (None, None) => None,
        (None, Some(path)) => {
            let bytes = bytes(&folder.join(path))?;
            if !bytes.len().is_multiple_of(4) {
                return Err(Error::Usage(format!("{what}: the file has {} B, no whole number of words", bytes.len())));
            }
            let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
            Some(Filling::Words(Arc::new(words.collect())))
        }
        (Some(Contents::Number(value)), None) => Some(Filling::Random(Values::Constant(*value))),
        (Some(Contents::Named(name)), None) => Some(match name.as_str() {
            "random" => Filling::Random(Values::Wide),
            "small" => Filling::Random(Values::Summable),
            "signs" => Filling::Random(Values::Signs),
            "digits" => Filling::Random(Values::Digits),
            "ramp" => Filling::Random(Values::Ramp),
            "zero" => Filling::Random(Values::Constant(0.0)),
            "output" => Filling::Output,
            other => {
                let known = "random, small, signs, digits, ramp, zero, output, or a number";
                return Err(Error::Usage(format!("{what}: contents '{other}' are none of {known}")));
            }
        }),
    };
    let length = spec.length.as_ref().map(|text| Script::new(&format!("{what}: length"), &text.text())).transpose()?;
    let words = spec.words.iter().flatten().map(|text| Script::new(&format!("{what}: words"), &text.text()));
    Ok(Own { length, contents, words: words.collect::<Result<_>>()? })
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|source| Error::Io { action: "read", path: path.to_owned(), source })
}

/// How the output is verified: the options of the command line go before the file's.
fn verify(spec: &Spec, file: &str, folder: &Path, options: &Options, dtype: Dtype) -> Result<Option<Verify>> {
    let mut own = spec.verify.clone();
    if options.expect.is_some() || options.reference.is_some() {
        let before = own.take().unwrap_or_else(VerifySpec::none);
        own = Some(VerifySpec { expect: options.expect.clone(), reference: None, file: None, ..before });
    }
    let Some(own) = own else { return Ok(None) };
    let what = format!("{file}: [verify]");
    let reference = match (&options.reference, &own.reference) {
        (Some(path), _) => Some(path.clone()),
        (None, Some(path)) => Some(folder.join(path)),
        (None, None) => None,
    };
    let by = match (&own.expect, &reference, &own.file) {
        (Some(text), None, None) => By::Expression(Script::new(&format!("{what}: expect"), text)?),
        (None, Some(path), None) => By::Kernel(reference_of(path, &own, spec, file, folder, options, dtype)?),
        (None, None, Some(path)) => By::File(Arc::new(bytes(&folder.join(path))?)),
        _ => return Err(Error::Usage(format!("{what}: give one of expect, reference and file"))),
    };
    let length = own.length.as_ref().map(|text| Script::new(&format!("{what}: length"), &text.text())).transpose()?;
    let tolerance = options.tolerance.unwrap_or(own.tolerance);
    let is_allowed = |error: f64| error.is_finite() && error >= 0.0;
    if !is_allowed(tolerance) || !is_allowed(own.relative) {
        return Err(Error::Usage(format!("{what}: tolerance and relative are numbers from 0 on")));
    }
    Ok(Some(Verify { buffer: own.buffer, length, by, tolerance, relative: own.relative }))
}

impl VerifySpec {
    const fn none() -> Self {
        Self {
            buffer: None,
            length: None,
            expect: None,
            reference: None,
            reference_groups: None,
            file: None,
            tolerance: 0.0,
            relative: 0.0,
        }
    }
}

/// The benchmark of a reference: the same buffers, and no verification of its own.
fn reference_of(
    path: &Path,
    own: &VerifySpec,
    spec: &Spec,
    file: &str,
    folder: &Path,
    options: &Options,
    dtype: Dtype,
) -> Result<&'static Benchmark> {
    let wgsl = read(path)?;
    let groups = own.reference_groups.as_ref().map(texts).or_else(|| own_groups(spec, folder, path));
    let groups = groups.unwrap_or_else(|| common_groups(spec, options));
    let kernel = Kernel { path: path.to_owned(), wgsl, groups: scripts(&format!("{file}: groups"), &groups)? };
    let own = Spec { buffers: known_buffers(spec, &kernel, dtype)?, ..Spec::default() };
    let shared = shared(&own, std::slice::from_ref(&kernel), file, folder, &Options::default(), dtype)?;
    let declared = Declared { shared: Arc::new(shared), wgsl, groups: kernel.groups, is_verified: false };
    let benchmark =
        Benchmark { name: stem(path).leak(), wgsl, declared: Some(Box::leak(Box::new(declared))), ..Benchmark::BLANK };
    Ok(Box::leak(Box::new(benchmark)))
}

/// The declared buffers that a kernel binds.
fn known_buffers(spec: &Spec, kernel: &Kernel, dtype: Dtype) -> Result<BTreeMap<String, BufferSpec>> {
    let shader = parsed(kernel.wgsl, dtype, &kernel.path)?;
    let layouts = shader.layouts(&Constants::new()).map_err(|error| named(error, &kernel.path))?;
    let is_known = |name: &String| layouts.iter().any(|layout| layout.name == *name);
    Ok(spec.buffers.iter().filter(|(name, _)| is_known(name)).map(|(name, own)| (name.clone(), own.clone())).collect())
}

/// Evaluates the work of every case, so that a fault is said once and at once.
fn checked(family: &'static Family, shared: &Shared) -> Result<()> {
    for benchmark in family.benchmarks {
        for cases in benchmark.cases {
            for (extent, params) in
                cases.extents.iter().flat_map(|extent| cases.params.iter().map(move |set| (*extent, *set)))
            {
                let params = params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
                let shape = Shape::new(cases.dtypes[0], extent, params);
                for script in [&shared.bytes, &shared.flops].into_iter().flatten() {
                    script.whole(&mut variables(&shape, None), 0)?;
                }
            }
        }
    }
    Ok(())
}
