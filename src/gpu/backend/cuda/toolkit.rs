//! Where CUDA toolkits are installed.

use std::path::PathBuf;

/// The library folders of usual installations, which are not on the search path.
pub(super) fn usual_folders() -> Vec<PathBuf> {
    let named = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let usual = ["/usr/local/cuda", "/opt/cuda"].into_iter().map(PathBuf::from);
    named.chain(usual).map(|toolkit| toolkit.join("lib64")).collect()
}
