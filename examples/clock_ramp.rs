//! The time that the device's clock needs to rise under load and to fall when idle: one fixed arithmetic kernel, first
//! under constant load, then after pauses. Run with `cargo run --release --example clock_ramp`.

use std::time::{Duration, Instant};

use shaderbench::backend::Backend;
use shaderbench::backend::wgpu::{Timeouts, WgpuBackend, adapters};
use shaderbench::engine::plan::{Request, plan};
use shaderbench::job::Job;
use shaderbench::suite::Profile;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    pollster::block_on(async {
        let adapter = adapters(None).await.into_iter().next().ok_or("no adapter")?;
        println!("{}", adapter.device.name);
        let mut backend = WgpuBackend::open(adapter, Timeouts::DEFAULT).await?;
        let request = Request::new(vec!["ceiling/fma".into()], Profile::Quick);
        let case = plan(&request)?.swap_remove(0);
        let job = Job::new(&case)?;
        let mut kernel = backend.prepare(&job).await?;
        kernel.sample(1).await?; // Includes compilation.
        // Submissions of 2 and 20 ms: far below the time after which an operating system resets a GPU.
        let each_ns = kernel.sample(1).await?.wall_ns;
        let launches = |ns: f64| (ns / each_ns).ceil().clamp(1.0, 100.0) as u32;
        let (short, long) = (launches(2e6), launches(20e6));
        let mut measure = async |label: &str, samples: usize, launches: u32| -> Result<(), shaderbench::error::Error> {
            let start = Instant::now();
            for _ in 0..samples {
                let sample = kernel.sample(launches).await?;
                let each = sample.device_ns.unwrap_or(sample.wall_ns) / f64::from(launches) / 1e3;
                println!("{label:<14} {:>9.1} ms {each:>9.1} µs", start.elapsed().as_secs_f64() * 1e3);
            }
            Ok(())
        };
        measure("constant load", 40, long).await?;
        for pause_ms in [1, 5, 20, 50, 100, 200, 500, 1000] {
            std::thread::sleep(Duration::from_millis(pause_ms));
            measure(&format!("after {pause_ms} ms"), 6, short).await?;
            measure("load", 10, long).await?;
        }
        Ok(())
    })
}
