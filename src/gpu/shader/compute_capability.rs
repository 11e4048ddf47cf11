//! The compute capability that a CUDA program's instructions need.

/// The devices that have a program's instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComputeCapability {
    /// Compute capability, as 10 × major + minor.
    pub least: u32,
    /// Whether newer devices lack them.
    pub is_alone: bool,
}

impl ComputeCapability {
    /// Whether a device of this compute capability has them.
    #[must_use]
    pub const fn is_met(self, capability: u32) -> bool {
        if self.is_alone { capability == self.least } else { capability >= self.least }
    }
}

/// The capability that a program declares in a line `#define CAPABILITY 89`, or `90a` for one architecture only.
#[must_use]
pub fn needed(program: &str) -> Option<ComputeCapability> {
    let declared = program.lines().find_map(|line| line.strip_prefix("#define CAPABILITY "))?.trim_end();
    let digits = declared.trim_end_matches('a');
    Some(ComputeCapability { least: digits.parse().ok()?, is_alone: digits != declared })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_declare_the_capability_that_they_need() {
        let program = "struct Sizes { u32 elements; };\n#define CAPABILITY 89\n";
        let newer = ComputeCapability { least: 89, is_alone: false };
        assert_eq!((needed(program), needed("#define WG 89")), (Some(newer), None));
        let alone = needed("#define CAPABILITY 90a").expect("declared");
        let met = |own: ComputeCapability| [80, 89, 90, 100].map(|device| own.is_met(device));
        assert_eq!((met(newer), met(alone)), ([false, true, true, true], [false, false, true, false]));
    }
}
