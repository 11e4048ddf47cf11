//! `run`: selects devices, plans and measures cases, writes reports and prints tables.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::estimate::estimate;
use super::format::{TableFormat, Tables};
use super::host::{battery_note, operating_system, processor};
use super::interrupt::{self, Interrupt};
use super::messages::{beginning, how_to_go_on, left_out, matched_by_part, smaller_workgroups};
use super::output::{is_on_terminal, print, say, terminal};
use super::outputs::{Files, Paths, default_csv, name_words};
use super::pictures::Pictures;
use super::progress::Progress;
use super::selection::{no_device, select_runs, why_this_card};
use super::shaders::sources;
use super::target::{Target, Through, targets};
use super::values::{duration, fail_on, param, size};
use crate::backend::{Backend, Device, DeviceType};
use crate::engine::plan::{Request, by_part, plan, reserves, select, without_size};
use crate::engine::{EarlierRows, End, Epochs, Fitted, Outcome, Settings, WORKGROUP_SIZE, fit, recall_params};
use crate::error::{Error, Result};
use crate::report::csv::Parsed;
use crate::report::summary::card;
use crate::report::{self, CsvFile};
use crate::results::{Record, Status};
use crate::suite::{Case, Dtype, Extent, Profile};

/// Arguments of `run`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Families (transpose), benchmarks (transpose/tiled), globs ('*/vec4*') or parts of names (tiled) to run
    /// [default: all]
    #[arg(value_name = "FILTER")]
    filters: Vec<String>,
    /// How many cases to run and how long to sample each [default: standard on a GPU, quick on a software device]
    #[arg(long, value_enum)]
    profile: Option<Profile>,
    /// Device number or part of its name (see `devices`), or all [default: the first GPU]
    #[arg(long, value_name = "NAME|INDEX|all")]
    device: Option<String>,
    /// API to use; all = every API of the device, alternating case by case [default: the device's best]
    #[arg(long, value_parser = Through::parser())]
    backend: Option<Through>,
    /// Size to run instead of those of the profile: 1000003, 2^20, ROWSxCOLUMNS (512x2000), or MxNxK for GEMM; repeat
    /// it or write 2^16,2^20 for several
    #[arg(long = "size", value_name = "N", value_parser = size, value_delimiter = ',')]
    sizes: Vec<Extent>,
    /// Kernel parameter to set (WG=128); repeat it or write WG=128,PAD=1 for several
    #[arg(long = "param", value_name = "K=V", value_parser = param, value_delimiter = ',')]
    params: Vec<(String, f64)>,
    /// Time limit of the whole run (90s, 5m); sizes that would exceed it are left out [default: 55s for the profile
    /// quick on a software device, else none]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    time: Option<Duration>,
    /// Measure each case in exactly this many epochs [default: 2 in quick; 2 to 24 in standard, as its noise needs; 8 to
    /// 32 in thorough]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100))]
    epochs: Option<u16>,
    /// Seed of the order of the cases after the first pass [default: from the clock]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Find the fastest workgroup sizes on this device first, and measure with them
    #[arg(long, conflicts_with = "dry_run")]
    tune: bool,
    /// Folder of kernels that replace those of the suite: FAMILY/BENCHMARK.wgsl, .cu. WGSL runs with all run-time
    /// checks; CUDA has none
    #[arg(long, value_name = "DIR")]
    shaders: Option<PathBuf>,
    /// Run the WGSL of --shaders without run-time checks, like the suite's own. Out-of-bounds accesses are then
    /// undefined behavior
    #[arg(long, requires = "shaders")]
    unchecked: bool,
    #[arg(long, value_name = "PATH", help = "CSV report to write [default: results/<device>/<date>-<backend>.csv]")]
    out: Option<PathBuf>,
    /// Continue the run that wrote this CSV, with the same other arguments
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "dry_run"])]
    resume: Option<PathBuf>,
    /// With --resume: also rerun cases that timed out, and larger sizes of their kernels
    #[arg(long, requires = "resume")]
    retry_timeouts: bool,
    /// Overwrite existing files given by --out and --json, and images of --save-image
    #[arg(long)]
    force: bool,
    /// Also write a JSON report with every sample
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Folder to write the images of the family texture to, as PNG
    #[arg(long, value_name = "DIR")]
    save_image: Option<PathBuf>,
    /// Exit with code 3 if any row has one of these statuses: wrong, failed, implausible, skipped [default: the first
    /// three]
    #[arg(long, value_name = "STATUS,…", value_parser = fail_on, value_delimiter = ',',
          default_values = ["wrong", "failed", "implausible"], hide_default_value = true)]
    fail_on: Vec<Status>,
    /// Tables to print before the summary [default: all; on a terminal family, or none without filters]
    #[arg(long, value_enum)]
    table: Option<Tables>,
    /// Format of the tables
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
    /// List the cases that would run, and exit
    #[arg(long)]
    dry_run: bool,
    /// Whether to print no tables: `learn` shows the rows in its own way.
    #[arg(skip)]
    pub(super) is_quiet: bool,
}

/// Seeds from the clock are below this, short enough to type.
const SEEDS: u64 = 1_000_000;

/// Runs the command and returns the exit code.
pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    // Check the command line before anything slow.
    let request = request(arguments, Profile::Quick, false)?;
    let cases = plan(&request)?;
    for (filter, names) in by_part(&arguments.filters)? {
        say(&matched_by_part(filter, &names));
    }
    let dropped = without_size(&request)?;
    if !dropped.is_empty() {
        say(&format!("left out, no --size fits: {}", dropped.join(", ")));
    }
    if arguments.save_image.is_some() && !cases.iter().any(|case| case.shape.dtype == Dtype::Rgba8) {
        return Err(Error::Usage(
            "--save-image: none of these benchmarks writes an image: add the family texture".to_owned(),
        ));
    }
    let paths = arguments.paths();
    paths.check()?;
    // Locked before it is read: another run may be writing it.
    let is_there = arguments.resume.as_ref().is_some_and(|path| path.exists());
    let mut files = is_there.then(|| paths.open()).transpose()?;
    let mut resumed = arguments.resume.as_deref().map(report::csv::open).transpose()?;
    let (device, backend) = (arguments.device.as_deref(), arguments.backend);
    let mut found: Vec<Option<Target>> = targets(backend)?.into_iter().map(Some).collect();
    let devices: Vec<Device> = found.iter().flatten().map(|target| target.device().clone()).collect();
    let runs = select_runs(&devices, device, backend)?;
    if arguments.dry_run {
        let card: Vec<&Device> = runs[0].iter().map(|index| &devices[*index]).collect();
        return dry_run(arguments, &card);
    }
    if arguments.device.is_none() {
        why_this_card(&devices, &runs[0]).iter().for_each(|why| say(why));
    }
    battery_note().iter().for_each(|note| say(note));
    if resumed.is_some() && runs.len() > 1 {
        return Err(Error::Usage("--resume continues a run on one device: select it with --device".to_owned()));
    }
    let mut pictures = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        let card: Vec<&Device> = run.iter().map(|index| &devices[*index]).collect();
        let name = if runs.len() > 1 { format!("{}-{number}", name_words(card[0])) } else { String::new() };
        pictures.push(pictures_of(arguments, &card, name)?);
    }
    let files = files.take().map_or_else(|| paths.open(), Ok)?;
    let interrupt = Interrupt::listen()?;
    let (mut all, mut printed): (Vec<Record>, Result<()>) = (Vec::new(), Ok(()));
    let command = Command { arguments, files, interrupt };
    for (run, pictures) in runs.into_iter().zip(pictures) {
        if command.interrupt.is_requested() {
            return Ok(interrupt::EXIT_CODE);
        }
        let card: Vec<Target> = run.into_iter().filter_map(|index| found[index].take()).collect();
        let (outcome, table) = command.run_on(card, resumed.take(), &all, pictures)?;
        // A table that cannot be printed must not end the run: the other devices have theirs to come.
        printed = printed.and(table);
        all.extend(outcome.records);
        match outcome.end {
            End::Complete => {}
            End::Interrupted => return printed.map(|()| interrupt::EXIT_CODE),
            End::NoDevice(error) => return Err(error),
        }
    }
    printed?;
    let is_fault = |record: &Record| arguments.fail_on.contains(&record.status);
    Ok(if all.iter().any(is_fault) { 3 } else { 0 })
}

impl Arguments {
    fn paths(&self) -> Paths<'_> {
        Paths {
            out: self.out.as_deref(),
            resume: self.resume.as_deref(),
            json: self.json.as_deref(),
            images: self.save_image.as_deref(),
            has_force: self.force,
        }
    }
}

/// The images of a run on `card`. A run that is resumed finds those of its earlier part.
fn pictures_of(arguments: &Arguments, card: &[&Device], name: String) -> Result<Option<Pictures>> {
    let Some(folder) = &arguments.save_image else { return Ok(None) };
    let pictures = Pictures::new(folder, name, card.len() > 1, arguments.force);
    if arguments.resume.is_none() {
        let profile = profile_for(arguments, card[0]);
        let Fitted { cases, .. } = cases_for(arguments, profile, time_for(arguments, profile, card[0]), card)?;
        let apis: Vec<_> = card.iter().map(|device| device.api).collect();
        pictures.check(&cases, &apis, arguments.json.as_deref())?;
    }
    Ok(Some(pictures))
}

/// The request of the command line. `has_small` adds small sizes, for runs with a time limit.
fn request(arguments: &Arguments, profile: Profile, has_small: bool) -> Result<Request> {
    let sources = |folder| sources(folder, arguments.unchecked, &arguments.filters);
    let sources = arguments.shaders.as_deref().map(sources).transpose()?.unwrap_or_default();
    Ok(Request {
        filters: arguments.filters.clone(),
        profile,
        sizes: arguments.sizes.clone(),
        params: arguments.params.clone(),
        sources,
        has_small,
    })
}

/// The cases of a run on `card`, fitted to its limits. A workgroup size that the user sets stays; where `--tune` selects
/// one, it selects among those that run.
fn cases_for(arguments: &Arguments, profile: Profile, time: Option<Duration>, card: &[&Device]) -> Result<Fitted> {
    let is_given = arguments.params.iter().any(|(name, _)| name == WORKGROUP_SIZE);
    let is_fixed = |case: &Case| {
        let is_tuned = arguments.tune && case.family.tuned.iter().any(|(name, _)| *name == WORKGROUP_SIZE);
        if case.shape.params.contains_key(WORKGROUP_SIZE) { is_given } else { is_tuned }
    };
    let cases = plan(&request(arguments, profile, time.is_some())?)?;
    Ok(fit(cases, card, is_fixed))
}

fn profile_for(arguments: &Arguments, device: &Device) -> Profile {
    let usual = if device.kind == DeviceType::Software { Profile::Quick } else { Profile::Standard };
    arguments.profile.unwrap_or(usual)
}

/// Default time limit of `quick` on a software device: under a minute including start and end.
const SOFTWARE_TIME: Duration = Duration::from_secs(55);

fn time_for(arguments: &Arguments, profile: Profile, device: &Device) -> Option<Duration> {
    let is_quick = profile == Profile::Quick && device.kind == DeviceType::Software;
    arguments.time.or(is_quick.then_some(SOFTWARE_TIME))
}

/// The expected time of a run of `cases` cases, if nothing changes what a case of the profile takes.
fn expected_time(
    arguments: &Arguments,
    profile: Profile,
    time: Option<Duration>,
    cases: usize,
    card: &[&Device],
) -> Option<String> {
    let is_usual = arguments.sizes.is_empty() && arguments.params.is_empty() && arguments.epochs.is_none();
    let has_more = arguments.tune || arguments.shaders.is_some() || time.is_some();
    if is_usual && !has_more { estimate(profile, cases, card) } else { None }
}

fn dry_run(arguments: &Arguments, card: &[&Device]) -> Result<u8> {
    let profile = profile_for(arguments, card[0]);
    let time = time_for(arguments, profile, card[0]);
    let fitted = cases_for(arguments, profile, time, card)?;
    smaller_workgroups(&fitted, card).iter().for_each(|note| say(note));
    let Fitted { cases, .. } = fitted;
    // Do not list reserve cases: they only run in place of a listed case.
    let reserve: BTreeSet<usize> = reserves(&cases).into_values().collect();
    let listed = cases.iter().enumerate().filter(|(index, _)| !reserve.contains(index));
    let mut text: String = listed.map(|(_, case)| format!("{case}\n")).collect();
    let (count, name) = (cases.len() - reserve.len(), &card[0].name);
    let apis: Vec<_> = card.iter().map(|device| device.api.name()).collect();
    let through = if apis.len() > 1 { format!(" through {}", apis.join(", ")) } else { String::new() };
    let within = time.map_or_else(String::new, |time| format!(", time limit {} s", time.as_secs()));
    text.push_str(&format!("{count} cases, profile {}, on {name}{through}{within}\n", profile.name()));
    let expected = expected_time(arguments, profile, time, count, card);
    text.extend(expected.map(|expected| format!("{expected}\n")));
    print(&text)?;
    Ok(0)
}

/// The command line, with its reports open.
struct Command<'a> {
    arguments: &'a Arguments,
    files: Files,
    interrupt: Interrupt,
}

impl Command<'_> {
    /// Runs on a card through each API of `card`, or continues the run in `resumed`. `before` has the rows of the
    /// previous cards. Returns whether the tables could be printed, too.
    fn run_on(
        &self,
        card: Vec<Target>,
        resumed: Option<Parsed>,
        before: &[Record],
        pictures: Option<Pictures>,
    ) -> Result<(Outcome, Result<()>)> {
        let Self { arguments, files, interrupt } = self;
        // Open first: devices that fail to open leave no report.
        let mut backends = open(card)?;
        let devices: Vec<Device> = backends.iter().map(|backend| backend.device().clone()).collect();
        let profile = profile_for(arguments, &devices[0]);
        let time = time_for(arguments, profile, &devices[0]);
        let card: Vec<&Device> = devices.iter().collect();
        let fitted = cases_for(arguments, profile, time, &card)?;
        let note = smaller_workgroups(&fitted, &card);
        let Fitted { mut cases, .. } = fitted;
        if let (true, Some(report)) = (arguments.tune, &resumed) {
            recall_params(&mut cases, &report.records);
        }
        let mut settings = settings(arguments, profile, time, &devices);
        let earlier = resumed.map_or_else(
            || Ok(EarlierRows::default()),
            |report| earlier_rows(report, arguments, &cases, &devices, &mut settings),
        )?;
        let own = match &files.csv {
            Some(_) => None,
            None => Some(default_csv(&devices, &settings.date[..10], arguments.json.as_deref())?),
        };
        // A file of its own has the rows of its device alone.
        let first = if own.is_none() { before.to_vec() } else { Vec::new() };
        let file = own.as_ref().or(files.csv.as_ref()).map(|file| file.output.clone());
        let file = file.ok_or_else(|| Error::Usage("there is no file for the report".to_owned()))?;
        let count = cases.len() - reserves(&cases).len();
        say(&beginning(&devices, &cases, count, profile, time));
        note.iter().for_each(|note| say(note));
        // Create the file now: a run killed before its first row also leaves a report.
        let csv = CsvFile::create(file.clone(), first, earlier.records())?;
        let left = count - (earlier.records().len() - earlier.again()) / devices.len();
        expected_time(arguments, profile, time, left, &card).iter().for_each(|expected| say(expected));
        let mut progress = Progress::new(left, devices.len(), time, csv, interrupt.clone());
        progress.save_pictures(pictures);
        if let Some(json) = &files.json {
            progress.write_json(json.clone(), before.to_vec());
        }
        let mut apis: Vec<&mut dyn Backend> = Vec::with_capacity(backends.len());
        apis.extend(backends.iter_mut().map(|backend| backend.as_mut() as &mut dyn Backend));
        let start = Instant::now();
        let outcome = pollster::block_on(crate::engine::resume(&mut apis, &cases, earlier, &settings, &mut progress))?;
        let seconds = start.elapsed().as_secs_f64();
        if matches!(outcome.end, End::Interrupted) {
            interrupt.end();
        }
        let written = progress.end(&outcome.records);
        drop(progress);
        let printed = if arguments.is_quiet { Ok(()) } else { print(&tables(arguments, &outcome.records)?) };
        let wanted = count * devices.len();
        if let Err(error) = written {
            say(&how_to_go_on(&file, wanted));
            return Err(error);
        }
        let (rows, path) = (outcome.records.len(), file.path().display());
        let share = 100.0 * outcome.measuring.as_secs_f64() / seconds;
        if !outcome.left_out.is_empty() {
            say(&left_out(&cases, &outcome.left_out, time.unwrap_or_default()));
        }
        if let Some(device) = devices.iter().find(|device| device.kind == DeviceType::Software) {
            say(&format!(
                "{} is a software device: its results are verified, but its times do not represent a GPU",
                device.name
            ));
        }
        match outcome.end {
            // A resumed run may have nothing left to measure.
            End::Complete if outcome.measuring.is_zero() => say(&format!("{rows} rows in {path}")),
            End::Complete => {
                say(&format!("{rows} rows in {path}; {seconds:.0} s, {share:.0} % of them spent measuring"));
            }
            _ => say(&format!(
                "{rows} of {wanted} rows in {path}: the same command with --resume {path} measures the rest"
            )),
        }
        let printed = printed.and_then(|()| print_summary(arguments, &outcome.records, &path.to_string()));
        Ok((outcome, printed))
    }
}

/// The tables that the user asks for. A terminal has no room for all of them; a pipe gets them all.
fn tables(arguments: &Arguments, records: &[Record]) -> Result<String> {
    let usual = || match (is_on_terminal(), arguments.filters.is_empty()) {
        (false, _) => Tables::All,
        (true, true) => Tables::None,
        (true, false) => Tables::Family,
    };
    let selected = select(&arguments.filters)?;
    let is_named = |row: &&Record| {
        selected.iter().any(|(family, benchmark)| row.family == family.name && row.benchmark == benchmark.name)
    };
    let mut sections = report::sections(records);
    match arguments.table.unwrap_or_else(usual) {
        Tables::All => {}
        Tables::Family => sections.retain(|section| section.rows.iter().any(is_named)),
        Tables::None => sections.clear(),
    }
    Ok(report::write(&sections, arguments.format.medium()))
}

/// Prints the summary, which ends with what to type next and the path of the report. Markdown is for tables alone.
fn print_summary(arguments: &Arguments, records: &[Record], path: &str) -> Result<()> {
    if arguments.is_quiet || arguments.format == TableFormat::Markdown {
        return Ok(());
    }
    let next = "next: shaderbench explain NAME, show NAME, report FILE, compare OLD NEW".to_owned();
    print(&format!("\n{}", card(records, &[next, path.to_owned()], terminal())))
}

fn settings(arguments: &Arguments, profile: Profile, time: Option<Duration>, devices: &[Device]) -> Settings {
    let now = jiff::Timestamp::now();
    let date = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let mut settings = Settings::new(profile, date, operating_system(), processor());
    settings.is_tuned = arguments.tune;
    settings.time = time;
    settings.seed = arguments.seed.unwrap_or_else(|| now.as_millisecond() as u64 % SEEDS);
    let mut apis: Vec<&str> = devices.iter().map(|device| device.api.name()).collect();
    apis.sort_unstable();
    settings.apis = apis.join("+");
    if let Some(epochs) = arguments.epochs {
        settings.epochs = Epochs { least: epochs.into(), most: epochs.into(), target: 0.0 };
    }
    settings
}

/// The rows of the file to resume. New rows get its date, because they belong to the same run.
fn earlier_rows(
    report: Parsed,
    arguments: &Arguments,
    cases: &[Case],
    devices: &[Device],
    settings: &mut Settings,
) -> Result<EarlierRows> {
    let path = arguments.resume.as_deref().unwrap_or(Path::new("")).display();
    for note in &report.notes {
        say(&format!("{path}: {note}"));
    }
    if let Some(first) = report.records.first() {
        settings.date.clone_from(&first.date);
        settings.seed = first.seed.unwrap_or(settings.seed);
    }
    let earlier = EarlierRows::new(report.records, cases, devices, settings)
        .map_err(|reason| Error::Usage(format!("{path} cannot be resumed: it {reason}")))?;
    let earlier = if arguments.retry_timeouts { earlier.retry_timeouts() } else { earlier };
    let again = match earlier.again() {
        0 => String::new(),
        again => format!(", rerunning {again} that failed"),
    };
    say(&format!("{path}: keeping {} rows{again}", earlier.records().len()));
    Ok(earlier)
}

/// Opens a card through its APIs, at least one. APIs that fail are skipped if another one works.
fn open(card: Vec<Target>) -> Result<Vec<Box<dyn Backend>>> {
    let (mut backends, mut errors) = (Vec::new(), Vec::new());
    for target in card {
        let api = target.device().api;
        match pollster::block_on(target.open()) {
            Ok(backend) => backends.push(backend),
            Err(error) => errors.push((api, error)),
        }
    }
    if backends.is_empty() {
        return Err(errors.into_iter().next().map_or_else(no_device, |(_, error)| error));
    }
    for (api, error) in errors {
        say(&format!("{api} is left out: {}", error.chain()));
    }
    Ok(backends)
}
