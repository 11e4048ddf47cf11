//! Runs a command of the user in a process group, so that its children end with it.

use std::process::{Child, Command};

/// Starts the command in a new process group.
pub(super) fn grouped(command: &mut Command) -> &mut Command {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command
}

/// Kills the process group of a [grouped] command, and waits for its first process.
pub(super) fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Ok(id) = libc::pid_t::try_from(child.id()) {
        #[expect(unsafe_code, reason = "the standard library ends single processes")]
        // SAFETY: the call takes numbers. The group has the number of its first process, which is not waited for yet, so that
        // no other process can have it.
        unsafe {
            libc::kill(-id, libc::SIGKILL);
        }
    }
    let _ = (child.kill(), child.wait());
}
