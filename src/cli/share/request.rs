//! The text of a pull request that shares a report.

use answers::report::markdown::escape;
use answers::report::{Terminal, apis};
use answers::summary::card;
use record::format::distinct;
use record::{Record, Status};

/// The text, in Markdown. `path` is the report's in the repository.
pub(super) fn text(records: &[Record], path: &str) -> String {
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
    // No name in a text of the report is a person or an issue of the repository.
    let inert = |text: &str| escape(text).replace('@', "@<!-- -->").replace('#', "#<!-- -->");
    let table: String = cells.iter().map(|(name, value)| format!("| {name} | {} |\n", inert(value))).collect();
    let summary = card(records, &[path.to_owned()], Terminal { width: 80, has_color: false });
    format!(
        "Report: {device}, {apis}, {day}\n\n\
         <!-- The first line is the title. Fill in the three answers. -->\n\n\
         | | |\n| --- | --- |\n{table}\n\
         - Card and cooling (vendor's model, air or water, laptop or desktop):\n\
         - Power limit, and clocks if you changed them:\n\
         - Was any other program using the GPU:\n\n\
         ```text\n{summary}```\n\n\
         `shaderbench share` found no fault, and left out host and card. The report may be published under the licences \
         of this repository (MIT or Apache-2.0).\n\n\
         <!--\n\
         To open the pull request, in a clone of the repository:\n\
         1. copy the CSV to {path}, and git add it: step 3 reads only files that git tracks\n\
         2. cargo run -- report results/ --format index\n\
         3. cargo run --example references\n\
         4. cargo run -- share --check {path}\n\
         5. git add results data; git commit; git push; paste this text.\n\
         -->\n",
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
        let text = text(&[row], "results/card/r.csv");
        let (title, rest) = text.split_once('\n').expect("lines");
        assert!(title.starts_with("Report: Card team, "), "{title}");
        let outside = rest.split("```").next().expect("a table");
        assert!(outside.contains("Card @<!-- -->team") && outside.contains("closes #<!-- -->1"), "{outside}");
    }
}
