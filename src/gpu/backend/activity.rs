//! The current activity of the driver, to report it if the driver ends the process.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

/// An activity of the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Activity {
    /// It compiles a kernel that the next launch needs.
    Compiling,
    /// Anything else.
    Running,
}

static WATCHER: OnceLock<fn(Activity)> = OnceLock::new();

/// Calls `watcher` at each change, from now on. Once in a process.
pub fn watch(watcher: fn(Activity)) {
    // A second watcher would hear nothing.
    let _ = WATCHER.set(watcher);
}

/// A kernel is compiled until the guard is dropped.
pub(super) fn compiling() -> impl Drop {
    struct Guard;
    impl Drop for Guard {
        fn drop(&mut self) {
            tell(Activity::Running);
        }
    }
    tell(Activity::Compiling);
    Guard
}

fn tell(doing: Activity) {
    if let Some(watcher) = WATCHER.get() {
        watcher(doing);
    }
}
