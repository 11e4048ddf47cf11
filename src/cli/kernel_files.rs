//! The kernels of a run: the suite's, or those of `--shaders` or `bench`. Program and workers read the same files.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cli::declaration::{Own, check_declared, family};
use crate::cli::shaders::{sources, trusted};
use gpu::engine::plan::Source;
use record::error::Result;
use record::suite::{Family, budget};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(in crate::cli) struct KernelFiles {
    /// The files of `bench`; empty for the suite's kernels.
    pub(in crate::cli) files: Vec<OsString>,
    /// Options of `bench` for its files.
    pub(in crate::cli) own: Own,
    /// The folder of `--shaders`.
    pub(in crate::cli) folder: Option<OsString>,
    /// Filters for the suite's kernels.
    pub(in crate::cli) filters: Vec<String>,
    pub(in crate::cli) is_unchecked: bool,
    pub(in crate::cli) host_timeout: Option<Duration>,
}

#[derive(Default)]
pub(in crate::cli) struct Kernels {
    /// The family of `bench`.
    pub(in crate::cli) own: Option<&'static Family>,
    /// Sources that replace the suite's, by `family/benchmark`.
    pub(in crate::cli) sources: BTreeMap<String, Source>,
}

impl KernelFiles {
    /// Reads the files, within the time limit of host steps.
    pub(in crate::cli) fn load(&self) -> Result<Kernels> {
        budget::set_limit(self.host_timeout.unwrap_or(budget::USUAL));
        let sources = |folder| sources(Path::new(folder), self.is_unchecked, &self.filters);
        let sources = self.folder.as_ref().map(sources).transpose()?.unwrap_or_default();
        let mut kernels = Kernels { sources, ..Kernels::default() };
        if self.files.is_empty() {
            return Ok(kernels);
        }
        budget::start_preparing();
        let files: Vec<PathBuf> = self.files.iter().map(PathBuf::from).collect();
        check_declared(&files, &self.own)?;
        let own = family(&files, &self.own)?;
        kernels.own = Some(own);
        kernels.sources.extend(trusted(own, self.is_unchecked));
        Ok(kernels)
    }
}
