//! The messages between the program and its workers.

use std::ffi::OsString;
use std::io::{BufRead, Read};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cli::kernel_files::KernelFiles;
use crate::cli::pictures::Pictures;
use crate::cli::target::Through;
pub(in crate::cli) use gpu::backend::Activity;
use gpu::backend::Device;
use gpu::engine::measure::Timer;
use gpu::engine::plan::CaseName;
use gpu::engine::{Expected, LeftOut, RowTable, Settings};
use record::Record;
use record::error::{Error, Result, usage};
use record::suite::Api;

/// Version of these messages, to change with them: a program that is replaced while it runs starts newer workers.
pub(in crate::cli) const VERSION: u32 = 3;

/// Most bytes of a message: rows with all their samples take some megabytes.
pub(super) const MOST_MESSAGE: usize = 256 << 20;

/// Most bytes of a line that a driver writes. Longer lines are split.
pub(super) const MOST_TEXT: usize = 64 << 10;

/// The lines of a stream, without their ends. Lines of more than `most` bytes are split.
pub(super) fn lines(mut stream: impl BufRead, most: usize) -> impl Iterator<Item = Vec<u8>> {
    std::iter::from_fn(move || {
        let mut line = Vec::new();
        let read = stream.by_ref().take(most as u64).read_until(b'\n', &mut line).ok()?;
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        (read > 0).then_some(line)
    })
}

/// Refuses a worker with another version of these messages; `command` started it if it is not this program.
pub(in crate::cli) fn check_version(version: u32, command: Option<&str>) -> Result<()> {
    let fault = || match command {
        None => Error::NoDevice("another version replaced the program during the run: restart the run".to_owned()),
        Some(command) => usage!(
            "--against '{command}' uses version {version} of the worker protocol, but this program uses version \
             {VERSION}: build both programs from commits with the same protocol version"
        ),
    };
    if version == VERSION { Ok(()) } else { Err(fault()) }
}

#[derive(Debug, Serialize, Deserialize)]
pub(in crate::cli) enum Order {
    /// List the devices for this value of `--backend`.
    Devices { backend: Option<Through> },
    /// Open these devices of the list, and read these kernels for them.
    Open { card: Vec<usize>, kernels: Box<KernelFiles>, needs_energy: bool },
    /// Open a device of the list, and run the case of a bundle again.
    Replay { device: usize, bundle: OsString, is_unchecked: bool },
    /// Report which of these cases the worker's binary knows.
    Known { cases: Vec<CaseName> },
    /// Measure these cases, after these rows.
    Run { cases: Vec<CaseName>, earlier: RowTable, run: Box<Run> },
    /// The rows are written.
    Continue,
    /// End after the current case.
    Stop,
}

/// What all workers of a run share, except the time that is left.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::cli) struct Run {
    pub(in crate::cli) settings: Settings,
    /// The report; bundles of wrong results go beside it.
    pub(in crate::cli) report: OsString,
    /// Saves the images, if wanted.
    pub(in crate::cli) pictures: Option<Pictures>,
    /// Other processes of this run that use the card.
    pub(in crate::cli) companions: usize,
}

#[derive(Debug, Serialize, Deserialize)]
pub(in crate::cli) enum Event {
    /// The devices in their order, and the worker's [`VERSION`] and build.
    Devices { version: u32, build: String, devices: Vec<Device> },
    /// The devices are open.
    Opened(Vec<Device>),
    /// Which of the cases the worker's binary knows.
    Known(Vec<bool>),
    /// The order cannot be carried out.
    Failed { message: String, is_usage: bool },
    /// A note for the user.
    Note(String),
    /// The message of a panic.
    Panicked(String),
    /// The timer selected for an API.
    Timer { api: Api, compiler: String, timer: Timer },
    /// The epochs that each case still needs.
    Plan(Vec<Expected>),
    /// The case at `index` starts. `row` is what is known about it, without samples.
    Start { index: usize, row: Box<Record> },
    /// The current activity of the driver.
    Activity(Activity),
    /// A row is complete.
    Row(Box<Record>),
    /// Rows by position: new ones and changed ones. The worker waits for [`Order::Continue`].
    Rows { added: Vec<(usize, Sent)>, changed: Vec<(usize, Sent)>, ends_pass: bool },
    /// A pass over `count` cases starts.
    Pass { number: usize, count: usize },
    /// The case at `index` exceeds the time limit and gets no row.
    LeftOut { index: usize },
    /// A file cannot be written: the run ends after this case.
    Unwritten(String),
    /// The measurement is complete, or the run ends.
    Done(Box<Done>),
    /// The case of a bundle ran again: its first wrong element, if any, and the number of wrong elements.
    Replayed { first: Option<String>, count: u64 },
    /// The worker has nothing more to do.
    End,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::cli) struct Done {
    pub(in crate::cli) left_out: LeftOut,
    pub(in crate::cli) is_interrupted: bool,
    /// Why no device is left, if so.
    pub(in crate::cli) no_device: Option<String>,
    pub(in crate::cli) measuring: Duration,
}

/// A row without its first `samples` samples and `epochs` epochs, which the program already has.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::cli) struct Sent {
    row: Box<Record>,
    samples: usize,
    epochs: usize,
}

impl Sent {
    /// Leaves out the samples that `known`, the row as it was sent before, already has.
    pub(in crate::cli) fn new(row: &Record, known: Option<&Record>) -> Self {
        let is_kept = |known: &&Record| {
            row.all_samples_ns.starts_with(&known.all_samples_ns) && row.epoch_samples.starts_with(&known.epoch_samples)
        };
        let (samples, epochs) =
            known.filter(is_kept).map_or((0, 0), |known| (known.all_samples_ns.len(), known.epoch_samples.len()));
        let mut row = Box::new(row.clone());
        row.all_samples_ns.drain(..samples);
        row.epoch_samples.drain(..epochs);
        Self { row, samples, epochs }
    }

    /// The whole row; `None` if `known` is not the row that was sent before.
    pub(in crate::cli) fn complete(self, known: Option<&Record>) -> Option<Record> {
        let Self { mut row, samples, epochs } = self;
        let before = |count: usize, of: fn(&Record) -> usize| count == 0 || known.is_some_and(|row| of(row) >= count);
        if !before(samples, |row| row.all_samples_ns.len()) || !before(epochs, |row| row.epoch_samples.len()) {
            return None;
        }
        if let Some(known) = known {
            row.all_samples_ns.splice(..0, known.all_samples_ns[..samples].iter().copied());
            row.epoch_samples.splice(..0, known.epoch_samples[..epochs].iter().copied());
        }
        Some(*row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(samples: &[f64], epochs: &[u64]) -> Record {
        Record { all_samples_ns: samples.to_vec(), epoch_samples: epochs.to_vec(), ..Record::default() }
    }

    #[test]
    fn a_line_without_an_end_comes_in_pieces() {
        let pieces = |text: &'static [u8], most| lines(text, most).map(|line| line.len()).collect::<Vec<_>>();
        assert_eq!(pieces(b"ab\n\nc", 8), [2, 0, 1]);
        assert!(pieces(b"", 8).is_empty());
        let endless = std::io::BufReader::new(std::io::repeat(b'x'));
        assert!(lines(endless, 1000).take(3).all(|piece| piece.len() == 1000));
    }

    #[test]
    fn a_worker_of_another_version_is_refused() {
        assert!(check_version(VERSION, None).is_ok());
        let fault = check_version(VERSION + 1, None).expect_err("another version").to_string();
        assert!(fault.contains("another version replaced the program"), "{fault}");
        let fault = check_version(VERSION + 1, Some("old/shaderbench")).expect_err("another version").to_string();
        assert!(fault.contains(&VERSION.to_string()) && fault.contains(&(VERSION + 1).to_string()), "{fault}");
    }

    #[test]
    fn samples_travel_once() {
        let (first, second) = (row(&[1.0, 2.0], &[2]), row(&[1.0, 2.0, 3.5], &[2, 1]));
        let sent = Sent::new(&second, Some(&first));
        assert_eq!((sent.row.all_samples_ns.as_slice(), sent.row.epoch_samples.as_slice()), (&[3.5][..], &[1][..]));
        assert_eq!(sent.complete(Some(&first)), Some(second));
    }

    #[test]
    fn a_row_measured_again_travels_whole() {
        let (first, again) = (row(&[1.0, 2.0], &[2]), row(&[1.0, 4.0, 3.5], &[3]));
        let sent = Sent::new(&again, Some(&first));
        assert_eq!(sent.row.all_samples_ns, again.all_samples_ns);
        assert_eq!(sent.complete(Some(&first)), Some(again));
    }

    #[test]
    fn samples_that_the_program_lacks_are_refused() {
        let sent = Sent::new(&row(&[1.0, 2.0], &[2]), Some(&row(&[1.0], &[])));
        assert_eq!(sent.complete(None), None);
    }

    #[test]
    fn every_order_and_event_survives_its_line() {
        let events = [
            Event::Start { index: 3, row: Box::new(row(&[], &[])) },
            Event::Rows { added: vec![(0, Sent::new(&row(&[0.1], &[1]), None))], changed: Vec::new(), ends_pass: true },
            Event::Activity(Activity::Compiling),
            Event::End,
        ];
        for event in events {
            let line = serde_json::to_string(&event).expect("plain data");
            let read: Event = serde_json::from_str(&line).expect("its own");
            assert_eq!(serde_json::to_string(&read).expect("plain data"), line);
            assert!(!line.contains('\n'), "{line}");
        }
    }
}
