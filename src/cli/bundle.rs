//! Bundles of wrong results: everything needed to fix one, and `bench replay`, which reruns the case.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::declaration::{TOML, of_folder};
use super::output::{print, say};
use super::selection::no_device;
use super::worker::{Event, Link, Order, list};
use gpu::backend::{Backend, Device};
use gpu::engine::plan::{Source, select, with_source};
use gpu::engine::{WrongResult, stream_of, wrong_at, wrong_result};
use gpu::job::Language;
use gpu::shader::{Shader, Target};
use record::error::{Error, Result, usage};
use record::suite::{Api, Benchmark, Case, Dtype, Extent, Family, Shape, Toolchain, params_text, parse_params};
use record::{Record, Status};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Folder that a run wrote for a wrong result
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Device number or part of a device name [default: the first device with the bundle's API]
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// Run the kernel without run-time checks, as in the original run
    ///
    /// Out-of-bounds accesses are then undefined behavior.
    #[arg(long)]
    unchecked: bool,
}

/// The contents of `bundle.json`.
#[derive(Serialize, Deserialize)]
struct Bundle {
    tool_version: String,
    device: String,
    driver: String,
    backend: String,
    family: String,
    benchmark: String,
    dtype: String,
    n: String,
    params: String,
    /// Random stream of the inputs.
    stream: u64,
    is_unchecked: bool,
    /// The first wrong element, or the out-of-bounds store.
    first: String,
    wrong_elements: u64,
    elements: u64,
}

/// Folder of a `bench` kernel and its TOML file.
const DECLARED: &str = "bench";

/// Most bundles of one run; more would show the same.
const MOST: usize = 8;

/// Finds the smallest size of each wrong row, and writes its bundle into a folder beside the report.
pub(super) fn write_all(backends: &mut [&mut dyn Backend], cases: &[Case], records: &[Record], report: &Path) {
    let is_wrong = |row: &&Record| row.status == Status::Wrong;
    for row in records.iter().filter(is_wrong).take(MOST) {
        let is_case = |case: &&Case| {
            case.name() == row.name() && Some(case.shape.dtype) == row.dtype && Some(case.shape.extent) == row.n
        };
        let backend = backends.iter_mut().find(|backend| Some(Toolchain::from(backend.device())) == row.toolchain());
        let (Some(case), Some(backend)) = (cases.iter().find(is_case), backend) else { continue };
        let mut case = case.clone();
        case.shape.params = row.params.clone();
        case.shape.stream = stream_of(row.seed.unwrap_or(0), row.epochs_ns.len());
        case.shape.sub_texel_bits = backend.device().sub_texel_bits;
        let name = case.to_string();
        let found = pollster::block_on(wrong_result(*backend, &case));
        match found.and_then(|found| found.map(|found| write(&found, &**backend, report)).transpose()) {
            Ok(Some(folder)) => {
                let option = if case.benchmark.declared.is_some() && case.is_trusted() { "--unchecked " } else { "" };
                say(&format!("{name}: `shaderbench bench replay {option}{}` reproduces the fault", folder.display()));
            }
            Ok(None) => say(&format!("{name}: no bundle written: the failure does not reproduce in a single launch")),
            Err(error) => say(&format!("{name}: no bundle written: {}", error.chain())),
        }
    }
}

/// Removes the bundles that an earlier run of this report left.
pub(super) fn clear(report: &Path) {
    let folder = beside(report);
    let bundles = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
    for bundle in bundles.filter(|path| path.join("bundle.json").is_file()) {
        // A bundle that cannot be removed stays beside the new ones.
        let _ = std::fs::remove_dir_all(bundle);
    }
    // Removes the folder only if it is empty.
    let _ = std::fs::remove_dir(folder);
}

fn beside(report: &Path) -> PathBuf {
    let stem = report.file_stem().unwrap_or_default().to_string_lossy();
    report.with_file_name(format!("{stem}-wrong"))
}

/// The folder of a bundle beside a report: `r-wrong/transpose-tiled-f32-64x96-PAD-1`.
fn folder_of(found: &WrongResult, report: &Path) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    beside(report).join(found.case.to_string().chars().map(plain).collect::<String>())
}

fn write(found: &WrongResult, backend: &dyn Backend, report: &Path) -> Result<PathBuf> {
    let device = backend.device();
    let folder = folder_of(found, report);
    let WrongResult { case, kernel, elements, .. } = found;
    let save = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        path.parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&path, bytes))
            .map_err(Error::io("write", &path))
    };
    let bundle = Bundle {
        tool_version: crate::BUILD.to_owned(),
        device: device.name.clone(),
        driver: device.driver.clone(),
        backend: device.api.name().to_owned(),
        family: case.family.name.to_owned(),
        benchmark: case.benchmark.name.to_owned(),
        dtype: case.shape.dtype.name().to_owned(),
        n: case.shape.extent.to_string(),
        params: params_text(&case.shape.params),
        stream: case.shape.stream,
        is_unchecked: case.is_trusted(),
        first: found.first(),
        wrong_elements: found.count,
        elements: found.output.len() as u64 / elements.first().map_or(4, |element| element.scalar.bytes() as u64),
    };
    let json = serde_json::to_string_pretty(&bundle).map_err(|error| Error::Usage(error.to_string()))?;
    save("bundle.json", json.as_bytes())?;
    if let Some(declared) = case.benchmark.declared {
        for (name, bytes) in declared.files() {
            let without = (name == TOML).then(|| without_command(bytes)).flatten();
            if without.is_some() {
                save(&format!("{DECLARED}/{RIGHT}"), &found.expected)?;
            }
            save(&format!("{DECLARED}/{name}"), without.as_deref().unwrap_or(bytes))?;
        }
    } else {
        let kernel_file = |end: &str| format!("{}/{}.{end}", case.family.name, case.benchmark.name);
        for (end, text) in [("wgsl", case.benchmark.wgsl), ("cu", case.benchmark.cuda)] {
            if !text.is_empty() {
                save(&kernel_file(end), text.as_bytes())?;
            }
        }
    }
    if device.language == Language::Cuda {
        save("kernel.cu", kernel.cuda.as_bytes())?;
    } else if !kernel.module.is_empty() {
        save("kernel.spv", bytemuck::cast_slice(&kernel.module))?;
    } else if let Ok(shader) = Shader::parse(&kernel.source, case.shape.dtype.name()) {
        save("kernel.wgsl", shader.source_with(&kernel.constants)?.as_bytes())?;
        let (target, name) = match device.api {
            Api::Metal => (Target::Msl, "kernel.metal"),
            Api::Dx12 => (Target::Hlsl(None), "kernel.hlsl"),
            Api::Gl => (Target::Glsl, "kernel.glsl"),
            _ => (Target::SpirV, "kernel.spv"),
        };
        if let Ok(translated) = shader.translate(target, &kernel.constants, kernel.checks) {
            save(name, &translated)?;
        }
    }
    for (name, bytes) in &found.inputs {
        save(&format!("{name}.in.bin"), bytes)?;
    }
    save("output.bin", &found.output)?;
    save("expected.bin", &found.expected)?;
    let list: String = elements.iter().map(|element| format!("{element}\n")).collect();
    let count = format!("{} of {} elements wrong", found.count, bundle.elements);
    let text = format!(
        "{case} on {}, {}, through {}: {}.\n\n{list}\n`shaderbench bench replay DIR` reruns the case; DIR is this \
         folder. Files: the kernel as it ran, its translation, every input (*.in.bin), the actual output and the \
         expected output. All numbers are little-endian.\n",
        device.name,
        device.driver,
        device.api.title(),
        found.outside.as_ref().unwrap_or(&count)
    );
    save("README.txt", text.as_bytes())?;
    Ok(folder)
}

/// The expected output of a bundle whose declaration runs a command.
const RIGHT: &str = "right-values.bin";

/// A declaration with [`RIGHT`] in place of the command that computes its only expected output; `None` without one.
fn without_command(toml: &[u8]) -> Option<Vec<u8>> {
    let mut table: toml::Table = toml::from_str(std::str::from_utf8(toml).ok()?).ok()?;
    let all = table.get_mut("verify")?;
    let only = match all {
        toml::Value::Array(several) if several.len() == 1 => several.first_mut()?.as_table_mut()?,
        own => own.as_table_mut()?,
    };
    only.remove("command")?;
    only.insert("file".to_owned(), RIGHT.into());
    toml::to_string(&table).ok().map(String::into_bytes)
}

/// Reruns the case of a bundle. The exit code is 3 if the result is wrong again, else 0.
pub(super) fn replay(arguments: &Arguments) -> Result<u8> {
    let (bundle, case) = open(&arguments.folder, arguments.unchecked)?;
    if bundle.is_unchecked && !case.is_trusted() {
        say("this kernel is not part of the suite, so it now runs with run-time checks, unlike the original run; \
             --unchecked turns them off");
    }
    let listed = list(None)?;
    let is_named = |(index, device): (usize, &Device)| match &arguments.device {
        Some(name) => *name == index.to_string() || device.name.to_lowercase().contains(&name.to_lowercase()),
        None => true,
    };
    let mut found = listed.devices.iter().enumerate();
    let chosen = found.find(|(index, device)| device.api.name() == bundle.backend && is_named((*index, device)));
    let device = chosen.ok_or_else(no_device)?.0;
    let (name, driver) = (listed.devices[device].name.clone(), listed.devices[device].driver.clone());
    let bundled = arguments.folder.clone().into_os_string();
    let order = Order::Replay { device, bundle: bundled, is_unchecked: arguments.unchecked };
    let (first, count) = listed.ask(&order, |event| match event {
        Event::Replayed { first, count } => Some((first, count)),
        _ => None,
    })?;
    let Some(first) = first else {
        print(&format!("{case}: correct on {name}, {driver}\n"))?;
        return Ok(0);
    };
    let same = if first == bundle.first { "the same as" } else { "different from" };
    let counted = match count {
        0 => format!("the out-of-bounds store is {same} the bundle's; all output elements are correct"),
        _ => {
            format!("the first wrong element is {same} the bundle's; {count} of {} elements wrong", bundle.elements)
        }
    };
    print(&format!("{case}: {first} on {name}, {driver}\n{counted}\n"))?;
    Ok(3)
}

fn open(folder: &Path, is_unchecked: bool) -> Result<(Bundle, Case)> {
    let path = folder.join("bundle.json");
    let fault = |message: String| usage!("{}: {message}", path.display());
    let text = small(&path).map_err(Error::io("read", &path))?;
    let bundle: Bundle = serde_json::from_str(&text).map_err(|error| fault(format!("not a bundle: {error}")))?;
    let case = case_of(&bundle, folder, is_unchecked).map_err(fault)?;
    Ok((bundle, case))
}

/// The worker's side of `bench replay`. An out-of-bounds store counts only if it is the fault in the bundle, since
/// small sizes may not fill a workgroup.
pub(super) fn serve(link: &Link, target: super::target::Target, folder: &Path, is_unchecked: bool) -> Result<()> {
    let (bundle, case) = open(folder, is_unchecked)?;
    let mut backend = pollster::block_on(target.open())?;
    let wrong = pollster::block_on(wrong_at(backend.as_mut(), &case))?;
    let wrong = wrong.filter(|wrong| bundle.wrong_elements == 0 || wrong.outside.is_none());
    let first = wrong.as_ref().map(WrongResult::first);
    link.send(&Event::Replayed { first, count: wrong.map_or(0, |wrong| wrong.count) });
    Ok(())
}

/// Reads a file of a bundle, which may come from a stranger: at most 1 MiB.
fn small(path: &Path) -> std::io::Result<String> {
    const MOST: u64 = 1 << 20;
    let mut text = String::new();
    std::fs::File::open(path)?.take(MOST).read_to_string(&mut text)?;
    Ok(text)
}

fn case_of(bundle: &Bundle, folder: &Path, is_unchecked: bool) -> Result<Case, String> {
    let declared_in = folder.join(DECLARED);
    let (family, benchmark) = if declared_in.join(TOML).exists() {
        declared(bundle, &declared_in, is_unchecked)?
    } else {
        of_suite(bundle, folder, is_unchecked)?
    };
    let dtype = Dtype::ALL.into_iter().find(|dtype| dtype.name() == bundle.dtype);
    let dtype = dtype.ok_or_else(|| format!("unknown element type '{}'", bundle.dtype))?;
    let extent = Extent::parse(&bundle.n).map_err(|error| error.to_string())?;
    let params: BTreeMap<String, f64> = parse_params(&bundle.params)?;
    let mut case = Case::new(family, benchmark, Shape { stream: bundle.stream, ..Shape::new(dtype, extent, params) });
    if is_unchecked {
        #[expect(unsafe_code, reason = "--unchecked")]
        // SAFETY: with --unchecked, the user guarantees that the WGSL keeps the promise of `Case::trust`. The help
        // states the consequence.
        unsafe {
            case.trust();
        }
    }
    Ok(case)
}

type Found = (&'static Family, &'static Benchmark);

/// CUDA runs a kernel of a bundle only if the user trusts it.
fn trusted(bundle: &Bundle, is_unchecked: bool) -> Result<(), String> {
    let why = "the CUDA kernel of the bundle is not from the suite, and CUDA has no run-time checks: pass --unchecked \
               if you trust the kernel";
    if bundle.backend == Api::Cuda.name() && !is_unchecked { Err(why.to_owned()) } else { Ok(()) }
}

fn declared(bundle: &Bundle, folder: &Path, is_unchecked: bool) -> Result<Found, String> {
    trusted(bundle, is_unchecked)?;
    let family = of_folder(folder, is_unchecked).map_err(|error| error.chain())?;
    let benchmark = family.benchmarks.iter().find(|benchmark| benchmark.name == bundle.benchmark);
    Ok((family, benchmark.ok_or_else(|| format!("{} has no kernel {}", folder.display(), bundle.benchmark))?))
}

/// A benchmark of the suite, with the kernels of the bundle if they differ.
fn of_suite(bundle: &Bundle, folder: &Path, is_unchecked: bool) -> Result<Found, String> {
    let name = format!("{}/{}", bundle.family, bundle.benchmark);
    let selected = select(std::slice::from_ref(&name)).map_err(|error| error.to_string())?;
    let (family, mut benchmark) = *selected.first().ok_or_else(|| format!("there is no benchmark {name}"))?;
    let text = |end: &str| small(&folder.join(format!("{name}.{end}"))).ok();
    let (wgsl, cuda) = (text("wgsl"), text("cu"));
    if wgsl.as_deref().is_some_and(|text| text != benchmark.wgsl)
        || cuda.as_deref().is_some_and(|text| text != benchmark.cuda)
    {
        let mut source = Source::default();
        (source.wgsl, source.cuda) = (wgsl, cuda);
        benchmark = with_source(benchmark, &source);
    }
    if benchmark.cuda != selected[0].1.cuda {
        trusted(bundle, is_unchecked)?;
    }
    Ok((family, benchmark))
}
