//! The header comments of the kernels.

/// The header comment of a kernel's file. Missing parts are empty.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// What the kernel does.
    pub what: String,
    /// Its access pattern.
    pub pattern: String,
    /// Its bytes and operations as a function of the size.
    pub work: String,
    /// The kernel in a few words.
    pub summary: String,
    /// What the kernel's figure shows, and what to compare it with.
    pub look_for: String,
    /// What usually limits the kernel's speed.
    pub limits: String,
}

impl Header {
    /// Parses the comment at the start of `source`, WGSL, GLSL or CUDA C++.
    #[must_use]
    pub fn of(source: &str) -> Self {
        let mut header = Self::default();
        let mut part = &mut header.what;
        for line in source.lines().map_while(|line| line.strip_prefix("//")).map(str::trim) {
            let mut text = line;
            match line.split_once(": ") {
                Some(("Pattern", rest)) => (part, text) = (&mut header.pattern, rest),
                Some(("Work", rest)) => (part, text) = (&mut header.work, rest),
                Some(("Summary", rest)) => (part, text) = (&mut header.summary, rest),
                Some(("Look for", rest)) => (part, text) = (&mut header.look_for, rest),
                Some(("Limits", rest)) => (part, text) = (&mut header.limits, rest),
                _ => {}
            }
            if !part.is_empty() {
                part.push(' ');
            }
            part.push_str(text);
        }
        header
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_has_labelled_parts() {
        let source = "// Adds: all.\n// Twice.\n// Pattern: neighbours\n// touch.\n// Work: n.\n// Summary: a sum\n\
                      // Look for: the rate.\n// Limits: DRAM.\nalias T = f32;\n// Pattern: no";
        let header = Header {
            what: "Adds: all. Twice.".to_owned(),
            pattern: "neighbours touch.".to_owned(),
            work: "n.".to_owned(),
            summary: "a sum".to_owned(),
            look_for: "the rate.".to_owned(),
            limits: "DRAM.".to_owned(),
        };
        assert_eq!(Header::of(source), header);
        assert_eq!(Header::of("fn main() {}"), Header::default());
    }
}
