//! Makes a family of benchmarks from a user's kernels and their TOML file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::declared::{By, Declared, Filling, Own, Shared, Verify};
use super::kernel::{Kernel, Text as KernelText};
use super::options::Own as Options;
use super::portable::{TOML, identity, portable};
use super::script::Script;
use super::spec::{BufferSpec, Contents, KernelSpec, OneOrMany, Spec, Text, VerifySpec};
use crate::cli::inputs;
use crate::error::{Error, Result, shown, visible};
use crate::suite::input::Values;
use crate::suite::kept::{kept, kept_items, kept_text};
use crate::suite::{Benchmark, Cases, Dtype, Extent, Family, Limit, Params, Profile};

/// The family of these kernels. It lives as long as the program, like the suite's.
///
/// # Errors
/// [`Error::Usage`] where a file is missing, no kernel or no such TOML; where the declaration contradicts the kernels.
pub(in crate::cli) fn family(files: &[PathBuf], options: &Options) -> Result<(&'static Family, Vec<KernelText>)> {
    let first = files.first().ok_or_else(|| Error::Usage("give a kernel: FILE.wgsl".to_owned()))?;
    let is_toml = |path: &Path| path.extension().is_some_and(|end| end == "toml");
    let beside = if is_toml(first) { first.clone() } else { first.with_extension("toml") };
    let has_file = is_toml(first) || beside.exists();
    let spec = if has_file { Spec::read(&beside)? } else { Spec::default() };
    let file = shown(if has_file { &beside } else { first });
    let folder = beside.parent().unwrap_or(Path::new("")).to_owned();
    let spec = spec.resolved(options, &folder);
    let kernels = kernels(files, &spec, &file, &folder)?;
    let dtype = dtype(&spec, &kernels[0], &file)?;
    let name = spec.name.clone().unwrap_or_else(|| stem(if has_file { &beside } else { first }));
    let name = visible(&name).into_owned();
    if crate::families::FAMILIES.iter().any(|family| family.name == name) {
        return Err(Error::Usage(format!("{file}: {name} is a family of the suite: give another name")));
    }
    let reference = reference(&spec, &file, &folder)?;
    let shared = Arc::new(shared(&spec, &kernels, reference.as_ref(), &file, dtype)?);
    let extents = sizes(&spec, &file)?;
    let (limit, no_ceiling) = limit(&spec, &shared, &file)?;
    let mut benchmarks = Vec::new();
    for kernel in &kernels {
        let own = stem(&kernel.path);
        if benchmarks.iter().any(|other: &Benchmark| other.name == own) {
            return Err(Error::Usage(format!("two kernels are named {own}: name their files differently")));
        }
        let sets = param_sets(&spec, kernel, dtype)?;
        let files = portable(&name, &spec, kernel, reference.as_ref(), dtype)?;
        let declared = Declared {
            shared: shared.clone(),
            text: kernel.text,
            groups: kernel.groups.clone(),
            // A kernel that is compared with itself is not verified.
            is_verified: shared.verify.is_some()
                && reference.as_ref().is_none_or(|reference| reference.text.wgsl != kernel.text.wgsl),
            hash: identity(&files),
            files,
        };
        let cases = Cases {
            from: Profile::Quick,
            dtypes: kept_items(vec![dtype]),
            extents: kept_items(extents.clone()),
            params: kept_items(sets),
        };
        benchmarks.push(Benchmark {
            name: kept_text(own),
            wgsl: kernel.text.wgsl,
            cuda: kernel.text.cuda,
            only_cuda: kernel.text.only_cuda(),
            cases: kept_items(vec![cases]),
            accepts: kept_items(kernel.accepts(dtype)?),
            ceiling: limit,
            no_ceiling,
            declared: Some(kept(declared)),
            ..Benchmark::BLANK
        });
    }
    let family = Family {
        name: kept_text(name),
        summary: kept_text(visible(spec.summary.as_deref().unwrap_or_default()).into_owned()),
        benchmarks: kept_items(benchmarks),
        ..Family::BLANK
    };
    Ok((kept(family), kernels.iter().chain(&reference).map(|kernel| kernel.text).collect()))
}

/// The family of one kernel that a folder declares, as the bundle of a wrong result does.
///
/// # Errors
/// As for [`family`].
pub(in crate::cli) fn of_folder(folder: &Path) -> Result<&'static Family> {
    family(&[folder.join(TOML)], &Options::default()).map(|(family, _)| family)
}

fn stem(path: &Path) -> String {
    visible(&path.file_stem().unwrap_or_default().to_string_lossy()).into_owned()
}

fn scripts(what: &str, texts: &[String]) -> Result<Vec<Script>> {
    if texts.len() > 3 {
        return Err(Error::Usage(format!("{what}: there are three sides, x, y and z")));
    }
    texts.iter().map(|text| Script::new(what, text)).collect()
}

/// The kernels of the command line, or of the file if it alone is named.
fn kernels(files: &[PathBuf], spec: &Spec, file: &str, folder: &Path) -> Result<Vec<Kernel>> {
    let own: Vec<KernelSpec> = spec.kernels.clone().unwrap_or_default();
    let mut named: Vec<PathBuf> =
        files.iter().filter(|path| path.extension().is_none_or(|end| end != "toml")).cloned().collect();
    // A twin comes with the WGSL beside it.
    let wgsl: Vec<PathBuf> = named.clone();
    named.retain(|path| {
        !(path.extension().is_some_and(|end| end == "cu") && wgsl.contains(&path.with_extension("wgsl")))
    });
    let is_all =
        named.is_empty() || (named.len() == 1 && own.iter().any(|kernel| folder.join(kernel.file()) == named[0]));
    let paths = match (&own[..], is_all) {
        ([], true) if named.is_empty() => vec![folder.join(file_beside(files))],
        ([], _) | (_, false) => named,
        (own, true) => own.iter().map(|kernel| folder.join(kernel.file())).collect(),
    };
    paths.iter().map(|path| kernel(path, &spec.groups_of(folder, path), spec, file)).collect()
}

fn kernel(path: &Path, groups: &[String], spec: &Spec, file: &str) -> Result<Kernel> {
    let scripts = scripts(&format!("{file}: groups"), groups)?;
    Ok(Kernel {
        text: KernelText::read(path)?,
        groups: scripts,
        written_groups: groups.to_vec(),
        path: path.to_owned(),
        params: spec.params.iter().filter_map(|(name, of)| Some((name.clone(), *of.list().first()?))).collect(),
    })
}

/// The kernel whose output is the right one, if there is one.
fn reference(spec: &Spec, file: &str, folder: &Path) -> Result<Option<Kernel>> {
    let Some(own) = &spec.verify else { return Ok(None) };
    let Some(path) = &own.reference else { return Ok(None) };
    let groups = own.reference_groups.as_ref().map(OneOrMany::texts);
    let found = kernel(path, &groups.unwrap_or_else(|| spec.groups_of(folder, path)), spec, file)?;
    if found.text.wgsl.is_empty() {
        return Err(Error::Usage(format!("{}: a reference is a .wgsl or .spv file", shown(path))));
    }
    Ok(Some(found))
}

/// The kernel that a TOML file without a list of kernels is for.
fn file_beside(files: &[PathBuf]) -> PathBuf {
    let Some(toml) = files.first() else { return PathBuf::new() };
    let ends = ["wgsl", "spv", "cu"].map(|end| toml.with_extension(end));
    let found = ends.iter().find(|path| path.exists()).unwrap_or(&ends[0]);
    found.file_name().map(PathBuf::from).unwrap_or_default()
}

/// The element type that the file names, or else that of the first kernel's output.
fn dtype(spec: &Spec, kernel: &Kernel, file: &str) -> Result<Dtype> {
    const TYPES: [Dtype; 4] = [Dtype::F32, Dtype::F16, Dtype::F64, Dtype::U32];
    if let Some(name) = &spec.dtype {
        return TYPES.into_iter().find(|dtype| dtype.name() == name).ok_or_else(|| {
            Error::Usage(format!("{file}: dtype '{name}' is none of {}", TYPES.map(Dtype::name).join(", ")))
        });
    }
    let usual = if kernel.text.wgsl.contains("enable f16") { Dtype::F16 } else { Dtype::F32 };
    let (layouts, written) = (kernel.layouts(usual)?, kernel.written(usual)?);
    let scalar = written.and_then(|name| layouts.into_iter().find(|layout| layout.name == name));
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

/// Maximum number of combinations of parameters: each is a case of its own.
const MOST_SETS: usize = 1000;

/// Every combination of the file's parameters that the kernel has.
fn param_sets(spec: &Spec, kernel: &Kernel, dtype: Dtype) -> Result<Vec<Params>> {
    let own = kernel.overrides(dtype)?;
    let has = |name: &String| own.as_ref().is_none_or(|own| own.contains(name));
    let mut sets: Vec<Vec<(&'static str, f64)>> = vec![Vec::new()];
    let lists = || spec.params.iter().filter(|(name, _)| has(name));
    let count = lists().try_fold(1_usize, |count, (_, values)| count.checked_mul(values.list().len()));
    if count.is_none_or(|count| count > MOST_SETS) {
        return Err(Error::Usage(format!("[params]: the values make more than {MOST_SETS} combinations: name fewer")));
    }
    for (name, values) in lists() {
        let name = kept_text(name.clone());
        let values = values.list();
        sets = sets.iter().flat_map(|set| values.iter().map(|value| [&set[..], &[(name, *value)]].concat())).collect();
    }
    Ok(sets.into_iter().map(kept_items).collect())
}

fn shared(spec: &Spec, kernels: &[Kernel], reference: Option<&Kernel>, file: &str, dtype: Dtype) -> Result<Shared> {
    let names = |kernel: &Kernel| -> Result<Vec<String>> {
        Ok(kernel.layouts(dtype)?.into_iter().map(|layout| layout.name).collect())
    };
    let mut bindings: Vec<String> = Vec::new();
    let mut overrides = Some(Vec::new());
    for kernel in kernels {
        bindings.extend(names(kernel)?);
        match (&mut overrides, kernel.overrides(dtype)?) {
            (Some(all), Some(own)) => all.extend(own),
            _ => overrides = None,
        }
    }
    if let Some(unknown) = spec.buffers.keys().find(|name| !bindings.contains(name)) {
        return Err(Error::Usage(format!(
            "{file}: [buffers.{unknown}]: the kernel has no binding '{unknown}': it has {}",
            bindings.join(", ")
        )));
    }
    let first = names(&kernels[0])?;
    for kernel in kernels {
        let own = names(kernel)?;
        let lacks = |(name, buffer): &(&String, &BufferSpec)| buffer.length.is_some() && !own.contains(*name);
        let is_unknown = |name: &&String| !spec.buffers.contains_key(*name) && !first.contains(*name);
        if let (Some((name, _)), Some(other)) = (spec.buffers.iter().find(lacks), own.iter().find(is_unknown)) {
            let path = shown(&kernel.path);
            return Err(Error::Usage(format!(
                "{path} has no buffer '{name}', which {file} declares, but '{other}': name the buffers of all kernels \
                 alike, or declare [buffers.{other}]"
            )));
        }
    }
    if let Some(overrides) = overrides
        && let Some(unknown) = spec.params.keys().find(|name| !overrides.contains(name))
    {
        let known = if overrides.is_empty() { "none".to_owned() } else { overrides.join(", ") };
        return Err(Error::Usage(format!("{file}: [params]: the kernel has no override '{unknown}': it has {known}")));
    }
    let verify = verify(spec, (reference, &bindings), file, dtype)?;
    declarations(spec, bindings, file, verify)
}

/// The buffers and the work of kernels with these bindings.
fn declarations(spec: &Spec, bindings: Vec<String>, file: &str, verify: Option<Verify>) -> Result<Shared> {
    let script = |what: &str, text: &Option<Text>| {
        text.as_ref().map(|text| Script::new(&format!("{file}: {what}"), &text.text())).transpose()
    };
    let own = |(name, spec): (&String, &BufferSpec)| Ok((name.clone(), buffer(name, spec, file)?));
    let mut numbers = BTreeMap::new();
    for name in &bindings {
        let next = numbers.len() as u64;
        numbers.entry(name.clone()).or_insert(next);
    }
    let names = bindings.into_iter().map(|name| {
        let pair = [kept_text(name.clone()), kept_text(format!("{name} before"))];
        (name, pair)
    });
    Ok(Shared {
        file: file.to_owned(),
        buffers: spec.buffers.iter().map(own).collect::<Result<BTreeMap<_, _>>>()?,
        names: names.collect(),
        numbers,
        bytes: script("bytes", &spec.bytes)?,
        flops: script("flops", &spec.flops)?,
        verify,
    })
}

fn buffer(name: &str, spec: &BufferSpec, file: &str) -> Result<Own> {
    let what = format!("{file}: [buffers.{name}]");
    let contents = match (&spec.contents, &spec.file) {
        (Some(_), Some(_)) => return Err(Error::Usage(format!("{what}: give contents or a file, not both"))),
        (None, None) => None,
        (None, Some(path)) => {
            let bytes = bytes(path)?;
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
    let words = spec.words.iter().flatten().map(|text| {
        let text = text.text();
        Ok((Script::new(&format!("{what}: words"), &text)?, text.contains("bits(")))
    });
    Ok(Own { length, contents, words: words.collect::<Result<_>>()? })
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    inputs::contents(path, inputs::DATA)
}

/// How the output is verified.
fn verify(
    spec: &Spec,
    (reference, bindings): (Option<&Kernel>, &[String]),
    file: &str,
    dtype: Dtype,
) -> Result<Option<Verify>> {
    let Some(own) = spec.verify.clone() else { return Ok(None) };
    let what = format!("{file}: [verify]");
    let by = match (&own.expect, reference, &own.file) {
        (Some(text), None, None) => By::Expression(Script::new(&format!("{what}: expect"), text)?),
        (None, Some(kernel), None) => By::Kernel(reference_of(kernel, spec, bindings, file, dtype)?),
        (None, None, Some(path)) => By::File(Arc::new(bytes(path)?)),
        _ => return Err(Error::Usage(format!("{what}: give one of expect, reference and file"))),
    };
    let length = own.length.as_ref().map(|text| Script::new(&format!("{what}: length"), &text.text())).transpose()?;
    let VerifySpec { tolerance, relative, .. } = own;
    let is_allowed = |error: f64| error.is_finite() && error >= 0.0;
    if !is_allowed(tolerance) || !is_allowed(relative) {
        return Err(Error::Usage(format!("{what}: tolerance and relative are numbers from 0 on")));
    }
    Ok(Some(Verify { buffer: own.buffer, length, by, tolerance, relative }))
}

/// The benchmark of a reference: the same buffers, and no verification of its own.
fn reference_of(
    kernel: &Kernel,
    spec: &Spec,
    known: &[String],
    file: &str,
    dtype: Dtype,
) -> Result<&'static Benchmark> {
    let own: Vec<String> = kernel.layouts(dtype)?.into_iter().map(|layout| layout.name).collect();
    // It may bind fewer of the buffers, in another order. Those that it shares with its kernel have the same contents.
    let is_known = |(name, _): &(&String, &BufferSpec)| own.contains(name);
    let buffers = spec.buffers.iter().filter(is_known).map(|(name, own)| (name.clone(), own.clone())).collect();
    let bindings = [known, &own[..]].concat();
    let own = Spec { buffers, ..Spec::default() };
    let declared = Declared {
        shared: Arc::new(declarations(&own, bindings, file, None)?),
        text: kernel.text,
        groups: kernel.groups.clone(),
        is_verified: false,
        files: Vec::new(),
        hash: String::new(),
    };
    let benchmark = Benchmark {
        name: kept_text(stem(&kernel.path)),
        wgsl: kernel.text.wgsl,
        declared: Some(kept(declared)),
        ..Benchmark::BLANK
    };
    Ok(kept(benchmark))
}
