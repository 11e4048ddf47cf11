//! The program: see the library's documentation.

fn main() -> std::process::ExitCode {
    shaderbench::cli::main()
}
