use std::borrow::Cow;
use std::path::Path;

/// Whether a character acts on a terminal or rearranges text instead of being shown: control characters, zero-width
/// characters, separators, bidirectional controls (Boucher and Anderson, *Trojan Source*, USENIX Security 2023), tags.
#[must_use]
pub const fn is_hidden(character: char) -> bool {
    matches!(
        character,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// The text with hidden characters as Rust escape sequences: `\u{1b}`, `\n`. Applying it twice changes nothing more.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_hidden(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// [`visible`] for each line of a compiler's text; tabs become spaces.
#[must_use]
pub fn visible_lines(text: &str) -> String {
    let text = text.replace('\t', "    ");
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// [`visible`] for output of this program: keeps line ends, tabs and colours.
#[must_use]
pub fn visible_styled(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !is_hidden(c) || matches!(c, '\n' | '\t');
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let style = rest.strip_prefix("\u{1b}[").map_or(0, |after| {
            let digits = after.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(after.len());
            if after[digits..].starts_with('m') { 2 + digits + 1 } else { 0 }
        });
        let (part, after) = rest.split_at(style.max(character.len_utf8()));
        if style > 0 || is_plain(character) {
            shown.push_str(part)
        } else {
            shown.extend(character.escape_default())
        }
        rest = after;
    }
    Cow::Owned(shown)
}

/// A path as text that is safe to print.
#[must_use]
pub fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_shown_as_an_escape_sequence() {
        for (text, expected) in [
            ("NVIDIA H200 µs × “é” 中文", "NVIDIA H200 µs × “é” 中文"),
            ("\x1b[2J\x07\x7f", r"\u{1b}[2J\u{7}\u{7f}"),
            ("a\u{9b}31m\u{85}b", r"a\u{9b}31m\u{85}b"),
            ("a\r\n\tb\0", r"a\r\n\tb\u{0}"),
            ("\u{202e}txt\u{2066}\u{2069}\u{200f}\u{61c}", r"\u{202e}txt\u{2066}\u{2069}\u{200f}\u{61c}"),
            ("\u{2028}\u{2029}\u{200b}\u{feff}", r"\u{2028}\u{2029}\u{200b}\u{feff}"),
        ] {
            assert_eq!(visible(text), expected);
            assert_eq!(visible(&visible(text)), expected, "once more");
        }
        assert_eq!(
            visible_styled("\x1b[1;32m9\t%\x1b[0m\n\x1b[2J\u{202e}"),
            "\x1b[1;32m9\t%\x1b[0m\n\\u{1b}[2J\\u{202e}"
        );
        assert_eq!(visible_lines("a\x1b\n\tb\n"), "a\\u{1b}\n    b\n");
        assert_eq!(shown(Path::new("a\x1b]0;x\x07.csv")), r"a\u{1b}]0;x\u{7}.csv");
    }
}
