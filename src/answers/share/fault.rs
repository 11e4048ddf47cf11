//! Faults of a report, and what it is checked against.

use crate::answers::references::Reference;
use crate::record::{Record, Status};
use crate::suite::{Api, Case, Program};

/// What a report is checked against.
pub struct Checks<'a> {
    /// The latest date that a report may have, UTC, RFC 3339.
    pub latest: &'a str,
    /// Whether an earlier build had this kernel: its [`kernel_key`](super::kernel_key).
    pub is_known_kernel: &'a (dyn Fn(u64) -> bool + Sync),
    /// The suite's kernel of a case: `engine::program`.
    pub program: fn(&Case) -> Option<Program>,
    /// The rows of one API with the ceilings and shares that follow from all of them: `engine::judged_again`.
    pub judged_again: fn(&[(Case, &Record)]) -> Vec<Record>,
    /// Runs that are believed.
    pub references: &'a [Reference],
}

/// A fault of a report.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// Index of its row; `None` for a fault of the whole report.
    pub row: Option<usize>,
    /// What is wrong, with the values that show it.
    pub kind: Kind,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// There are no rows.
    Empty,
    /// A column has several values in one run, or in the rows of one of its APIs.
    Differs {
        /// The column.
        column: &'static str,
        /// The API, if other APIs may have another value.
        api: Option<Api>,
        /// Two of the values.
        values: [String; 2],
    },
    /// A column has no value where it needs one, or one that no run writes.
    Invalid {
        /// The column.
        column: &'static str,
        /// Its value.
        value: String,
    },
    /// A value does not follow from those that it is computed from.
    Underived {
        /// The column.
        column: &'static str,
        /// Its value.
        written: String,
        /// The value that follows.
        expected: String,
    },
    /// The report is older than the suite.
    BeforeSuite,
    /// The report is from the future.
    InFuture,
    /// A newer version wrote the report.
    NewerVersion,
    /// The report has a schema that no version wrote on its date.
    OldSchema,
    /// The case has two rows.
    Repeated,
    /// The epochs are those of another row, to the last digit.
    SameTimes {
        /// Index of the other row.
        other: usize,
    },
    /// The suite has no such benchmark, type, size or parameters.
    UnknownCase,
    /// No known build had this kernel.
    UnknownKernel {
        /// The hash of this build's kernel.
        expected: String,
    },
    /// The benchmark cannot run with this type, size and these parameters.
    CannotRun,
    /// A benchmark, or one of its types and sizes, has no row.
    Missing {
        /// The API that lacks it.
        api: Api,
        /// `family/benchmark`, possibly with type and size.
        case: String,
    },
    /// The row is wrong, failed or implausible.
    Bad(Status),
    /// The row must be implausible, for this reason.
    Implausible(String),
    /// The row is skipped, but has figures.
    SkippedWithFigures,
    /// A text names a path.
    Path {
        /// The column.
        column: &'static str,
        /// The path.
        path: String,
    },
    /// This row and perhaps others name their host.
    Host,
    /// A peak is far above those of all reports of the model.
    AboveModel {
        /// The figure's name.
        figure: String,
        /// Its value over the largest known one.
        ratio: f64,
    },
}

impl Fault {
    pub(super) const fn of_report(kind: Kind) -> Self {
        Self { row: None, kind }
    }

    pub(super) const fn of_row(row: usize, kind: Kind) -> Self {
        Self { row: Some(row), kind }
    }
}

/// Relative error of a figure that is computed from figures of seven digits.
pub(super) const ROUNDING: f64 = 2e-6;

/// A column, and how far it may be from the computed value: relative and absolute.
pub(super) type Column = (&'static str, f64, f64);

/// Compares what is written in `columns` with what is `computed`.
pub(super) fn compare(index: usize, row: &Record, computed: &Record, columns: &[Column], faults: &mut Vec<Fault>) {
    for (column, relative, absolute) in columns {
        let [written, expected] = [row, computed].map(|row| row.cell(column));
        let is_near = match (written.parse::<f64>(), expected.parse::<f64>()) {
            (Ok(written), Ok(expected)) => (written - expected).abs() <= relative * expected.abs() + absolute,
            _ => written == expected,
        };
        if !is_near {
            faults.push(Fault::of_row(index, Kind::Underived { column, written, expected }));
        }
    }
}
