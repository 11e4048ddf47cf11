//! Devices: the interface that a backend must implement, and one folder per backend.

mod activity;
mod background;
mod compiler;
#[cfg(feature = "cuda")]
pub mod cuda;
mod device;
mod identity;
mod interface;
mod l2;
pub mod monitor;
mod peaks;
mod statistics;
pub mod wgpu;

pub use activity::{Activity, watch};
pub use compiler::{Compiler, HlslCompiler, Model};
pub use device::{CompilerName, Device, RuntimeChecks};
pub use identity::card_name;
pub(crate) use interface::leak_if_lost;
use interface::{ALIGNMENT, spacers, within};
pub use interface::{Backend, Prepared, Sample, Task};
pub use l2::l2_bytes;
pub(crate) use monitor::OnNode;
pub use peaks::{Peaks, dram_peak, peaks};
pub use statistics::Statistics;
