//! Rows that need attention.

use record::{Clock, Record, Status};

/// A device-timed row is unsteady if half the width of its 95 % interval exceeds this fraction of its median.
pub const UNSTEADY: f64 = 0.05;

/// Rows that need attention, by kind, in the order of the report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Troubles<'a> {
    /// Rows with a wrong output.
    pub wrong: Vec<&'a Record>,
    /// Rows that should run but did not.
    pub failed: Vec<&'a Record>,
    /// Rows that are faster than a measured peak.
    pub implausible: Vec<&'a Record>,
    /// Device-timed rows with a wide interval, the widest first.
    pub unsteady: Vec<&'a Record>,
    /// Number of rows skipped because of the device or the time limit.
    pub skipped: usize,
}

/// Finds the rows that need attention.
#[must_use]
pub fn troubles<'a>(rows: &[&'a Record]) -> Troubles<'a> {
    let with_status = |status: Status| rows.iter().copied().filter(|row| row.status == status).collect::<Vec<_>>();
    let noise = |row: &Record| row.noise().unwrap_or(0.0);
    let is_unsteady = |row: &&Record| row.timer == Some(Clock::Timestamp) && noise(row) > UNSTEADY;
    let mut unsteady: Vec<&Record> = with_status(Status::Ok).into_iter().filter(is_unsteady).collect();
    unsteady.sort_by(|a, b| noise(b).total_cmp(&noise(a)));
    Troubles {
        wrong: with_status(Status::Wrong),
        failed: with_status(Status::Failed),
        implausible: with_status(Status::Implausible),
        unsteady,
        skipped: with_status(Status::Skipped).len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(noise: f64, timer: Clock) -> Record {
        Record {
            median_ns: Some(100.0),
            ci_low_ns: Some(100.0 - 100.0 * noise),
            ci_high_ns: Some(100.0 + 100.0 * noise),
            timer: Some(timer),
            ..Record::default()
        }
    }

    #[test]
    fn rows_are_sorted_by_what_is_wrong_with_them() {
        let rows = [
            row(0.04, Clock::Timestamp),
            row(0.06, Clock::Timestamp),
            row(0.2, Clock::Timestamp),
            row(0.2, Clock::Wall),
            Record { status: Status::Wrong, ..Record::default() },
            Record { status: Status::Skipped, ..Record::default() },
        ];
        let all: Vec<&Record> = rows.iter().collect();
        let found = troubles(&all);
        assert_eq!(found.unsteady, [&rows[2], &rows[1]], "the widest first, and none of the host's clock");
        assert_eq!((found.wrong, found.skipped, found.failed.len()), (vec![&rows[4]], 1, 0));
    }
}
