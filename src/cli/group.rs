//! A program of the user's with the processes that it starts: all end together.

use std::process::{Child, Command};

/// Gives the program a group of its own.
pub(super) fn grouped(command: &mut Command) -> &mut Command {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command
}

/// Ends the processes of a [grouped] program, and waits for the first of them.
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
