//! Builds a family of benchmarks from a user's kernels and their TOML file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::answers::variables_of;
use super::kernel::{Kernel, Text as KernelText, stem};
use super::launch::Declared;
use super::options::Own as Options;
use super::portable::{TOML, identity, portable};
use super::shared::{Origin, shared};
use super::source::Reading;
use super::spec::{BufferSpec, KernelSpec, KernelTable, OneOrMany, Spec, Text, VerifySpec};
use super::steps::{Steps, scripts};
use crate::cli::inputs;
use gpu::shader::SpirvKernel;
use record::error::{Result, shown, usage, visible};
use record::suite::kept::{kept, kept_items, kept_name, kept_text};
use record::suite::{Benchmark, Cases, Constants, Dtype, Extent, Family, Limit, Params, Profile, TexelFormat};

/// The family of these kernels. It lives as long as the program, like the suite's.
pub(in crate::cli) fn family(files: &[PathBuf], options: &Options) -> Result<&'static Family> {
    let first = files.first().ok_or_else(|| usage!("no kernel is given: name a file, for example mine.wgsl"))?;
    let is_toml = |path: &Path| has_ending(path, "toml");
    let beside = if is_toml(first) { first.clone() } else { first.with_extension("toml") };
    let has_file = is_toml(first) || beside.exists();
    if files[1..].iter().any(|path| is_toml(path)) {
        return Err(usage!("a .toml file must be the only file: each declaration needs its own run"));
    }
    let spec = if has_file { Spec::read(&beside)? } else { Spec::default() };
    let file = shown(if has_file { &beside } else { first });
    let folder = beside.parent().unwrap_or(Path::new("")).to_owned();
    let mut spec = spec.resolved(options, &folder);
    add_params(&mut spec, files, options, &folder);
    let runs_command = spec.preprocess.is_some() || spec.verify.iter().any(|verify| verify.command.is_some());
    if options.is_foreign && runs_command {
        return Err(usage!(
            "{file}: the expected values come from a command, and replay runs no commands; compare output.bin with \
             expected.bin instead"
        ));
    }
    let origin = Origin { file: &file, folder: &folder };
    let kernels = kernels(files, &spec, &origin)?;
    let dtype = dtype(&spec, &kernels[0], &file)?;
    if spec.name.as_ref().is_some_and(|name| name.trim().is_empty()) {
        return Err(usage!("{file}: `name` is empty"));
    }
    let name = spec.name.clone().unwrap_or_else(|| stem(if has_file { &beside } else { first }));
    let mut name = visible(&name).into_owned();
    // Rows under the name of a suite family would count as the suite's.
    if kernels::FAMILIES.iter().any(|family| family.name == name) {
        name.push_str("_own");
    }
    let reference = reference(&spec, &origin)?;
    let shared = Arc::new(shared(&spec, &kernels, reference.as_ref(), &origin, dtype)?);
    let extents =
        if spec.sizes.is_none() && !options.sizes.is_empty() { options.sizes.clone() } else { sizes(&spec, &file)? };
    let mut benchmarks: Vec<Benchmark> = Vec::new();
    for kernel in &kernels {
        if benchmarks.iter().any(|other| other.name == kernel.name) {
            let kernel_name = &kernel.name;
            return Err(usage!("two kernels are named {kernel_name}: give each kernel its own name in [[kernels]]"));
        }
        let sets = param_sets(kernel, dtype)?;
        let arithmetic = kernel.text.arithmetic(dtype, &kernel.params);
        let (limit, no_ceiling) = limit(&spec, arithmetic, &file)?;
        let files = portable(&name, &spec, kernel, reference.as_ref(), dtype, options.is_unchecked)?;
        let is_itself = |reference: &Kernel| {
            (reference.text.wgsl, reference.text.entries) == (kernel.text.wgsl, kernel.text.entries)
        };
        let declared = |only: Option<usize>| Declared {
            shared: shared.clone(),
            kernel: kernel.clone(),
            only,
            is_verified: !shared.verify.is_empty() && !reference.as_ref().is_some_and(is_itself),
            hash: identity(&files),
            files: files.clone(),
        };
        let cases = Cases {
            from: Profile::Quick,
            dtypes: kept_items(vec![dtype]),
            extents: kept_items(extents.clone()),
            params: kept_items(sets),
        };
        let whole = Benchmark {
            name: kept_name(&kernel.name),
            wgsl: kernel.text.wgsl,
            entries: kernel.text.entries,
            cuda: if kernel.text.has_twin() || kernel.text.is_cuda() { kernel.text.cuda } else { "" },
            spirv: module(kernel, options),
            only_cuda: kernel.text.only_cuda(),
            cases: kept_items(vec![cases]),
            accepts: kept_items(kernel.accepts(dtype)?),
            ceiling: limit,
            arithmetic,
            no_ceiling,
            declared: Some(kept(declared(None))),
            ..Benchmark::BLANK
        };
        benchmarks.push(whole);
        if options.each_step && kernel.steps.dispatches > 1 {
            benchmarks.extend(kernel.steps.written().into_iter().map(|step| Benchmark {
                name: kept_text(format!("{}.{}.{}", kernel.name, step.number + 1, step.label)),
                ceiling: None,
                no_ceiling: "the declaration gives only the total work of all steps",
                declared: Some(kept(declared(Some(step.number)))),
                ..whole
            }));
        }
    }
    let family = Family {
        name: kept_text(name),
        summary: kept_text(visible(spec.summary.as_deref().unwrap_or_default()).into_owned()),
        benchmarks: kept_items(benchmarks),
        ..Family::BLANK
    };
    Ok(kept(family))
}

/// The family of one kernel that a folder declares, like the bundle of a wrong result.
pub(in crate::cli) fn of_folder(folder: &Path, is_unchecked: bool) -> Result<&'static Family> {
    family(&[folder.join(TOML)], &Options { is_foreign: true, is_unchecked, ..Options::default() })
}

/// SPIR-V that Vulkan gets unchanged: with `--unchecked`, or if naga cannot read the file.
fn module(kernel: &Kernel, options: &Options) -> &'static [u8] {
    let passes = |module: &&SpirvKernel| options.is_unchecked || module.unread.is_some();
    kernel.text.spirv.filter(passes).map_or(&[], |module| bytemuck::cast_slice(&module.words))
}

/// Adds parameters of the command line that the file does not set, if a kernel has such an override.
fn add_params(spec: &mut Spec, files: &[PathBuf], options: &Options, folder: &Path) {
    let listed = spec.kernels.iter().flatten().map(|kernel| folder.join(kernel.file()));
    let beside = std::iter::once(folder.join(file_beside(files)));
    let paths: Vec<PathBuf> = listed.chain(files.iter().cloned()).chain(beside).collect();
    // Unreadable files are reported later.
    let texts: Vec<String> =
        paths.iter().filter_map(|path| String::from_utf8(inputs::read(path, inputs::KERNEL).ok()?).ok()).collect();
    for (name, value) in &options.params {
        let declared = format!("override {name}:");
        if !spec.params.contains_key(name) && texts.iter().any(|text| text.contains(&declared)) {
            spec.params.insert(name.clone(), OneOrMany::One(*value));
        }
    }
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|own| own == ending)
}

/// The kernels of the command line; all of the file's if only the file, or one kernel that it lists, is named.
fn kernels(files: &[PathBuf], spec: &Spec, origin: &Origin<'_>) -> Result<Vec<Kernel>> {
    let listed = spec.kernels.as_deref().unwrap_or_default();
    let path_of = |kernel: &KernelSpec| origin.folder.join(kernel.file());
    // A CUDA port comes with the WGSL beside it.
    let is_twin = |path: &Path| has_ending(path, "cu") && files.contains(&path.with_extension("wgsl"));
    let is_kernel = |path: &&PathBuf| !has_ending(path, "toml") && !is_twin(path);
    let mut named: Vec<PathBuf> = files.iter().filter(is_kernel).cloned().collect();
    let are_all = match &named[..] {
        [] => true,
        [only] => listed.iter().any(|kernel| path_of(kernel) == *only),
        _ => false,
    };
    let found: Vec<(PathBuf, KernelTable)> = if are_all && !listed.is_empty() {
        listed.iter().map(|kernel| (path_of(kernel), kernel.table())).collect()
    } else {
        if named.is_empty() {
            named.push(origin.folder.join(file_beside(files)));
        }
        let table = |path: &Path| listed.iter().find(|kernel| path_of(kernel) == path).map(KernelSpec::table);
        named.into_iter().map(|path| (path.clone(), table(&path).unwrap_or_default())).collect()
    };
    if found.len() > MOST_KERNELS {
        let (file, count) = (origin.file, found.len());
        return Err(usage!("{file}: {count} kernels exceed the limit of {MOST_KERNELS}; split the file"));
    }
    let all = found.into_iter().map(|(path, table)| variants(path, spec.kernel(table), spec, origin));
    Ok(all.collect::<Result<Vec<_>>>()?.concat())
}

/// The kernel; or one per value of a specialization constant that is fixed in its text, since naga cannot read what is
/// computed from the constant.
fn variants(path: PathBuf, table: KernelTable, spec: &Spec, origin: &Origin<'_>) -> Result<Vec<Kernel>> {
    let first = kernel(path.clone(), table.clone(), spec, origin)?;
    let fixed = first.text.spirv.map_or(&[][..], |module| &module.fixed);
    let several = fixed.iter().filter_map(|(name, _)| table.params.get_key_value(name));
    let Some((name, values)) = several.into_iter().find(|(_, values)| values.list().len() > 1) else {
        return Ok(vec![first]);
    };
    let variant = |value: &f64| {
        let mut table = KernelTable { name: Some(format!("{}_{name}={value}", first.name)), ..table.clone() };
        table.params.insert(name.clone(), OneOrMany::One(*value));
        variants(path.clone(), table, spec, origin)
    };
    Ok(values.list().iter().map(variant).collect::<Result<Vec<_>>>()?.concat())
}

pub(super) fn kernel(path: PathBuf, table: KernelTable, spec: &Spec, origin: &Origin<'_>) -> Result<Kernel> {
    let first = |(name, of): (&String, &OneOrMany<f64>)| Some((name.clone(), *of.list().first()?));
    let params: Constants = table.params.iter().filter_map(first).collect();
    let format = |(name, own): (&String, &BufferSpec)| {
        let named = |format: &TexelFormat| Some(format.name()) == own.format.as_deref();
        Some((name.clone(), TexelFormat::ALL.into_iter().find(named)?))
    };
    let reading = Reading {
        variables: variables_of(&params, sizes(spec, origin.file).ok().and_then(|sizes| sizes.first().copied())),
        values: params.clone(),
        formats: spec.buffers.iter().filter_map(format).collect(),
        ..Reading::new(spec, origin.folder)
    };
    let text = KernelText::read(&path, &reading)?;
    let further = text.spirv.map_or(&[][..], |module| &module.further_names);
    if let Some((name, first)) = further.iter().find(|(name, _)| table.params.contains_key(name)) {
        return Err(usage!(
            "{}: '{name}' is another name for the specialization constant '{first}'; set '{first}' instead",
            shown(&path)
        ));
    }
    let usual = match (&table.entry, &table.steps) {
        (None, None) => text.usual_entry(&path)?,
        // Steps may omit the entry point if there is only one.
        _ => text.usual_entry(&path).unwrap_or_default(),
    };
    let steps = Steps::of(&table, &usual, origin.file)?;
    let entries = steps.entries.iter().map(|name| kept_name(name)).collect();
    let text = KernelText { entries: kept_items(entries), ..text };
    text.check_entries(&path)?;
    let name = table.name.as_deref().map_or_else(|| stem(&path), |name| visible(name).into_owned());
    let workgroup = table.workgroup.as_ref().map(OneOrMany::texts).unwrap_or_default();
    let workgroup = scripts(&format!("{}: workgroup", origin.file), &workgroup)?;
    Ok(Kernel { path, name, text, table, steps, workgroup, params })
}

/// The reference kernel of `[verify]`, if any.
fn reference(spec: &Spec, origin: &Origin<'_>) -> Result<Option<Kernel>> {
    let mut named = spec.verify.iter().filter_map(|own| Some((own, own.reference.as_ref()?)));
    let Some((own, path)) = named.next() else { return Ok(None) };
    if named.any(|(_, other)| other != path) {
        let file = origin.file;
        return Err(usage!("{file}: [verify]: all outputs need the same reference kernel"));
    }
    let VerifySpec { reference_groups, reference_entry, reference_steps, reference_names, .. } = own.clone();
    let listed = spec.kernels.iter().flatten().find(|kernel| origin.folder.join(kernel.file()) == *path);
    let mut table = spec.kernel(listed.map(KernelSpec::table).unwrap_or_default());
    table.groups = reference_groups.or(table.groups);
    if reference_entry.is_some() || reference_steps.is_some() {
        (table.entry, table.steps) = (reference_entry, reference_steps);
    } else if listed.is_none() {
        // The file's steps are for its own kernels.
        (table.entry, table.steps) = (None, None);
    }
    table.names.extend(reference_names);
    let found = kernel(path.clone(), table, &Spec { preprocess: None, ..spec.clone() }, origin)?;
    if found.text.wgsl.is_empty() {
        return Err(usage!("{}: a reference must be a .wgsl or .spv file", shown(path)));
    }
    Ok(Some(found))
}

/// The kernel of a TOML file that lists none.
fn file_beside(files: &[PathBuf]) -> PathBuf {
    let Some(toml) = files.first() else { return PathBuf::new() };
    let ends = ["wgsl", "spv", "cu", "comp", "hlsl", "slang"].map(|end| toml.with_extension(end));
    let found = ends.iter().find(|path| path.exists()).unwrap_or(&ends[0]);
    found.file_name().map(PathBuf::from).unwrap_or_default()
}

/// The element type that the file names, or else that of the first kernel's output.
pub(super) fn dtype(spec: &Spec, kernel: &Kernel, file: &str) -> Result<Dtype> {
    const TYPES: [Dtype; 4] = [Dtype::F32, Dtype::F16, Dtype::F64, Dtype::U32];
    if let Some(name) = &spec.dtype {
        return TYPES
            .into_iter()
            .find(|dtype| dtype.name() == name)
            .ok_or_else(|| usage!("{file}: unknown dtype '{name}'; use one of {}", TYPES.map(Dtype::name).join(", ")));
    }
    let usual = if kernel.text.is_half() { Dtype::F16 } else { Dtype::F32 };
    let (layouts, written) = (kernel.layouts(usual)?, kernel.written(usual)?);
    let scalar = written.and_then(|name| layouts.into_iter().find(|layout| layout.name == name));
    let found = scalar.map(|layout| {
        // U32 stands for all other types.
        let own = TYPES.into_iter().find(|dtype| dtype.scalar() == layout.scalar).unwrap_or(Dtype::U32);
        // The peak depends on the arithmetic, whatever the buffers hold.
        if own == Dtype::F16 && !kernel.text.wgsl.is_empty() { usual } else { own }
    });
    Ok(found.unwrap_or(usual))
}

fn sizes(spec: &Spec, file: &str) -> Result<Vec<Extent>> {
    let Some(sizes) = &spec.sizes else { return Ok(vec![USUAL]) };
    let parse = |text: &Text| Extent::parse(&text.text()).map_err(|error| usage!("{file}: sizes: {error}"));
    let found = sizes.list().iter().map(parse).collect::<Result<Vec<_>>>()?;
    let form = |extent: &Extent| std::mem::discriminant(extent);
    match found.first() {
        None => Err(usage!("{file}: `sizes` needs at least one entry")),
        Some(first) if found.iter().any(|extent| form(extent) != form(first)) => {
            Err(usage!("{file}: all sizes must have the same form: N, ROWSxCOLUMNS or MxNxK"))
        }
        Some(_) => Ok(found),
    }
}

/// The file's limit, or else the default for such a kernel; and the reason if there is none.
fn limit(spec: &Spec, arithmetic: Limit, file: &str) -> Result<(Option<Limit>, &'static str)> {
    let usual = match (&spec.bytes, &spec.flops) {
        (Some(_), _) => Some(Limit::Copy),
        (None, Some(_)) => Some(arithmetic),
        (None, None) => None,
    };
    let found = match spec.limit.as_deref() {
        None => usual,
        Some("none") => None,
        Some(name) => Some(Limit::ALL.into_iter().find(|limit| limit.name() == name).ok_or_else(|| {
            let names = Limit::ALL.map(Limit::name).join(", ");
            usage!("{file}: unknown limit '{name}'; use {names} or none")
        })?),
    };
    Ok((found, if found.is_none() { "no limit is declared" } else { "" }))
}

/// The default size.
const USUAL: Extent = Extent::Linear(1 << 20);

/// Maximum number of combinations of parameters: each is a case of its own.
const MOST_SETS: usize = 1000;

const MOST_KERNELS: usize = 1000;

/// All combinations of the file's parameters that the kernel has.
fn param_sets(kernel: &Kernel, dtype: Dtype) -> Result<Vec<Params>> {
    let overrides = kernel.overrides(dtype)?;
    let has = |name: &String| overrides.as_ref().is_none_or(|known| known.contains(name));
    let mut sets: Vec<Vec<(&'static str, f64)>> = vec![Vec::new()];
    let lists = || kernel.table.params.iter().filter(|(name, _)| has(name));
    let count = lists().try_fold(1_usize, |count, (_, values)| count.checked_mul(values.list().len()));
    if count.is_none_or(|count| count > MOST_SETS) {
        return Err(usage!("[params]: the values have more than {MOST_SETS} combinations; give fewer values"));
    }
    let accepts = kernel.accepts(dtype)?;
    for (name, values) in lists() {
        let values = values.list();
        if values.is_empty() {
            return Err(usage!("[params]: {name} needs at least one value"));
        }
        let accepted = accepts.iter().find(|(own, _)| own == name).map(|(_, accepted)| accepted);
        if let Some((accepted, value)) = accepted.and_then(|own| Some((own, values.iter().find(|it| !own.has(**it))?)))
        {
            return Err(usage!("[params]: {name} = {value} is not valid; the kernel accepts {accepted}"));
        }
        let name = kept_text(name.clone());
        sets = sets.iter().flat_map(|set| values.iter().map(|value| [&set[..], &[(name, *value)]].concat())).collect();
    }
    Ok(sets.into_iter().map(kept_items).collect())
}
