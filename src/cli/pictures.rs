//! The images that a run saves.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::outputs::{check_different, check_new};
use crate::backend::Api;
use crate::error::Result;
use crate::report::{png, replace_file};
use crate::suite::{Case, Dtype};

/// The images of one card.
#[derive(Debug, Clone)]
pub(super) struct Pictures {
    folder: PathBuf,
    /// Distinguishes the cards of a run; empty if it has one.
    card: String,
    has_several_apis: bool,
    has_force: bool,
    /// Files of this run, which later images of the same case replace.
    written: BTreeSet<PathBuf>,
}

impl Pictures {
    pub(super) fn new(folder: &Path, card: String, has_several_apis: bool, has_force: bool) -> Self {
        Self { folder: folder.to_owned(), card, has_several_apis, has_force, written: BTreeSet::new() }
    }

    fn path(&self, case: &Case, api: Api) -> PathBuf {
        let api = if self.has_several_apis { api.name() } else { "" };
        let parts = [&case.name(), &case.shape.extent.to_string(), &case.params_text(), api, self.card.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        self.folder.join(format!("{}.png", parts.join("-").replace(['/', ' ', ';'], "-")))
    }

    /// Refuses images in place of other files.
    pub(super) fn check(&self, cases: &[Case], apis: &[Api], json: Option<&Path>) -> Result<()> {
        for case in cases.iter().filter(|case| case.shape.dtype == Dtype::Rgba8) {
            for api in apis {
                let path = self.path(case, *api);
                check_new(&path, self.has_force, "name another folder")?;
                if let Some(json) = json {
                    check_different(("--save-image", &path), ("--json", json))?;
                }
            }
        }
        Ok(())
    }

    /// Saves an image, and returns the message about it. An image of another run stays, unless it is forced.
    pub(super) fn save(&mut self, case: &Case, api: Api, rgba: &[u8]) -> Result<String> {
        let path = self.path(case, api);
        if !self.written.contains(&path) && path.symlink_metadata().is_ok() && !self.has_force {
            return Ok(format!("{} exists and stays: --force replaces it", path.display()));
        }
        let (height, width) = case.shape.extent.matrix();
        let side = |length: u64| u32::try_from(length).unwrap_or(u32::MAX);
        replace_file(&path, &png::write(side(width), side(height), rgba)?)?;
        let message = format!("the rotated image is in {}", path.display());
        self.written.insert(path);
        Ok(message)
    }
}
