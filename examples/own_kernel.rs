//! A kernel of your own through the library: declared, measured and verified as the suite's, in two epochs on the first
//! device. `cargo run --release --example own_kernel` prints its row. From the command line, `shaderbench bench` does the
//! same with a TOML file.

use std::error::Error;

use shaderbench::backend::Backend;
use shaderbench::backend::wgpu::{Timeouts, WgpuBackend, adapters};
use shaderbench::engine::measure::Timer;
use shaderbench::engine::plan::{Request, plan};
use shaderbench::engine::{Changes, Observer, Settings, run};
use shaderbench::record::{Record, Status, format};
use shaderbench::suite::input::Values;
use shaderbench::suite::{
    Answer, Benchmark, Buffer, Cases, Contents, Declaration, Dtype, Extent, Family, Interface, Limit, Profile, Shape,
    Step, Work, each,
};

const SCALE: &str = "
@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
override WG: u32 = 256u;
@compute @workgroup_size(WG)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&output)) {
        output[id.x] = 2.0 * input[id.x];
    }
}";

/// Twice each element. What cannot be known when the program is built, as here, is declared by an object.
struct Scale;

impl Declaration for Scale {
    fn buffers(&self, shape: &Shape, _: &Interface) -> shaderbench::error::Result<Vec<Buffer>> {
        Ok(vec![
            Buffer { name: "input", scalars: shape.count(), contents: Contents::Input(Values::Wide) },
            Buffer { name: "output", scalars: shape.count(), contents: Contents::Poison },
        ])
    }

    fn steps(&self, shape: &Shape, interface: &Interface) -> shaderbench::error::Result<Vec<Step>> {
        let groups = shape.count().div_ceil(interface.invocations().into());
        // The kernel numbers its elements along x alone: at most 65,535 workgroups.
        Ok(vec![Step::Dispatch { groups: [groups as u32, 1, 1], buffers: Vec::new() }])
    }

    fn work(&self, shape: &Shape) -> Work {
        Work { bytes: 2 * shape.array_bytes(), flops: shape.count() }
    }

    fn is_verified(&self) -> bool {
        true
    }

    fn answer(&self, shape: &Shape, _: &Interface) -> shaderbench::error::Result<Option<Answer>> {
        let (input, scalar) = (shape.input(Values::Wide), shape.dtype.scalar());
        Ok(Some(Answer {
            buffer: "output",
            scalars: shape.count(),
            oracle: each(move |index| 2.0 * input.at(scalar, index)),
            tolerance: None,
            cost: 1,
            is_sampled: false,
            reference: None,
            fault: Default::default(),
        }))
    }
}

static FAMILY: Family = Family {
    name: "mine",
    summary: "kernels of my own",
    benchmarks: &[Benchmark {
        name: "scale",
        wgsl: SCALE,
        cases: &[Cases {
            from: Profile::Quick,
            dtypes: &[Dtype::F32],
            extents: &[Extent::Linear(1 << 20)],
            params: &[&[("WG", 64.0)], &[("WG", 256.0)]],
        }],
        ceiling: Some(Limit::Copy),
        declared: Some(&Scale),
        ..Benchmark::BLANK
    }],
    ..Family::BLANK
};

/// Shows nothing while it runs.
struct Quiet;

impl Observer for Quiet {
    fn timer(&mut self, _: shaderbench::suite::Toolchain<'_>, _: &Timer) {}
    fn start(&mut self, _: usize, _: &shaderbench::suite::Case, _: &Record) {}
    fn row(&mut self, _: &Record) {}
    fn finish(&mut self, _: &[Record], _: &Changes) -> shaderbench::error::Result<()> {
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    pollster::block_on(async {
        let adapter = adapters(None).await.into_iter().next().ok_or("there is no device")?;
        let mut backend = WgpuBackend::open(adapter, Timeouts::DEFAULT).await?;
        let cases = plan(&Request { own: Some(&FAMILY), ..Request::new(Vec::new(), Profile::Quick) })?;
        let settings = Settings::new(Profile::Quick, String::new(), String::new(), String::new());
        let mut apis: [&mut dyn Backend; 1] = [&mut backend];
        let rows = run(&mut apis, &cases, &settings, &mut Quiet).await?;
        for row in rows.iter().filter(|row| row.family == "mine") {
            println!("{} {} {}", row.name(), row.params_text(), format::time(row.median_ns.unwrap_or(f64::NAN)));
            assert_eq!(row.status, Status::Ok, "{}", row.reason);
        }
        Ok(())
    })
}
