//! Keeps spreadsheets from running text as a formula. A spreadsheet evaluates cells that begin with one of these signs
//! (OWASP, *CSV Injection*). A leading apostrophe makes such a cell text; the reader removes it again.

use std::borrow::Cow;

const SIGNS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Whether a spreadsheet would evaluate the text, ignoring leading apostrophes. Numbers are not formulas.
fn is_formula(text: &str) -> bool {
    let core = text.trim_start_matches('\'');
    core.starts_with(SIGNS) && !is_number(core)
}

fn is_number(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E')) && text.parse::<f64>().is_ok()
}

/// The text, preceded by an apostrophe if a spreadsheet would evaluate it.
#[must_use]
pub fn neutral(text: String) -> String {
    if is_formula(&text) { format!("'{text}") } else { text }
}

/// Reverses [`neutral`].
pub(super) fn original(text: Cow<'_, str>) -> Cow<'_, str> {
    if !(text.starts_with('\'') && is_formula(&text)) {
        return text;
    }
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[1..]),
        Cow::Owned(text) => Cow::Owned(text[1..].to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_text_and_numbers_stay() {
        for (text, written) in [
            ("=1+1", "'=1+1"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-2+3", "'-2+3"),
            ("-inf", "'-inf"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("\r=1", "'\r=1"),
            ("＝1", "'＝1"),
            ("'=1", "''=1"),
            ("-1.5", "-1.5"),
            ("+1e-9", "+1e-9"),
            ("-", "'-"),
            ("'quoted'", "'quoted'"),
            ("", ""),
            ("A=1", "A=1"),
        ] {
            assert_eq!(neutral(text.to_owned()), written);
            assert_eq!(original(Cow::Borrowed(written)), text);
        }
        // A file from another version, without the apostrophe.
        assert_eq!(original(Cow::Borrowed("=1")), "=1");
    }
}
