//! Ways to tamper with a report before sharing it.

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

    pub(crate) fn row(&self, benchmark: &str, n: &str) -> usize {
        let [name, size, status] = ["benchmark", "n", "status"].map(|name| self.column(name));
        let is_it = |row: &Vec<String>| row[name] == benchmark && row[size] == n && row[status] == "ok";
        self.rows.iter().position(is_it).unwrap_or_else(|| panic!("no row {benchmark} {n}"))
    }

    pub(crate) fn set(&mut self, row: usize, column: &str, value: impl ToString) {
        let column = self.column(column);
        self.rows[row][column] = value.to_string();
    }

    pub(crate) fn set_all(&mut self, column: &str, value: &str) {
        (0..self.rows.len()).for_each(|row| self.set(row, column, value));
    }

    pub(crate) fn keep(&mut self, rows: usize) {
        self.rows.truncate(rows);
    }

    pub(crate) fn leave_out(&mut self, benchmark: &str) {
        let name = self.column("benchmark");
        self.rows.retain(|row| row[name] != benchmark);
    }
}

pub(crate) type Tampering = (&'static str, fn(&mut Sheet), &'static str);

/// Tamperings, each with its name and a part of the sentence about it.
pub(crate) const TAMPERINGS: &[Tampering] = &[
    ("a wrong row", |s| s.set(s.row("tiled", "4096x4096"), "status", "wrong"), "open an issue with the report"),
    (
        "a size that overflows",
        |s| s.set(3, "n", "18446744073709551615"),
        "'18446744073709551615' is too large: at most 2^40 elements",
    ),
    (
        "a parameter that overflows",
        |s| s.set(s.row("tiled", "4096x4096"), "params", format!("PAD={}", "9".repeat(60))),
        "the suite has no such benchmark, type, size or parameters",
    ),
    ("a benchmark of nobody", |s| s.set(3, "benchmark", "faster"), "the suite has no such benchmark"),
    ("a hash", |s| s.set(s.row("tiled", "4096x4096"), "shader_hash", "0123456789abcdef"), "belongs to no known build"),
    (
        "the hash of another row",
        |s| {
            let hash = s.column("shader_hash");
            let other = s.rows[s.row("tiled_wide", "4096x4096")][hash].clone();
            s.set(s.row("tiled", "4096x4096"), "shader_hash", other);
        },
        "belongs to no known build",
    ),
    ("two devices", |s| s.set(5, "device", "NVIDIA H100"), "device has more than one value in the Vulkan rows"),
    (
        "a row twice",
        |s| {
            let row = s.rows[7].clone();
            s.rows.push(row);
        },
        "1 row repeats",
    ),
    (
        "a row left out",
        |s| _ = s.rows.remove(s.row("tiled_wide", "8192x8192")),
        "Vulkan has no row for transpose/tiled_wide f32 8192x8192",
    ),
    ("a benchmark left out", |s| s.leave_out("tiled_wide"), "Vulkan has no row for transpose/tiled_wide"),
    ("a control character", |s| s.set_all("cpu", "Xeon\u{1b}[31m"), "the hidden character \\u{1b}"),
    ("text from right to left", |s| s.set_all("cpu", "Xeon\u{202e}7"), "the hidden character \\u{202e}"),
    ("a path", |s| s.set(3, "reason", "compiled in /home/ann/shaderbench"), "contains the path /home/ann/shaderbench"),
    ("two dates", |s| s.set(5, "date", "2026-11-23T13:00:00Z"), "date has more than one value in the report"),
];
