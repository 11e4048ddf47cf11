//! Times and verifies kernels of a Rust program like the suite's own.

use std::path::PathBuf;

use crate::BUILD;
use crate::cli::declaration::{Own, family};
use gpu::backend::Backend;
use gpu::backend::wgpu::{Timeouts, WgpuBackend, adapters};
use gpu::engine::measure::Timer;
use gpu::engine::plan::{Request, plan};
use gpu::engine::{Changes, Observer, Settings};
use record::Record;
use record::error::{Error, Result};
use record::suite::{Case, Profile, Toolchain};

/// WGSL kernels, and the lines of a TOML file that declares them: see `docs/bench.md`.
///
/// ```
/// # fn main() -> shaderbench::record::error::Result<()> {
/// const TWICE: &str = "
///     @group(0) @binding(0) var<storage, read> input: array<f32>;
///     @group(0) @binding(1) var<storage, read_write> output: array<f32>;
///     override WG: u32 = 64u;
///     @compute @workgroup_size(WG)
///     fn main(@builtin(global_invocation_id) id: vec3<u32>) {
///         if (id.x < arrayLength(&output)) {
///             output[id.x] = 2.0 * input[id.x];
///         }
///     }";
/// let twice = shaderbench::Bench::new("twice")
///     .kernel("twice", TWICE)
///     .toml(
///         "
///         sizes = 4096
///         bytes = '8 * n'
///         limit = 'none'
///         params = { WG = [64, 128] }
///         verify = { expect = '2.0 * input[i]' }
///         ",
///     );
/// # if shaderbench::Bench::device().is_none() {
/// #     return Ok(());
/// # }
/// for row in twice.run()? {
///     println!("{} {}: {:?} ns", row.name(), row.params_text(), row.median_ns);
///     assert_eq!(row.status, shaderbench::record::Status::Ok, "{}", row.reason);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Bench {
    name: String,
    kernels: Vec<(String, String)>,
    toml: String,
    profile: Profile,
}

impl Bench {
    /// Creates a benchmark without kernels, whose rows have `name` as their family.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), kernels: Vec::new(), toml: String::new(), profile: Profile::Quick }
    }

    /// Adds a WGSL kernel. The first one is the baseline.
    #[must_use]
    pub fn kernel(mut self, name: &str, wgsl: &str) -> Self {
        self.kernels.push((name.to_owned(), wgsl.to_owned()));
        self
    }

    /// Adds lines of the TOML file.
    #[must_use]
    pub fn toml(mut self, lines: &str) -> Self {
        self.toml.push_str(lines);
        self.toml.push('\n');
        self
    }

    /// Sets how long to sample; [`Profile::Quick`] by default.
    #[must_use]
    pub const fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// The name of the first device, which [`Bench::run`] uses; `None` if there is no device.
    #[must_use]
    pub fn device() -> Option<String> {
        pollster::block_on(adapters(None)).into_iter().next().map(|adapter| adapter.device.name.clone())
    }

    /// Measures and verifies every kernel at every size with every set of parameters, in this process: a driver that
    /// ends the process ends the caller. Rows of the measured peaks that the kernels are compared with come first.
    ///
    /// # Errors
    /// [`Error::Usage`] if the lines or a kernel are invalid; [`Error::NoDevice`] if there is no device. A kernel that
    /// fails or is wrong is a row with that status.
    pub fn run(&self) -> Result<Vec<Record>> {
        let folder = tempfile::tempdir().map_err(Error::io("create", std::env::temp_dir()))?;
        let write = |name: String, text: &str| -> Result<PathBuf> {
            let path = folder.path().join(name);
            std::fs::write(&path, text).map_err(Error::io("write", &path))?;
            Ok(path)
        };
        for (name, wgsl) in &self.kernels {
            write(format!("{name}.wgsl"), wgsl)?;
        }
        let files: Vec<String> = self.kernels.iter().map(|(name, _)| format!("'{name}.wgsl'")).collect();
        let lines = format!("name = '{}'\nkernels = [{}]\n{}", self.name, files.join(", "), self.toml);
        let toml = write(format!("{}.toml", self.name), &lines)?;
        let family = family(&[toml], &Own::default())?;
        let cases = plan(&Request { own: Some(family), ..Request::new(Vec::new(), self.profile) })?;
        pollster::block_on(async {
            let none = || Error::NoDevice("there is no device".to_owned());
            let adapter = adapters(None).await.into_iter().next().ok_or_else(none)?;
            let mut backend = WgpuBackend::open(adapter, Timeouts::DEFAULT).await?;
            let mut settings = Settings::new(self.profile, String::new(), String::new(), String::new());
            BUILD.clone_into(&mut settings.tool_version);
            let mut apis: [&mut dyn Backend; 1] = [&mut backend];
            gpu::engine::run(&mut apis, &cases, &settings, &mut Quiet).await
        })
    }
}

struct Quiet;

impl Observer for Quiet {
    fn timer(&mut self, _: Toolchain<'_>, _: &Timer) {}
    fn start(&mut self, _: usize, _: &Case, _: &Record) {}
    fn row(&mut self, _: &Record) {}
    fn finish(&mut self, _: &[Record], _: &Changes) -> Result<()> {
        Ok(())
    }
}
