//! Command-line options for user kernels.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use record::suite::Extent;

/// Command-line options that replace a TOML file or some of its lines.
#[derive(Debug, Clone, Default, clap::Args, Serialize, Deserialize)]
pub(in crate::cli) struct Own {
    /// Workgroups along x, y and z [default: one invocation per element]
    ///
    /// The values are expressions in n, rows, columns and the kernel's overrides.
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',')]
    pub(super) groups: Vec<String>,
    /// Bytes that each launch must move, for example 8*n
    #[arg(long, value_name = "EXPR")]
    pub(super) bytes: Option<String>,
    /// Operations per launch, for example 2*n
    #[arg(long, value_name = "EXPR")]
    pub(super) flops: Option<String>,
    #[arg(
        long,
        value_name = "EXPR",
        conflicts_with = "reference",
        help = "Expected value of output scalar i, for example 2.0*input[i]"
    )]
    pub(super) expect: Option<String>,
    /// Kernel that computes the expected output
    #[arg(long, value_name = "FILE")]
    #[serde(serialize_with = "serialize_path", deserialize_with = "deserialize_path")]
    pub(super) reference: Option<PathBuf>,
    /// Add a row for each step of a launch
    ///
    /// Each such row times one step. The other steps also run, but are not timed.
    #[arg(long, hide_short_help = true)]
    pub(super) each_step: bool,
    /// Sizes of the command line, if the TOML file names none.
    #[arg(skip)]
    pub(in crate::cli) sizes: Vec<Extent>,
    /// Override values of the command line that the TOML file does not set.
    #[arg(skip)]
    pub(in crate::cli) params: Vec<(String, f64)>,
    /// Whether the file may come from a stranger, so that its commands are not run.
    #[arg(skip)]
    pub(super) is_foreign: bool,
    #[arg(skip)]
    pub(in crate::cli) is_unchecked: bool,
    /// Allowed absolute error of each value
    #[arg(long, value_name = "X")]
    pub(super) tolerance: Option<f64>,
}

/// Serializes the path as the system has it: it may not be UTF-8.
fn serialize_path<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.as_os_str()).serialize(serializer)
}

fn deserialize_path<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
    Ok(Option::<OsString>::deserialize(deserializer)?.map(PathBuf::from))
}
