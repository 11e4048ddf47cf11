//! The header comments of the kernels.

/// The header comment of a kernel's file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// What the kernel does.
    pub what: String,
    /// Its access pattern; empty where the header has none.
    pub pattern: String,
    /// Its bytes and operations as a function of the size; empty where the header has none.
    pub work: String,
}

impl Header {
    /// Parses the comment at the start of `source`, WGSL or CUDA C++: of the one of its files that states the work, where it
    /// is made of several.
    #[must_use]
    pub fn of(source: &str) -> Self {
        let mut header = Self::default();
        let mut part = &mut header.what;
        let lines: Vec<&str> = source.lines().collect();
        let work = lines.iter().position(|line| line.starts_with("// Work: ")).unwrap_or_default();
        let start = lines[..work].iter().rposition(|line| !line.starts_with("//")).map_or(0, |code| code + 1);
        for line in lines[start..].iter().map_while(|line| line.strip_prefix("//")).map(str::trim) {
            let mut text = line;
            if let Some(rest) = line.strip_prefix("Pattern: ") {
                (part, text) = (&mut header.pattern, rest);
            } else if let Some(rest) = line.strip_prefix("Work: ") {
                (part, text) = (&mut header.work, rest);
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
    fn a_header_has_three_parts() {
        let source =
            "// Adds.\n// Twice.\n// Pattern: neighbours\n// touch.\n// Work: n.\nalias T = f32;\n// Pattern: no";
        let header = Header::of(source);
        assert_eq!(
            (header.what.as_str(), header.pattern.as_str(), header.work.as_str()),
            ("Adds. Twice.", "neighbours touch.", "n.")
        );
        assert_eq!(Header::of("fn main() {}"), Header::default());
        assert_eq!(Header::of(&format!("// For all.\n\nint a;\n{source}")), header);
    }
}
