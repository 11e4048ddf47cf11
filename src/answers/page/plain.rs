//! What the page shows without its script: its icon, and a table of the headline figures.

use super::data::Data;

/// Text as markup shows it.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The icon: a bar for each of the first jobs of the first side, as high as its share of the peak.
pub(super) fn icon(data: &Data) -> String {
    const BARS: usize = 4;
    let shares = data.screen.shares();
    let bar = |(index, share): (usize, f64)| {
        let height = (14.0 * share.clamp(0.1, 1.0)).round();
        format!("%3Crect x='{}' y='{}' width='3' height='{height}'/%3E", 4 * index, 15.0 - height)
    };
    let bars: String = shares.into_iter().take(BARS).enumerate().map(bar).collect();
    format!(
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='%230072b2'%3E\
         {bars}%3C/svg%3E"
    )
}

/// The table of the first screen: a column for each side.
pub(super) fn table(data: &Data) -> String {
    let mark = |is_software: bool| if is_software { " (software)" } else { "" };
    let heads: String = data
        .sides
        .iter()
        .map(|side| format!("<th scope=\"col\">{}{}</th>", escaped(&side.name), mark(side.is_software)))
        .collect();
    let row = |line: &super::screen::Line| {
        let text =
            |cell: &Option<super::screen::Cell>| cell.as_ref().map_or("–".to_owned(), |cell| escaped(&cell.text));
        let cells: String = line.cells.iter().map(|cell| format!("<td>{}</td>", text(cell))).collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escaped(&line.name))
    };
    let rows: String = data.screen.table.iter().map(row).collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Headline figures\"><table class=\"plain\">\n\
         <thead><tr><td></td>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>"
    )
}
