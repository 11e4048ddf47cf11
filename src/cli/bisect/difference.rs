//! The difference between two versions of a kernel.

use std::fmt::Write as _;

use similar::TextDiff;

/// Maximum number of lines to print.
const LINES: usize = 60;

/// A sentence if the texts are equal, else the changed lines with their surroundings.
pub(super) fn text(language: &str, old: &str, new: &str) -> String {
    let name = match language {
        "wgsl" => "WGSL",
        "spirv" => "SPIR-V",
        _ => "CUDA",
    };
    if old == new {
        return format!("the {name} is the same\n");
    }
    let diff = TextDiff::from_lines(old, new);
    let all = diff.unified_diff().context_radius(2).header("before", "after").to_string();
    let mut text = format!("the {name} differs:\n");
    for line in all.lines().take(LINES) {
        let _ = writeln!(text, "  {}", crate::error::visible(line));
    }
    let left = all.lines().count().saturating_sub(LINES);
    if left > 0 {
        let _ = writeln!(text, "  … and {left} more lines");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_shows_the_changed_lines_and_not_too_many() {
        assert_eq!(text("wgsl", "a\nb\n", "a\nb\n"), "the WGSL is the same\n");
        let changed = text("spirv", "a\nb\nc\n", "a\nB\nc\n");
        assert!(changed.starts_with("the SPIR-V differs:\n"), "{changed}");
        assert!(changed.contains("\n  -b\n  +B\n"), "{changed}");
        let long: String = (0..300).map(|line| format!("{line}\n")).collect();
        let short = text("wgsl", &long, "");
        assert!(short.ends_with("more lines\n") && short.lines().count() == LINES + 2, "{short}");
    }
}
