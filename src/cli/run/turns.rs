//! `run --against`: alternates between this program and another build, or the same with other drivers or kernels.
//!
//! Each side has a worker. For each case, one measures while the other waits, in random order. Each epoch has new
//! processes, so that differences between processes are part of the differences between epochs.

use super::running::{Running, Turn};
use super::supervisor::{End, Supervisor};
use crate::cli::worker::Done;
use gpu::backend::{CompilerName, Device};
use gpu::engine::{Expected, Observer, stream_of};
use record::error::{Result, usage};
use record::suite::{AGAINST, Case};

/// Epochs per side: six decided 91 to 93 % of the rows of `quick` within 1 % on an H200.
pub(super) const EPOCHS: usize = 6;

/// The devices of both sides. The other side's device names the build as its compiler.
pub(super) fn devices(sides: &mut [Supervisor; 2]) -> Result<Vec<Device>> {
    let [own, against] = sides;
    let (mut devices, others) = (own.devices()?, against.devices()?);
    let compiler = CompilerName { name: AGAINST.to_owned(), version: against.build.clone() };
    devices.extend(others.into_iter().map(|device| Device { kernel_compiler: compiler.clone(), ..device }));
    Ok(devices)
}

/// The cases that both programs know. Reports the others.
pub(super) fn common(
    sides: &mut [Supervisor; 2],
    mut cases: Vec<Case>,
    say: impl Fn(&str, &[String]),
) -> Result<Vec<Case>> {
    for side in sides {
        let known = side.known(&cases)?;
        let (kept, lacking): (Vec<_>, Vec<_>) = cases.into_iter().zip(known).partition(|(_, is_known)| *is_known);
        cases = kept.into_iter().map(|(case, _)| case).collect();
        let mut names: Vec<String> = lacking.into_iter().map(|(case, _)| case.name()).collect();
        names.dedup();
        if !names.is_empty() {
            say(&side.build, &names);
        }
    }
    if cases.is_empty() { Err(usage!("--against: the two builds have no case in common")) } else { Ok(cases) }
}

/// Measures the epochs of both sides, each in its own process.
pub(super) fn measure(sides: &mut [Supervisor; 2], mut running: Running, epochs: usize) -> Result<(Running, End)> {
    let first = running.epochs().min(epochs);
    let left = vec![Expected { is_new: false, epochs: sides.len() * (epochs - first) }; running.cases.len()];
    running.progress.plan(&left);
    let (mut done, mut round) = (Done::default(), first);
    for epoch in first + 1..=epochs {
        let mut is_measuring = [true; 2];
        while is_measuring.contains(&true) {
            // The side that is first is random for each case.
            let last = (stream_of(running.seed(), round) & 1) as usize;
            round += 1;
            for side in [1 - last, last] {
                if !is_measuring[side] {
                    continue;
                }
                if running.progress.is_interrupted() {
                    return Ok((running, Ok(Done { is_interrupted: true, ..done })));
                }
                running.turn = Some(Turn { side, build: sides[side].build.clone(), epochs: epoch });
                let (measured, end) = sides[side].take_turn(running)?;
                running = measured;
                match end {
                    None => {}
                    Some(Ok(process)) if !process.is_interrupted => {
                        is_measuring[side] = false;
                        done.measuring += process.measuring;
                    }
                    Some(end) => return Ok((running, end)),
                }
            }
        }
    }
    Ok((running, Ok(done)))
}
