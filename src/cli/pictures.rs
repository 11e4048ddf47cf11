//! The images that a run saves.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::outputs::{check_different, check_new};
use answers::report::{png, replace_file};
use gpu::engine::Picture;
use gpu::job::Job;
use record::error::Result;
use record::format::joined;
use record::suite::{Api, Case, Dtype};

pub(super) fn draws(case: &Case) -> bool {
    let is_drawn = || Job::new(case).is_ok_and(|job| job.picture().is_some());
    case.shape.dtype == Dtype::Rgba8 || (case.benchmark.declared.is_some() && is_drawn())
}

/// The images of one card.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct Pictures {
    folder: OsString,
    /// Distinguishes the cards of a run; empty if there is only one.
    card: String,
    has_several_apis: bool,
    has_force: bool,
    /// Files of this run, which later images of the same case replace.
    #[serde(skip)]
    written: BTreeSet<PathBuf>,
}

impl Pictures {
    pub(super) fn new(folder: &Path, card: String, has_several_apis: bool, has_force: bool) -> Self {
        Self { folder: folder.into(), card, has_several_apis, has_force, written: BTreeSet::new() }
    }

    /// The file of a case's image.
    fn path(&self, case: &Case, api: Api) -> PathBuf {
        let api = if self.has_several_apis { api.name() } else { "" };
        self.file(&[&case.name(), &case.shape.extent.to_string(), &case.params_text(), api])
    }

    /// The file of the picture that all cases of a size read.
    fn original(&self, case: &Case) -> PathBuf {
        self.file(&[case.family.name, "original", &case.shape.extent.to_string()])
    }

    fn file(&self, parts: &[&str]) -> PathBuf {
        let name = joined(parts.iter().copied().chain([self.card.as_str()]), "-").replace(['/', ' ', ';'], "-");
        Path::new(&self.folder).join(format!("{name}.png"))
    }

    /// Refuses to overwrite other files.
    pub(super) fn check(&self, cases: &[Case], apis: &[Api], json: Option<&Path>) -> Result<()> {
        for case in cases.iter().filter(|case| draws(case)) {
            let drawn = apis.iter().map(|api| self.path(case, *api));
            for path in drawn.chain([self.original(case)]) {
                check_new(&path, self.has_force, "name another folder")?;
                if let Some(json) = json {
                    check_different(("--save-image", &path), ("--json", json))?;
                }
            }
        }
        Ok(())
    }

    /// Saves a case's image, and the picture that it reads. Returns a message about the image. Keeps the image of an
    /// earlier run, except with `has_force`.
    pub(super) fn save(&mut self, case: &Case, api: Api, picture: &Picture) -> Result<String> {
        let (path, original) = (self.path(case, api), self.original(case));
        if !picture.original.is_empty() && !self.written.contains(&original) && self.may_write(&original) {
            self.write(picture, original, &picture.original)?;
        }
        if !self.may_write(&path) {
            return Ok(format!("{} exists and is kept: pass --force to replace it", path.display()));
        }
        let what = if case.benchmark.declared.is_some() { "drawn" } else { "rotated" };
        let message = format!("the {what} image is in {}", path.display());
        self.write(picture, path, &picture.drawn)?;
        Ok(message)
    }

    fn may_write(&self, path: &Path) -> bool {
        self.has_force || self.written.contains(path) || path.symlink_metadata().is_err()
    }

    fn write(&mut self, picture: &Picture, path: PathBuf, rgba: &[u8]) -> Result<()> {
        let [width, height] = picture.size;
        let side = |length: u64| u32::try_from(length).unwrap_or(u32::MAX);
        replace_file(&path, &png::write(side(width), side(height), rgba)?)?;
        self.written.insert(path);
        Ok(())
    }
}
