//! Compiles a CUDA port to PTX.

use std::collections::BTreeSet;

use super::super::nvrtc::Compiler;
use crate::shader::compute_capability;
use record::error::{Error, Result};

/// A program as PTX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ptx {
    /// The lowest compute capability that it runs on, as 10 × major + minor.
    pub capability: u32,
    /// The text, which ends with a zero byte.
    pub text: Vec<u8>,
}

/// First architecture with independent thread scheduling. On newer devices the driver runs PTX of older architectures
/// with warps in lock-step (Volta Tuning Guide, "Independent Thread Scheduling"), unlike machine code of NVRTC.
const INDEPENDENT_THREADS: u32 = 70;

/// The PTX of `program`, lowest architecture first: for the lowest that the program can be assembled for, for 7.0, and
/// for each higher one that the program tests for, if its code differs there. A device runs the last one that it
/// supports. A program for a single architecture gets one.
///
/// # Errors
/// [`Error::Shader`] with the compiler's log if no architecture of the compiler supports the program.
pub fn ptx(compiler: &Compiler, program: &str) -> Result<Vec<Ptx>> {
    if let Some(own) = compute_capability::needed(program).filter(|own| own.is_alone) {
        let compiled = |kind| compiler.compile(program, &format!("{kind}_{}a", own.least));
        compiled("sm")?;
        return Ok(vec![Ptx { capability: own.least, text: compiled("compute")?.image }]);
    }
    // NVRTC does not parse inline assembly: only the assembler detects which architectures have an instruction.
    let assembled = |capability: &u32| compiler.compile(program, &format!("sm_{capability}"));
    let known = compiler.capabilities();
    let Some(lowest) = known.iter().find(|capability| assembled(capability).is_ok()) else {
        let newest = known.last().ok_or_else(|| Error::NoDevice("NVRTC lists no architectures".to_owned()))?;
        assembled(newest)?;
        return Err(Error::Shader("the program does not compile for any architecture".to_owned()));
    };
    let mut asked = tested(program);
    asked.insert(INDEPENDENT_THREADS);
    let asked = asked.into_iter().filter(|asked| asked > lowest && known.contains(asked));
    let mut all: Vec<Ptx> = Vec::new();
    for capability in std::iter::once(*lowest).chain(asked) {
        assembled(&capability)?;
        let text = compiler.compile(program, &format!("compute_{capability}"))?.image;
        let is_same = |last: &Ptx| instructions(&last.text) == instructions(&text);
        if capability == INDEPENDENT_THREADS || !all.last().is_some_and(is_same) {
            all.push(Ptx { capability, text });
        }
    }
    Ok(all)
}

/// The compute capabilities in tests such as `__CUDA_ARCH__ >= 800` of a program.
fn tested(program: &str) -> BTreeSet<u32> {
    let tests = program.split("__CUDA_ARCH__").skip(1);
    let numbers = tests.filter_map(|rest| {
        let rest = rest.trim_start_matches([' ', '<', '>', '=', '!']);
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        Some(digits.parse::<u32>().ok()? / 10)
    });
    numbers.collect()
}

/// The text without comments and its architecture's name.
fn instructions(text: &[u8]) -> Vec<&[u8]> {
    let lines = text.split(|byte| *byte == b'\n');
    lines.filter(|line| !line.starts_with(b"//") && !line.starts_with(b".target")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures_that_a_program_tests_are_found() {
        let program = "#if __CUDA_ARCH__ >= 800\n#elif (__CUDA_ARCH__>=750)\n#endif\n#ifdef __CUDA_ARCH__\n#endif";
        assert_eq!(tested(program), BTreeSet::from([75, 80]));
    }

    #[test]
    fn the_name_of_the_architecture_is_no_instruction() {
        let text = |target: &str, code: &str| format!("//\n// {target}\n.version 8.7\n.target {target}\n{code}\n\0");
        let (old, new) = (text("sm_50", "ret;"), text("sm_80", "ret;"));
        assert_eq!(instructions(old.as_bytes()), instructions(new.as_bytes()));
        let other = text("sm_80", "exit;");
        assert_ne!(instructions(old.as_bytes()), instructions(other.as_bytes()));
    }
}
