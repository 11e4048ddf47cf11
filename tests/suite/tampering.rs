//! What somebody may do to a report before sharing it.

use shaderbench::record::stats::round_to_seven_digits;

/// A report as a table of texts.
#[derive(Clone)]
pub(crate) struct Sheet {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Sheet {
    pub(crate) fn read(path: &str) -> Self {
        let mut reader = ::csv::Reader::from_path(path).expect("a CSV");
        let header = reader.headers().expect("a header").iter().map(str::to_owned).collect();
        let rows = reader.records().map(|row| row.expect("a row").iter().map(str::to_owned).collect()).collect();
        Self { header, rows }
    }

    pub(crate) fn text(&self) -> Vec<u8> {
        let mut writer = ::csv::Writer::from_writer(Vec::new());
        writer.write_record(&self.header).expect("written");
        self.rows.iter().for_each(|row| writer.write_record(row).expect("written"));
        writer.into_inner().expect("written")
    }

    fn column(&self, name: &str) -> usize {
        self.header.iter().position(|own| own == name).unwrap_or_else(|| panic!("no column {name}"))
    }

    /// Index of the row of this benchmark and size with a time.
    pub(crate) fn row(&self, benchmark: &str, n: &str) -> usize {
        let [name, size, status] = ["benchmark", "n", "status"].map(|name| self.column(name));
        let is_it = |row: &Vec<String>| row[name] == benchmark && row[size] == n && row[status] == "ok";
        self.rows.iter().position(is_it).unwrap_or_else(|| panic!("no row {benchmark} {n}"))
    }

    pub(crate) fn get(&self, row: usize, column: &str) -> String {
        self.rows[row][self.column(column)].clone()
    }

    fn number(&self, row: usize, column: &str) -> f64 {
        self.get(row, column).parse().expect("a number")
    }

    pub(crate) fn set(&mut self, row: usize, column: &str, value: impl ToString) {
        let column = self.column(column);
        self.rows[row][column] = value.to_string();
    }

    pub(crate) fn set_all(&mut self, column: &str, value: &str) {
        (0..self.rows.len()).for_each(|row| self.set(row, column, value));
    }

    /// Keeps the first rows.
    pub(crate) fn keep(&mut self, rows: usize) {
        self.rows.truncate(rows);
    }

    pub(crate) fn leave_out(&mut self, benchmark: &str) {
        let name = self.column("benchmark");
        self.rows.retain(|row| row[name] != benchmark);
    }

    /// Multiplies figures of a row.
    pub(crate) fn scale(&mut self, row: usize, columns: &[&str], factor: f64) {
        for column in columns {
            let texts = self.get(row, column);
            let scaled =
                |text: &str| round_to_seven_digits(text.parse::<f64>().expect("a number") * factor).to_string();
            let texts: Vec<String> = texts.split(';').filter(|text| !text.is_empty()).map(scaled).collect();
            self.set(row, column, texts.join(";"));
        }
    }
}

const TIMES: [&str; 8] =
    ["median_ns", "min_ns", "mean_ns", "stddev_ns", "ci_low_ns", "ci_high_ns", "epochs_ns", "slope_ns"];

/// Makes all times of a row shorter by a factor, and all rates and shares larger.
fn faster(sheet: &mut Sheet, row: usize, factor: f64) {
    sheet.scale(row, &TIMES, 1.0 / factor);
    sheet.scale(row, &["gb_per_s", "gflop_per_s", "share", "share_low", "share_high"], factor);
}

pub(crate) type Tampering = (&'static str, fn(&mut Sheet), &'static str);

/// What somebody may do to a report, and a part of the sentence about it.
pub(crate) const TAMPERINGS: &[Tampering] = &[
    ("a shorter median", |s| s.scale(s.row("tiled_wide", "8192x8192"), &["median_ns"], 0.9), "but the epochs make it"),
    (
        "one epoch left out",
        |s| {
            let row = s.row("tiled_wide", "8192x8192");
            let epochs = s.get(row, "epochs_ns");
            let (_, rest) = epochs.split_once(';').expect("epochs");
            s.set(row, "epochs_ns", rest);
        },
        "but the epochs make it",
    ),
    (
        "a slow epoch smoothed, and median and rate computed again",
        |s| {
            let row = s.row("tiled_wide", "8192x8192");
            let mut epochs: Vec<f64> =
                s.get(row, "epochs_ns").split(';').map(|text| text.parse().expect("a number")).collect();
            let slowest = epochs.iter().copied().fold(0.0, f64::max);
            let fastest = epochs.iter().copied().fold(f64::MAX, f64::min);
            epochs.iter_mut().filter(|ns| **ns == slowest).for_each(|ns| *ns = fastest);
            let mean = (epochs.iter().map(|ns| ns.ln()).sum::<f64>() / epochs.len() as f64).exp();
            let factor = mean / s.number(row, "median_ns");
            s.scale(row, &["median_ns", "ci_low_ns", "ci_high_ns"], factor);
            s.scale(row, &["gb_per_s", "share", "share_low", "share_high"], 1.0 / factor);
            let texts: Vec<String> = epochs.iter().map(ToString::to_string).collect();
            s.set(row, "epochs_ns", texts.join(";"));
        },
        "but the epochs make it",
    ),
    (
        "a narrower interval",
        |s| {
            let row = s.row("tiled_wide", "8192x8192");
            let median = s.number(row, "median_ns");
            s.set(row, "ci_low_ns", round_to_seven_digits(median * 0.99999));
            s.set(row, "ci_high_ns", round_to_seven_digits(median * 1.00001));
        },
        "ci_low_ns is",
    ),
    (
        "an interval beside the median",
        |s| {
            let row = s.row("tiled_wide", "8192x8192");
            s.scale(row, &["ci_low_ns", "ci_high_ns"], 0.5);
        },
        "ci_high_ns is",
    ),
    ("a higher rate", |s| s.scale(s.row("tiled_wide", "8192x8192"), &["gb_per_s"], 1.05), "gb_per_s is"),
    (
        "more bytes",
        |s| {
            let row = s.row("tiled_wide", "8192x8192");
            let bytes: u64 = s.get(row, "bytes").parse().expect("a number");
            s.set(row, "bytes", 2 * bytes);
            s.scale(row, &["gb_per_s"], 2.0);
        },
        "but the benchmark's is 536870912",
    ),
    ("a larger share", |s| s.scale(s.row("tiled_wide", "8192x8192"), &["share"], 1.02), "share is"),
    (
        "a narrower interval of the share",
        |s| {
            let row = s.row("tiled_wide", "8192x8192");
            let share = s.get(row, "share");
            s.set(row, "share_low", &share);
            s.set(row, "share_high", share);
        },
        "share_low is",
    ),
    (
        "no epochs",
        |s| {
            let end = s.column("epochs_ns");
            s.header.truncate(end);
            s.rows.iter_mut().for_each(|row| row.truncate(end));
        },
        "epochs_ns is empty",
    ),
    ("an old schema", |s| s.set_all("schema", "1"), "an old schema, which on 2026-11-23T11:48:39Z no version wrote"),
    (
        "another ceiling",
        |s| s.set(s.row("tiled_wide", "8192x8192"), "ceiling", "fill 512 MiB"),
        "ceiling is fill 512 MiB, but the rows of the family ceiling make it copy 512 MiB",
    ),
    (
        "a slower ceiling, so that other rows look better",
        |s| {
            let row = s
                .rows
                .iter()
                .position(|row| row[s.column("ceiling")] == "copy 512 MiB" && row[s.column("share")] == "1");
            s.scale(row.expect("the ceiling"), &TIMES, 1.5);
            s.scale(row.expect("the ceiling"), &["gb_per_s"], 1.0 / 1.5);
        },
        "but the rows of the family ceiling make it",
    ),
    ("a row above its ceiling", |s| faster(s, s.row("tiled_wide", "8192x8192"), 2.0), "the row must be implausible"),
    (
        "a skipped row made ok",
        |s| {
            let row = s.rows.iter().position(|row| row[s.column("status")] == "skipped").expect("a row");
            s.set(row, "status", "ok");
        },
        "timer is empty",
    ),
    (
        "a row made unverified",
        |s| s.set(s.row("tiled", "4096x4096"), "status", "unverified"),
        "status is unverified, but for this benchmark it is ok",
    ),
    ("a wrong row", |s| s.set(s.row("tiled", "4096x4096"), "status", "wrong"), "open an issue with the report"),
    (
        "a size that overflows",
        |s| s.set(3, "n", "18446744073709551615"),
        "'18446744073709551615' is too large: at most 2^40 elements",
    ),
    (
        "a parameter that overflows",
        |s| s.set(s.row("tiled", "4096x4096"), "params", format!("PAD={}", "9".repeat(60))),
        "params is not written as shaderbench writes it",
    ),
    ("a benchmark of nobody", |s| s.set(3, "benchmark", "faster"), "the suite has no such benchmark"),
    ("a hash", |s| s.set(s.row("tiled", "4096x4096"), "shader_hash", "0123456789abcdef"), "no known build had another"),
    (
        "the hashes of two rows exchanged",
        |s| {
            let (a, b) = (s.row("tiled", "4096x4096"), s.row("tiled_wide", "4096x4096"));
            let (hash_a, hash_b) = (s.get(a, "shader_hash"), s.get(b, "shader_hash"));
            s.set(a, "shader_hash", hash_b);
            s.set(b, "shader_hash", hash_a);
        },
        "no known build had another",
    ),
    (
        "the figures of two rows exchanged",
        |s| {
            let (a, b) = (s.row("tiled", "4096x4096"), s.row("tiled_wide", "8192x8192"));
            for column in TIMES {
                let (of_a, of_b) = (s.get(a, column), s.get(b, column));
                s.set(a, column, of_b);
                s.set(b, column, of_a);
            }
        },
        "gb_per_s is",
    ),
    (
        "the figures of one row in another",
        |s| {
            let (a, b) = (s.row("tiled_wide", "8192x8192"), s.row("registers", "8192x8192"));
            let columns = ["samples", "launches", "gb_per_s", "share", "share_low", "share_high", "noise_between"];
            for column in TIMES.iter().chain(&columns) {
                let value = s.get(a, column);
                s.set(b, column, value);
            }
        },
        "to the last digit",
    ),
    ("two devices", |s| s.set(5, "device", "NVIDIA H100"), "device differs within Vulkan"),
    (
        "a row twice",
        |s| {
            let row = s.rows[7].clone();
            s.rows.push(row);
        },
        "a row is repeated",
    ),
    (
        "a row left out",
        |s| _ = s.rows.remove(s.row("tiled_wide", "8192x8192")),
        "Vulkan has no row for transpose/tiled_wide f32 8192x8192",
    ),
    ("a benchmark left out", |s| s.leave_out("tiled_wide"), "Vulkan has no row for transpose/tiled_wide"),
    ("a control character", |s| s.set_all("cpu", "Xeon\u{1b}[31m"), "the hidden character \\u{1b}"),
    ("text from right to left", |s| s.set_all("cpu", "Xeon\u{202e}7"), "the hidden character \\u{202e}"),
    ("a formula", |s| s.set_all("cpu", "=HYPERLINK(\"http://x\")"), "begins as a formula"),
    ("a path", |s| s.set(3, "reason", "compiled in /home/ann/shaderbench"), "names a path: /home/ann/shaderbench"),
    ("a date to come", |s| s.set_all("date", "2126-11-23T12:01:22Z"), "is in the future"),
    ("a date before the suite", |s| s.set_all("date", "2016-11-23T12:01:22Z"), "is before the suite's first day"),
    ("no date", |s| s.set_all("date", "yesterday"), "which no run writes"),
    ("two dates", |s| s.set(5, "date", "2026-11-23T13:00:00Z"), "date differs within the report"),
    ("a version to come", |s| s.set_all("tool_version", "99.0.0"), "cannot check"),
    ("another API", |s| s.set_all("apis", "cuda+vulkan"), "apis is cuda+vulkan, but the rows are of vulkan"),
    ("a number written otherwise", |s| s.set(3, "seed", "011"), "seed is not written as shaderbench writes it"),
    (
        "steady epochs",
        |s| s.set(s.row("tiled", "4096x4096"), "noise_between", 0),
        "noise_between is 0, but the epochs make it",
    ),
    (
        "a faster DRAM than any card of the model",
        |s| {
            let family = s.column("family");
            (0..s.rows.len()).filter(|row| s.rows[*row][family] == "ceiling").collect::<Vec<_>>().into_iter().for_each(
                |row| {
                    if !s.get(row, "median_ns").is_empty() {
                        faster(s, row, 1.5);
                    }
                },
            );
        },
        "the largest figure of any report of NVIDIA H200",
    ),
];
