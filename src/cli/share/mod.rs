//! `share`: checks reports, and prepares a pull request with one of them. Nothing is sent.

mod file;
mod request;

use std::path::{Path, PathBuf};

use super::output::{print, say};
use super::outputs::words;
use super::references::shipped;
use super::reports::in_folder;
use crate::error::{Error, Result, shown};
use crate::report::normal::Shipped;
use crate::report::{Target, apis, csv, reader, replace_file};
use crate::results::consistency::{Checks, copied_from, faults};
use crate::results::{COLUMNS, Record};

/// Exit code for a report with faults.
const FAULTY: u8 = 1;

/// Arguments of `share`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// CSV reports of complete runs; one, unless --check is given
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Only check: a sentence for each fault, exit code 1 if there is any
    #[arg(long)]
    check: bool,
    /// Folder of reports that none may copy
    #[arg(long, value_name = "DIR", default_value = "results")]
    against: PathBuf,
    /// Folder for the report and the text of the pull request
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
        let (records, faults) = checked(path, &known)?;
        let name = shown(path);
        if faults.is_empty() {
            print(&format!("{name}: no fault, {} rows\n", records.len()))?;
        } else {
            code = FAULTY;
            let lines: String = faults.iter().map(|fault| format!("{name}: {fault}\n")).collect();
            print(&lines)?;
        }
    }
    Ok(code)
}

/// What reports are checked against.
struct Known {
    shipped: Shipped,
    /// Reports in the folder, with their paths.
    others: Vec<(PathBuf, Vec<Record>)>,
    now: String,
}

impl Known {
    /// A folder that does not exist has no reports.
    fn read(folder: &Path) -> Result<Self> {
        let is_csv = |path: &Path| reader::has_ending(path, "csv");
        let has_reports = folder.is_dir() && reader::files(folder).is_ok();
        let others = if has_reports { in_folder(folder, is_csv)?.collect() } else { Vec::new() };
        Ok(Self { shipped: shipped()?, others, now: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string() })
    }
}

/// The rows of the report at `path`, without the host's name, and its faults.
fn checked(path: &Path, known: &Known) -> Result<(Vec<Record>, Vec<String>)> {
    let unreadable = |source| Error::Io { action: "read", path: path.to_owned(), source };
    let length = std::fs::metadata(path).map_err(unreadable)?.len();
    if length > file::MOST_BYTES {
        let most = file::MOST_BYTES >> 20;
        return Ok((Vec::new(), vec![format!("the file is larger than {most} MiB, which no report of one run is")]));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    let Ok(text) = String::from_utf8(bytes) else {
        return Ok((Vec::new(), vec!["the file is no UTF-8 text: share takes the CSV of a run".to_owned()]));
    };
    let parsed = match csv::read(path, text.as_bytes()) {
        Ok(parsed) => parsed,
        // The message names the line.
        Err(Error::Report { line, message, .. }) => return Ok((Vec::new(), vec![format!("line {line}: {message}")])),
        Err(error) => return Err(error),
    };
    let mut found = file::faults(&text, &parsed.records);
    if found.is_empty() {
        found.extend(parsed.notes);
    }
    let records = parsed.records;
    let is_known_kernel = |key: u64| known.shipped.kernels.binary_search(&key).is_ok();
    let checks = Checks { now: &known.now, is_known_kernel: &is_known_kernel, references: &known.shipped.runs };
    found.extend(faults(&records, &checks));
    found.extend(copies(path, &records, known));
    found.extend(misplaced(path, &records));
    Ok((records, found))
}

/// The reports of which this one is a copy.
fn copies(path: &Path, records: &[Record], known: &Known) -> Vec<String> {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let own = whole(path);
    let others = known.others.iter().filter(|(other, _)| whole(other) != own);
    others
        .filter_map(|(other, rows)| {
            let reason = copied_from(records, rows)?;
            Some(format!("a copy of {}: {reason}", shown(other)))
        })
        .collect()
}

/// The fault of a report in `results/` that has another name than the device, day and APIs of its rows give it.
fn misplaced(path: &Path, records: &[Record]) -> Option<String> {
    let folder = path.parent()?;
    if folder.parent()?.file_name()? != "results" {
        return None;
    }
    let (device, stem) = place(records)?;
    let own = path.file_stem()?.to_string_lossy();
    let number = own.strip_prefix(&stem);
    let is_numbered = |rest: &str| rest.strip_prefix('-').is_some_and(|number| number.parse::<u32>().is_ok());
    let is_named = number.is_some_and(|rest| rest.is_empty() || is_numbered(rest));
    (folder.file_name()? != device.as_str() || !is_named)
        .then(|| format!("the rows belong in results/{device}/{stem}.csv"))
}

/// Folder and name of a report below `results/`, without its ending.
fn place(records: &[Record]) -> Option<(String, String)> {
    let first = records.first()?;
    let day = first.date.get(..10)?;
    let names: Vec<&str> = apis(records).into_iter().map(|api| api.name()).collect();
    Some((words(&first.device), format!("{day}-{}", names.join("+"))))
}

/// Writes the report and the text of a pull request into `out`.
fn prepare(path: &Path, out: &Path, against: &Path, known: &Known) -> Result<u8> {
    let (mut records, mut found) = checked(path, known)?;
    clear_host(&mut records);
    // The host's name is left out of the copy, so that it is no fault here.
    found.retain(|fault| !fault.contains("host names a machine"));
    found.extend(own_names(&records));
    if !found.is_empty() {
        found.iter().for_each(|fault| say(&format!("{}: {fault}", shown(path))));
        say("nothing is written: a report is shared as the program wrote it; see CONTRIBUTING.md");
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
    replace_file(&report, &csv::write(&records))?;
    replace_file(&text, request::text(&records, &format!("results/{device}/{name}.csv")).as_bytes())?;
    print(&format!(
        "no fault, {} rows\n{}\n{}\nNothing was sent. The second file is the text of a pull request, and says how to open it.\n",
        records.len(),
        shown(&report),
        shown(&text)
    ))?;
    Ok(0)
}

/// Empties the column `host`.
fn clear_host(records: &mut [Record]) {
    for column in COLUMNS.iter().filter(|column| column.name == "host") {
        // An empty text is valid in a column of texts.
        records.iter_mut().for_each(|row| _ = (column.set)(row, ""));
    }
}

/// The fault of a report that names this machine.
fn own_names(records: &[Record]) -> Option<String> {
    /// Shorter names are parts of other words.
    const LEAST: usize = 4;
    let host = sysinfo::System::host_name().ok().filter(|host| host.len() >= LEAST)?.to_lowercase();
    let names_it = |row: &Record| {
        [&row.os, &row.cpu, &row.device, &row.driver, &row.reason]
            .iter()
            .any(|text| text.to_lowercase().contains(&host))
    };
    records.iter().any(names_it).then(|| format!("a text of the report contains this machine's name, '{host}'"))
}
