//! What a run shows while it measures, and the files that it keeps up to date.

use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::error::Result;
use crate::measure::Timer;
use crate::record::Record;
use crate::report::{self, table};
use crate::run::Observer;
use crate::suite::Case;

/// Rows and a bar on stderr (the bar only on a terminal), and the reports, rewritten after every case.
pub(super) struct Progress {
    bar: ProgressBar,
    csv: PathBuf,
    json: Option<PathBuf>,
    /// APIs that take turns.
    apis: usize,
    /// Rows of the devices before this one, where all go into one file.
    before: Vec<Record>,
    /// Where pictures go.
    pictures: Option<PathBuf>,
}

impl Progress {
    pub(super) fn new(cases: usize, apis: usize, csv: PathBuf, json: Option<PathBuf>, before: Vec<Record>) -> Self {
        let bar = ProgressBar::with_draw_target(Some(cases as u64), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {eta} left  {wide_msg}") {
            bar.set_style(style);
        }
        Self { bar, csv, json, apis, before, pictures: None }
    }

    /// Keeps the pictures that kernels make in `folder`.
    pub(super) fn save_pictures(&mut self, folder: &Path) {
        self.pictures = Some(folder.to_owned());
    }

    /// Which API a line is about, where there are several.
    fn of(&self, api: &str, then: &str) -> String {
        if self.apis > 1 { format!("{api}{then}") } else { String::new() }
    }

    fn say(&self, line: &str) {
        if self.bar.is_hidden() { eprintln!("{line}") } else { self.bar.println(line) }
    }
}

impl Observer for Progress {
    fn timer(&mut self, api: &'static str, timer: &Timer) {
        let clock = if timer.is_device { "device timestamps" } else { "the host's clock" };
        let why = timer.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
        let of = self.of(api, ": ");
        self.say(&format!("{of}timing by {clock}{why}, tick {}", table::time(Some(timer.tick_ns))));
    }

    fn start(&mut self, _place: usize, case: &Case, api: &'static str) {
        self.bar.set_message(format!("{}{case}", self.of(api, " ")));
    }

    fn picture(&mut self, case: &Case, api: &'static str, rgba: &[u8]) -> Result<()> {
        let Some(folder) = &self.pictures else { return Ok(()) };
        let (height, width) = case.shape.extent.matrix();
        let side = |length: u64| u32::try_from(length).unwrap_or(u32::MAX);
        let name = format!("{} {} {} {}", case.name(), case.shape.extent, case.params_text(), self.of(api, ""));
        let path = folder.join(format!("{}.png", name.replace(['/', ' ', ';'], "-").trim_end_matches('-')));
        report::replace_file(&path, &report::png::write(side(width), side(height), rgba)?)?;
        self.say(&format!("the turned picture is in {}", path.display()));
        Ok(())
    }

    fn finish(&mut self, records: &[Record], fresh: usize) -> Result<()> {
        self.bar.inc(1);
        let width = if self.apis > 1 { 7 } else { 0 };
        for record in &records[records.len() - fresh..] {
            self.say(&format!("{:width$}{}", self.of(&record.backend, " "), table::line(record)));
        }
        if self.bar.length() == Some(self.bar.position()) {
            self.bar.finish_and_clear();
        }
        let all: Vec<Record> = self.before.iter().chain(records).cloned().collect();
        report::replace_file(&self.csv, &report::csv::write(&all))?;
        match &self.json {
            Some(path) => report::replace_file(path, &report::json::write(&all)),
            None => Ok(()),
        }
    }
}
