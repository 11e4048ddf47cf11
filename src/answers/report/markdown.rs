//! Text and tables in GitHub Markdown.

pub use super::grid::markdown as table;

/// Escapes the characters with a meaning in Markdown: emphasis, code, tables, HTML, links, strikethrough.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut following = text.chars().skip(1);
    for c in text.chars() {
        let next = following.next();
        // Intervals contain brackets. Only a `]` before `(`, `[` or `:` can end a link.
        let is_link = c == ']' && matches!(next, Some('(' | '[' | ':'));
        // A single `&` is text; `&lt;` is an entity.
        let is_entity = c == '&' && next.is_some_and(|next| next == '#' || next.is_ascii_alphabetic());
        if is_link || is_entity || matches!(c, '|' | '*' | '_' | '<' | '>' | '`' | '\\' | '~') {
            escaped.push('\\');
        }
        escaped.push(if matches!(c, '\n' | '\r') { ' ' } else { c });
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_text_whatever_they_hold() {
        for (text, expected) in [
            ("a|b", r"a\|b"),
            ("<script>&lt;", r"\<script\>\&lt;"),
            ("[x](y) [1.06, 1.08]", r"[x\](y) [1.06, 1.08]"),
            ("~~gone~~ A & B", r"\~\~gone\~\~ A & B"),
            ("two\r\nlines", "two  lines"),
        ] {
            assert_eq!(escape(text), expected);
        }
    }
}
