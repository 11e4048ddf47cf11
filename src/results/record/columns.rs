//! The columns of the CSV: also the keys of the JSON report.

use serde_json::Value;

use super::field::Field;
use super::row::Record;

/// What a column is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Tells the row from every other one: run, device, API and case.
    Identity,
    /// Measured: a row that is wrong or failed has none.
    Figure,
    /// Anything else that is known of the row.
    Text,
}

/// A column.
pub struct Column {
    /// Heading.
    pub name: &'static str,
    /// What it is about.
    pub kind: Kind,
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

macro_rules! column {
    ($kind:ident $field:ident, $unit:literal, $doc:literal) => {
        Column {
            name: stringify!($field),
            kind: Kind::$kind,
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
    column!(Text schema, "", "version of this list of columns"),
    column!(Identity tool_version, "", "version of shaderbench"),
    column!(Identity date, "", "start of the run, UTC, RFC 3339"),
    column!(Text os, "", "host operating system"),
    column!(Text cpu, "", "host processor"),
    column!(Identity device, "", "name of the device, as its driver gives it"),
    column!(Text vendor, "", "vendor of the device"),
    column!(Text device_type, "", "discrete, integrated, virtual, software or other"),
    column!(Identity driver, "", "driver and its version"),
    column!(Identity backend, "", "API that ran the kernel: vulkan, metal, dx12, gl, cuda, webgpu"),
    column!(Identity family, "", "kernels that do the same job"),
    column!(Identity benchmark, "", "one way to do it"),
    column!(Identity dtype, "", "element type, in WGSL's notation"),
    column!(Identity n, "", "size: a number of elements, or rows x columns"),
    column!(Identity params, "", "parameters, K=V joined by ';', sorted by name"),
    column!(Text workgroup_size, "", "invocations of a workgroup, x x y x z"),
    column!(Text checks, "", "run-time checks that the API added to the kernel: off, or their names"),
    column!(Text shader_hash, "", "hash of the kernel's code as compiled, with its constants; comments do not count"),
    column!(Text status, "", "ok, wrong, skipped, failed or implausible"),
    column!(Text reason, "", "why the status is not ok, or what to know about the row"),
    column!(Figure timer, "", "timestamp (device clock) or wall (host clock around submit and wait)"),
    column!(Figure tick_ns, "ns", "smallest step seen of that clock"),
    column!(Figure samples, "", "timed submissions"),
    column!(Figure launches, "", "launches in each of them"),
    column!(Figure median_ns, "ns", "median time of one launch"),
    column!(Figure min_ns, "ns", "fastest sample"),
    column!(Figure mean_ns, "ns", "mean"),
    column!(Figure stddev_ns, "ns", "sample standard deviation"),
    column!(
        Figure ci_low_ns,
        "ns",
        "lower end of the median's 95 % confidence interval (order statistics; Student's below six samples)"
    ),
    column!(Figure ci_high_ns, "ns", "upper end of it"),
    column!(Figure end_to_end_ns, "ns", "wall time with the copies to and from the host, median"),
    column!(Text bytes, "B", "bytes that the algorithm must move, reads plus writes"),
    column!(Text flops, "FLOP", "arithmetic operations that it must do; an FMA counts 2"),
    column!(Figure gb_per_s, "GB/s", "bytes over the median time, 10^9 bytes each second"),
    column!(Figure gflop_per_s, "GFLOP/s", "flops over the median time"),
    column!(Figure ceiling, "", "measured limit that the row is held against, at its working set"),
    column!(Figure share, "", "fraction of that limit, 1 = the limit"),
    column!(Text model, "", "speed relative to the first row of the same type and size that the family's model predicts"),
    column!(Figure drift, "", "relative change of the canary from before the case to after it"),
    column!(
        Figure in_kernel_ns,
        "ns",
        "latest end minus earliest start of a workgroup by a clock that the kernel reads, median"
    ),
    column!(
        Text subgroup_size,
        "",
        "lanes of the device's subgroups, as its API tells: `32`, or `8-32` where a driver chooses; empty where none does"
    ),
    column!(Text cause, "", "the reason as one word: timed-out, unsupported, above-ceiling and so on"),
];

impl Record {
    /// The values that tell the row from every other one: run, device, API and case.
    #[must_use]
    pub fn identity(&self) -> Vec<String> {
        COLUMNS.iter().filter(|column| column.kind == Kind::Identity).map(|column| (column.get)(self)).collect()
    }

    /// The text of a column; empty where there is no such column.
    #[must_use]
    pub fn cell(&self, column: &str) -> String {
        COLUMNS.iter().find(|known| known.name == column).map_or_else(String::new, |column| (column.get)(self))
    }

    /// Removes everything that was measured.
    pub fn drop_figures(&mut self) {
        let blank = Self::default();
        for column in COLUMNS.iter().filter(|column| column.kind == Kind::Figure) {
            // What a column gives it takes.
            let _ = (column.set)(self, &(column.get)(&blank));
        }
        self.all_samples_ns.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Clock, Status};

    /// The order is a promise to every reader of a report.
    #[test]
    fn columns_stand_in_the_documented_order() {
        let names: Vec<_> = COLUMNS.iter().map(|column| column.name).collect();
        assert_eq!(
            names.join(","),
            "schema,tool_version,date,os,cpu,device,vendor,device_type,driver,backend,family,benchmark,dtype,n,params,\
             workgroup_size,checks,shader_hash,status,reason,timer,tick_ns,samples,launches,median_ns,min_ns,mean_ns,\
             stddev_ns,ci_low_ns,ci_high_ns,end_to_end_ns,bytes,flops,gb_per_s,gflop_per_s,ceiling,share,model,drift,\
             in_kernel_ns,subgroup_size,cause"
        );
    }

    #[test]
    fn a_row_without_figures_keeps_what_is_known_of_its_case() {
        let known = Record { bytes: Some(8), model: Some(0.5), device: "card".to_owned(), ..Record::default() };
        let mut record = Record {
            timer: Some(Clock::Timestamp),
            median_ns: Some(1.0),
            samples: Some(3),
            share: Some(0.9),
            all_samples_ns: vec![1.0],
            ..known.clone()
        };
        record.drop_figures();
        assert_eq!(record, known);
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
