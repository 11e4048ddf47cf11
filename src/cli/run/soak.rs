//! `run --soak`: each case for a long time, second by second.

use std::ops::ControlFlow;
use std::time::Duration;

use super::arguments::Arguments;
use super::devices::{open, settings};
use super::planned::{cases_for, profile_for};
use crate::answers::soak::text::{HEADER, Head, line, table};
use crate::backend::{Device, card_name};
use crate::cli::interrupt::{self, Interrupt};
use crate::cli::output::{print, say};
use crate::cli::outputs::{LockedFile, default_csv};
use crate::cli::target::Target;
use crate::cli::values::plural;
use crate::engine::plan::select_tagged;
use crate::engine::{Fitted, soak};
use crate::error::{Error, Result};
use crate::suite::{Benchmark, Family};

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

/// Runs the cases on each of `cards`, one after the other, and returns the exit code.
pub(super) fn run(
    arguments: &Arguments,
    duration: Duration,
    cards: Vec<Vec<Target>>,
    mut file: Option<LockedFile>,
) -> Result<u8> {
    let interrupt = Interrupt::listen()?;
    let (mut text, mut is_wrong) = (HEADER.to_owned(), false);
    for card in cards {
        let mut backends = open(card, arguments)?;
        let devices: Vec<Device> = backends.iter().map(|backend| backend.device().clone()).collect();
        let profile = profile_for(arguments, &devices[0]);
        let known: Vec<&Device> = devices.iter().collect();
        let Fitted { mut cases, .. } = cases_for(arguments, profile, None, &known)?;
        // Without the ceilings that rows of a run are compared with.
        let selected = select_tagged(&arguments.filters, &arguments.tags)?;
        cases.retain(|case| {
            let is_named = |(family, benchmark): &(&Family, &Benchmark)| {
                case.family.name == family.name && case.benchmark.name == benchmark.name
            };
            arguments.own.map_or_else(|| selected.iter().any(is_named), |own| case.family.name == own.name)
        });
        let settings = settings(arguments, profile, None, &devices);
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
        for case in &cases {
            for backend in &mut backends {
                let device = backend.device().clone();
                let identity = settings.identity(card_name(&device));
                let head = Head {
                    date: settings.date.clone(),
                    host: identity.host,
                    device: device.name.clone(),
                    card: identity.card,
                    api: device.api.name().to_owned(),
                };
                let (mut moments, mut written, mut failure) = (Vec::new(), 0.0, Ok(()));
                let mut observe = |moment: crate::record::Moment| {
                    text.push_str(&line(&head, case, &moment));
                    let seconds = moment.seconds;
                    moments.push(moment);
                    if seconds - written >= WRITE.0.max(WRITE.1 * seconds) {
                        written = seconds;
                        failure = output.replace(text.as_bytes());
                    }
                    if failure.is_err() || interrupt.is_requested() {
                        return ControlFlow::Break(());
                    }
                    ControlFlow::Continue(())
                };
                let seconds = duration.as_secs_f64();
                let measured = pollster::block_on(soak(backend.as_mut(), case, &settings, seconds, &mut observe));
                failure?;
                output.replace(text.as_bytes())?;
                match measured {
                    Ok(None) => {}
                    Ok(Some(mismatch)) => {
                        is_wrong = true;
                        say(&format!(
                            "{case}: wrong after {:.0} s: {mismatch}",
                            moments.last().map_or(0.0, |m| m.seconds)
                        ));
                    }
                    Err(error) if error.ends_device() => return Err(error),
                    Err(error) => {
                        say(&format!("{case}: {}", error.chain()));
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
