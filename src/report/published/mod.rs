//! Figures that other programs print, as rows of a report: never verified, and marked with the program's name.

mod clpeak;
mod gpu_benches;
mod mt4g;
mod output;

use crate::results::stats::round_to_seven_digits;
use crate::results::{Record, SCHEMA, Status};
use output::{Found, Output, Value};

/// The family of such rows.
pub const FAMILY: &str = "published";

/// A program whose output is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// clpeak: the text that it prints, version 1 and 2.
    Clpeak,
    /// gpu-benches: the tables of gpu-stream, gpu-latency and gpu-l2-cache (or cuda-…).
    GpuBenches,
    /// mt4g: its JSON.
    Mt4g,
}

impl Tool {
    /// Every program.
    pub const ALL: [Self; 3] = [Self::Clpeak, Self::GpuBenches, Self::Mt4g];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clpeak => "clpeak",
            Self::GpuBenches => "gpu-benches",
            Self::Mt4g => "mt4g",
        }
    }
}

/// The figures in `text`, which `tool` printed, as rows with the status `unverified`. `device` names the device where the
/// output does not.
///
/// # Errors
/// What the text lacks.
pub fn read(tool: Tool, text: &str, device: Option<&str>) -> Result<Vec<Record>, String> {
    let outputs = match tool {
        Tool::Clpeak => clpeak::read(text),
        Tool::GpuBenches => gpu_benches::read(text),
        Tool::Mt4g => mt4g::read(text)?,
    };
    let name = tool.name();
    let is_possible = |found: &Found| {
        let (Value::GbPerS(value) | Value::GflopPerS(value) | Value::Ns(value)) = found.value;
        (1e-6..=1e12).contains(&value)
    };
    let mut records = Vec::new();
    for output in outputs {
        let device = device.unwrap_or(&output.device);
        if device.is_empty() {
            return Err(format!("the output of {name} does not name its device: pass --device NAME"));
        }
        for found in output.figures.iter().filter(|found| is_possible(found)) {
            records.push(record(name, device, &output, found));
        }
    }
    if records.is_empty() {
        return Err(format!("this is no output of {name}: none of its figures is in it"));
    }
    Ok(records)
}

fn record(tool: &str, device: &str, output: &Output, found: &Found) -> Record {
    let version = [tool, &output.version].join(" ").trim_end().to_owned();
    let mut record = Record {
        schema: Some(SCHEMA),
        tool_version: version,
        date: output.date.clone(),
        device: device.to_owned(),
        driver: output.driver.clone(),
        family: FAMILY.to_owned(),
        benchmark: found.name.replace(' ', "_"),
        status: Status::Unverified,
        reason: format!("published by {tool}: {}", found.source),
        ..Record::default()
    };
    match found.value {
        Value::GbPerS(value) => record.gb_per_s = Some(round_to_seven_digits(value)),
        Value::GflopPerS(value) => record.gflop_per_s = Some(round_to_seven_digits(value)),
        Value::Ns(value) => record.median_ns = Some(round_to_seven_digits(value)),
    }
    record
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::csv;

    #[test]
    fn rows_are_unverified_carry_the_tool_and_survive_the_csv() {
        let text = "rows without a name\n  1000000  1000        1     20.0    20.0\n  1000000  1000        2     20.0    20.0\n";
        let message = read(Tool::GpuBenches, text, None).expect_err("no device");
        assert_eq!(message, "the output of gpu-benches does not name its device: pass --device NAME");
        let records = read(Tool::GpuBenches, text, Some("NVIDIA H200")).expect("figures");
        assert!(records.iter().all(|row| row.status == Status::Unverified && row.tool_version == "gpu-benches"));
        assert_eq!(csv::read(std::path::Path::new("r.csv"), &csv::write(&records)[..]).expect("rows").records, records);
        for tool in Tool::ALL {
            assert!(read(tool, "", Some("x")).is_err() && read(tool, "{}", Some("x")).is_err(), "{tool:?}");
        }
    }

    /// Whatever a file holds, reading it ends with rows or a sentence.
    #[test]
    fn any_text_is_read_or_refused() {
        arbtest::arbtest(|u| {
            let text: String = u.arbitrary()?;
            for tool in Tool::ALL {
                if let Ok(records) = read(tool, &text, Some("x")) {
                    assert!(!records.is_empty());
                }
            }
            Ok(())
        });
    }
}
