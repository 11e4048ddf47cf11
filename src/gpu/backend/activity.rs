//! The driver's current activity, reported if the driver ends the process.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

/// An activity of the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Activity {
    /// Compiles a kernel that the next launch needs.
    Compiling,
    /// Anything else.
    Running,
}

static WATCHER: OnceLock<fn(Activity)> = OnceLock::new();

/// Calls `watcher` at each change from now on. Only the first watcher of a process is called.
pub fn watch(watcher: fn(Activity)) {
    let _ = WATCHER.set(watcher);
}

/// Reports [`Activity::Compiling`] until the guard is dropped.
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
