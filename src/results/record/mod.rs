//! One row of a report, and the one place that knows the CSV's columns.

mod conditions;

use serde_json::Value;

pub use conditions::Conditions;

/// The version of the columns below; it grows when one changes its meaning.
pub const SCHEMA: u64 = 1;

/// How a case ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// Verified and measured.
    #[default]
    Ok,
    /// The output was wrong: no time is given.
    Wrong,
    /// The case cannot run on this device, or has no place in this run.
    Skipped,
    /// The case should have run and did not.
    Failed,
    /// Verified, but faster than a measured limit by more than 5 %: a fault, not a record.
    Implausible,
}

impl Status {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Ok, "ok"),
        (Self::Wrong, "wrong"),
        (Self::Skipped, "skipped"),
        (Self::Failed, "failed"),
        (Self::Implausible, "implausible"),
    ];

    /// The word in the CSV.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(status, _)| *status == self).map_or("", |(_, name)| name)
    }

    /// Whether a run with such a row ends with exit code 3, unless it is told otherwise.
    #[must_use]
    pub const fn is_fault(self) -> bool {
        matches!(self, Self::Wrong | Self::Failed | Self::Implausible)
    }
}

/// One row: a case and its figures, or the reason that it has none.
///
/// Times are nanoseconds for one launch of all the case's dispatches. The meaning of each field is in [`COLUMNS`].
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(missing_docs, reason = "COLUMNS documents every field in one place")]
pub struct Record {
    pub schema: Option<u64>,
    pub tool_version: String,
    pub date: String,
    pub os: String,
    pub cpu: String,
    pub device: String,
    pub vendor: String,
    pub device_type: String,
    pub driver: String,
    pub backend: String,
    pub family: String,
    pub benchmark: String,
    pub dtype: String,
    pub n: String,
    pub params: String,
    pub workgroup_size: String,
    pub checks: String,
    pub shader_hash: String,
    pub status: Status,
    pub reason: String,
    pub timer: String,
    pub tick_ns: Option<f64>,
    pub samples: Option<u64>,
    pub launches: Option<u64>,
    pub median_ns: Option<f64>,
    pub min_ns: Option<f64>,
    pub mean_ns: Option<f64>,
    pub stddev_ns: Option<f64>,
    pub ci_low_ns: Option<f64>,
    pub ci_high_ns: Option<f64>,
    pub end_to_end_ns: Option<f64>,
    pub bytes: Option<u64>,
    pub flops: Option<u64>,
    pub gb_per_s: Option<f64>,
    pub gflop_per_s: Option<f64>,
    pub ceiling: String,
    pub share: Option<f64>,
    pub model: Option<f64>,
    pub drift: Option<f64>,
    pub in_kernel_ns: Option<f64>,
    pub subgroup_size: String,
    /// Every sample of the series, in the order taken; not a column, kept for the JSON report.
    pub all_samples_ns: Vec<f64>,
    /// A hash of the picture that the kernel made, where it made one; not a column, kept for the JSON report.
    pub picture_hash: Option<String>,
    /// What the card told of its clocks, heat and power around the case, where it can; not a column, kept for the JSON report.
    pub conditions: Option<Conditions>,
}

impl Record {
    /// `family/benchmark`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.family, self.benchmark)
    }

    /// What tells the row from every other one: the run (its date, device, driver and version), the API, and the case.
    #[must_use]
    pub fn identity(&self) -> [&str; 10] {
        let Self { date, device, driver, tool_version, backend, family, benchmark, dtype, n, params, .. } = self;
        [date, device, driver, tool_version, backend, family, benchmark, dtype, n, params]
    }

    /// Marks the row `wrong`. A wrong answer has no time: figures of an earlier attempt go.
    pub fn turn_wrong(&mut self, reason: String) {
        self.drop_figures();
        self.status = Status::Wrong;
        self.reason = reason;
    }

    /// Takes away what was measured.
    pub fn drop_figures(&mut self) {
        const FIGURES: [&str; 15] = [
            "timer",
            "tick_ns",
            "samples",
            "launches",
            "median_ns",
            "min_ns",
            "mean_ns",
            "stddev_ns",
            "ci_low_ns",
            "ci_high_ns",
            "end_to_end_ns",
            "gb_per_s",
            "gflop_per_s",
            "drift",
            "in_kernel_ns",
        ];
        for column in COLUMNS.iter().filter(|column| FIGURES.contains(&column.name)) {
            // Empty text is what every one of them holds at first.
            let _ = (column.set)(self, "");
        }
        self.all_samples_ns.clear();
    }

    /// Time of one load that waits for the one before, in nanoseconds: in rows of the benchmarks whose names end in `latency`, which count the
    /// 4 bytes of each load.
    #[must_use]
    pub fn load_ns(&self) -> Option<f64> {
        let loads = self.bytes.filter(|bytes| *bytes > 0 && self.benchmark.ends_with("latency"))? as f64 / 4.0;
        Some(self.median_ns? / loads)
    }

    /// Half the width of the median's 95 % interval divided by the median: the ± of the table.
    #[must_use]
    pub fn noise(&self) -> Option<f64> {
        Some((self.ci_high_ns? - self.ci_low_ns?) / 2.0 / self.median_ns?)
    }
}

/// The rows of `rows` that a statement may rest on: those whose median is known to 10 % or better, or that have none. `None` where more than
/// a tenth of the measured rows is noisier: what is left may then be no fair choice.
#[must_use]
pub fn steady<'a>(rows: &[&'a Record]) -> Option<Vec<&'a Record>> {
    const TOO_NOISY: f64 = 0.1;
    let steady: Vec<_> =
        rows.iter().filter(|row| row.noise().is_none_or(|noise| noise <= TOO_NOISY)).copied().collect();
    let measured = rows.iter().filter(|row| row.median_ns.is_some()).count();
    (10 * (rows.len() - steady.len()) <= measured).then_some(steady)
}

/// A column of the CSV: also a key of the JSON report and a line of the documentation.
pub struct Column {
    /// Heading.
    pub name: &'static str,
    /// Unit of the value; empty for text.
    pub unit: &'static str,
    /// What it holds.
    pub doc: &'static str,
    /// The value as text; empty where it does not exist.
    pub get: fn(&Record) -> String,
    /// Takes the value from text.
    pub set: fn(&mut Record, &str) -> Result<(), String>,
    /// The value for JSON: a number, a string, or null.
    pub json: fn(&Record) -> Value,
}

/// A type that a column can hold.
trait Field: Sized {
    fn text(&self) -> String;
    fn parse(text: &str) -> Result<Self, String>;
    fn json(&self) -> Value;
}

impl Field for String {
    fn text(&self) -> String {
        self.clone()
    }
    fn parse(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
    fn json(&self) -> Value {
        if self.is_empty() { Value::Null } else { Value::from(self.as_str()) }
    }
}

impl Field for Option<u64> {
    fn text(&self) -> String {
        self.map_or_else(String::new, |value| value.to_string())
    }
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| format!("'{text}' is not a whole number"))
    }
    fn json(&self) -> Value {
        Value::from(*self)
    }
}

impl Field for Option<f64> {
    fn text(&self) -> String {
        // What is no number has no place in a report, and no reader would take it.
        self.filter(|value| value.is_finite()).map_or_else(String::new, |value| value.to_string())
    }
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(None);
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Some(value)),
            _ => Err(format!("'{text}' is not a finite number")),
        }
    }
    fn json(&self) -> Value {
        Value::from(*self)
    }
}

impl Field for Status {
    fn text(&self) -> String {
        self.name().to_owned()
    }
    fn parse(text: &str) -> Result<Self, String> {
        let known = Self::ALL.iter().find(|(_, name)| *name == text);
        known.map(|(status, _)| *status).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|(_, name)| *name).collect();
            format!("'{text}' is no status: it must be one of {}", names.join(", "))
        })
    }
    fn json(&self) -> Value {
        Value::from(self.name())
    }
}

macro_rules! column {
    ($field:ident, $unit:literal, $doc:literal) => {
        Column {
            name: stringify!($field),
            unit: $unit,
            doc: $doc,
            get: |record| record.$field.text(),
            set: |record, text| {
                record.$field = Field::parse(text)?;
                Ok(())
            },
            json: |record| record.$field.json(),
        }
    };
}

/// The columns of the CSV, in their order.
pub const COLUMNS: &[Column] = &[
    column!(schema, "", "version of this list of columns"),
    column!(tool_version, "", "version of shaderbench"),
    column!(date, "", "start of the run, UTC, RFC 3339"),
    column!(os, "", "host operating system"),
    column!(cpu, "", "host processor"),
    column!(device, "", "name of the device, as its driver gives it"),
    column!(vendor, "", "vendor of the device"),
    column!(device_type, "", "discrete, integrated, virtual, software or other"),
    column!(driver, "", "driver and its version"),
    column!(backend, "", "API that ran the kernel: vulkan, metal, dx12, gl, cuda, webgpu"),
    column!(family, "", "kernels that do the same job"),
    column!(benchmark, "", "one way to do it"),
    column!(dtype, "", "element type, in WGSL's notation"),
    column!(n, "", "size: a number of elements, or rows x columns"),
    column!(params, "", "parameters, K=V joined by ';', sorted by name"),
    column!(workgroup_size, "", "invocations of a workgroup, x x y x z"),
    column!(checks, "", "run-time checks that the API added to the kernel: off, or their names"),
    column!(shader_hash, "", "hash of the kernel's code as compiled, with its constants; comments do not count"),
    column!(status, "", "ok, wrong, skipped, failed or implausible"),
    column!(reason, "", "why the status is not ok, or what to know about the row"),
    column!(timer, "", "timestamp (device clock) or wall (host clock around submit and wait)"),
    column!(tick_ns, "ns", "smallest step seen of that clock"),
    column!(samples, "", "timed submissions"),
    column!(launches, "", "launches in each of them"),
    column!(median_ns, "ns", "median time of one launch"),
    column!(min_ns, "ns", "fastest sample"),
    column!(mean_ns, "ns", "mean"),
    column!(stddev_ns, "ns", "sample standard deviation"),
    column!(
        ci_low_ns,
        "ns",
        "lower end of the median's 95 % confidence interval (order statistics; Student's below six samples)"
    ),
    column!(ci_high_ns, "ns", "upper end of it"),
    column!(end_to_end_ns, "ns", "wall time with the copies to and from the host, median"),
    column!(bytes, "B", "bytes that the algorithm must move, reads plus writes"),
    column!(flops, "FLOP", "arithmetic operations that it must do; an FMA counts 2"),
    column!(gb_per_s, "GB/s", "bytes over the median time, 10^9 bytes each second"),
    column!(gflop_per_s, "GFLOP/s", "flops over the median time"),
    column!(ceiling, "", "measured limit that the row is held against, at its working set"),
    column!(share, "", "fraction of that limit, 1 = the limit"),
    column!(model, "", "speed relative to the first row of the same type and size that the family's model predicts"),
    column!(drift, "", "relative change of the canary from before the case to after it"),
    column!(
        in_kernel_ns,
        "ns",
        "latest end minus earliest start of a workgroup by a clock that the kernel reads, median"
    ),
    column!(
        subgroup_size,
        "",
        "lanes of the device's subgroups, as its API tells: `32`, or `8-32` where a driver chooses; empty where none does"
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The order is a promise to every reader of a report.
    #[test]
    fn columns_stand_in_the_documented_order() {
        let names: Vec<_> = COLUMNS.iter().map(|column| column.name).collect();
        assert_eq!(
            names.join(","),
            "schema,tool_version,date,os,cpu,device,vendor,device_type,driver,backend,family,benchmark,dtype,n,params,\
             workgroup_size,checks,shader_hash,status,reason,timer,tick_ns,samples,launches,median_ns,min_ns,mean_ns,stddev_ns,\
             ci_low_ns,ci_high_ns,end_to_end_ns,bytes,flops,gb_per_s,gflop_per_s,ceiling,share,model,drift,in_kernel_ns,subgroup_size"
        );
    }

    #[test]
    fn statements_rest_on_rows_that_are_known_well_enough() {
        let row = |noise: f64| Record {
            median_ns: Some(100.0),
            ci_low_ns: Some(100.0 - 100.0 * noise),
            ci_high_ns: Some(100.0 + 100.0 * noise),
            ..Record::default()
        };
        let count = |noises: &[f64]| {
            let rows: Vec<Record> = noises.iter().map(|noise| row(*noise)).chain([Record::default()]).collect();
            steady(&rows.iter().collect::<Vec<_>>()).map(|steady| steady.len())
        };
        assert_eq!(count(&[0.01; 9]), Some(10), "a row without figures stays");
        let mut noises = vec![0.01; 10];
        noises[3] = 0.2;
        assert_eq!(count(&noises), Some(10), "one of ten is left out");
        noises[4] = 0.11;
        assert_eq!(count(&noises), None, "two of ten are too many");
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        for text in ["NaN", "inf", "-inf", "fast"] {
            assert!(<Option<f64> as Field>::parse(text).is_err(), "{text}");
        }
        assert_eq!(<Option<f64> as Field>::parse(""), Ok(None));
        assert!(Status::parse("great").expect_err("no such status").contains("implausible"));
    }
}
