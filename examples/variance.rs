//! Where a row's variance comes from: samples, epochs or processes. Measures a random choice of the cases of a profile
//! in several epochs, without verification, and prints one line per case and epoch: the process's label, the epoch, the
//! case, launches in a sample, median in nanoseconds, relative standard error of the median, samples, the milliseconds
//! that preparation and all took, and the slope over the number of launches.
//!
//! `cargo run --release --example variance -- LABEL [--rows N] [--epochs E] [--ms SAMPLING] [--order SEED|plan]
//! [--place] [--reopen] [--cuda] [FILTER…]`. The choice of cases is the same in every process. With `--place` each epoch
//! uses another place of memory, with `--reopen` a new device.

use std::error::Error;
use std::time::Instant;

use shaderbench::backend::Backend;
use shaderbench::backend::wgpu::{Timeouts, WgpuBackend, adapters};
use shaderbench::engine::measure::select_timer;
use shaderbench::engine::measure::slope::slope;
use shaderbench::engine::measure::{Rules, measure};
use shaderbench::engine::plan::{Request, plan};
use shaderbench::job::Job;
use shaderbench::record::stats;
use shaderbench::suite::{Case, Profile};

/// SplitMix64.
struct Random(u64);

impl Random {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, (self.next() % (last as u64 + 1)) as usize);
        }
    }
}

#[derive(Default)]
struct Options {
    label: String,
    rows: usize,
    epochs: u64,
    sampling_ms: f64,
    order: Option<u64>,
    moves: bool,
    reopens: bool,
    is_cuda: bool,
    filters: Vec<String>,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let label = words.next().ok_or("give a label")?;
    let mut options =
        Options { label, rows: usize::MAX, epochs: 5, sampling_ms: 20.0, order: Some(1), ..Options::default() };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--rows" => options.rows = value()?.parse()?,
            "--epochs" => options.epochs = value()?.parse()?,
            "--ms" => options.sampling_ms = value()?.parse()?,
            "--order" => options.order = value()?.parse().ok(),
            "--place" => options.moves = true,
            "--reopen" => options.reopens = true,
            "--cuda" => options.is_cuda = true,
            _ => options.filters.push(word),
        }
    }
    Ok(options)
}

#[cfg(feature = "cuda")]
fn cuda() -> Result<Box<dyn Backend>, Box<dyn Error>> {
    use shaderbench::backend::cuda::{CudaBackend, devices};
    let device = devices()?.into_iter().next().ok_or("no CUDA device")?;
    Ok(Box::new(CudaBackend::open(device, std::time::Duration::from_secs(20))?))
}

#[cfg(not(feature = "cuda"))]
fn cuda() -> Result<Box<dyn Backend>, Box<dyn Error>> {
    Err("built without the feature cuda".into())
}

fn main() -> Result<(), Box<dyn Error>> {
    pollster::block_on(run(&options()?))
}

async fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let mut backend: Box<dyn Backend> = if options.is_cuda {
        cuda()?
    } else {
        let adapter = adapters(None).await.into_iter().next().ok_or("no adapter")?;
        Box::new(WgpuBackend::open(adapter, Timeouts::DEFAULT).await?)
    };
    let cases = plan(&Request::new(options.filters.clone(), Profile::Standard))?;
    let mut indices: Vec<usize> = (0..cases.len()).collect();
    Random(2026).shuffle(&mut indices);
    indices.truncate(options.rows);
    indices.sort_unstable();
    let rules = Rules {
        min_sampling_ns: options.sampling_ms * 1e6,
        shortest_sample_ns: 500e3,
        ..Rules::with_budget(10.0 * options.sampling_ms * 1e6)
    };
    let warm = plan(&Request::new(vec!["ceiling/fma".into()], Profile::Quick))?.swap_remove(0);
    let jobs: Vec<Job> = indices.iter().filter_map(|index| Job::new(&cases[*index]).ok()).collect();
    backend.compile_in_background(&jobs);
    drop(jobs);
    let mut order = Random(options.order.unwrap_or(0));
    for epoch in 0..options.epochs {
        if options.reopens && epoch > 0 {
            backend.release();
            backend.reopen().await?;
            let jobs: Vec<Job> = indices.iter().filter_map(|index| Job::new(&cases[*index]).ok()).collect();
            backend.compile_in_background(&jobs);
        }
        if options.moves {
            backend.move_to(order.next() >> 20).await?;
        }
        let warm_job = Job::new(&warm)?;
        let mut canary = backend.prepare(&warm_job).await?;
        let timer = select_timer(canary.as_mut()).await?;
        let ramp = (2e6 / canary.sample(1).await?.wall_ns).clamp(1.0, 500.0) as u32;
        if options.order.is_some() {
            order.shuffle(&mut indices);
        }
        for index in &indices {
            let case: &Case = &cases[*index];
            let Ok(job) = Job::new(case) else { continue };
            if backend.device().check(&job).is_err() || job.is_host_timed(backend.device().has_copy_timestamps) {
                continue;
            }
            let start = Instant::now();
            let Ok(mut prepared) = backend.prepare(&job).await else { continue };
            let ready = start.elapsed();
            for _ in 0..4 {
                canary.sample(ramp).await?;
            }
            let series = measure(prepared.as_mut(), &timer, &rules).await?;
            let summary = stats::summarize(&series.samples_ns).ok_or("no samples")?;
            let error = stats::relative_standard_error(&series.samples_ns).unwrap_or(0.0);
            let slope = if job.has_untimed_steps() {
                None
            } else {
                slope(prepared.as_mut(), &timer, &rules, series.launches).await?
            };
            println!(
                "{},{epoch},{case},{},{:.3},{error:.6},{},{:.1},{:.1},{:.3}",
                options.label,
                series.launches,
                summary.median,
                series.samples_ns.len(),
                ready.as_secs_f64() * 1e3,
                start.elapsed().as_secs_f64() * 1e3,
                slope.unwrap_or(f64::NAN),
            );
        }
    }
    Ok(())
}
