//! Runs the quick profile on a device with lowered limits, which wgpu enforces, as on a phone or a small computer.
//! Prints the number of rows by status and the reasons of skipped rows; exits with 1 if a row is failed or wrong.
//!
//! `cargo run --release --example small_device -- --invocations 256 --workgroup-bytes 16384 --binding-mib 128 --bare`
//! `--bare` removes optional features: subgroups, f16, f64, 64-bit integers, timestamps, mappable buffers. `--seconds`
//! is the time limit.

use std::collections::BTreeMap;
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use gpu::backend::wgpu::{Timeouts, WgpuBackend, adapters};
use gpu::backend::{Backend, Device};
use gpu::engine::measure::Timer;
use gpu::engine::plan::{Request, plan};
use gpu::engine::{Changes, Fitted, Observer, RowTable, Settings, fit, resume};
use record::suite::{Case, Profile};
use record::{Record, Status};

struct Quiet;

impl Observer for Quiet {
    fn timer(&mut self, _: record::suite::Toolchain<'_>, _: &Timer) {}
    fn start(&mut self, _: usize, _: &Case, _: &Record) {}
    fn row(&mut self, _: &Record) {}
    fn finish(&mut self, _: &[Record], _: &Changes) -> record::error::Result<()> {
        Ok(())
    }
}

/// Lowers the limits that the options name, and returns the time limit.
fn lower(device: &mut Device, mut options: impl Iterator<Item = String>) -> Result<Duration, Box<dyn Error>> {
    let mut time = Duration::from_secs(600);
    while let Some(option) = options.next() {
        if option == "--bare" {
            device.features.retain(|feature| feature.of_language().is_some());
            (device.has_timestamps, device.has_copy_timestamps, device.has_mappable_storage) = (false, false, false);
            continue;
        }
        let value: u32 =
            options.next().and_then(|value| value.parse().ok()).ok_or(format!("{option} needs a number"))?;
        match option.as_str() {
            "--invocations" => {
                device.max_invocations = value.min(device.max_invocations);
                device.max_workgroup_size = device.max_workgroup_size.map(|side| side.min(value));
            }
            "--workgroup-bytes" => device.max_workgroup_bytes = value.min(device.max_workgroup_bytes),
            "--binding-mib" => device.max_binding_bytes = (u64::from(value) << 20).min(device.max_binding_bytes),
            "--seconds" => time = Duration::from_secs(value.into()),
            _ => return Err(format!("unknown option {option}").into()),
        }
    }
    Ok(time)
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut adapter = pollster::block_on(adapters(None)).into_iter().next().ok_or("there is no device")?;
    let time = lower(&mut adapter.device, std::env::args().skip(1))?;
    let mut backend = pollster::block_on(WgpuBackend::open(adapter, Timeouts::DEFAULT))?;
    let device = backend.device().clone();
    let features: Vec<_> = device.features.iter().map(|feature| feature.name()).collect();
    println!(
        "{} ({}): {} invocations and {} bytes a workgroup, bindings of {} MiB, {}, {}",
        device.name,
        device.api,
        device.max_invocations,
        device.max_workgroup_bytes,
        device.max_binding_bytes >> 20,
        if device.has_timestamps { "timestamps" } else { "no timestamps" },
        features.join(", "),
    );
    let cases = plan(&Request { has_reserves: true, ..Request::new(Vec::new(), Profile::Quick) })?;
    let Fitted { cases, smaller, .. } = fit(cases, &[&device], |_| false);
    let settings =
        Settings { time: Some(time), ..Settings::new(Profile::Quick, String::new(), String::new(), String::new()) };
    let mut apis: [&mut dyn Backend; 1] = [&mut backend];
    let outcome = pollster::block_on(resume(&mut apis, &cases, RowTable::default(), &settings, &mut Quiet))?;
    let (mut counts, mut reasons) = (BTreeMap::<_, usize>::new(), BTreeMap::<_, usize>::new());
    for row in &outcome.records {
        *counts.entry(row.status.name()).or_default() += 1;
        match row.status {
            Status::Skipped => *reasons.entry(row.reason.as_str()).or_default() += 1,
            Status::Ok => {}
            _ => println!("{}: {} {} {}: {}", row.status.name(), row.name(), row.size(), row.params_text(), row.reason),
        }
    }
    for (reason, count) in &reasons {
        println!("  {count} skipped: {reason}");
    }
    let counts: Vec<_> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    println!("small_device: {} cases with smaller workgroups; {}", smaller.len(), counts.join(", "));
    let is_fault = outcome.records.iter().any(|row| matches!(row.status, Status::Failed | Status::Wrong));
    Ok(if is_fault { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
