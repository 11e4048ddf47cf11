//! The text that shares a report: an issue that contains a report of the profile quick, or a pull request.

use std::io::Write;

use base64::prelude::{BASE64_STANDARD, Engine};
use flate2::Compression;
use flate2::write::GzEncoder;

use answers::report::markdown::escape;
use answers::report::{Terminal, apis};
use answers::summary::card;
use record::format::distinct;
use record::suite::Profile;
use record::{Record, Status};

/// An issue has at most 65,536 characters; the rest of the text takes less than a tenth.
const MOST_PACKED: usize = 60_000;

/// The CSV of a quick run, for an issue: gzip in base64, in lines of 76 characters. `None` if it is too long, or for
/// other profiles, whose reports are committed.
pub(super) fn packed(records: &[Record], csv: &[u8]) -> Option<String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to a vector cannot fail.
    let written = encoder.write_all(csv).and_then(|()| encoder.finish()).ok()?;
    let text = BASE64_STANDARD.encode(written);
    let lines: Vec<_> = text.as_bytes().chunks(76).map(String::from_utf8_lossy).collect();
    let text = lines.join("\n");
    let is_quick = records.iter().all(|row| row.profile == Some(Profile::Quick));
    (is_quick && text.len() <= MOST_PACKED).then_some(text)
}

/// The Markdown text of an issue if the report is `packed`, else of a pull request. `path` is the report's path in the
/// repository.
pub(super) fn text(records: &[Record], path: &str, packed: Option<&str>) -> String {
    let Some(first) = records.first() else { return String::new() };
    let names: Vec<&str> = apis(records).into_iter().map(|api| api.title()).collect();
    let count = |status: Status| records.iter().filter(|row| row.status == status).count();
    let drivers = distinct(records.iter().map(|row| row.driver.as_str()));
    let profile = first.profile.map_or("unknown", |profile| profile.name());
    let mut cells: Vec<(&str, String)> = vec![
        ("device", first.device.clone()),
        ("APIs", names.join(", ")),
        ("driver", drivers.join("; ")),
        ("system", first.os.clone()),
        ("CPU", first.cpu.clone()),
        ("run", format!("{}, profile {profile}, shaderbench {}", first.date, first.tool_version)),
        ("rows", format!("{} ok, {} skipped", count(Status::Ok), count(Status::Skipped))),
    ];
    if count(Status::Unverified) > 0 {
        cells.push(("unverified", count(Status::Unverified).to_string()));
    }
    // Names in a report must not mention people or issues of the repository.
    let inert = |text: &str| escape(text).replace('@', "@<!-- -->").replace('#', "#<!-- -->");
    let table: String = cells.iter().map(|(name, value)| format!("| {name} | {} |\n", inert(value))).collect();
    // An issue's report has no path.
    let after = packed.map_or_else(|| vec![path.to_owned()], |_| Vec::new());
    let summary = card(records, &after, Terminal { width: 80, has_color: false });
    let end = packed.map_or_else(
        || format!("<!-- The CSV belongs in {path}. CONTRIBUTING.md, \"Share a report\", has the commands. -->\n"),
        |packed| format!("The report (CSV, gzip, base64):\n\n```text\n{packed}\n```\n"),
    );
    format!(
        "Report: {device}, {apis}, {day}\n\n\
         <!-- The first line is the title. Fill in the three answers. -->\n\n\
         | | |\n| --- | --- |\n{table}\n\
         - Card and cooling (vendor's model, air or water, laptop or desktop):\n\
         - Power limit, and clocks if you changed them:\n\
         - Other programs that used the GPU:\n\n\
         ```text\n{summary}```\n\n\
         `shaderbench share` found no fault and made the report anonymous. It may be published under the licences of \
         this repository (MIT or Apache-2.0).\n\n{end}",
        device = first.device.replace(['@', '#'], ""),
        apis = names.join(" + "),
        day = first.date.get(..10).unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_report_mention_and_close_nothing() {
        let row = Record { device: "Card @team".to_owned(), driver: "closes #1".to_owned(), ..Record::default() };
        let text = text(&[row], "results/card/r.csv", None);
        let (title, rest) = text.split_once('\n').expect("lines");
        assert!(title.starts_with("Report: Card team, "), "{title}");
        let outside = rest.split("```").next().expect("a table");
        assert!(outside.contains("Card @<!-- -->team") && outside.contains("closes #<!-- -->1"), "{outside}");
    }
}
