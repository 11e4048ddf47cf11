//! JUnit XML: a suite for each family on each card, a test for each case.

use super::row::case;
use crate::record::{Record, Status};

pub(super) fn write(rows: &[&Record]) -> String {
    let mut suites: Vec<(String, Vec<&Record>)> = Vec::new();
    for row in rows {
        let name = suite(row);
        match suites.iter_mut().find(|(known, _)| *known == name) {
            Some((_, of)) => of.push(row),
            None => suites.push((name, vec![row])),
        }
    }
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    text += &format!("<testsuites name=\"shaderbench\" {}>\n", counts(rows));
    for (name, of) in suites {
        let first = of[0];
        let facts = [("timestamp", first.date.trim_end_matches('Z')), ("hostname", &first.host)];
        let facts = facts.into_iter().filter(|(_, value)| !value.is_empty());
        let facts: String = facts.map(|(name, value)| format!(" {name}=\"{}\"", escaped(value))).collect();
        text += &format!("  <testsuite name=\"{}\" {}{facts}>\n    <properties>\n", escaped(&name), counts(&of));
        let properties = [
            ("device", &first.device),
            ("card", &first.card),
            ("driver", &first.driver),
            ("version", &first.tool_version),
        ];
        for (name, value) in properties.into_iter().filter(|(_, value)| !value.is_empty()) {
            text += &format!("      <property name=\"{name}\" value=\"{}\"/>\n", escaped(value));
        }
        text += "    </properties>\n";
        of.into_iter().for_each(|row| text += &test(row));
        text += "  </testsuite>\n";
    }
    text + "</testsuites>\n"
}

/// `transpose, vulkan, NVIDIA H200, GPU-1, node7`.
fn suite(row: &Record) -> String {
    let facts = [row.family.as_str(), row.api_name(), &row.compiler, &row.device, &row.card, &row.host];
    facts.into_iter().filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(", ")
}

fn test(row: &Record) -> String {
    let name = [row.benchmark.clone(), case(row)].join(" ");
    let head = format!(
        "    <testcase name=\"{}\" classname=\"{}\" time=\"{}\"",
        escaped(name.trim_end()),
        escaped(&row.family),
        seconds(row)
    );
    let cause = row.cause.map_or("", crate::record::Cause::name);
    let result = match row.status {
        Status::Ok | Status::Unverified => return format!("{head}/>\n"),
        Status::Skipped => format!("<skipped message=\"{}\"/>", escaped(&row.reason)),
        Status::Wrong | Status::Implausible => {
            format!("<failure message=\"{}\" type=\"{cause}\"/>", escaped(&row.reason))
        }
        Status::Failed => format!("<error message=\"{}\" type=\"{cause}\"/>", escaped(&row.reason)),
    };
    format!("{head}>{result}</testcase>\n")
}

/// The time of one launch; 0 if the row has none.
fn seconds(row: &Record) -> f64 {
    row.median_ns.filter(|_| row.status.is_timed()).map_or(0.0, |ns| ns / 1e9)
}

fn counts(rows: &[&Record]) -> String {
    let count = |statuses: &[Status]| rows.iter().filter(|row| statuses.contains(&row.status)).count();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\"",
        rows.len(),
        count(&[Status::Wrong, Status::Implausible]),
        count(&[Status::Failed]),
        count(&[Status::Skipped]),
        rows.iter().map(|row| seconds(row)).sum::<f64>()
    )
}

/// The text for an attribute. Control characters, which XML cannot hold, are escaped as in every text.
fn escaped(text: &str) -> String {
    let text = crate::error::visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;")
}
