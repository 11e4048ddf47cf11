//! Other shader compilers and validators, if they are on the PATH.

use crate::command::program;

/// Runs a compiler on a file with this text. Returns its output if it rejects the file.
pub(crate) fn rejection(name: &str, arguments: &[&str], file: &str, text: &[u8]) -> Option<String> {
    // glslangValidator writes its binary to the current folder.
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(file);
    std::fs::write(&path, text).expect("written");
    let output = program(name).args(arguments).arg(&path).folder(folder.path()).run();
    (output.code != Some(0)).then_some(output.stdout + output.stderr.as_str())
}

#[track_caller]
pub(crate) fn assert_spirv_val_accepts(kernel: &str, binary: &[u8], target: &str) {
    let rejection = rejection("spirv-val", &["--target-env", target], "kernel.spv", binary);
    // Validators before 2023.4 do not know CooperativeMatrixKHR (6022), and some later ones not BFloat16TypeKHR (5116).
    let unknown = ["6022", "5116", "5118"].map(|number| format!("Invalid capability operand: {number}"));
    if rejection.as_deref().is_some_and(|text| unknown.iter().any(|own| text.contains(own))) {
        eprintln!("SKIPPED: {kernel}: this spirv-val knows no cooperative matrices of this kind");
    } else {
        assert_eq!(rejection, None, "{kernel}");
    }
}

#[track_caller]
pub(crate) fn assert_glslang_accepts_glsl(kernel: &str, source: &[u8], has_subgroups: bool) {
    // glslang has subgroup operations for Vulkan only.
    let target = if has_subgroups { "vulkan1.1" } else { "opengl" };
    let rejection = rejection("glslangValidator", &["-S", "comp", "--target-env", target], "kernel.comp", source);
    assert_eq!(rejection, None, "{kernel}");
}

/// Asserts that glslang accepts a kernel, or rejects it for a limit of its own. Returns whether it accepts it.
#[track_caller]
pub(crate) fn assert_glslang_accepts_hlsl(kernel: &str, source: &[u8]) -> bool {
    let arguments = ["-D", "-S", "comp", "-e", "main", "-V", "--target-env", "vulkan1.1"];
    let rejection = rejection("glslangValidator", &arguments, "kernel.hlsl", source);
    // glslang lacks the cast of zero to an array, with which naga zeroes workgroup memory, and the newer wave
    // intrinsics. It mistakes a constant array's constructor in an initialiser for a recursion.
    let limits = ["cannot convert", "constructor", "Recursion detected:\n    Constructarray"];
    let is_limit = |text: &str| limits.iter().any(|limit| text.contains(limit));
    assert!(rejection.as_deref().is_none_or(is_limit), "{kernel}: {rejection:?}");
    rejection.is_none()
}
