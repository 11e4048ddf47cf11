//! The headline figures of a device through one API, for the terminal's summary, the page's cards, and `index`.

mod jobs;
mod library;
mod memory;
mod peaks;
mod troubles;

pub use jobs::{Best, best, best_of};
#[cfg(not(target_family = "wasm"))]
pub(crate) use jobs::{Contest, contests};
pub(crate) use jobs::{counted, rate, rated};
pub use library::{Beside, beside, beyond_wgsl};
pub use memory::{MEMORY, Space, spaces};
pub(crate) use peaks::peak_rows;
pub use peaks::{Peak, peaks};
pub use troubles::{Troubles, UNSTEADY, troubles};
