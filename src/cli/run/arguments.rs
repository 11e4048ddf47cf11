//! The command line of `run`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cli::declaration::Own;
use crate::cli::format::{TableFormat, Tables};
use crate::cli::kernel_files::{KernelFiles, Kernels};
use crate::cli::outputs::is_source;
use crate::cli::target::Through;
use crate::cli::values::{self, duration, fail_on, param, percentage, size};
use gpu::engine::plan::Caches;
use record::Status;
use record::error::{Result, usage};
use record::suite::{Extent, Family, Profile, Tag};

#[derive(clap::Args)]
pub(in crate::cli) struct Arguments {
    /// Families, benchmarks, globs or parts of names [default: all]
    ///
    /// Families (transpose), benchmarks (transpose/tiled), globs ('*/vec4*'), or parts of benchmark names (tiled). A
    /// run also measures the peaks that it compares its rates with.
    #[arg(value_name = "FILTER")]
    pub(super) filters: Vec<String>,
    /// Run the families with a tag: peak, article, llm, primitive, memory or cost
    ///
    /// peak: the device's highest rates. article: the workloads of the articles that `explain` checks. llm: the kernels
    /// that take most of a language model's time. primitive: building blocks of many programs. memory: access patterns
    /// and kinds of memory. cost: costs other than memory traffic and arithmetic. Repeat the option or write llm,peak
    /// for several tags. With filters, a benchmark must match a tag and a filter.
    #[arg(long = "tag", value_name = "TAG", value_parser = Tag::parse, value_delimiter = ',')]
    pub(super) tags: Vec<Tag>,
    /// Compare with another build, case by case
    ///
    /// COMMAND starts that build, for example old/shaderbench or 'VK_DRIVER_FILES=/opt/mesa/lvp.json shaderbench'. For
    /// each case, the two builds run in random order. Each epoch has new processes. The differences are printed last.
    #[arg(long, value_name = "COMMAND", conflicts_with = "time")]
    pub(super) against: Option<String>,
    /// Compare with the kernels in a folder laid out as for --shaders
    #[arg(long, value_name = "DIR", hide_short_help = true, conflicts_with_all = ["against", "time"])]
    pub(super) against_shaders: Option<PathBuf>,
    /// With --against, exit with code 4 if a case is slower by more than PCT percent
    #[arg(long, value_name = "PCT", hide_short_help = true, value_parser = percentage)]
    pub(super) fail_on_regression: Option<f64>,
    /// Sizes to run and sampling time [default: quick; standard with filters on a GPU]
    #[arg(long, value_enum, value_name = "PROFILE")]
    pub(super) profile: Option<Profile>,
    /// Device number, part of a device name, or all [default: the first GPU]
    ///
    /// `shaderbench devices` lists the devices. `all` measures every GPU in turn. A software device is used only if
    /// there is no GPU, or on request.
    #[arg(long, value_name = "DEVICE")]
    pub(super) device: Option<String>,
    /// API to use, or all [default: the device's best]
    ///
    /// `all` alternates between the device's APIs, case by case.
    #[arg(long, value_name = "API", value_parser = Through::parser())]
    pub(super) backend: Option<Through>,
    /// Size such as 2^20 or 512x2000 [default: by profile]
    ///
    /// Give a number (1000003), a power (2^20), ROWSxCOLUMNS (512x2000), or MxNxK for GEMM. Repeat the option or write
    /// 2^16,2^20 for several sizes.
    #[arg(long = "size", value_name = "N", value_parser = size, value_delimiter = ',')]
    pub(super) sizes: Vec<Extent>,
    /// Kernel parameter, for example WG=128
    ///
    /// Repeat the option or write WG=128,PAD=1 for several parameters. WG=64,WG=128 measures both values.
    #[arg(long = "param", value_name = "K=V", value_parser = param, value_delimiter = ',')]
    pub(super) params: Vec<(String, f64)>,
    /// State of the caches before each launch: hot, cold or both
    ///
    /// Cold rows have the parameter COLD=1. Ceilings are always measured hot.
    #[arg(
        long = "cache",
        value_name = "STATE",
        value_enum,
        default_value = "hot",
        hide_short_help = true,
        hide_default_value = true
    )]
    pub(super) caches: Caches,
    /// Time limit of the whole run, for example 90s or 5m
    ///
    /// A case that would exceed the limit runs at a smaller size, or is left out [default: 55s in quick, else none]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(super) time: Option<Duration>,
    /// Number of epochs per case
    ///
    /// [default: 4 in quick; 2 to 16 in standard, depending on noise; 8 to 32 in thorough]
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(super) epochs: Option<u16>,
    /// Seed for the inputs and the order of the cases [default: random]
    ///
    /// Which values are compared, and when the checks for skipped work run, is always random, so that no kernel can be
    /// tuned to a seed.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) seed: Option<u64>,
    /// Folder of kernels that replace the suite's
    ///
    /// Files are named FAMILY/BENCHMARK.wgsl or .cu. WGSL runs with all run-time checks; CUDA has none.
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub(super) shaders: Option<PathBuf>,
    /// Run the WGSL of --shaders without run-time checks, like the suite's kernels
    ///
    /// Out-of-bounds accesses are then undefined behavior.
    #[arg(long, hide_short_help = true)]
    pub(super) unchecked: bool,
    /// CSV report to write [default: reports/DEVICE/DATE-BACKEND.csv]
    #[arg(long, short, value_name = "PATH")]
    pub(super) out: Option<PathBuf>,
    /// Also write a JSON report with every sample
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Overwrite existing files
    ///
    /// Applies to --out, --json and --save-image.
    #[arg(long)]
    pub(super) force: bool,
    /// Continue the run that wrote this CSV file; repeat its other arguments
    ///
    /// Finished rows are kept, missing rows are measured, and failed rows are measured again. The report must come
    /// from the same device, driver, CPU, operating system, shaderbench version, profile and kernels.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "dry_run"])]
    pub(super) resume: Option<PathBuf>,
    /// With --resume, also rerun cases that timed out, or that crashed twice
    #[arg(long, hide_short_help = true, requires = "resume")]
    pub(super) retry_timeouts: bool,
    /// Time limit of each host step of a kernel [default: 60s]
    ///
    /// These steps are `preprocess`, `command`, expressions and naga. Together, the steps before the first launch
    /// may take ten times as long.
    #[arg(long, value_name = "DURATION", hide_short_help = true, value_parser = duration)]
    pub(super) host_timeout: Option<Duration>,
    /// Name of the host in the reports [default: the system's name]
    ///
    /// In a container, give the name of the node.
    #[arg(long, value_name = "NAME", hide_short_help = true, conflicts_with = "anonymous")]
    pub(super) host: Option<String>,
    /// Leave the host's name and the card's UUID out of the reports
    ///
    /// The UUID is replaced with a hash that is the same in every report of the card.
    #[arg(long)]
    pub(super) anonymous: bool,
    /// Also measure the energy of each case
    ///
    /// Reports joules per launch, read from the card's energy counter or power sensor over 1.4 s in each of up to three
    /// epochs. Fails on devices that have neither.
    #[arg(long, hide_short_help = true)]
    pub(super) energy: bool,
    /// Save the input and output images of the texture family to this folder as PNG
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub(super) save_image: Option<PathBuf>,
    /// Exit with code 3 if any row has one of these statuses
    ///
    /// Statuses: wrong, failed, implausible and skipped [default: the first three]
    #[arg(long, value_name = "STATUS,…", hide_short_help = true, value_parser = fail_on, value_delimiter = ',',
          default_values = ["wrong", "failed", "implausible"], hide_default_value = true)]
    pub(super) fail_on: Vec<Status>,
    /// Tables to print before the summary
    ///
    /// [default: all; on a terminal, family with filters, none without]
    #[arg(long, value_name = "TABLES", value_enum)]
    pub(super) table: Option<Tables>,
    /// Format of the tables
    #[arg(long, value_name = "FORMAT", hide_short_help = true, value_enum, default_value_t)]
    pub(super) format: TableFormat,
    /// List the cases that would run, and exit
    #[arg(long)]
    pub(super) dry_run: bool,
    /// The files of the kernels, and their contents: see [`Self::load`].
    #[arg(skip)]
    pub(super) files: KernelFiles,
    #[arg(skip)]
    pub(super) kernels: Kernels,
    /// Whether to print no tables, as for `explain`, which shows the rows itself.
    #[arg(skip)]
    pub(super) is_quiet: bool,
}

impl Arguments {
    pub(super) fn names_benchmarks(&self) -> bool {
        !self.filters.is_empty() || !self.tags.is_empty() || self.kernels.own.is_some()
    }

    /// The arguments of a `run` whose rows another command shows.
    pub(in crate::cli) fn without_tables<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        Ok(Self { is_quiet: true, ..values::arguments(words)? })
    }

    /// The command and kernels of the other side of an --against run; no command if this program runs both sides.
    pub(super) fn other_side(&self) -> Option<(Option<&str>, KernelFiles)> {
        if let Some(folder) = &self.against_shaders {
            return Some((None, KernelFiles { folder: Some(folder.into()), ..self.files.clone() }));
        }
        let (against, own) = (self.against.as_deref()?, &self.files.files);
        let path = Path::new(against);
        // With `bench`: another version of the kernel, or a folder with one of each kernel.
        let files: Vec<OsString> = match () {
            () if path.is_dir() => {
                own.iter().filter_map(|file| Some(path.join(Path::new(file).file_name()?))).map(PathBuf::into).collect()
            }
            () if !own.is_empty() && is_source(path) => vec![against.into()],
            () => Vec::new(),
        };
        let command = files.is_empty().then_some(against);
        let files = if files.is_empty() { own.clone() } else { files };
        Some((command, KernelFiles { files, ..self.files.clone() }))
    }

    /// Reads the kernels that replace the suite's.
    pub(super) fn load(&mut self) -> Result<()> {
        self.files.filters.clone_from(&self.filters);
        self.files.folder = self.shaders.clone().map(PathBuf::into_os_string);
        (self.files.is_unchecked, self.files.host_timeout) = (self.unchecked, self.host_timeout);
        self.kernels = self.files.load()?;
        Ok(())
    }

    /// Reads the kernels of `bench`, whose files are in place of filters.
    pub(in crate::cli) fn load_own(&mut self, mut own: Own) -> Result<&'static Family> {
        own.sizes.clone_from(&self.sizes);
        own.params.clone_from(&self.params);
        own.is_unchecked = self.unchecked;
        self.files.own = own;
        self.files.files = std::mem::take(&mut self.filters).into_iter().map(OsString::from).collect();
        self.load()?;
        self.kernels.own.ok_or_else(|| usage!("no kernel is given: name a file, for example mine.wgsl"))
    }

    pub(in crate::cli) fn filters(&self) -> &[String] {
        &self.filters
    }

    pub(in crate::cli) fn out(&self) -> Option<&Path> {
        self.out.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpu::engine::Settings;

    #[test]
    fn the_help_names_the_epochs_of_the_profiles() {
        let command = <Arguments as clap::Args>::augment_args(clap::Command::new("run"));
        let option = command.get_arguments().find(|argument| argument.get_id() == "epochs").expect("an option");
        let help = option.get_long_help().expect("help").to_string();
        for profile in [Profile::Standard, Profile::Thorough] {
            let settings = Settings::new(profile, String::new(), String::new(), String::new());
            let range = format!("{} to {}", settings.epochs.least, settings.epochs.most);
            assert!(help.contains(&format!("{range} in {}", profile.name())), "{help}");
        }
        let quick = Settings::new(Profile::Quick, String::new(), String::new(), String::new()).epochs;
        assert_eq!(quick.least, quick.most);
        assert!(help.contains(&format!("{} in quick", quick.most)), "{help}");
    }
}
