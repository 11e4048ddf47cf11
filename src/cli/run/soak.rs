//! `run --soak`: each case for a long time, second by second.

use std::time::Duration;

use super::arguments::Arguments;
use super::devices::settings;
use super::planned::{cases_for, profile_for};
use crate::answers::soak::text::{HEADER, Head, line, table};
use crate::backend::{Device, card_name};
use crate::cli::interrupt::{self, Interrupt};
use crate::cli::output::{print, say};
use crate::cli::outputs::{LockedFile, default_csv};
use crate::cli::values::plural;
use crate::cli::worker::{Event, Listed, Load, Opened, Order, Stopped, list};
use crate::engine::plan::select_tagged;
use crate::engine::{Fitted, Settings};
use crate::error::{Error, Result};
use crate::record::Moment;
use crate::suite::{Benchmark, Case, Family, Profile};

/// Time between writes of the CSV, in seconds, or this share of the time so far, whichever is longer: the whole file is
/// written.
const WRITE: (f64, f64) = (10.0, 0.02);

/// Refuses a load of everything.
pub(super) fn check(arguments: &Arguments) -> Result<()> {
    if !arguments.names_benchmarks() {
        return Err(Error::Usage(
            "--soak: name what to run for so long, such as ceiling/fma --size 2^24 or matmul/register_blocked"
                .to_owned(),
        ));
    }
    Ok(())
}

/// The cases of a load, without the ceilings that rows of a run are compared with.
pub(super) fn cases(arguments: &Arguments, profile: Profile, devices: &[Device]) -> Result<Vec<Case>> {
    let known: Vec<&Device> = devices.iter().collect();
    let Fitted { mut cases, .. } = cases_for(arguments, profile, None, &known)?;
    let selected = select_tagged(&arguments.filters, &arguments.tags)?;
    cases.retain(|case| {
        let is_named = |(family, benchmark): &(&Family, &Benchmark)| {
            case.family.name == family.name && case.benchmark.name == benchmark.name
        };
        arguments.own.map_or_else(|| selected.iter().any(is_named), |own| case.family.name == own.name)
    });
    Ok(cases)
}

/// Runs the cases on each card of `runs`, one after the other, and returns the exit code.
pub(super) fn run(
    arguments: &Arguments,
    duration: Duration,
    listed: Listed,
    runs: &[Vec<usize>],
    mut file: Option<LockedFile>,
) -> Result<u8> {
    let interrupt = Interrupt::listen()?;
    let (mut text, mut is_wrong, mut listed) = (HEADER.to_owned(), false, Some(listed));
    for run in runs {
        let next = listed.take().map_or_else(|| list(arguments.backend), Ok)?;
        let mut opened = next.open(run.clone())?;
        let devices = opened.devices.clone();
        let profile = profile_for(arguments, &devices[0]);
        let cases = cases(arguments, profile, &devices)?;
        let settings = settings(arguments, profile, None, &devices)?;
        let (count, total) = (cases.len() * devices.len(), duration * (cases.len() * devices.len()) as u32);
        say(&format!(
            "{} on {}: {} of {} s each, {:.1} min in all",
            if count == 1 { "load" } else { "loads" },
            devices[0].name,
            plural(count, "case", "cases"),
            duration.as_secs(),
            total.as_secs_f64() / 60.0
        ));
        if file.is_none() {
            file = Some(default_csv(&devices, &settings.date[..10], "-soak", None)?);
        }
        let output = &file.as_ref().ok_or_else(|| Error::Usage("there is no file for the report".to_owned()))?.output;
        for (index, case) in cases.iter().enumerate() {
            for (api, device) in devices.iter().enumerate() {
                let head = head(&settings, device);
                let (mut moments, mut written): (Vec<Moment>, f64) = (Vec::new(), 0.0);
                let load = Load { case: index, api, seconds: duration.as_secs_f64() };
                let mut is_told = false;
                let mut observe = |moment: Moment| -> Result<bool> {
                    text.push_str(&line(&head, case, &moment));
                    let seconds = moment.seconds;
                    moments.push(moment);
                    if seconds - written >= WRITE.0.max(WRITE.1 * seconds) {
                        written = seconds;
                        output.replace(text.as_bytes())?;
                    }
                    Ok(interrupt.is_requested() && !std::mem::replace(&mut is_told, true))
                };
                let loaded = load_one(&mut opened, load, &mut observe);
                output.replace(text.as_bytes())?;
                match loaded? {
                    Loaded::Right => {}
                    Loaded::Wrong(mismatch) => {
                        is_wrong = true;
                        let seconds = moments.last().map_or(0.0, |moment| moment.seconds);
                        say(&format!("{case}: wrong after {seconds:.0} s: {mismatch}"));
                    }
                    Loaded::Failed(why) => {
                        is_wrong = true;
                        say(&format!("{case}: {why}"));
                        continue;
                    }
                    Loaded::Died(how) => {
                        is_wrong = true;
                        say(&format!("{case}: {how}"));
                        opened = list(arguments.backend)?.open(run.clone())?;
                        continue;
                    }
                }
                print(&format!("\n{}", table(case, &moments)))?;
                if interrupt.is_requested() {
                    interrupt.end();
                    say(&format!("{}", output.path().display()));
                    return Ok(interrupt::EXIT_CODE);
                }
            }
        }
        say(&format!("{}", output.path().display()));
    }
    interrupt.end();
    Ok(if is_wrong { 3 } else { 0 })
}

fn head(settings: &Settings, device: &Device) -> Head {
    let identity = settings.identity(card_name(device));
    Head {
        date: settings.date.clone(),
        host: identity.host,
        device: device.name.clone(),
        card: identity.card,
        api: device.api.name().to_owned(),
    }
}

/// How a load ended.
enum Loaded {
    Right,
    /// With the first wrong element.
    Wrong(String),
    Failed(String),
    /// The worker died.
    Died(String),
}

/// Loads the device with one case. `observe` takes each second, and returns whether to end the load.
fn load_one(opened: &mut Opened, load: Load, observe: &mut dyn FnMut(Moment) -> Result<bool>) -> Result<Loaded> {
    opened.worker.order(&Order::Load(load));
    loop {
        let event = match opened.next() {
            Ok(event) => event,
            Err(Stopped::Refused(error)) => return Err(error),
            Err(Stopped::Died(death)) => return Ok(Loaded::Died(death.how)),
        };
        match event {
            Event::Moment(moment) => {
                if observe(moment)? {
                    opened.worker.order(&Order::Stop);
                }
                opened.worker.order(&Order::Continue);
            }
            Event::Loaded { wrong: Some(wrong), .. } => return Ok(Loaded::Wrong(wrong)),
            Event::Loaded { error: Some(why), ends_device: true, .. } => return Err(Error::NoDevice(why)),
            Event::Loaded { error: Some(why), .. } => return Ok(Loaded::Failed(why)),
            Event::Loaded { .. } => return Ok(Loaded::Right),
            _ => {}
        }
    }
}
