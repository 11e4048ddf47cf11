//! `run`: chooses devices, plans, measures, writes reports, prints tables.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use super::progress::Progress;
use super::target::{Target, backends, targets};
use super::{RunArguments, look, print};
use crate::backend::{Device, DeviceType};
use crate::error::{Error, Result};
use crate::plan::{Request, plan, unknown};
use crate::record::Record;
use crate::report::{self, Section, table};
use crate::run::Settings;
use crate::suite::{Dtype, FAMILIES, Profile};

/// Runs the command; gives the exit code.
pub(super) fn run(arguments: &RunArguments) -> Result<u8> {
    // Faults in the command line come before anything that takes time.
    let cases = plan(&request(arguments, Profile::Quick))?;
    if let Some(folder) = &arguments.save_image {
        if !cases.iter().any(|case| case.shape.dtype == Dtype::Rgba8) {
            return Err(Error::Usage(
                "--save-image: none of these benchmarks makes a picture: add the family texture".to_owned(),
            ));
        }
        std::fs::create_dir_all(folder).map_err(|source| Error::Io {
            action: "create",
            path: folder.clone(),
            source,
        })?;
    }
    for path in [&arguments.out, &arguments.json].into_iter().flatten() {
        if path.exists() && !arguments.force {
            let path = path.display();
            return Err(Error::Usage(format!("{path} exists: name another file, or pass --force to overwrite it")));
        }
    }
    let (device, backend) = (arguments.device.as_deref(), arguments.backend.as_deref());
    let chosen = choose(targets(backend)?, device, backend)?;
    if arguments.dry_run {
        return dry_run(arguments, chosen[0].device());
    }
    let mut all: Vec<Record> = Vec::new();
    for target in chosen {
        let records = run_on(target, arguments, &all)?;
        print(&table::table(&sections(&records), look()))?;
        all.extend(records);
    }
    Ok(if all.iter().any(|record| record.status.is_fault()) { 3 } else { 0 })
}

fn request(arguments: &RunArguments, profile: Profile) -> Request {
    Request {
        filters: arguments.filters.clone(),
        profile,
        sizes: arguments.sizes.clone(),
        params: arguments.params.clone(),
    }
}

fn profile_for(arguments: &RunArguments, device: &Device) -> Profile {
    let usual = if device.kind == DeviceType::Software { Profile::Quick } else { Profile::Standard };
    arguments.profile.unwrap_or(usual)
}

fn dry_run(arguments: &RunArguments, device: &Device) -> Result<u8> {
    let profile = profile_for(arguments, device);
    let cases = plan(&request(arguments, profile))?;
    let mut text: String = cases.iter().map(|case| format!("{case}\n")).collect();
    text.push_str(&format!("{} cases, profile {}, on {}\n", cases.len(), profile_name(profile), device.name));
    print(&text)?;
    Ok(0)
}

fn profile_name(profile: Profile) -> String {
    clap::ValueEnum::to_possible_value(&profile).map_or_else(String::new, |value| value.get_name().to_owned())
}

fn run_on(target: Target, arguments: &RunArguments, before: &[Record]) -> Result<Vec<Record>> {
    let device = target.device().clone();
    if device.kind == DeviceType::Software {
        eprintln!(
            "{} is a software device: its answers are checked as any, its speed says nothing about a GPU",
            device.name
        );
    }
    let profile = profile_for(arguments, &device);
    let cases = plan(&request(arguments, profile))?;
    // What cannot be opened leaves no report.
    let mut backend = pollster::block_on(target.open())?;
    let device = backend.device().clone();
    let now = jiff::Timestamp::now();
    let date = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let (path, before) = match &arguments.out {
        Some(path) => (path.clone(), before.to_vec()),
        None => (default_path(&device, &date[..10])?, Vec::new()),
    };
    eprintln!(
        "{} ({}, {}): {} cases, profile {}",
        device.name,
        device.backend,
        device.driver,
        cases.len(),
        profile_name(profile)
    );
    let settings = Settings::new(profile, date, operating_system(), processor());
    let mut progress = Progress::new(cases.len(), path.clone(), arguments.json.clone(), before);
    if let Some(folder) = &arguments.save_image {
        progress.save_pictures(folder);
    }
    let records = pollster::block_on(crate::run::run(backend.as_mut(), &cases, &settings, &mut progress))?;
    drop(progress);
    eprintln!("{} rows in {}", records.len(), path.display());
    Ok(records)
}

fn sections(records: &[Record]) -> Vec<Section<'_>> {
    let section = |family: &&'static crate::suite::Family| {
        let rows: Vec<_> = records.iter().filter(|record| record.family == family.name).collect();
        let finding = (family.finding)(&rows);
        Section { family: family.name, summary: family.summary, finding, rows, is_by_kernel: family.is_by_kernel }
    };
    FAMILIES.iter().map(section).filter(|section| !section.rows.is_empty()).collect()
}

/// The sentence for a machine on which nothing can run.
pub(super) fn no_device() -> Error {
    Error::NoDevice(
        "no GPU adapter was found: install a Vulkan driver (Debian, Ubuntu: apt-get install libvulkan1 mesa-vulkan-drivers; \
         NVIDIA: its own driver), and check VK_ICD_FILENAMES, VK_DRIVER_FILES and WGPU_BACKEND if they are set"
            .to_owned(),
    )
}

/// The devices to run on, at least one. Hardware first: software only where it is asked for or nothing else is there.
fn choose(found: Vec<Target>, device: Option<&str>, backend: Option<&str>) -> Result<Vec<Target>> {
    if found.is_empty() {
        return Err(no_device());
    }
    let names: Vec<String> = found.iter().map(|target| target.device().name.clone()).collect();
    let is_wanted = |index: usize, target: &Target| match device {
        None | Some("all") => true,
        Some(wanted) => match wanted.parse::<usize>() {
            Ok(number) => number == index,
            Err(_) => target.device().name.to_lowercase().contains(&wanted.to_lowercase()),
        },
    };
    let mut chosen: Vec<Target> = found
        .into_iter()
        .enumerate()
        .filter(|(index, target)| is_wanted(*index, target))
        .map(|(_, target)| target)
        .collect();
    if chosen.is_empty() {
        let wanted = device.unwrap_or_default();
        return Err(Error::Usage(match wanted.parse::<usize>() {
            Ok(number) => {
                format!("there is no device {number}: there are 0 to {}, see `shaderbench devices`", names.len() - 1)
            }
            Err(_) => unknown("device", wanted, &names),
        }));
    }
    if let Some(api) = backend.filter(|api| *api != "all") {
        chosen.retain(|target| target.device().backend == api);
        if chosen.is_empty() {
            let known: Vec<_> = backends().into_iter().filter(|name| *name != "all").collect();
            return Err(Error::NoDevice(format!(
                "no device here runs through {api}: see `shaderbench devices` for what there is, of {}",
                known.join(", ")
            )));
        }
    }
    let has_hardware = chosen.iter().any(|target| target.device().kind != DeviceType::Software);
    if has_hardware && matches!(device, None | Some("all")) {
        chosen.retain(|target| target.device().kind != DeviceType::Software);
    }
    let (first, api) = (chosen[0].device().clone(), chosen[0].device().backend);
    if backend != Some("all") {
        chosen.retain(|target| target.device().backend == api);
    }
    if device != Some("all") {
        // APIs name one card differently ("NVIDIA H200" and "NVIDIA H200/PCIe/SSE2").
        let is_same = |other: &Device| other.name.contains(&first.name) || first.name.contains(&other.name);
        chosen.retain(|target| is_same(target.device()));
        if backend != Some("all") {
            chosen.truncate(1);
        }
    }
    Ok(chosen)
}

/// `results/<device>/<date>-<backend>.csv`, with a number where that is taken. The file is created, so that no other run takes it.
fn default_path(device: &Device, date: &str) -> Result<PathBuf> {
    let words: Vec<String> = device
        .name
        .to_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let folder = Path::new("results").join(words.join("-"));
    let fault = |action, path: &Path, source| Error::Io { action, path: path.to_owned(), source };
    std::fs::create_dir_all(&folder).map_err(|source| fault("create", &folder, source))?;
    for number in 1.. {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let path = folder.join(format!("{date}-{}{suffix}.csv", device.backend));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(_) => {
                // A run that is killed before its first row still leaves a report.
                report::replace_file(&path, &report::csv::write(&[]))?;
                return Ok(path);
            }
            Err(source) if source.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(fault("create", &path, source)),
        }
    }
    Err(Error::Usage(format!("{} is full of reports", folder.display())))
}

fn operating_system() -> String {
    sysinfo::System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned())
}

fn processor() -> String {
    let brand = sysinfo::System::new().ok().and_then(|mut system| {
        system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
        Some(system.cpus().first()?.brand().trim().to_owned())
    });
    let brand = brand.filter(|brand| !brand.is_empty()).unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{brand} ({threads} threads)")
}
