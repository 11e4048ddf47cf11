//! `run`: selects devices, plans and measures cases, and writes reports.

mod arguments;
mod devices;
mod planned;
mod running;
mod screen;
mod served;
mod settings;
mod supervisor;
mod turns;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::bundle;
use super::compare::compare_turns;
use super::host::battery_note;
use super::interrupt::{self, Interrupt};
use super::kernel_files::KernelFiles;
use super::messages::{self, beginning, how_to_go_on, matched_by_part, smaller_workgroups};
use super::output::{leave_stdout_to, print, say};
use super::outputs::{ANOTHER_FILE, LockedFile, check_different, check_new, default_csv, is_source, words};
use super::pictures::{Pictures, draws};
use super::progress::Progress;
use super::selection::{select_runs, why_this_card};
use super::worker::{Done, Listed, Run, list, list_of};
use answers::compare::Report;
use answers::report::csv::Parsed;
use answers::report::{self, CsvFile, Output, check_folder};
use answers::summary;
use gpu::backend::Device;
use gpu::engine::plan::{by_part, plan, without_size};
use gpu::engine::{Fitted, RowTable, Settings};
use gpu::job::Job;
use record::Record;
use record::error::{Error, Result, shown, usage};
use record::format::plural;
use record::suite::{Case, DeviceType, Profile, budget};

pub(super) use arguments::Arguments;
use planned::{all_sizes, cases_for, dry_run, expected_time, profile_for, request, time_for};
use running::Running;
use screen::{NEXT, has_summary, print_summary, say_complete, tables};
pub(super) use served::serve;
use settings::settings;
use supervisor::{End, Supervisor};

pub(super) fn run(mut arguments: Arguments) -> Result<u8> {
    if arguments.unchecked && arguments.shaders.is_none() && arguments.against_shaders.is_none() {
        return Err(usage!(
            "--unchecked applies to the kernels of --shaders or --against-shaders: add one of these options"
        ));
    }
    if arguments.against_shaders.is_some() && !arguments.unchecked {
        say("--against-shaders: the folder's kernels run with run-time checks, the suite's kernels without; \
             --unchecked turns the checks off");
    }
    arguments.load()?;
    measure(&arguments)
}

/// Lists the cases of the loaded kernels, measures them, or continues their run. Returns the exit code.
pub(super) fn measure(arguments: &Arguments) -> Result<u8> {
    // Before anything slow.
    check(arguments)?;
    arguments.check_files()?;
    arguments.json.iter().for_each(|path| leave_stdout_to(path));
    // Locked before it is read: another run may be writing it.
    let is_there = arguments.resume.as_ref().is_some_and(|path| path.exists());
    let files = is_there.then(|| arguments.open_files()).transpose()?;
    let mut resumed = arguments.resume.as_deref().map(report::csv::open).transpose()?;
    let listed = list(arguments.backend)?;
    let runs = select_runs(&listed.devices, arguments.device.as_deref(), arguments.backend)?;
    let card = |run: &[usize]| run.iter().map(|index| &listed.devices[*index]).collect::<Vec<_>>();
    if arguments.dry_run {
        return dry_run(arguments, &card(&runs[0]));
    }
    budget::end_preparing();
    if arguments.device.is_none() {
        why_this_card(&listed.devices, &runs[0]).iter().for_each(|why| say(why));
    }
    battery_note().iter().for_each(|note| say(note));
    let has_several = runs.len() > 1;
    let other = arguments.other_side();
    if other.is_none() && arguments.fail_on_regression.is_some() {
        return Err(usage!("--fail-on-regression needs a second build: give --against, or use `compare OLD NEW`"));
    }
    if other.is_some() && (has_several || runs[0].len() > 1) {
        return Err(usage!("--against compares builds on one device and API: select them with --device and --backend"));
    }
    let other = other.map(|(command, files)| listed_beside(command, arguments, &card(&runs[0])).map(|of| (of, files)));
    let other = other.transpose()?;
    if resumed.is_some() && has_several {
        return Err(usage!("--resume continues a run on one device: select the device with --device"));
    }
    let pictures = |(number, run): (usize, &Vec<usize>)| {
        let name = if has_several { format!("{}-{number}", words(&card(run)[0].name)) } else { String::new() };
        pictures(arguments, &card(run), name)
    };
    let pictures = runs.iter().enumerate().map(pictures).collect::<Result<Vec<_>>>()?;
    let files = files.map_or_else(|| arguments.open_files(), Ok)?;
    let (csv, json) = files;
    let command = Command { arguments, csv, json, interrupt: Interrupt::listen()? };
    if let Some(other) = other {
        let own = (listed, runs.into_iter().next().unwrap_or_default());
        return command.run_in_turns(own, other, resumed, pictures.into_iter().next().flatten());
    }
    let (mut all, mut printed): (Vec<Record>, Result<()>) = (Vec::new(), Ok(()));
    let mut listed = Some(listed);
    for (run, pictures) in runs.into_iter().zip(pictures) {
        if command.interrupt.is_requested() {
            return Ok(interrupt::EXIT_CODE);
        }
        let number = has_several.then_some(run[0]);
        let listed = listed.take().map_or_else(|| list(arguments.backend), Ok)?;
        let (records, end, table) = command.run_on(listed, run, number, resumed.take(), &all, pictures)?;
        // A table that cannot be printed must not end the run: other devices may follow.
        printed = printed.and(table);
        all.extend(records);
        match end {
            Ok(Done { is_interrupted: false, .. }) => {}
            Ok(_) => return printed.map(|()| interrupt::EXIT_CODE),
            Err(error) => return Err(error),
        }
    }
    printed?;
    let is_fault = |record: &Record| arguments.fail_on.contains(&record.status);
    Ok(if all.iter().any(is_fault) { 3 } else { 0 })
}

/// The devices that `command`, or another process of this program, lists, and the index of the one to measure: `card`,
/// or what the same options select there.
fn listed_beside(command: Option<&str>, arguments: &Arguments, card: &[&Device]) -> Result<(Listed, Vec<usize>)> {
    let listed = match command {
        Some(command) => list_of(command, arguments.backend)?,
        None => list(arguments.backend)?,
    };
    let is_it = |device: &Device| {
        let place = |device: &Device| (device.api, device.pci_address.clone(), device.uuid.clone());
        place(device) == place(card[0]) && device.name == card[0].name
    };
    let run = match listed.devices.iter().position(is_it) {
        Some(index) => vec![index],
        None => select_runs(&listed.devices, arguments.device.as_deref(), arguments.backend)?.swap_remove(0),
    };
    Ok((listed, run))
}

/// Checks the command line, and reports what its filters and sizes select.
fn check(arguments: &Arguments) -> Result<()> {
    let request = request(arguments, Profile::Quick, false);
    let cases = plan(&request)?;
    check_declarations(&cases)?;
    for (filter, names) in by_part(&arguments.filters)? {
        say(&matched_by_part(filter, &names));
    }
    let dropped = without_size(&request)?;
    if !dropped.is_empty() {
        say(&format!("left out because no --size fits: {}", dropped.join(", ")));
    }
    let refusal = if !request.sizes.is_empty() && cases.iter().all(|case| case.family.name == "ceiling") {
        "--size does not apply to ceilings, which measure a device's peaks at fixed sizes: omit --size, or run \
         `stream` or `roofline`"
    } else if arguments.save_image.is_some() && !cases.iter().any(draws) {
        "--save-image: none of these kernels draws an image (the texture family does, as do bench kernels that write \
         texture_storage_2d<rgba8unorm>)"
    } else {
        return Ok(());
    };
    Err(Error::Usage(refusal.to_owned()))
}

/// Refuses a declaration that does not fit one of its cases.
fn check_declarations(cases: &[Case]) -> Result<()> {
    let declared = cases.iter().filter(|case| case.benchmark.declared.is_some());
    let mut faults = declared.filter_map(|case| Job::new(case).err());
    faults.find(|error| matches!(error, Error::Usage(_))).map_or(Ok(()), Err)
}

impl Arguments {
    /// Refuses paths that cannot be written, hold files, or collide. Changes nothing.
    fn check_files(&self) -> Result<()> {
        for (option, path) in [("--out", &self.out), ("--json", &self.json)] {
            let Some(path) = path else { continue };
            if is_source(path) {
                return Err(usage!("{option} {}: a report cannot have a kernel's file extension", shown(path)));
            }
            check_new(path, self.force, ANOTHER_FILE)?;
        }
        let out = self.out.as_deref().map(|path| ("--out", path));
        let csv = out.or(self.resume.as_deref().map(|path| ("--resume", path)));
        if let (Some(csv), Some(json)) = (csv, &self.json) {
            check_different(csv, ("--json", json))?;
        }
        match &self.save_image {
            Some(folder) if folder.exists() && !folder.is_dir() => {
                Err(usage!("--save-image: {} is a file; name a folder", folder.display()))
            }
            _ => Ok(()),
        }
    }

    /// Checks that files can be written, creates the image folder, and locks the CSV. Returns the CSV and the JSON
    /// report that the user names.
    fn open_files(&self) -> Result<(Option<LockedFile>, Option<Output>)> {
        let is_new = !self.force;
        let out = self.out.as_deref().map(|path| LockedFile::open(path, is_new));
        let csv = out.or_else(|| Some(LockedFile::open(self.resume.as_deref()?, false))).transpose()?;
        if let Some(out) = &self.out {
            // A run that held the lock may have just written the file.
            check_new(out, self.force, ANOTHER_FILE)?;
        }
        let json = self.json.as_deref().map(if is_new { Output::open_new } else { Output::open }).transpose()?;
        if let Some(folder) = &self.save_image {
            let checked = std::fs::create_dir_all(folder).and_then(|()| check_folder(folder));
            checked.map_err(Error::io("write into", folder))?;
        }
        Ok((csv, json))
    }
}

/// The images of a run on `card`, if wanted. Refuses to overwrite other files; a resumed run finds its earlier images.
fn pictures(arguments: &Arguments, card: &[&Device], name: String) -> Result<Option<Pictures>> {
    let Some(folder) = &arguments.save_image else { return Ok(None) };
    let pictures = Pictures::new(folder, name, card.len() > 1, arguments.force);
    if arguments.resume.is_none() {
        let profile = profile_for(arguments, card[0]);
        let Fitted { cases, .. } = cases_for(arguments, profile, time_for(arguments, profile, card.len()), card)?;
        let apis: Vec<_> = card.iter().map(|device| device.api).collect();
        pictures.check(&cases, &apis, arguments.json.as_deref())?;
    }
    Ok(Some(pictures))
}

/// The command line, with its reports open.
struct Command<'a> {
    arguments: &'a Arguments,
    /// The files that the user names.
    csv: Option<LockedFile>,
    json: Option<Output>,
    interrupt: Interrupt,
}

/// The result of a run on a card: its rows, how it ended, and whether its tables could be printed.
type Left = (Vec<Record>, End, Result<()>);

/// State from the start of a run that is needed at its end.
struct Begun {
    /// The report, if the card has its own.
    _own: Option<LockedFile>,
    /// The number of the card, if there are several.
    number: Option<usize>,
    can_resume: bool,
    path: PathBuf,
    count: usize,
    profile: Profile,
    time: Option<Duration>,
    start: Instant,
}

impl Command<'_> {
    /// Measures on a card (indices into the devices of `listed`, one per API), or continues the run in `resumed`.
    /// `number` is the card's if there are several, and `before` has the rows of the previous ones.
    fn run_on(
        &self,
        listed: Listed,
        card: Vec<usize>,
        number: Option<usize>,
        resumed: Option<Parsed>,
        before: &[Record],
        pictures: Option<Pictures>,
    ) -> Result<Left> {
        let files = self.arguments.files.clone();
        let mut supervisor = Supervisor::new(listed, card, self.arguments, files, &self.interrupt);
        let (running, begun) = self.prepare(supervisor.devices()?, Ok, number, resumed, before, pictures)?;
        let (running, end) = supervisor.measure(running)?;
        self.conclude(running, end, &begun)
    }

    /// Measures alternately with another build or set of kernels, prints the differences, and returns the exit code.
    fn run_in_turns(
        &self,
        (listed, card): (Listed, Vec<usize>),
        ((other, other_card), files): ((Listed, Vec<usize>), KernelFiles),
        resumed: Option<Parsed>,
        pictures: Option<Pictures>,
    ) -> Result<u8> {
        let arguments = self.arguments;
        let side = |listed, card, files| Supervisor::new(listed, card, arguments, files, &self.interrupt);
        let mut sides = [side(listed, card, arguments.files.clone()), side(other, other_card, files)];
        let devices = turns::devices(&mut sides)?;
        let lacking = |build: &str, names: &[String]| {
            say(&format!("cases that build {build} lacks are left out: {}", messages::first_of(names)));
        };
        let common = |cases| turns::common(&mut sides, cases, lacking);
        let (running, begun) = self.prepare(devices, common, None, resumed, &[], pictures)?;
        let epochs = arguments.epochs.map_or(turns::EPOCHS, usize::from);
        say(&format!("{epochs} epochs per side, alternating, each in its own process"));
        let (running, end) = turns::measure(&mut sides, running, epochs)?;
        let (records, end, printed) = self.conclude(running, end, &begun)?;
        if end?.is_interrupted {
            return printed.map(|()| interrupt::EXIT_CODE);
        }
        printed?;
        let name = begun.path.display().to_string();
        let code = compare_turns(Report { name, records: records.clone() }, arguments.fail_on_regression)?;
        let is_fault = |record: &Record| arguments.fail_on.contains(&record.status);
        Ok(if records.iter().any(is_fault) { 3 } else { code })
    }

    /// Prepares the run on the open devices of a card. `common` selects the cases that can be measured.
    fn prepare(
        &self,
        devices: Vec<Device>,
        common: impl FnOnce(Vec<Case>) -> Result<Vec<Case>>,
        number: Option<usize>,
        resumed: Option<Parsed>,
        before: &[Record],
        pictures: Option<Pictures>,
    ) -> Result<(Running, Begun)> {
        let Self { arguments, csv, json, interrupt } = self;
        let is_begun = resumed.is_some() || !before.is_empty();
        let profile = profile_for(arguments, &devices[0]);
        let time = time_for(arguments, profile, devices.len());
        let card: Vec<&Device> = devices.iter().collect();
        let fitted = cases_for(arguments, profile, time, &card)?;
        let note = smaller_workgroups(&fitted, &card);
        let cases = common(fitted.cases)?;
        let mut settings = settings(arguments, profile, time, &devices)?;
        let earlier = resumed.map_or_else(
            || Ok(RowTable::default()),
            |report| earlier_rows(report, arguments, &cases, &devices, &mut settings),
        )?;
        let own_file = match csv {
            Some(_) => None,
            None => Some(default_csv(&devices, &settings.date[..10], arguments.json.as_deref())?),
        };
        // A device's own file has only its rows.
        let first = if own_file.is_none() { before.to_vec() } else { Vec::new() };
        let file = own_file.as_ref().or(csv.as_ref()).map(|file| file.output.clone());
        let file = file.ok_or_else(|| usage!("the run has no file for its report: name a file with --out"))?;
        if !is_begun {
            bundle::clear(file.path());
        }
        let count = cases.iter().filter(|case| !case.is_reserve).count();
        say(&beginning(&devices, &cases, count, profile, time));
        note.iter().for_each(|note| say(note));
        // Create the file now: a run killed before its first row also leaves a report.
        let csv = CsvFile::create(file.clone(), first, earlier.records())?;
        let measured = (earlier.records().len() - earlier.repeats()) / devices.len();
        let left = count.saturating_sub(measured);
        // A report of several cards, or one that cannot be read, cannot be resumed.
        let can_resume = (own_file.is_some() || before.is_empty()) && file.file().is_some();
        let rest = || format!("stopped immediately; {}", messages::resume(file.path(), number));
        *interrupt.rest() = can_resume.then(rest);
        let mut progress = Progress::new(devices.len(), time, csv, interrupt.clone());
        expected_time(arguments, profile, time, left, &card).iter().for_each(|expected| say(expected));
        if let Some(json) = json {
            progress.write_json(json.clone(), before.to_vec());
        }
        let order = Run { settings, report: file.path().into(), pictures, companions: 0 };
        let path = file.path().to_owned();
        let begun = Begun { _own: own_file, number, can_resume, path, count, profile, time, start: Instant::now() };
        Ok((Running::new(cases, devices, progress, earlier, order), begun))
    }

    /// Completes the reports, and prints the tables and the summary.
    fn conclude(&self, running: Running, end: End, begun: &Begun) -> Result<Left> {
        let Self { arguments, interrupt, .. } = self;
        let Running { devices, mut progress, table, .. } = running;
        let records = table.into_records();
        let Begun { number, can_resume, count, profile, time, .. } = begun;
        let (count, card) = (*count, devices.iter().collect::<Vec<&Device>>());
        let seconds = begun.start.elapsed().as_secs_f64();
        let is_complete = end.as_ref().is_ok_and(|done| !done.is_interrupted);
        if !is_complete {
            interrupt.end();
        }
        let written = progress.end(&records);
        let file = progress.output().clone();
        drop(progress);
        let rest = can_resume.then(|| messages::resume(file.path(), *number));
        // With --against, the comparison is printed instead.
        let is_in_turns = arguments.other_side().is_some();
        let is_printed = !arguments.is_quiet && (!is_in_turns || arguments.table.is_some());
        let printed = if is_printed { print(&tables(arguments, &records)?) } else { Ok(()) };
        let wanted = count * devices.len();
        if let Err(error) = written {
            say(&how_to_go_on(&file, wanted, rest.as_deref()));
            return Err(error);
        }
        let path = file.path().display().to_string();
        if !has_summary(arguments) && devices.iter().any(|device| device.kind == DeviceType::Software) {
            say(&format!("{}: {}", devices[0].name, summary::SOFTWARE));
        }
        if let Ok(Done { is_interrupted: false, left_out, measuring, .. }) = &end {
            say_complete(arguments, (records.len(), seconds, *measuring), &path);
            let time = time.unwrap_or_default();
            messages::left_out(count, left_out, &records, time).iter().for_each(|line| say(line));
        }
        let rest = (!is_complete).then(|| how_to_go_on(&file, wanted, rest.as_deref()));
        let next = match () {
            () if !is_complete => None,
            () if arguments.kernels.own.is_some() => Some("next: shaderbench compare OLD NEW, report FILE".to_owned()),
            () => all_sizes(arguments, *profile, &card).or_else(|| Some(NEXT.to_owned())),
        };
        // `rest` already names the path.
        let is_whole = !arguments.names_benchmarks()
            && has_summary(arguments)
            && arguments.sizes.is_empty()
            && arguments.params.is_empty()
            && arguments.shaders.is_none();
        let path = if is_whole { format!("to share: shaderbench share {path}") } else { path };
        let path = Some(path).filter(|_| is_complete);
        let after: Vec<String> = next.into_iter().chain(path).collect();
        let printed = printed.and_then(|()| {
            if is_in_turns {
                Ok(())
            } else {
                print_summary(arguments, &records, &after, summary::lines_of(rest.iter().map(String::as_str)))
            }
        });
        rest.iter().for_each(|rest| say(rest));
        Ok((records, end, printed))
    }
}

/// The rows of the report to resume. New rows get its date, because they belong to the same run.
fn earlier_rows(
    report: Parsed,
    arguments: &Arguments,
    cases: &[Case],
    devices: &[Device],
    settings: &mut Settings,
) -> Result<RowTable> {
    let path = arguments.resume.as_deref().unwrap_or(Path::new("")).display();
    for note in &report.notes {
        say(&format!("{path}: {note}"));
    }
    if let Some(first) = report.records.first() {
        settings.date.clone_from(&first.date);
        settings.seed = first.seed.unwrap_or(settings.seed);
    }
    let earlier = RowTable::resumed(report.records, cases, devices, settings)
        .map_err(|reason| usage!("{path} cannot be resumed: it {reason}"))?;
    let earlier = if arguments.retry_timeouts { earlier.retry_timeouts() } else { earlier };
    let again = match earlier.repeats() {
        0 => String::new(),
        again => format!("; rerunning {again}"),
    };
    let given_up = match earlier.given_up() {
        0 => String::new(),
        count => format!(" ({count} not rerun, since they timed out or crashed twice; --retry-timeouts reruns these)"),
    };
    say(&format!("{path}: keeping {}{given_up}{again}", plural(earlier.records().len(), "row", "rows")));
    Ok(earlier)
}
