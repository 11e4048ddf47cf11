//! `run`: selects devices, plans and measures cases, writes reports and prints tables.

mod arguments;
mod devices;
mod in_step;
mod meetings;
mod parallel;
mod planned;
mod soak;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::again::Typed;
use super::bundle;
use super::compiler;
use super::format::{TableFormat, Tables};
use super::host::battery_note;
use super::interrupt::{self, Interrupt};
use super::messages::{beginning, how_to_go_on, left_out, matched_by_part, smaller_workgroups};
use super::output::{is_on_terminal, print, say, say_whole, terminal};
use super::outputs::{Files, Paths, default_csv, name_words};
use super::pictures::Pictures;
use super::progress::Progress;
use super::selection::{select_runs, why_this_card};
use super::target::{Target, Through, targets};
use super::values::plural;
use crate::answers::summary::{self, card_within};
use crate::backend::{Backend, Device};
use crate::engine::plan::{by_part, plan, select_tagged, without_size};
use crate::engine::{EarlierRows, End, Fitted, Outcome, Settings};
use crate::error::{Error, Result};
use crate::job::Job;
use crate::record::Record;
use crate::report::csv::Parsed;
use crate::report::{self, CsvFile};
use crate::suite::{Api, Case, DeviceType, Dtype, Profile};

pub(super) use arguments::Arguments;
use devices::{open, settings};
use in_step::Parent;
use planned::{all_sizes, cases_for, dry_run, expected_time, profile_for, request, time_for};

/// Runs the command and returns the exit code.
pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    // Check the command line before anything slow.
    let request = request(arguments, Profile::Quick, false)?;
    let cases = plan(&request)?;
    check_declarations(&cases)?;
    // The parent of a process in step says it.
    let is_told = arguments.in_step.is_none();
    for (filter, names) in by_part(&arguments.filters)?.into_iter().filter(|_| is_told) {
        say(&matched_by_part(filter, &names));
    }
    let dropped = without_size(&request)?;
    if !dropped.is_empty() && is_told {
        say(&format!("left out, no --size fits: {}", dropped.join(", ")));
    }
    if arguments.save_image.is_some() && !cases.iter().any(|case| case.shape.dtype == Dtype::Rgba8) {
        return Err(Error::Usage(
            "--save-image: none of these benchmarks writes an image: add the family texture".to_owned(),
        ));
    }
    if arguments.soak.is_some() {
        soak::check(arguments)?;
    }
    if arguments.parallel {
        parallel::check(arguments)?;
    }
    let paths = arguments.paths();
    paths.check()?;
    compiler::check(&arguments.compilers, &arguments.spirv)?;
    if !arguments.compilers.is_empty() && arguments.backend == Some(Through::One(Api::Cuda)) {
        return Err(Error::Usage("--compiler is for WGSL: CUDA compiles kernels of its own".to_owned()));
    }
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
    battery_note().iter().filter(|_| is_told).for_each(|note| say(note));
    if resumed.is_some() && runs.len() > 1 {
        return Err(Error::Usage("--resume continues a run on one device: select it with --device".to_owned()));
    }
    if arguments.parallel {
        return parallel::run(arguments, &runs, &devices, &paths.open()?, &|rows| tables(arguments, rows));
    }
    if let Some(duration) = arguments.soak {
        let Files { csv, .. } = paths.open()?;
        let take = |run: Vec<usize>| run.into_iter().filter_map(|index| found[index].take()).collect();
        let cards = runs.into_iter().map(take).collect();
        return soak::run(arguments, duration, cards, csv);
    }
    let mut pictures = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        let card: Vec<&Device> = run.iter().map(|index| &devices[*index]).collect();
        let name = if runs.len() > 1 { format!("{}-{number}", name_words(card[0])) } else { String::new() };
        pictures.push(pictures_of(arguments, &card, name)?);
    }
    let files = files.take().map_or_else(|| paths.open(), Ok)?;
    let interrupt = if arguments.in_step.is_some() { Interrupt::listen_in_step()? } else { Interrupt::listen()? };
    let parent = arguments.in_step.is_some().then(|| Parent::listen(&interrupt));
    let (mut all, mut printed): (Vec<Record>, Result<()>) = (Vec::new(), Ok(()));
    let typed = arguments.typed.clone().unwrap_or_else(Typed::of_process);
    let command = Command { arguments, typed, files, interrupt, parent };
    let has_several = runs.len() > 1;
    for (run, pictures) in runs.into_iter().zip(pictures) {
        if command.interrupt.is_requested() {
            return Ok(interrupt::EXIT_CODE);
        }
        let number = has_several.then_some(run[0]);
        let card: Vec<Target> = run.into_iter().filter_map(|index| found[index].take()).collect();
        let (outcome, table) = command.run_on(card, number, resumed.take(), &all, pictures)?;
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

/// Refuses a declaration that does not fit one of its cases.
fn check_declarations(cases: &[Case]) -> Result<()> {
    let declared = cases.iter().filter(|case| case.benchmark.declared.is_some());
    let mut faults = declared.filter_map(|case| Job::new(case).err());
    faults.find(|error| matches!(error, Error::Usage(_))).map_or(Ok(()), Err)
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
        let Fitted { cases, .. } = cases_for(arguments, profile, time_for(arguments, profile), card)?;
        let apis: Vec<_> = card.iter().map(|device| device.api).collect();
        pictures.check(&cases, &apis, arguments.json.as_deref())?;
    }
    Ok(Some(pictures))
}

/// The command line, with its reports open.
struct Command<'a> {
    arguments: &'a Arguments,
    typed: Typed,
    files: Files,
    interrupt: Interrupt,
    /// The parent of a process in step.
    parent: Option<Parent>,
}

impl Command<'_> {
    /// Runs on a card through each API of `card`, or continues the run in `resumed`. `number` is that of the card if there
    /// are several, and `before` has the rows of the previous ones. Returns whether the tables could be printed, too.
    fn run_on(
        &self,
        card: Vec<Target>,
        number: Option<usize>,
        resumed: Option<Parsed>,
        before: &[Record],
        pictures: Option<Pictures>,
    ) -> Result<(Outcome, Result<()>)> {
        let Self { arguments, typed, files, interrupt, parent } = self;
        // Open first: devices that fail to open leave no report.
        let mut backends = open(card, arguments)?;
        let devices: Vec<Device> = backends.iter().map(|backend| backend.device().clone()).collect();
        if arguments.energy {
            backends.iter().try_for_each(|backend| has_energy(backend.as_ref()))?;
        }
        let profile = profile_for(arguments, &devices[0]);
        let time = time_for(arguments, profile);
        let card: Vec<&Device> = devices.iter().collect();
        let fitted = cases_for(arguments, profile, time, &card)?;
        let note = smaller_workgroups(&fitted, &card);
        let Fitted { cases, .. } = fitted;
        let mut settings = settings(arguments, profile, time, &devices);
        let earlier = resumed.map_or_else(
            || Ok(EarlierRows::default()),
            |report| earlier_rows(report, arguments, &cases, &devices, &mut settings),
        )?;
        let own = match &files.csv {
            Some(_) => None,
            None => Some(default_csv(&devices, &settings.date[..10], "", arguments.json.as_deref())?),
        };
        // A file of its own has the rows of its device alone.
        let first = if own.is_none() { before.to_vec() } else { Vec::new() };
        let file = own.as_ref().or(files.csv.as_ref()).map(|file| file.output.clone());
        let file = file.ok_or_else(|| Error::Usage("there is no file for the report".to_owned()))?;
        let count = cases.iter().filter(|case| !case.is_reserve).count();
        match parent {
            Some(parent) => {
                parent.plan(count, devices.len(), settings.epochs.most, file.path());
                settings.pace = Some(Arc::new(parent.clone()));
            }
            None => say(&beginning(&devices, &cases, count, profile, time)),
        }
        note.iter().for_each(|note| say(note));
        // Create the file now: a run killed before its first row also leaves a report.
        let csv = CsvFile::create(file.clone(), first, earlier.records())?;
        let left = count - (earlier.records().len() - earlier.again()) / devices.len();
        // A report of several cards cannot be resumed, nor one that cannot be read.
        let can_resume = (own.is_some() || before.is_empty()) && file.file().is_some();
        let again = can_resume.then(|| typed.clone().resume(file.path(), arguments.json.as_deref(), number));
        let mut progress = Progress::new(devices.len(), time, csv, interrupt.clone(), again.clone());
        match parent {
            Some(_) => progress.hide_rows(),
            None => expected_time(arguments, profile, time, left, &card).iter().for_each(|expected| say(expected)),
        }
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
        bundle::write_all(&mut apis, &cases, &outcome.records, file.path());
        let is_quiet = arguments.is_quiet || parent.is_some();
        let printed = if is_quiet { Ok(()) } else { print(&tables(arguments, &outcome.records)?) };
        let wanted = count * devices.len();
        if let Err(error) = written {
            let when = "once files can be written again";
            say_how_to_go_on(&how_to_go_on(&file, wanted, again.as_ref(), when));
            return Err(error);
        }
        if parent.is_some() {
            // It says the rest.
            return Ok((outcome, printed));
        }
        let (rows, path) = (outcome.records.len(), file.path().display().to_string());
        if !has_summary(arguments) && devices.iter().any(|device| device.kind == DeviceType::Software) {
            say(&format!("{}: {}", devices[0].name, summary::SOFTWARE));
        }
        let is_complete = matches!(outcome.end, End::Complete);
        if is_complete {
            let rows = plural(rows, "row", "rows");
            // A resumed run may have nothing left to measure.
            let share = 100.0 * outcome.measuring.as_secs_f64() / seconds;
            let time = format!("; {seconds:.0} s, {share:.0} % of them spent measuring");
            let time = if outcome.measuring.is_zero() { "" } else { &time };
            // The summary ends with the path.
            let place = if has_summary(arguments) { String::new() } else { format!(" in {path}") };
            say(&format!("{rows}{place}{time}"));
        }
        if is_complete {
            left_out(count, &outcome.left_out, time.unwrap_or_default()).iter().for_each(|line| say(line));
        }
        let measure_rest = || how_to_go_on(&file, wanted, again.as_ref(), "to measure the rest");
        let rest = if is_complete { Vec::new() } else { measure_rest() };
        let next = match () {
            () if !is_complete => None,
            () if arguments.own.is_some() => Some("next: shaderbench compare OLD NEW, report FILE".to_owned()),
            () => all_sizes(arguments, typed.clone(), profile, &card).or_else(|| Some(NEXT.to_owned())),
        };
        // The command that measures the rest has the path.
        let path = Some(path).filter(|_| rest.len() < 2);
        let after: Vec<String> = next.into_iter().chain(path).collect();
        let printed = printed.and_then(|()| {
            print_summary(arguments, &outcome.records, &after, summary::lines_of(rest.iter().map(String::as_str)))
        });
        say_how_to_go_on(&rest);
        Ok((outcome, printed))
    }
}

/// What to type after a run of all sizes.
const NEXT: &str = "next: shaderbench explain NAME, show NAME, report FILE, compare OLD NEW";

/// A sentence, and the command that it ends with.
fn say_how_to_go_on(lines: &[String]) {
    if let Some((sentence, command)) = lines.split_first() {
        say(sentence);
        command.iter().for_each(|command| say_whole(command));
    }
}

/// Refuses `--energy` on a card without a counter or a sensor.
fn has_energy(backend: &dyn Backend) -> Result<()> {
    let has = backend.monitor().is_some_and(|mut monitor| monitor.joules().or_else(|| monitor.watts()).is_some());
    let refusal = || {
        let name = &backend.device().name;
        Error::Usage(format!("--energy: {name} reports neither an energy counter nor its power: run without --energy"))
    };
    if has { Ok(()) } else { Err(refusal()) }
}

/// The tables that the user asks for. A terminal has no room for all of them; a pipe gets them all.
fn tables(arguments: &Arguments, records: &[Record]) -> Result<String> {
    let usual = || match (is_on_terminal(), !arguments.names_benchmarks()) {
        (false, _) => Tables::All,
        (true, true) => Tables::None,
        (true, false) => Tables::Family,
    };
    let selected = select_tagged(&arguments.filters, &arguments.tags)?;
    let is_named = |row: &&Record| match arguments.own {
        Some(own) => row.family == own.name,
        None => selected.iter().any(|(family, benchmark)| row.family == family.name && row.benchmark == benchmark.name),
    };
    let mut sections = report::sections(records);
    match arguments.table.unwrap_or_else(usual) {
        Tables::All => {}
        Tables::Family => sections.retain(|section| section.rows.iter().any(is_named)),
        Tables::None => return Ok(crate::answers::compilers(&sections, arguments.format.medium())),
    }
    Ok(crate::answers::write(&sections, arguments.format.medium()))
}

/// Whether the run ends with a summary: `explain` shows its rows, Markdown is for tables alone, and kernels of `bench` do no
/// job of the suite.
fn has_summary(arguments: &Arguments) -> bool {
    !arguments.is_quiet && arguments.format != TableFormat::Markdown && arguments.own.is_none()
}

/// Prints the summary, which ends with what to type next and the path of the report, and leaves room for `lines` lines
/// below it.
fn print_summary(arguments: &Arguments, records: &[Record], after: &[String], lines: usize) -> Result<()> {
    if arguments.is_quiet || arguments.format == TableFormat::Markdown {
        return Ok(());
    }
    if !has_summary(arguments) {
        return print(&after.iter().map(|line| format!("{line}\n")).collect::<String>());
    }
    // On a terminal, tables do not precede it at once.
    let gap = if is_on_terminal() { "" } else { "\n" };
    let lines = summary::LINES.saturating_sub(lines);
    print(&format!("{gap}{}", card_within(records, after, lines, terminal())))
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
    say(&format!("{path}: keeping {}{again}", plural(earlier.records().len(), "row", "rows")));
    Ok(earlier)
}
