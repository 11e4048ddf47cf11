//! The text of coloured tables.

pub(crate) fn without_colors(text: &str) -> String {
    let mut plain = String::new();
    let mut is_code = false;
    for c in text.chars() {
        match c {
            '\u{1b}' => is_code = true,
            'm' if is_code => is_code = false,
            _ if !is_code => plain.push(c),
            _ => {}
        }
    }
    plain
}

pub(crate) fn trim_lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}
