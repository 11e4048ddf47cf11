//! The worker's side of `run`: opens the card and measures.

use std::path::Path;
use std::time::SystemTime;

use super::devices::{has_energy, open};
use crate::cli::bundle;
use crate::cli::kernel_files::KernelFiles;
use crate::cli::output::say;
use crate::cli::pictures::Pictures;
use crate::cli::target::Target;
use crate::cli::worker::{Done, Event, Link, Order, Run, Sent};
use gpu::backend::monitor::Monitor;
use gpu::backend::{Backend, Device};
use gpu::engine::measure::Timer;
use gpu::engine::plan::{is_known, named};
use gpu::engine::{Changes, End, Expected, Observer, Picture, RowTable};
use record::Record;
use record::error::Result;
use record::suite::{Api, Case, Toolchain, budget};

/// Opens the card of the order, and measures until there are no more orders.
pub(in crate::cli) fn serve(
    link: &'static Link,
    card: Vec<Target>,
    files: &KernelFiles,
    needs_energy: bool,
) -> Result<()> {
    let since = SystemTime::now();
    let kernels = files.load()?;
    let mut backends = open(card)?;
    if needs_energy {
        backends.iter().try_for_each(|backend| has_energy(backend.as_ref()))?;
    }
    let devices: Vec<Device> = backends.iter().map(|backend| backend.device().clone()).collect();
    link.send(&Event::Opened(devices));
    let mut order = link.order();
    if let Some(Order::Known { cases }) = &order {
        link.send(&Event::Known(cases.iter().map(|name| is_known(name, kernels.own)).collect()));
        order = link.order();
    }
    match order {
        Some(Order::Run { cases, earlier, run }) => {
            let cases = named(cases, kernels.own, &kernels.sources)?;
            budget::end_preparing();
            measure(link, &cases, earlier, (&mut backends, since), *run)
        }
        _ => Ok(()),
    }
}

fn measure(
    link: &'static Link,
    cases: &[Case],
    earlier: RowTable,
    (backends, since): (&mut [Box<dyn Backend>], SystemTime),
    run: Run,
) -> Result<()> {
    let mut others = Others { monitor: backends.first().and_then(|backend| backend.monitor()), since };
    others.say_more_than(run.companions, "before the run");
    let own = run.companions + 1;
    let mut sender = EventSender { link, others, own, known: earlier.records().to_vec(), pictures: run.pictures };
    let mut apis: Vec<&mut dyn Backend> = Vec::with_capacity(backends.len());
    apis.extend(backends.iter_mut().map(|backend| backend.as_mut() as &mut dyn Backend));
    let outcome = pollster::block_on(gpu::engine::resume(&mut apis, cases, earlier, &run.settings, &mut sender))?;
    sender.others.say_more_than(own, "during the run");
    let (is_interrupted, no_device) = match outcome.end {
        End::Complete => (false, None),
        End::Interrupted => (true, None),
        End::NoDevice(error) => (false, Some(error.chain())),
    };
    let done = Done { left_out: outcome.left_out, is_interrupted, no_device, measuring: outcome.measuring };
    link.send(&Event::Done(Box::new(done)));
    bundle::write_all(&mut apis, cases, &outcome.records, Path::new(&run.report));
    Ok(())
}

/// Reports at most once that other processes use the card.
struct Others {
    monitor: Option<Box<dyn Monitor>>,
    /// Time of the last check.
    since: SystemTime,
}

impl Others {
    /// Reports whether more than `own` processes have used the card since the last check.
    fn say_more_than(&mut self, own: usize, when: &str) {
        let since = std::mem::replace(&mut self.since, SystemTime::now());
        let users = self.monitor.as_mut().and_then(|monitor| monitor.users(since)).unwrap_or(0);
        if users > own {
            self.monitor = None;
            say(&format!("another process used the GPU {when}: times may be longer than on an idle GPU"));
        }
    }
}

struct EventSender {
    link: &'static Link,
    others: Others,
    /// Number of processes of this run that use the card.
    own: usize,
    /// The rows as the program has them.
    known: Vec<Record>,
    pictures: Option<Pictures>,
}

impl EventSender {
    fn rows(&mut self, records: &[Record], changes: &Changes, ends_pass: bool) {
        let added = changes.added.iter().map(|at| {
            self.known.insert((*at).min(self.known.len()), records[*at].clone());
            (*at, Sent::new(&records[*at], None))
        });
        let added = added.collect();
        let changed = changes.changed.iter().map(|at| {
            let sent = Sent::new(&records[*at], Some(&self.known[*at]));
            self.known[*at].clone_from(&records[*at]);
            (*at, sent)
        });
        let changed = changed.collect();
        self.link.send_and_wait(&Event::Rows { added, changed, ends_pass });
    }
}

fn without_samples(row: &Record) -> Box<Record> {
    Box::new(Record { all_samples_ns: Vec::new(), epoch_samples: Vec::new(), ..row.clone() })
}

impl Observer for EventSender {
    fn timer(&mut self, toolchain: Toolchain<'_>, timer: &Timer) {
        let compiler = toolchain.compiler.to_owned();
        self.link.send(&Event::Timer { api: toolchain.api, compiler, timer: timer.clone() });
    }

    fn plan(&mut self, cases: &[Expected]) {
        self.link.send(&Event::Plan(cases.to_vec()));
    }

    fn start(&mut self, index: usize, _case: &Case, row: &Record) {
        self.link.send(&Event::Start { index, row: without_samples(row) });
    }

    fn row(&mut self, record: &Record) {
        self.link.send(&Event::Row(without_samples(record)));
    }

    fn finish(&mut self, records: &[Record], changes: &Changes) -> Result<()> {
        self.rows(records, changes, false);
        Ok(())
    }

    fn pass(&mut self, number: usize, count: usize) {
        self.others.say_more_than(self.own, "during the run");
        self.link.send(&Event::Pass { number, count });
    }

    fn finish_pass(&mut self, records: &[Record], changes: &Changes) -> Result<()> {
        self.rows(records, changes, true);
        Ok(())
    }

    fn left_out(&mut self, index: usize, _case: &Case) {
        self.link.send(&Event::LeftOut { index });
    }

    fn picture(&mut self, case: &Case, api: Api, picture: &Picture) -> Result<()> {
        let Some(pictures) = &mut self.pictures else { return Ok(()) };
        self.link.send(&match pictures.save(case, api, picture) {
            Ok(message) => Event::Note(message),
            Err(error) => Event::Unwritten(error.chain()),
        });
        Ok(())
    }

    fn is_interrupted(&self) -> bool {
        self.link.is_stopped()
    }
}
