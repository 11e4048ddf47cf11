//! Tables in GitHub Markdown.

/// A table. Columns with `right` = true are right-aligned. Cells may contain any text.
#[must_use]
pub fn table(heading: &[String], right: &[bool], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<_> = cells.iter().map(|cell| escape(cell.trim())).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule: Vec<_> = right.iter().map(|is_right| if *is_right { "---:" } else { "---" }).collect();
    let rows: String = rows.iter().map(|row| line(row)).collect();
    format!("{}| {} |\n{rows}", line(heading), rule.join(" | "))
}

/// Escapes the characters that have a meaning in Markdown: emphasis, code, tables, HTML, links, strikethrough.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut following = text.chars().skip(1);
    for c in text.chars() {
        let next = following.next();
        // Intervals contain brackets. Only a `]` before `(`, `[` or `:` can make a link.
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
        let rows = [vec!["a|b".to_owned(), " 1".to_owned()]];
        let drawn = table(&["name".to_owned(), "n".to_owned()], &[false, true], &rows);
        assert_eq!(drawn, "| name | n |\n| --- | ---: |\n| a\\|b | 1 |\n");
    }
}
