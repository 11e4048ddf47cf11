//! `share`: writes an anonymous copy of a report and the text of an issue or pull request, or checks reports. Sends
//! nothing.

mod request;

use std::collections::BTreeMap;
use std::mem::discriminant;
use std::path::{Path, PathBuf};

use super::output::{complain, print, say};
use super::outputs::words;
use super::references::shipped;
use answers::report::{Target, apis, csv, replace_file};
use answers::share::{Checks, Fault, Remedy, case_text, faults};
use gpu::engine::program;
use kernels::FAMILIES;
use record::Record;
use record::error::{Error, Result, is_hidden, shown, usage};
use record::format::{distinct, plural};

/// Exit code for a report with faults.
const FAULTY: u8 = 1;

/// Most bytes of a shared report.
const MOST_BYTES: u64 = 8 << 20;

/// Faults to list for each remedy; the others are counted.
const MOST_LISTED: usize = 3;

const RESULTS: &str = "results";

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// CSV report of a complete run
    ///
    /// In the copy, the host name is left out and the card's UUID is replaced with a hash.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Only check the files: print each fault, and exit with code 1 if there is any
    #[arg(long)]
    check: bool,
    /// Folder for the copy and the text to paste
    #[arg(long, short, value_name = "DIR", default_value = "share", conflicts_with = "check")]
    out: PathBuf,
}

pub(super) fn share(arguments: &Arguments) -> Result<u8> {
    let kernels = shipped()?.kernels;
    if !arguments.check {
        let [path] = arguments.files.as_slice() else {
            return Err(usage!("share prepares one report: name one file, or pass --check"));
        };
        return prepare(path, &arguments.out, &kernels);
    }
    let mut code = 0;
    for path in &arguments.files {
        let name = shown(path);
        // A report in `results` is already public.
        let folder = path.parent().and_then(Path::parent).and_then(Path::file_name);
        let is_public = folder.is_some_and(|name| name == RESULTS);
        let mut report = Report::examine(path, !is_public, &kernels)?;
        if is_public {
            report.faults.extend(misplaced(path, &report.rows));
        }
        if report.faults.is_empty() {
            let rows = plural(report.rows.len(), "row", "rows");
            let named = if report.removed.is_empty() {
                String::new()
            } else {
                format!("; the report names its host or card; `shaderbench share {name}` writes an anonymous copy")
            };
            print(&format!("{name}: no fault, {rows}{named}\n"))?;
        } else {
            code = FAULTY;
            let lines = report.faults.iter().map(|line| format!("{name}: {line}\n"));
            print(&lines.collect::<String>())?;
        }
    }
    Ok(code)
}

#[derive(Default)]
struct Report {
    rows: Vec<Record>,
    /// What [`Record::anonymize`] changed, one sentence each.
    removed: Vec<String>,
    /// The faults, then what to do about them.
    faults: Vec<String>,
}

impl Report {
    fn refused(fault: String) -> Self {
        Self { faults: vec![fault, ONE_RUN.to_owned()], ..Self::default() }
    }

    /// Reads the report at `path`, makes it anonymous if asked, and checks it. `kernels` are those of earlier builds.
    fn examine(path: &Path, is_anonymous: bool, kernels: &[u64]) -> Result<Self> {
        let found = std::fs::metadata(path).map_err(Error::io("read", path))?;
        if !found.is_file() || found.len() > MOST_BYTES {
            return Ok(Self::refused(format!("not a regular file of at most {} MiB", MOST_BYTES >> 20)));
        }
        let Ok(text) = String::from_utf8(std::fs::read(path).map_err(Error::io("read", path))?) else {
            return Ok(Self::refused(
                "the file is not UTF-8 text: share reads the uncompressed CSV of a run".to_owned(),
            ));
        };
        if let Some(hidden) = text.chars().find(|character| is_hidden(*character) && *character != '\n') {
            return Ok(Self::refused(format!("the file contains the hidden character {}", hidden.escape_unicode())));
        }
        let parsed = match csv::read(path, text.as_bytes()) {
            Ok(parsed) => parsed,
            // The message names the line.
            Err(Error::Report { line, message, .. }) => return Ok(Self::refused(format!("line {line}: {message}"))),
            Err(error) => return Err(error),
        };
        let mut rows = parsed.records;
        let was_anonymous = rows.iter().all(|row| row.host.is_empty());
        let removed = if is_anonymous { anonymize(&mut rows) } else { Vec::new() };
        let is_known_kernel = |key: u64| kernels.binary_search(&key).is_ok();
        let found = faults(&rows, &Checks { is_known_kernel: &is_known_kernel, program });
        let mut faults = listed(&found);
        faults.extend(parsed.notes);
        faults.extend(advice(&found, &rows, path, was_anonymous));
        Ok(Self { rows, removed, faults })
    }
}

/// The sentences of faults: for each remedy the first ones, and the number of the others.
fn listed(faults: &[Fault]) -> Vec<String> {
    let mut kinds: Vec<Vec<&Fault>> = Vec::new();
    for fault in faults {
        match kinds.iter_mut().find(|kind| discriminant(&kind[0].remedy) == discriminant(&fault.remedy)) {
            Some(kind) => kind.push(fault),
            None => kinds.push(vec![fault]),
        }
    }
    let mut all = Vec::new();
    for kind in kinds {
        let (listed, others) = kind.split_at(kind.len().min(MOST_LISTED));
        all.extend(listed.iter().map(|fault| fault.text.clone()));
        if !others.is_empty() {
            all.push(format!("{} of this kind", plural(others.len(), "more fault", "more faults")));
        }
    }
    all
}

const ONE_RUN: &str = "a shared report is one run on one card: share the file that the run wrote, unchanged";

/// The remedies of faults, one sentence each. `is_anonymous`: whether the run named no host.
fn advice(faults: &[Fault], records: &[Record], path: &Path, is_anonymous: bool) -> Vec<String> {
    distinct(faults.iter().map(|fault| match fault.remedy {
        Remedy::Complete(_) => incomplete(faults, records, path, is_anonymous),
        Remedy::Issue => "open an issue with the report: this is a bug in the suite or in the driver".to_owned(),
        Remedy::Measure => format!(
            "the rows come from another build, or from a run with --size or --param; measure again with this build and \
             without these options: `shaderbench run {}`",
            options(records)
        ),
        Remedy::OneRun => ONE_RUN.to_owned(),
        Remedy::Copy => format!("`shaderbench share {}` writes a copy without the host's name", shown(path)),
    }))
}

/// The remedy for missing rows. A run is continued if its rows are the first of the plan, which goes family by family;
/// other runs had filters or a time limit.
fn incomplete(faults: &[Fault], records: &[Record], path: &Path, is_anonymous: bool) -> String {
    let index = |family: &str| FAMILIES.iter().position(|known| known.name == family);
    let reached = records.iter().filter_map(|row| index(&row.family)).max();
    let is_beyond = |fault: &Fault| match &fault.remedy {
        Remedy::Complete(name) => name.split('/').next().and_then(index) >= reached,
        _ => true,
    };
    let options = options(records);
    match records.last() {
        Some(last) if faults.iter().all(is_beyond) => {
            let anonymous = if is_anonymous { " --anonymous" } else { "" };
            format!(
                "the run ended after {}: `shaderbench run --resume {} {options}{anonymous}` measures the rest",
                case_text(last),
                shown(path)
            )
        }
        _ => format!(
            "a shared report has a row for every benchmark: measure everything with `shaderbench run {options}` and no \
             other arguments; if --time left some benchmarks out, allow more time"
        ),
    }
}

/// The options of a run, as far as its rows show.
fn options(records: &[Record]) -> String {
    let profile = records.first().and_then(|row| row.profile).map_or("quick", |profile| profile.name());
    let apis = records.first().map_or("", |row| row.apis.as_str());
    let backend = if apis.contains('+') { "all" } else { apis };
    let backend = if backend.is_empty() { String::new() } else { format!(" --backend {backend}") };
    format!("--profile {profile}{backend}")
}

/// Makes the rows anonymous. Returns a line about the host and one about the card, if they changed.
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
    let hosts = hosts.iter().map(|(host, count)| format!("'{host}' removed from {}", rows(*count)));
    let cards = cards.iter().map(|((old, new), count)| match new.is_empty() {
        true => format!("the address {old} removed from {}", rows(*count)),
        false => format!("{old} replaced with the hash {new} in {}", rows(*count)),
    });
    let [hosts, cards] = [hosts.collect::<Vec<_>>(), cards.collect()];
    let line =
        |(name, parts): (&str, Vec<String>)| (!parts.is_empty()).then(|| format!("{name}: {}", parts.join("; ")));
    [("host", hosts), ("card", cards)].into_iter().filter_map(line).collect()
}

/// The fault of a report in `results/` whose path does not match the device, day and APIs of its rows.
fn misplaced(path: &Path, records: &[Record]) -> Option<String> {
    let (device, stem) = place(records)?;
    let name = path.file_stem()?.to_string_lossy();
    let is_numbered = |rest: &str| rest.strip_prefix('-').is_some_and(|number| number.parse::<u32>().is_ok());
    let is_named = name.strip_prefix(&stem).is_some_and(|rest| rest.is_empty() || is_numbered(rest));
    (path.parent()?.file_name()? != device.as_str() || !is_named)
        .then(|| format!("the rows belong in results/{device}/{stem}.csv"))
}

/// Folder and name of a report below `results/`, without its extension.
fn place(records: &[Record]) -> Option<(String, String)> {
    let first = records.first()?;
    let day = first.date.get(..10)?;
    let names: Vec<&str> = apis(records).into_iter().map(|api| api.name()).collect();
    Some((words(&first.device), format!("{day}-{}", names.join("+"))))
}

/// Writes the anonymous copy and the text of an issue or a pull request into `out`, and prints that text.
fn prepare(path: &Path, out: &Path, kernels: &[u64]) -> Result<u8> {
    let Report { rows: records, removed, faults } = Report::examine(path, true, kernels)?;
    if !faults.is_empty() {
        faults.iter().for_each(|line| complain(&format!("{}: {line}", shown(path))));
        complain("nothing was written");
        return Ok(FAULTY);
    }
    let Some((device, stem)) = place(&records) else {
        return Err(usage!("{} has no rows", shown(path)));
    };
    let original = path.canonicalize().ok();
    let is_free = |name: &String| {
        let taken = Path::new(RESULTS).join(&device).join(format!("{name}.csv"));
        !taken.exists() || taken.canonicalize().ok() == original
    };
    let mut names = (1_u64..).map(|number| if number == 1 { stem.clone() } else { format!("{stem}-{number}") });
    let name = names.find(is_free).unwrap_or(stem.clone());
    let folder = out.join(&device);
    let (report, text) = (folder.join(format!("{name}.csv")), folder.join(format!("{name}.md")));
    for path in [&report, &text] {
        std::fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
        if Target::of(path)?.is_taken() {
            return Err(usage!(
                "{} already exists: move the file away, or name another folder with --out",
                shown(path)
            ));
        }
    }
    let copy = csv::write(&records);
    let packed = request::packed(&records, &copy);
    let request = request::text(&records, &format!("results/{device}/{name}.csv"), packed.as_deref());
    replace_file(&report, &copy)?;
    replace_file(&text, request.as_bytes())?;
    say(&format!("{}: no fault, {}", shown(path), plural(records.len(), "row", "rows")));
    removed.iter().for_each(|line| say(line));
    print(&request)?;
    let place = if packed.is_some() { "a new issue (form \"Your GPU's result\")" } else { "a pull request" };
    // The text is longer than a screen, so the instructions come last.
    say(&format!(
        "\n{}\n{}\nnothing was sent; paste the text of the second file into {place}",
        shown(&report),
        shown(&text)
    ));
    Ok(0)
}
