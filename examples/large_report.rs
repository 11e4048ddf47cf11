//! Writes a large CSV report to stdout, to measure time and memory of `compare`, `report` and `index`:
//! `cargo run --release --example large_report -- SHAPE ROWS [DEVICES]`, where SHAPE is
//!
//! - `devices`: every device (1000 by default) has the same cases;
//! - `sparse`: every row is a case of its own, of one of the devices;
//! - `cases`: one device with as many cases as rows;
//! - `families`: the same, each case in a family of its own;
//! - `runs`: one device and few cases, measured again and again.

use std::io::Write;
use std::path::Path;

use shaderbench::record::{Record, Status};
use shaderbench::report::csv;
use shaderbench::suite::Extent;

const SOURCE: &str = "results/llvmpipe-llvm-15-0-6-256-bits/2026-11-22-vulkan.csv";
const USAGE: &str = "usage: large_report devices|sparse|cases|families|runs ROWS [DEVICES]";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let shape = arguments.next().ok_or(USAGE)?;
    let rows: usize = arguments.next().ok_or(USAGE)?.parse()?;
    let devices: usize = arguments.next().map_or(Ok(1000), |devices| devices.parse())?;
    let mut source = csv::open(Path::new(SOURCE))?.records;
    source.retain(|row| row.status == Status::Ok);
    let mut out = std::io::stdout().lock();
    out.write_all(&csv::write(&[]))?;
    for index in 0..rows {
        let (device, case) = match &*shape {
            "devices" => (index % devices, index / devices),
            "sparse" => (index % devices, index),
            "cases" | "families" | "runs" => (0, index),
            _ => return Err(USAGE.into()),
        };
        let of = &source[case % source.len()];
        let mut row =
            Record { device: format!("Device {device}"), n: Some(Extent::Linear(1 + case as u64)), ..of.clone() };
        match &*shape {
            "families" => row.family = format!("family {case}"),
            "runs" => (row.n, row.date) = (of.n, format!("run {index}")),
            _ => {}
        }
        out.write_all(&csv::write_rows([&row]))?;
    }
    Ok(())
}
