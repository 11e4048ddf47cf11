//! How fast the device's clock rises under load and falls when idle: the time of one fixed arithmetic kernel, first under steady
//! load from the start, then after pauses. Run with `cargo run --release --example clock_ramp`.

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
        kernel.sample(1).await?; // compilation
        // Stretches of 2 and 20 ms: no submission comes near what makes an operating system reset a GPU.
        let each_ns = kernel.sample(1).await?.wall_ns;
        let launches = |ns: f64| (ns / each_ns).ceil().clamp(1.0, 100.0) as u32;
        let (little, much) = (launches(2e6), launches(20e6));
        let mut show = async |label: &str, samples: usize, launches: u32| -> Result<(), shaderbench::error::Error> {
            let start = Instant::now();
            for _ in 0..samples {
                let sample = kernel.sample(launches).await?;
                let each = sample.device_ns.unwrap_or(sample.wall_ns) / f64::from(launches) / 1e3;
                println!("{label:<14} {:>9.1} ms {each:>9.1} µs", start.elapsed().as_secs_f64() * 1e3);
            }
            Ok(())
        };
        show("steady load", 40, much).await?;
        for pause_ms in [1, 5, 20, 50, 100, 200, 500, 1000] {
            std::thread::sleep(Duration::from_millis(pause_ms));
            show(&format!("after {pause_ms} ms"), 6, little).await?;
            show("load", 10, much).await?;
        }
        Ok(())
    })
}
