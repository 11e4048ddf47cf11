//! `bisect`: finds the version at which a case became slower, or wrong.

mod difference;
mod version;

use std::path::PathBuf;
use std::time::Duration;

use super::compiler::{self, Spec};
use super::output::{print, say};
use super::values::{duration, percentage, plural};
use crate::answers::bisect::{Answer, Outcome, Search};
use crate::engine::plan::filter::Filter;
use crate::error::{Error, Result};
use crate::record::format::{noise, percent, percent_change, time};
use crate::record::{Record, Status};
use version::{OUT, Version};

/// Measurements before an answer: fewer do not show how runs differ.
const LEAST_RUNS: usize = 6;

const USAGE: &str = "shaderbench bisect <NAME> --programs <OLD> ... <NEW> [-- <OPTION>...]
       (or --drivers, --compilers, --commands in place of --programs)";

/// Arguments of `bisect`.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("versions").required(true), override_usage = USAGE)]
pub(super) struct Arguments {
    /// Benchmark to measure (transpose/tiled)
    #[arg(value_name = "NAME")]
    name: String,
    /// Builds of shaderbench, oldest first
    #[arg(long, value_name = "PROGRAM", num_args = 2.., group = "versions")]
    programs: Vec<PathBuf>,
    /// Manifests of Vulkan drivers (ICD files), oldest first
    #[arg(long, value_name = "FILE", num_args = 2.., group = "versions")]
    drivers: Vec<PathBuf>,
    /// Compilers from WGSL to SPIR-V, oldest first, as in `run --compiler`
    #[arg(long, value_name = "SPEC", num_args = 2.., group = "versions")]
    compilers: Vec<String>,
    /// Commands that write a report with the case to {out}, oldest first
    #[arg(long, value_name = "COMMAND", num_args = 2.., group = "versions")]
    commands: Vec<String>,
    /// Smaller slow-downs count as none
    #[arg(long, value_name = "PCT", value_parser = percentage, default_value_t = 2.0)]
    limit: f64,
    /// Probability at which an answer is certain enough
    #[arg(long, value_name = "PCT", hide_short_help = true, value_parser = percentage, default_value_t = 97.0)]
    confidence: f64,
    /// Maximum number of measurements
    #[arg(long, value_name = "N", hide_short_help = true, default_value_t = 100)]
    most: usize,
    /// Maximum time of one measurement
    #[arg(long, value_name = "DURATION", hide_short_help = true, value_parser = duration, default_value = "10m")]
    longest: Duration,
    /// Size to run, as in `run`
    #[arg(long, value_name = "N")]
    size: Option<String>,
    /// Kernel parameters to set, as in `run`: WG=128,PAD=1
    #[arg(long, value_name = "K=V")]
    param: Vec<String>,
    /// Element type, where the benchmark has several
    #[arg(long, value_name = "T")]
    dtype: Option<String>,
    /// Other options of `run`: -- --device 1 --profile quick
    #[arg(last = true, value_name = "OPTION")]
    options: Vec<String>,
}

impl Arguments {
    fn versions(&self) -> Vec<Version> {
        let programs = self.programs.iter().cloned().map(Version::Program);
        let drivers = self.drivers.iter().cloned().map(Version::Driver);
        let compilers = self.compilers.iter().cloned().map(Version::Compiler);
        programs.chain(drivers).chain(compilers).chain(self.commands.iter().cloned().map(Version::Command)).collect()
    }

    /// Arguments of `run`, and those of `show` that select the kernel.
    fn of_run(&self) -> Vec<String> {
        let mut arguments = vec![self.name.clone()];
        let size = self.size.iter().map(|size| ("--size", size));
        for (option, value) in size.chain(self.param.iter().map(|param| ("--param", param))) {
            arguments.extend([option.to_owned(), value.clone()]);
        }
        arguments.extend(self.options.iter().cloned());
        arguments
    }

    fn of_show(&self, record: &Record) -> Vec<String> {
        let mut arguments = vec![record.name(), "--dtype".to_owned(), record.dtype_name().to_owned()];
        let params = record.params.iter().map(|(name, value)| format!("{name}={value}"));
        arguments.extend(params.flat_map(|param| ["--param".to_owned(), param]));
        arguments
    }

    /// The one row of the case.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the report has no such row; [`Error::Usage`] if it has several.
    fn row(&self, rows: Vec<Record>) -> Result<Record> {
        let names: Vec<String> = rows.iter().map(Record::name).collect();
        let filter = Filter::new(&self.name, &names)?;
        let has_type = |record: &Record| self.dtype.as_ref().is_none_or(|dtype| record.dtype_name() == dtype);
        let mut found: Vec<Record> =
            rows.into_iter().filter(|record| filter.matches(&record.name()) && has_type(record)).collect();
        if found.len() > 1 {
            let cases: Vec<String> = found.iter().take(4).map(case).collect();
            return Err(Error::Usage(format!(
                "{} selects {}, and bisect measures one: {}{}; narrow it down by --size, --param and --dtype",
                self.name,
                plural(found.len(), "case", "cases"),
                cases.join(", "),
                if found.len() > 4 { " …" } else { "" }
            )));
        }
        found.pop().ok_or_else(|| Error::Unsupported(format!("its report has no row of {}", self.name)))
    }
}

fn case(record: &Record) -> String {
    format!("{} {} {} {}", record.name(), record.dtype_name(), record.size(), record.params_text())
        .trim_end()
        .to_owned()
}

/// A probability, never rounded to certainty.
fn certainty(probability: f64) -> String {
    if probability > 0.99 { "above 99 %".to_owned() } else { percent(probability) }
}

/// The name of an end of the series: the first version or the last one.
const fn end(version: usize) -> &'static str {
    if version == 0 { "first" } else { "last" }
}

/// Runs the command and returns the exit code.
pub(super) fn bisect(arguments: &Arguments) -> Result<u8> {
    let versions = arguments.versions();
    if let Some(Version::Command(command)) =
        versions.iter().find(|version| matches!(version, Version::Command(text) if !text.contains(OUT)))
    {
        return Err(Error::Usage(format!(
            "the command '{command}' does not say where its report goes: write {OUT} in place of the path"
        )));
    }
    let specs: std::result::Result<Vec<Spec>, String> =
        arguments.compilers.iter().map(|text| Spec::parse(text)).collect();
    // Versions of one command may have one name.
    for spec in specs.map_err(Error::Usage)? {
        compiler::check(std::slice::from_ref(&spec), &[])?;
    }
    if !(50.0..100.0).contains(&arguments.confidence) {
        return Err(Error::Usage("--confidence must be at least 50 and less than 100 percent".to_owned()));
    }
    let mut bisection = Bisection {
        arguments,
        search: Search::new(versions.len(), arguments.limit / 100.0),
        is_about_verdicts: false,
        row: None,
        versions,
    };
    let answer = bisection.run()?;
    bisection.report(&answer)?;
    Ok(0)
}

struct Bisection<'a> {
    arguments: &'a Arguments,
    versions: Vec<Version>,
    search: Search,
    /// Whether the last version's first result is wrong: the search is then for the first wrong one.
    is_about_verdicts: bool,
    /// A row of the case.
    row: Option<Record>,
}

impl Bisection<'_> {
    fn run(&mut self) -> Result<Answer> {
        let folder = tempfile::tempdir().map_err(|source| Error::Io {
            action: "write to",
            path: std::env::temp_dir(),
            source,
        })?;
        let last = self.versions.len() - 1;
        for number in 1..=self.arguments.most {
            let Some(version) = self.search.next() else {
                return Err(Error::Undecided("fewer than two versions can be measured".to_owned()));
            };
            let out = folder.path().join(format!("{number}.csv"));
            let measured = self.versions[version].measure(&self.arguments.of_run(), &out, self.arguments.longest);
            match measured.and_then(|rows| self.arguments.row(rows)) {
                Ok(row) => self.add(number, version, row)?,
                Err(error @ Error::Usage(_)) => return Err(error),
                Err(error) if version == 0 || version == last => {
                    let end = end(version);
                    return Err(Error::Undecided(format!("the {end} version cannot be measured: {}", error.chain())));
                }
                Err(error) => self.leave_out(version, &error.chain()),
            }
            let answer = self.search.answer();
            if self.has_both_ends()
                && answer.probability >= self.arguments.confidence / 100.0
                && (self.is_about_verdicts || number >= LEAST_RUNS)
            {
                return Ok(answer);
            }
        }
        let answer = self.search.answer();
        let most_probable = self.place(&answer);
        Err(Error::Undecided(format!(
            "{} do not decide it: most probable is {most_probable}; allow more by --most",
            plural(self.arguments.most, "measurement", "measurements")
        )))
    }

    fn has_both_ends(&self) -> bool {
        self.search.count(0) > 0 && self.search.count(self.versions.len() - 1) > 0
    }

    fn leave_out(&mut self, version: usize, reason: &str) {
        say(&format!("version {} is left out: {reason}", version + 1));
        self.search.skip(version);
    }

    /// Adds a row of a version. The last version's first row decides what is searched for.
    fn add(&mut self, number: usize, version: usize, row: Record) -> Result<()> {
        let (status, last) = (row.status, self.versions.len() - 1);
        if version == 0 && status == Status::Wrong {
            return Err(Error::Undecided(format!("the first version is wrong already: {}", row.reason)));
        }
        if version == last && self.search.count(last) == 0 && status == Status::Wrong {
            // The first version's times say nothing about its result, which was right.
            self.is_about_verdicts = true;
            let first = self.search.count(0);
            self.search = Search::new(self.versions.len(), self.arguments.limit / 100.0);
            (0..first).for_each(|_| self.search.add(0, Outcome::Verdict { is_wrong: false }));
        }
        if number == 1 && status == Status::Unverified {
            say("The rows are unverified: only their times count.");
        }
        let logs = row.median_ns.filter(|ns| *ns > 0.0).map(f64::ln);
        let outcome = match (self.is_about_verdicts, logs) {
            (true, _) if matches!(status, Status::Ok | Status::Implausible | Status::Wrong) => {
                Outcome::Verdict { is_wrong: status == Status::Wrong }
            }
            (false, Some(log_ns)) if matches!(status, Status::Ok | Status::Implausible | Status::Unverified) => {
                // Half of a 95 % interval is about two deviations.
                let deviation = row.noise().filter(|noise| noise.is_finite()).unwrap_or(0.05) / 2.0;
                Outcome::Time { log_ns, variance: deviation * deviation }
            }
            _ if version == 0 || version == last => {
                return Err(Error::Undecided(format!(
                    "the {} version's row is {}: {}",
                    end(version),
                    status.name(),
                    row.reason
                )));
            }
            _ => {
                self.leave_out(version, &format!("its row is {}: {}", status.name(), row.reason));
                return Ok(());
            }
        };
        self.search.add(version, outcome);
        let found = match outcome {
            Outcome::Time { .. } => {
                let noise = row.noise().map(|half| format!(" ±{}", noise(half))).unwrap_or_default();
                format!("{}{noise}", time(row.median_ns.unwrap_or_default()))
            }
            Outcome::Verdict { is_wrong: true } => format!("wrong: {}", row.reason),
            Outcome::Verdict { is_wrong: false } => "right".to_owned(),
        };
        let place =
            if self.has_both_ends() { format!("; {}", self.place(&self.search.answer())) } else { String::new() };
        say(&format!("{number}. version {} of {}: {found}{place}", version + 1, self.versions.len()));
        self.row = Some(row);
        Ok(())
    }

    /// The place of an answer with its probability.
    fn place(&self, answer: &Answer) -> String {
        let what = if self.is_about_verdicts { "wrong" } else { "slower" };
        let place = answer
            .step
            .map_or_else(|| format!("no version {what}"), |(_, after)| format!("{what} from version {} on", after + 1));
        format!("{place} ({})", certainty(answer.probability))
    }

    fn report(&self, answer: &Answer) -> Result<()> {
        let Some(row) = &self.row else { return Ok(()) };
        let runs: usize = (0..self.versions.len()).map(|version| self.search.count(version)).sum();
        let certain =
            format!("probability {}, {}", certainty(answer.probability), plural(runs, "measurement", "measurements"));
        let Some((before, after)) = answer.step else {
            return print(&format!(
                "{}: no version is slower than the one before by more than {} %, {certain}\n",
                case(row),
                self.arguments.limit
            ));
        };
        let what = if self.is_about_verdicts { "wrong" } else { "slower" };
        let by = |factor: f64| percent_change(factor - 1.0);
        let ratio = self.search.ratio(after);
        let size = ratio
            .map(|ratio| format!("by {} (95 % interval {} to {}), ", by(ratio.value), by(ratio.low), by(ratio.high)));
        let size = size.unwrap_or_default();
        let mut text = format!("{}: {what} from version {} on, {size}{certain}\n", case(row), after + 1);
        for (name, version) in [("before", before), ("after", after)] {
            text += &format!("{name}  version {}: {}\n", version + 1, self.versions[version]);
        }
        let show = |version: usize, lang: &str| {
            let mut arguments = self.arguments.of_show(row);
            arguments.extend(["--lang".to_owned(), lang.to_owned()]);
            self.versions[version].shown(&arguments, self.arguments.longest)
        };
        for lang in ["wgsl", "spirv", "cuda"] {
            if let Some((old, new)) = show(before, lang).zip(show(after, lang)) {
                text += &difference::text(lang, &old, &new);
            }
        }
        print(&text)
    }
}
