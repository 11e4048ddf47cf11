//! The program: see the library's documentation.

use std::process::ExitCode;

/// Bytes of the stack: naga recurses, and a kernel may nest ten thousand expressions. Windows' first thread has 1 MB.
const STACK: usize = 256 << 20;

/// [`STACK`], or an eighth of a limited address space: the rest must hold the program.
fn stack() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space")?.split_whitespace().next());
    limit.and_then(|bytes| bytes.parse().ok()).map_or(STACK, |bytes: usize| STACK.min(bytes / 8))
}

fn main() -> ExitCode {
    let main = std::thread::Builder::new().name("main".to_owned()).stack_size(stack()).spawn(shaderbench::cli::main);
    match main.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        // There is no memory for a stack of this size.
        Err(_) => shaderbench::cli::main(),
    }
}
