//! A terminal: its width and styles, and text wrapped to it.

use anstyle::{AnsiColor, Style as TextStyle};
use textwrap::core::display_width;

/// Properties of the terminal.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// Width in columns.
    pub width: usize,
    /// Whether to use ANSI colours.
    pub has_color: bool,
}

/// Bar characters, from one eighth to a full cell.
pub const BAR: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// Bold style.
pub const BOLD: TextStyle = TextStyle::new().bold();
/// Dimmed style.
pub const DIM: TextStyle = TextStyle::new().dimmed();

/// A style with a foreground colour.
pub const fn colored(color: AnsiColor) -> TextStyle {
    TextStyle::new().fg_color(Some(anstyle::Color::Ansi(color)))
}

/// `text` in this style if the terminal has colours.
pub fn paint(terminal: Terminal, style: TextStyle, text: &str) -> String {
    if terminal.has_color && style != TextStyle::new() { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// Wraps at spaces to `width` columns; long words, and numbers with `%`, stay whole. `indent` starts all further lines.
pub fn wrap(text: &str, width: usize, indent: &str) -> String {
    let options = textwrap::Options::new(width)
        .subsequent_indent(indent)
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(&text.replace(" %", "\u{a0}%"), options).replace("\u{a0}%", " %")
}

/// Pads `text` with spaces to `width` columns.
pub fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(display_width(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_by_display_width_and_keep_numbers_whole() {
        assert_eq!(wrap("one two three", 7, "  "), "one two\n  three");
        assert_eq!(wrap("デバイス 名前", 10, ""), "デバイス\n名前");
        assert_eq!(wrap("it takes 98 %", 12, ""), "it takes\n98 %");
        assert_eq!(wrap("pre-built", 4, ""), "pre-built");
    }
}
