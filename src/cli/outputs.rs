//! The files that commands write, checked before anything slow.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use super::reports::OWN;
use answers::report::{Lock, Output, Target};
use gpu::backend::Device;
use record::error::{Error, Result, usage};

pub(super) const ANOTHER_FILE: &str = "name another file";

/// Refuses a path that cannot be written or, without `has_force`, holds a file. `advice` names another way. Changes
/// nothing.
pub(super) fn check_new(path: &Path, has_force: bool, advice: &str) -> Result<Target> {
    let target = Target::of(path)?;
    if target.is_taken() && !has_force {
        let path = path.display();
        return Err(usage!("{path} exists: {advice}, or pass --force to overwrite it"));
    }
    Ok(target)
}

/// Refuses two options that name one file: the second would overwrite what the first wrote.
pub(super) fn check_different(first: (&str, &Path), second: (&str, &Path)) -> Result<()> {
    // Folders do not overwrite each other.
    if first.1.is_dir() || second.1.is_dir() {
        return Ok(());
    }
    if Target::of(first.1)?.is_same(&Target::of(second.1)?) {
        let (name, path) = (first.0, first.1.display());
        return Err(usage!("{} and {name} are the same file, {path}: name another file", second.0));
    }
    Ok(())
}

/// Whether a path, or the file it links to, has the extension of a kernel or a declaration.
pub(super) fn is_source(path: &Path) -> bool {
    let whole = path.canonicalize();
    let ends = [Some(path), whole.as_deref().ok()].into_iter().flatten().filter_map(Path::extension);
    ends.into_iter().any(|end| {
        ["wgsl", "spv", "cu", "comp", "hlsl", "slang", "toml"].iter().any(|source| end.eq_ignore_ascii_case(source))
    })
}

/// A report that no other run can write.
pub(super) struct LockedFile {
    pub(super) output: Output,
    /// Held until the end of the run. Devices and pipes have no lock.
    _lock: Option<Lock>,
}

impl LockedFile {
    pub(super) fn open(path: &Path, is_new: bool) -> Result<Self> {
        let output = if is_new { Output::open_new(path)? } else { Output::open(path)? };
        let lock = output.file().map(|file| Lock::acquire(file, path)).transpose()?;
        Ok(Self { output, _lock: lock })
    }
}

/// `reports/<device>/<date>-<backend>.csv`, with several backends joined by `+`. A number is added if the name exists
/// or is that of the JSON report. Creates the file, so that no other run can take the name.
pub(super) fn default_csv(devices: &[Device], date: &str, json: Option<&Path>) -> Result<LockedFile> {
    let mut apis: Vec<_> = devices.iter().map(|device| device.api.name()).collect();
    apis.dedup();
    let folder = Path::new(OWN).join(words(&devices[0].name));
    std::fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
    let json = json.map(Target::of).transpose()?;
    for number in 1.. {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let path: PathBuf = folder.join(format!("{date}-{}{suffix}.csv", apis.join("+")));
        if json.as_ref().is_some_and(|json| Target::of(&path).is_ok_and(|csv| csv.is_same(json))) {
            continue;
        }
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(_) => return LockedFile::open(&path, false),
            Err(source) if source.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(Error::io("create", &path)(source)),
        }
    }
    Err(usage!("every report name in {} is taken: name a file with --out", folder.display()))
}

/// A device's name as a part of file names: its letters and digits in lower case, joined by `-`.
pub(super) fn words(name: &str) -> String {
    let name = name.to_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}
