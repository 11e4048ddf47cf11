//! `shaderbench-bindgen PROGRAM.wasm FOLDER` writes the page's WebAssembly program and its JavaScript loader to FOLDER.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, folder] = arguments.as_slice() else {
        eprintln!("usage: shaderbench-bindgen PROGRAM.wasm FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    // By default, the JavaScript loads the program from its own folder.
    bindgen.omit_default_module_path(false);
    bindgen.input_path(program).typescript(false).remove_name_section(true).remove_producers_section(true);
    match bindgen.web(true).and_then(|bindgen| bindgen.generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:?}");
            ExitCode::FAILURE
        }
    }
}
