//! What the command line says about the kernels.

use std::path::PathBuf;

/// What the command line says about the kernels, in place of a TOML file or of some of its lines.
#[derive(clap::Args, Default)]
pub(in crate::cli) struct Own {
    /// Workgroups along x, y and z [default: one invocation per element]
    ///
    /// Expressions of n, rows, columns and the kernel's overrides.
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',')]
    pub(super) groups: Vec<String>,
    /// Bytes that a launch must move: 8*n
    #[arg(long, value_name = "EXPR")]
    pub(super) bytes: Option<String>,
    /// Operations of a launch: 2*n
    #[arg(long, value_name = "EXPR")]
    pub(super) flops: Option<String>,
    #[arg(
        long,
        value_name = "EXPR",
        conflicts_with = "reference",
        help = "The right value of scalar i of the output: 2.0*input[i]"
    )]
    pub(super) expect: Option<String>,
    /// A kernel whose output is the right one
    #[arg(long, value_name = "FILE")]
    pub(super) reference: Option<PathBuf>,
    /// Allowed error of a value
    #[arg(long, value_name = "X")]
    pub(super) tolerance: Option<f64>,
}
