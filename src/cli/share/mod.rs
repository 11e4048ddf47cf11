//! `share`: makes an anonymous copy of a report and the text of a pull request, or checks reports. Nothing is sent.

mod file;
mod request;
mod sentence;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::output::{complain, print, say};
use super::outputs::words;
use super::references::shipped;
use super::reports::in_folder;
use super::values::plural;
use crate::answers::references::Shipped;
use crate::answers::share::{Checks, Kind, copied_from, faults};
use crate::engine::{judged_again, program};
use crate::error::{Error, Result, shown};
use crate::record::Record;
use crate::report::{Target, apis, csv, reader, replace_file};
use sentence::{UNCHANGED, advice, sentences};

/// Exit code for a report with faults.
const FAULTY: u8 = 1;

/// Clocks of hosts may be wrong by a time zone.
const LATEST_HOURS: i64 = 26;

/// Arguments of `share`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// CSV report of a complete run. Its host is left out of the copy, and its card's UUID replaced by a hash
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Only check files, any number: a sentence for each fault, exit code 1 if there is any
    #[arg(long)]
    check: bool,
    /// Folder of reports that none may copy
    #[arg(long, value_name = "DIR", default_value = "results")]
    against: PathBuf,
    /// Folder for the copy and the text of the pull request
    #[arg(long, short, value_name = "DIR", default_value = "share", conflicts_with = "check")]
    out: PathBuf,
}

/// Runs the command and returns the exit code.
pub(super) fn share(arguments: &Arguments) -> Result<u8> {
    let known = Known::read(&arguments.against)?;
    if !arguments.check {
        let [path] = arguments.files.as_slice() else {
            return Err(Error::Usage("share prepares one report: name one, or pass --check".to_owned()));
        };
        return prepare(path, &arguments.out, &arguments.against, &known);
    }
    let mut code = 0;
    for path in &arguments.files {
        let name = shown(path);
        // A report in `results` is public as it is.
        let is_public = grandparent(path).is_some_and(|name| name == "results");
        let mut report = Report::examine(path, !is_public, &known)?;
        if is_public {
            report.faults.extend(misplaced(path, &report.rows));
        }
        if report.faults.is_empty() {
            let rows = plural(report.rows.len(), "row", "rows");
            let named = if report.removed.is_empty() {
                String::new()
            } else {
                format!("; it names its host or card: `shaderbench share {name}` makes a copy that does not")
            };
            print(&format!("{name}: no fault, {rows}{named}\n"))?;
        } else {
            code = FAULTY;
            print(
                &report.faults.iter().chain(&report.advice).map(|line| format!("{name}: {line}\n")).collect::<String>(),
            )?;
        }
    }
    Ok(code)
}

/// What reports are checked against.
struct Known {
    shipped: Shipped,
    /// Reports in the folder, with their paths.
    others: Vec<(PathBuf, Vec<Record>)>,
    /// The latest date of a report.
    latest: String,
}

impl Known {
    /// A folder that does not exist has no reports.
    fn read(folder: &Path) -> Result<Self> {
        let is_csv = |path: &Path| reader::has_ending(path, "csv");
        let has_reports = folder.is_dir() && reader::files(folder).is_ok();
        let others = if has_reports { in_folder(folder, is_csv)?.collect() } else { Vec::new() };
        let latest = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(LATEST_HOURS);
        Ok(Self { shipped: shipped()?, others, latest: latest.strftime("%Y-%m-%dT%H:%M:%SZ").to_string() })
    }
}

/// A report, and what is wrong with it.
#[derive(Default)]
struct Report {
    rows: Vec<Record>,
    /// What [`Record::anonymize`] changed, one sentence each.
    removed: Vec<String>,
    faults: Vec<String>,
    /// What to do about the faults.
    advice: Vec<String>,
}

impl Report {
    /// A file that no run wrote so.
    fn refused(faults: Vec<String>) -> Self {
        Self { faults, advice: vec![UNCHANGED.to_owned()], ..Self::default() }
    }

    /// Reads the report at `path`, anonymous if asked for, and checks it.
    fn examine(path: &Path, is_anonymous: bool, known: &Known) -> Result<Self> {
        let unreadable = |source| Error::Io { action: "read", path: path.to_owned(), source };
        let found = std::fs::metadata(path).map_err(unreadable)?;
        if !found.is_file() {
            return Ok(Self::refused(vec!["not a regular file".to_owned()]));
        }
        if found.len() > file::MOST_BYTES {
            let most = file::MOST_BYTES >> 20;
            return Ok(Self::refused(vec![format!(
                "the file is larger than {most} MiB, which no report of one run is"
            )]));
        }
        let Ok(text) = String::from_utf8(std::fs::read(path).map_err(unreadable)?) else {
            return Ok(Self::refused(vec![
                "the file is no UTF-8 text: share takes the CSV of a run, unpacked".to_owned(),
            ]));
        };
        let parsed = match csv::read(path, text.as_bytes()) {
            Ok(parsed) => parsed,
            // The message names the line.
            Err(Error::Report { line, message, .. }) => {
                return Ok(Self::refused(vec![format!("line {line}: {message}")]));
            }
            Err(error) => return Err(error),
        };
        let mut rows = parsed.records;
        // A line that a killed run left is in the notes.
        let lines = text.rfind('\n').map_or("", |end| &text[..=end]);
        let found = file::faults(lines, &rows);
        if !(found.is_empty() || rows.is_empty()) {
            return Ok(Self::refused(found));
        }
        let (mut removed, was_anonymous) = (Vec::new(), rows.iter().all(|row| row.host.is_empty()));
        if is_anonymous {
            removed = anonymize(&mut rows);
            // What is checked is what is written.
            rows = csv::read(path, csv::write(&rows).as_slice())?.records;
        }
        let is_known_kernel = |key: u64| known.shipped.kernels.binary_search(&key).is_ok();
        let references = &known.shipped.runs;
        let (latest, is_known_kernel) = (&*known.latest, &is_known_kernel);
        let mut found = faults(&rows, &Checks { latest, is_known_kernel, program, judged_again, references });
        if found.iter().any(|fault| matches!(fault.kind, Kind::Missing { .. })) {
            // Intervals and shares follow from all rows.
            found.retain(|fault| !matches!(fault.kind, Kind::Underived { .. }));
        }
        let (mut faults, advice) = (sentences(&found, &rows), advice(&found, &rows, path, was_anonymous));
        faults.extend(copies(path, &rows, known));
        faults.extend(parsed.notes);
        Ok(Self { rows, removed, faults, advice })
    }
}

/// Makes the rows anonymous, and says what that changed: a line about the host and one about the card.
fn anonymize(rows: &mut [Record]) -> Vec<String> {
    let (mut hosts, mut cards): (BTreeMap<String, usize>, BTreeMap<(String, String), usize>) = Default::default();
    for row in rows {
        let (host, card) = (row.host.clone(), row.card.clone());
        row.anonymize();
        if row.host != host {
            *hosts.entry(host).or_default() += 1;
        }
        if row.card != card {
            *cards.entry((card, row.card.clone())).or_default() += 1;
        }
    }
    let rows = |count: usize| plural(count, "row", "rows");
    let hosts = hosts.iter().map(|(host, count)| format!("'{host}' left out of {}", rows(*count)));
    let cards = cards.iter().map(|((old, new), count)| match new.is_empty() {
        true => format!("the address {old} left out of {}", rows(*count)),
        false => format!("{old} replaced by the hash {new} in {}", rows(*count)),
    });
    let [hosts, cards] = [hosts.collect::<Vec<_>>(), cards.collect()];
    let line =
        |(name, parts): (&str, Vec<String>)| (!parts.is_empty()).then(|| format!("{name}: {}", parts.join("; ")));
    [("host", hosts), ("card", cards)].into_iter().filter_map(line).collect()
}

/// The reports of which this one is a copy.
fn copies(path: &Path, records: &[Record], known: &Known) -> Vec<String> {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let own = whole(path);
    let others = known.others.iter().filter(|(other, _)| whole(other) != own);
    others
        .filter_map(|(other, rows)| {
            let (equal, common) = copied_from(records, rows)?;
            let equal = format!("{equal} of {common} common rows have the same times, to the last digit");
            Some(format!("a copy of {}: {equal}", shown(other)))
        })
        .collect()
}

/// Name of the folder in which a file's folder lies.
fn grandparent(path: &Path) -> Option<&std::ffi::OsStr> {
    path.parent()?.parent()?.file_name()
}

/// The fault of a report in `results/` that has another name than the device, day and APIs of its rows give it.
fn misplaced(path: &Path, records: &[Record]) -> Option<String> {
    let (device, stem) = place(records)?;
    let own = path.file_stem()?.to_string_lossy();
    let is_numbered = |rest: &str| rest.strip_prefix('-').is_some_and(|number| number.parse::<u32>().is_ok());
    let is_named = own.strip_prefix(&stem).is_some_and(|rest| rest.is_empty() || is_numbered(rest));
    (path.parent()?.file_name()? != device.as_str() || !is_named)
        .then(|| format!("the rows belong in results/{device}/{stem}.csv"))
}

/// Folder and name of a report below `results/`, without its ending.
fn place(records: &[Record]) -> Option<(String, String)> {
    let first = records.first()?;
    let day = first.date.get(..10)?;
    let names: Vec<&str> = apis(records).into_iter().map(|api| api.name()).collect();
    Some((words(&first.device), format!("{day}-{}", names.join("+"))))
}

/// Writes the anonymous copy and the text of a pull request into `out`, and prints that text.
fn prepare(path: &Path, out: &Path, against: &Path, known: &Known) -> Result<u8> {
    let Report { rows: records, removed, faults, advice } = Report::examine(path, true, known)?;
    if !faults.is_empty() {
        faults.iter().chain(&advice).for_each(|line| complain(&format!("{}: {line}", shown(path))));
        complain("nothing is written");
        return Ok(FAULTY);
    }
    let Some((device, stem)) = place(&records) else {
        return Err(Error::Usage(format!("{} has no rows", shown(path))));
    };
    let own = path.canonicalize().ok();
    let is_free = |name: &str| {
        let taken = against.join(&device).join(format!("{name}.csv"));
        !taken.exists() || taken.canonicalize().ok() == own
    };
    let names = (1..).map(|number| if number == 1 { stem.clone() } else { format!("{stem}-{number}") });
    let Some(name) = names.take(1000).find(|name| is_free(name)) else {
        return Err(Error::Usage(format!("{} has no free report name", shown(&against.join(&device)))));
    };
    let folder = out.join(&device);
    let (report, text) = (folder.join(format!("{name}.csv")), folder.join(format!("{name}.md")));
    for path in [&report, &text] {
        let fault = |source| Error::Io { action: "create", path: folder.clone(), source };
        std::fs::create_dir_all(&folder).map_err(fault)?;
        if Target::of(path)?.is_taken() {
            return Err(Error::Usage(format!("{} exists: move it away, or name another folder by --out", shown(path))));
        }
    }
    let request = request::text(&records, &format!("results/{device}/{name}.csv"));
    replace_file(&report, &csv::write(&records))?;
    replace_file(&text, request.as_bytes())?;
    say(&format!("{}: no fault, {}", shown(path), plural(records.len(), "row", "rows")));
    removed.iter().for_each(|line| say(line));
    say(&format!("{}\n{}", shown(&report), shown(&text)));
    say("nothing was sent; paste this text, which the second file holds, into a pull request:\n");
    print(&request)?;
    Ok(0)
}
