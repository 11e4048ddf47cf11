//! The part of the host's work that a job times.

use super::nvrtc::Compiler;
use super::twins::Twins;
use crate::job::{Job, Kernel};
use crate::shader::twin;
use record::error::{Error, Result};
use record::suite::HostPart;

pub(super) struct Host {
    pub(super) part: HostPart,
    pub(super) compiler: Option<Source>,
}

pub(super) struct Source {
    pub(super) compiler: Compiler,
    pub(super) target: String,
    pub(super) program: String,
    pub(super) entries: Vec<String>,
}

/// Checks that CUDA has the part of the host's work that the job times. Fails with [`Error::Unsupported`] and the
/// reason, and an alternative if there is one.
pub(super) fn check(job: &Job) -> Result<()> {
    let why = match job.host_part {
        Some(HostPart::Encode) => "CUDA records no commands: host_cost/submit times the launch call",
        Some(HostPart::BindGroups) => "CUDA has no bind groups: buffers are launch arguments",
        Some(HostPart::Uniforms) => "CUDA passes numbers as launch arguments: use host_cost/immediates instead",
        _ => return Ok(()),
    };
    Err(Error::Unsupported(why.to_owned()))
}

impl Host {
    /// The timed part of `job`; `None` if it times its kernel. Fails with [`Error::Unsupported`] if kernels must be
    /// compiled and there is no compiler.
    pub(super) fn of(twins: &Twins, job: &Job) -> Result<Option<Self>> {
        let Some(part) = job.host_part else { return Ok(None) };
        let compiler = match twins {
            _ if !part.compiles() => None,
            Twins::Nvrtc { compiler, target, .. } => {
                let Kernel { cuda, interface, .. } = &job.kernel;
                let (compiler, target) = (compiler.clone(), target.clone());
                Some(Source { compiler, target, program: cuda.clone(), entries: twin::entries(interface) })
            }
            Twins::Ptx { .. } => return Err(Error::Unsupported("needs NVRTC to compile kernels".to_owned())),
        };
        Ok(Some(Self { part, compiler }))
    }
}
