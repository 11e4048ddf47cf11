//! The program: see the library's documentation.

use std::process::ExitCode;

/// Bytes of the stack: naga walks expressions and statements by recursion, and a kernel may nest ten thousand of them. On
/// Windows the first thread has one megabyte.
const STACK: usize = 256 << 20;

fn main() -> ExitCode {
    let main = std::thread::Builder::new().name("main".to_owned()).stack_size(STACK).spawn(shaderbench::cli::main);
    match main.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        // There is no memory for such a stack.
        Err(_) => shaderbench::cli::main(),
    }
}
