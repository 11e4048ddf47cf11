//! What the kernels of a file share: buffers, uniforms, work and expected values.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::answers::{By, Verify, Way, Whole};
use super::buffers::{Filling, Own};
use super::data_file::Data;
use super::fields::word;
use super::kernel::{Kernel, declared_name, stem};
use super::launch::{Declared, Shared};
use super::script::Script;
use super::spec::{BufferSpec, Contents, SamplerSpec, Spec, Text, VerifySpec};
use super::steps::uniforms;
use super::stored::Numbers;
use gpu::shader::module::words;
use record::error::{Result, shown, usage, visible};
use record::suite::input::Values;
use record::suite::kept::{kept, kept_text};
use record::suite::{Benchmark, Binding, Dtype, Sampling, TexelFormat};

pub(super) struct Origin<'a> {
    pub file: &'a str,
    pub folder: &'a Path,
}

pub(super) fn shared(
    spec: &Spec,
    kernels: &[Kernel],
    reference: Option<&Kernel>,
    origin: &Origin<'_>,
    dtype: Dtype,
) -> Result<Shared> {
    let spec = &by_name(spec, &kernels[0], dtype)?;
    let mut names: Vec<String> = Vec::new();
    for kernel in kernels.iter().chain(reference) {
        names.extend(kernel.declared_names(dtype)?);
        names.extend(kernel.steps.buffers(true).into_iter().map(str::to_owned));
    }
    check_names(spec, kernels, &names, origin.file, dtype)?;
    let right = match reference {
        None => None,
        Some(kernel) => {
            let shared = Arc::new(declarations(spec, &names, origin, Vec::new())?);
            Some(benchmark_of(kernel, shared))
        }
    };
    let verify = spec.verify.iter().map(|own| verify(own, right, origin)).collect::<Result<Vec<_>>>()?;
    if let ([_, _, ..], Some(_)) = (&verify[..], verify.iter().find(|own| own.buffer.is_none())) {
        return Err(usage!("{}: with several [[verify]] tables, each table must name its buffer", origin.file));
    }
    declarations(spec, &names, origin, verify)
}

/// Replaces the numbers of bindings by their names.
fn by_name(spec: &Spec, kernel: &Kernel, dtype: Dtype) -> Result<Spec> {
    let bindings = kernel.bindings(dtype)?;
    let name = |key: &String| {
        let numbered = bindings.iter().find(|binding| has_number(binding, key));
        numbered.map_or_else(|| key.clone(), |binding| declared_name(&kernel.table.names, binding).to_owned())
    };
    fn renamed<T: Clone>(all: &BTreeMap<String, T>, name: impl Fn(&String) -> String) -> BTreeMap<String, T> {
        all.iter().map(|(key, value)| (name(key), value.clone())).collect()
    }
    let (buffers, uniforms) = (renamed(&spec.buffers, name), renamed(&spec.uniforms, name));
    Ok(Spec { buffers, uniforms, ..spec.clone() })
}

/// Whether a key is the number of a binding: `1.0`, or `0` in group 0.
fn has_number(binding: &Binding, key: &str) -> bool {
    let number = format!("{}.{}", binding.group, binding.index);
    key == number || number.strip_prefix("0.") == Some(key)
}

fn check_names(spec: &Spec, kernels: &[Kernel], names: &[String], file: &str, dtype: Dtype) -> Result<()> {
    let fault = |message: String| Err(usage!("{file}: {message}"));
    let known = || names.iter().collect::<BTreeSet<_>>().into_iter().cloned().collect::<Vec<_>>().join(", ");
    if let Some(unknown) = spec.buffers.keys().find(|name| !names.contains(name)) {
        return fault(format!("[buffers.{unknown}]: the kernel has no binding '{unknown}', only {}", known()));
    }
    if let Some(unknown) = spec.uniforms.keys().find(|name| !names.contains(name)) {
        return fault(format!("[uniforms.{unknown}]: the kernel has no variable '{unknown}', only {}", known()));
    }
    let mut samplers = Vec::new();
    for kernel in kernels {
        samplers.extend(kernel.samplers(dtype)?);
        let bindings = kernel.bindings(dtype)?;
        let is_bound = |key: &String| bindings.iter().any(|binding| binding.name == *key || has_number(binding, key));
        if let Some(unknown) = kernel.table.names.keys().find(|key| !is_bound(key)) {
            let names: Vec<&str> = bindings.iter().map(|binding| binding.name.as_str()).collect();
            let (path, known) = (shown(&kernel.path), names.join(", "));
            return fault(format!("names: {path} has no binding '{unknown}', only {known}"));
        }
        let mut placed = kernel.declared_names(dtype)?;
        placed.extend(kernel.steps.written().into_iter().flat_map(|step| step.bind.values().cloned()));
        if let Some(unknown) =
            kernel.steps.buffers(false).into_iter().find(|name| !placed.iter().any(|known| known == name))
        {
            let bound = placed.join(", ");
            return fault(format!("steps: no dispatch binds a buffer '{unknown}'; the bound buffers are {bound}"));
        }
    }
    if let Some(unknown) = spec.samplers.keys().find(|name| !samplers.contains(name)) {
        let known = if samplers.is_empty() { "none".to_owned() } else { samplers.join(", ") };
        return fault(format!("[samplers.{unknown}]: the kernel has no sampler '{unknown}'; its samplers: {known}"));
    }
    let first = kernels[0].declared_names(dtype)?;
    for kernel in kernels {
        let declared = kernel.declared_names(dtype)?;
        let lacks = |(name, buffer): &(&String, &BufferSpec)| buffer.length.is_some() && !declared.contains(*name);
        let is_named = |name: &String| spec.buffers.contains_key(name) || spec.uniforms.contains_key(name);
        let is_unknown = |name: &&String| !is_named(name) && !first.contains(*name);
        if let (Some((name, _)), Some(other)) = (spec.buffers.iter().find(lacks), declared.iter().find(is_unknown)) {
            let path = shown(&kernel.path);
            return Err(usage!(
                "{path} has no buffer '{name}' (declared in {file}), only '{other}'; for this kernel, set names = {{ \
                 {other} = \"{name}\" }}, or declare [buffers.{other}]"
            ));
        }
    }
    let is_portable = |kernel: &Kernel| !kernel.text.is_cuda() && !kernel.text.has_twin();
    if kernels.iter().all(is_portable) && kernels.iter().any(|kernel| !kernel.workgroup.is_empty()) {
        return fault(
            "workgroup: the kernel itself sets its workgroup size; remove `workgroup` from the TOML file".into(),
        );
    }
    // Parameters of a preprocessor need not be overrides.
    if spec.preprocess.is_some() {
        return Ok(());
    }
    let mut overrides = Vec::new();
    for kernel in kernels {
        match kernel.overrides(dtype)? {
            Some(own) => {
                overrides.extend(own);
                let fixed = kernel.text.spirv.iter().flat_map(|module| &module.fixed);
                overrides.extend(fixed.map(|(name, _)| name.clone()));
            }
            None => return Ok(()),
        }
    }
    let params = kernels.iter().flat_map(|kernel| kernel.table.params.keys());
    if let Some(unknown) = params.into_iter().find(|name| !overrides.contains(name)) {
        let known = if overrides.is_empty() { "none".to_owned() } else { overrides.join(", ") };
        return fault(format!("[params]: the kernel has no override '{unknown}'; its overrides: {known}"));
    }
    Ok(())
}

/// The benchmark for a reference kernel: uses the buffers of the kernel it checks, and is not itself verified.
fn benchmark_of(kernel: &Kernel, shared: Arc<Shared>) -> &'static Benchmark {
    let (files, hash) = (Vec::new(), String::new());
    let declared = Declared { shared, kernel: kernel.clone(), only: None, is_verified: false, files, hash };
    kept(Benchmark {
        name: kept_text(stem(&kernel.path)),
        wgsl: kernel.text.wgsl,
        entries: kernel.text.entries,
        cuda: if kernel.text.has_twin() { kernel.text.cuda } else { "" },
        declared: Some(kept(declared)),
        ..Benchmark::BLANK
    })
}

/// The shared part of a declaration; `names` are the buffers of all its kernels.
fn declarations(spec: &Spec, names: &[String], origin: &Origin<'_>, verify: Vec<Verify>) -> Result<Shared> {
    let file = origin.file;
    let script = |what: &str, text: &Option<Text>| {
        text.as_ref().map(|text| Script::new(&format!("{file}: {what}"), &text.text())).transpose()
    };
    let declared = |(name, spec): (&String, &BufferSpec)| Ok((name.clone(), buffer(name, spec, file)?));
    let mut numbers = BTreeMap::new();
    for name in names {
        let next = numbers.len() as u64;
        numbers.entry(name.clone()).or_insert(next);
    }
    let samplers = spec.samplers.iter().map(|(name, own)| Ok((name.clone(), sampling(name, own, file)?)));
    Ok(Shared {
        file: file.to_owned(),
        buffers: spec.buffers.iter().map(declared).collect::<Result<_>>()?,
        uniforms: uniforms(&spec.uniforms, file)?,
        samplers: samplers.collect::<Result<_>>()?,
        numbers,
        bytes: script("bytes", &spec.bytes)?,
        flops: script("flops", &spec.flops)?,
        guesses: spec.guesses.clone(),
        items: script("items", &spec.items)?
            .map(|script| (script, visible(spec.unit.as_deref().unwrap_or_default()).into_owned())),
        verify,
    })
}

fn sampling(name: &str, spec: &SamplerSpec, file: &str) -> Result<Sampling> {
    let is = |value: &Option<String>, usual: &str, other: &str| match value.as_deref() {
        None => Ok(false),
        Some(own) if own == usual => Ok(false),
        Some(own) if own == other => Ok(true),
        Some(own) => Err(usage!("{file}: [samplers.{name}]: '{own}' is neither '{usual}' nor '{other}'")),
    };
    Ok(Sampling { is_linear: !is(&spec.filter, "linear", "nearest")?, repeats: is(&spec.address, "clamp", "repeat")? })
}

fn buffer(name: &str, spec: &BufferSpec, file: &str) -> Result<Own> {
    let what = format!("{file}: [buffers.{name}]");
    let contents = match (&spec.contents, &spec.file) {
        (Some(_), Some(_)) => return Err(usage!("{what}: set `contents` or `file`, not both")),
        (None, None) => None,
        (None, Some(path)) => Some(of_file(path, &what)?),
        (Some(Contents::Number(value)), None) => Some(Filling::Random(Values::Constant(*value))),
        (Some(Contents::Named(name)), None) => Some(match name.as_str() {
            "random" => Filling::Random(Values::Signed),
            "positive" => Filling::Random(Values::Wide),
            "small" => Filling::Random(Values::Summable),
            "signs" => Filling::Random(Values::Signs),
            "digits" => Filling::Random(Values::Digits),
            "ramp" => Filling::Random(Values::Ramp),
            "zero" => Filling::Random(Values::Constant(0.0)),
            "gradient" => Filling::Gradient,
            "output" => Filling::Output,
            // A single word is a misspelt name.
            other if other.chars().all(|c| c.is_ascii_alphabetic()) && other.len() > 1 => {
                let known = "random, positive, small, signs, digits, ramp, zero, gradient, output, a number, or an expression \
                             in i";
                return Err(usage!("{what}: unknown contents '{other}'; use {known}"));
            }
            text => Filling::Expression(Script::new(&format!("{what}: contents"), text)?, Arc::new(Mutex::default())),
        }),
    };
    let script = |part: &str, text: &Text| Script::new(&format!("{what}: {part}"), &text.text());
    let length = spec.length.as_ref().map(|text| script("length", text)).transpose()?;
    let size = spec.size.iter().flatten().map(|text| script("size", text)).collect::<Result<Vec<_>>>()?;
    if ![0, 2, 3].contains(&size.len()) {
        return Err(usage!(
            "{what}: `size` must have a width, a height and, for a layered texture, the number of layers"
        ));
    }
    let format = |name: &String| {
        let known = TexelFormat::ALL.into_iter().find(|format| format.name() == name);
        let all = || TexelFormat::ALL.map(TexelFormat::name).join(", ");
        known.ok_or_else(|| usage!("{what}: unknown format '{name}'; use one of {}", all()))
    };
    let words = spec.words.iter().flatten().map(|text| word(&format!("{what}: words"), &text.text()));
    Ok(Own {
        length,
        contents,
        words: words.collect::<Result<_>>()?,
        size,
        format: spec.format.as_ref().map(format).transpose()?,
    })
}

fn of_file(path: &Path, what: &str) -> Result<Filling> {
    Ok(match Data::read(path, what)? {
        Data::Numbers(numbers) => Filling::Numbers(Arc::new(numbers)),
        Data::Picture(picture) => Filling::Picture(Arc::new(picture)),
        Data::Bytes(bytes) if !bytes.len().is_multiple_of(4) => {
            return Err(usage!("{what}: the file has {} B, which is not a multiple of 4", bytes.len()));
        }
        Data::Bytes(bytes) => Filling::Words(Arc::new(words(&bytes))),
    })
}

/// How an output is verified; `right` is the reference kernel.
fn verify(own: &VerifySpec, right: Option<&'static Benchmark>, origin: &Origin<'_>) -> Result<Verify> {
    let what = match &own.buffer {
        Some(buffer) => format!("{}: [verify] of {buffer}", origin.file),
        None => format!("{}: [verify]", origin.file),
    };
    let whole = |way: Way| By::Whole(Whole { way, known: Mutex::default() });
    let file = |path: &PathBuf| -> Result<By> {
        let numbers = match Data::read(path, &what)? {
            Data::Numbers(numbers) => numbers,
            Data::Picture(picture) => Numbers::Wholes(picture.rgba.into_iter().map(i64::from).collect()),
            Data::Bytes(bytes) => return Ok(By::File(Arc::new(bytes))),
        };
        Ok(whole(Way::Numbers(Arc::new(numbers))))
    };
    let VerifySpec { expect, compute, command, reference, file: path, .. } = own;
    let by = match (expect, compute, command, reference, path) {
        (Some(text), None, None, None, None) => By::Expression(Script::new(&format!("{what}: expect"), text)?),
        (None, Some(text), None, None, None) => whole(Way::Program(Script::new(&format!("{what}: compute"), text)?)),
        (None, None, Some(command), None, None) => {
            let folder = if origin.folder.as_os_str().is_empty() { Path::new(".") } else { origin.folder };
            whole(Way::Command(command.clone(), folder.to_owned()))
        }
        (None, None, None, Some(_), None) => match right {
            Some(benchmark) => By::Kernel(benchmark),
            None => return Err(usage!("{what}: the reference is not a kernel")),
        },
        (None, None, None, None, Some(path)) => file(path)?,
        _ => return Err(usage!("{what}: set exactly one of `expect`, `compute`, `command`, `reference` and `file`")),
    };
    let length = own.length.as_ref().map(|text| Script::new(&format!("{what}: length"), &text.text())).transpose()?;
    let is_allowed = |error: f64| error.is_finite() && error >= 0.0;
    let (tolerance, tolerance_at) = match &own.tolerance {
        None => (0.0, None),
        Some(Text::Written(text)) => (0.0, Some(Script::new(&format!("{what}: tolerance"), text)?)),
        Some(number) => (number.text().parse().unwrap_or(f64::NAN), None),
    };
    if !is_allowed(tolerance) || !is_allowed(own.relative) {
        return Err(usage!("{what}: `tolerance` and `relative` must be finite and at least 0"));
    }
    // Another kernel may add in another order.
    let is_reordered = matches!(by, By::Kernel(_)) && own.tolerance.is_none() && own.relative == 0.0;
    if !(0.0..1.0).contains(&own.outliers) {
        return Err(usage!("{what}: `outliers` must be a share of the values: at least 0 and below 1"));
    }
    let VerifySpec { relative, outliers, wrap: wraps, .. } = *own;
    Ok(Verify {
        buffer: own.buffer.clone(),
        length,
        by,
        tolerance,
        tolerance_at,
        relative,
        outliers,
        wraps,
        is_reordered,
    })
}
