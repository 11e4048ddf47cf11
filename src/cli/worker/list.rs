//! Lists the devices in a worker. Leaves out drivers that end the worker.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::process::{Death, Message, Messages, SILENCE, Start, Stopped, Worker, next, set_silence};
use super::protocol::{Event, Order, check_version};
use crate::cli::output::say;
use crate::cli::target::{Through, apis};
use gpu::backend::Device;
use record::error::{Error, Result, usage};
use record::suite::Api;

/// How long to wait for drivers to list their devices.
const LONGEST: Duration = Duration::from_secs(60);

/// Variable of the Vulkan loader: manifests of the only drivers to load.
const VULKAN_DRIVERS: &str = "VK_DRIVER_FILES";

/// Variable of wgpu: the only APIs to use.
const WGPU_APIS: &str = "WGPU_BACKEND";

/// The devices, and the worker that has listed them.
pub(in crate::cli) struct Listed {
    pub(in crate::cli) devices: Vec<Device>,
    pub(in crate::cli) build: String,
    pub(in crate::cli) start: Start,
    pub(in crate::cli) worker: Worker,
    pub(in crate::cli) messages: (Messages, Receiver<(usize, Message)>),
}

impl Listed {
    /// Sends an order and waits for its answer.
    pub(in crate::cli) fn ask<T>(self, order: &Order, answer: impl Fn(Event) -> Option<T>) -> Result<T> {
        let Self { mut worker, messages: (_, received), .. } = self;
        worker.order(order);
        loop {
            if let Some(answer) = answer(next(&mut worker, &received, SILENCE).map_err(Stopped::into_error)?) {
                return Ok(answer);
            }
        }
    }
}

/// Lists the devices for a value of `--backend`. Drivers that end the process are left out and named on stderr.
pub(in crate::cli) fn list(backend: Option<Through>) -> Result<Listed> {
    set_silence()?;
    let death = match ask(backend, Start::default())? {
        Ok(listed) => return Ok(listed),
        Err(death) => death,
    };
    // CUDA has one driver.
    let environment = if backend == Some(Through::One(Api::Cuda)) { Vec::new() } else { environment()? };
    match ask(backend, Start { environment, command: None })? {
        Ok(listed) => Ok(listed),
        Err(_) => Err(Error::NoDevice(format!("cannot list the devices: {}", death.how))),
    }
}

/// Lists the devices that another build of this program finds, which `command` starts.
pub(in crate::cli) fn list_of(command: &str, backend: Option<Through>) -> Result<Listed> {
    let how = |death: Death| {
        let how = death.how.replace("the driver ended the process", "the command ended").replace(" while running", "");
        usage!("--against '{command}' did not list its devices because {how}: give a command that starts shaderbench")
    };
    ask(backend, Start { command: Some(command.to_owned()), ..Start::default() })?.map_err(how)
}

fn ask(backend: Option<Through>, start: Start) -> Result<Result<Listed, Death>> {
    let messages = channel();
    let mut worker = Worker::start(0, &messages.0, &start)?;
    worker.order(&Order::Devices { backend });
    loop {
        match next(&mut worker, &messages.1, LONGEST) {
            Ok(Event::Devices { version, build, devices }) => {
                check_version(version, start.command.as_deref())?;
                return Ok(Ok(Listed { devices, build, start, worker, messages }));
            }
            Ok(_) => {}
            Err(Stopped::Refused(error)) => return Err(error),
            Err(Stopped::Died(death)) => return Ok(Err(death)),
        }
    }
}

/// Environment variables that exclude drivers which crash while listing devices. Each driver is tried on its own.
fn environment() -> Result<Vec<(&'static str, OsString)>> {
    let set = std::env::var(WGPU_APIS).unwrap_or_default();
    let is_wanted = |api: &Api| *api != Api::Cuda && (set.is_empty() || set.to_lowercase().contains(api.name()));
    let (mut names, mut variables) = (Vec::new(), Vec::new());
    for api in apis().into_iter().filter(is_wanted) {
        let only = (WGPU_APIS, OsString::from(api.name()));
        let Err(death) = ask(None, Start { environment: vec![only.clone()], command: None })? else {
            names.push(api.name());
            continue;
        };
        let (good, bad): (Vec<PathBuf>, Vec<PathBuf>) =
            if api == Api::Vulkan { sorted(&manifests(), &only)? } else { (Vec::new(), Vec::new()) };
        for driver in &bad {
            say(&format!("driver {} is skipped: {}", driver.display(), of_listing(&death)));
        }
        if good.is_empty() || bad.is_empty() {
            say(&format!("{} is skipped: {}", api.title(), of_listing(&death)));
            continue;
        }
        names.push(api.name());
        variables.push((VULKAN_DRIVERS, std::env::join_paths(good).unwrap_or_default()));
    }
    variables.push((WGPU_APIS, names.join(",").into()));
    Ok(variables)
}

fn of_listing(death: &Death) -> String {
    death.how.replace("while running", "while listing its devices")
}

/// Sorts the drivers into those that can be listed, and those that cannot.
fn sorted(manifests: &[PathBuf], only: &(&'static str, OsString)) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for manifest in manifests {
        let environment = vec![only.clone(), (VULKAN_DRIVERS, manifest.clone().into())];
        if ask(None, Start { environment, command: None })?.is_ok() {
            good.push(manifest.clone())
        } else {
            bad.push(manifest.clone())
        }
    }
    Ok((good, bad))
}

/// Manifests of the Vulkan drivers, from the loader's variables or folders; none on Windows, which uses its registry.
fn manifests() -> Vec<PathBuf> {
    let named = [VULKAN_DRIVERS, "VK_ICD_FILENAMES"].into_iter().find_map(std::env::var_os);
    let places: Vec<PathBuf> = match named {
        Some(paths) => std::env::split_paths(&paths).collect(),
        None => folders().into_iter().map(|folder| folder.join("vulkan/icd.d")).collect(),
    };
    let is_manifest = |path: &PathBuf| path.extension() == Some(OsStr::new("json"));
    let found_in = |place: PathBuf| {
        if !place.is_dir() {
            return vec![place];
        }
        let entries = std::fs::read_dir(&place).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut found: Vec<PathBuf> = entries.filter(is_manifest).collect();
        found.sort();
        found
    };
    places.into_iter().flat_map(found_in).filter(|path| path.is_file()).collect()
}

/// Folders with settings and data of the system and of the user.
fn folders() -> Vec<PathBuf> {
    if cfg!(windows) {
        return Vec::new();
    }
    let listed = |name: &str, usual: &str| {
        let paths = std::env::var_os(name).filter(|paths| !paths.is_empty()).unwrap_or_else(|| usual.into());
        std::env::split_paths(&paths).collect::<Vec<_>>()
    };
    let home = |name: &str, below: &str| {
        let set = std::env::var_os(name).map(PathBuf::from);
        set.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(below)))
    };
    let mut all: Vec<PathBuf> = home("XDG_CONFIG_HOME", ".config").into_iter().collect();
    all.extend(listed("XDG_CONFIG_DIRS", "/etc/xdg"));
    all.push(PathBuf::from("/etc"));
    all.extend(home("XDG_DATA_HOME", ".local/share"));
    all.extend(listed("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
    all
}
