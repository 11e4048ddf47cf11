//! `--energy`, on a fake device.

use gpu::backend::monitor::Monitor;
use gpu::backend::{Backend, Device, Prepared, Task};
use gpu::engine::{self, Settings};
use gpu::job::Job;
use record::suite::Reading;
use record::{Record, Status};

use crate::command::{has_device, shaderbench_in_empty_folder};
use crate::common::{Fake, Recorder, cases, lock, right, settings};

#[test]
fn energies_that_cannot_be_measured_are_refused() {
    if has_device() {
        let arguments = ["run", "ceiling/launch", "--energy", "--device", "llvmpipe"];
        let output = shaderbench_in_empty_folder(&arguments);
        let is_refused =
            output.stderr.contains("has neither an energy counter nor a power sensor; run without --energy");
        assert!(is_refused || output.stderr.contains("unknown device"), "{output}");
    }
}

/// A fake device of 200 W, with a counter that advances with every reading, or with a power sensor only.
struct Powered {
    fake: Fake,
    has_counter: bool,
}

struct Meter {
    readings: u32,
    has_counter: bool,
}

impl Monitor for Meter {
    fn read(&mut self) -> Reading {
        Reading { watts: Some(200.0), ..Reading::default() }
    }

    fn joules(&mut self) -> Option<f64> {
        self.readings += 1;
        self.has_counter.then_some(20.0 * f64::from(self.readings))
    }
}

impl Backend for Powered {
    fn device(&self) -> &Device {
        self.fake.device()
    }

    fn prepare<'a>(&'a mut self, job: &'a Job) -> Task<'a, Box<dyn Prepared>> {
        self.fake.prepare(job)
    }

    fn reopen(&mut self) -> Task<'_, ()> {
        self.fake.reopen()
    }

    fn monitor(&self) -> Option<Box<dyn Monitor>> {
        Some(Box::new(Meter { readings: 0, has_counter: self.has_counter }))
    }
}

#[test]
fn a_row_has_the_energy_of_its_launches() {
    for has_counter in [false, true] {
        let cases = cases(&["transpose/tiled_vec4"], &["64x96"]);
        let row = |energy_epochs: usize| -> Record {
            let mut device = Powered { fake: right(), has_counter };
            let settings = Settings { energy_epochs, ..settings() };
            let mut records = {
                let (mut apis, mut recorder): ([&mut dyn Backend; 1], _) = ([&mut device], Recorder::default());
                pollster::block_on(engine::run(&mut apis, &cases, &settings, &mut recorder)).expect("a run")
            };
            assert!(!lock(&device.fake.log).prepared.is_empty());
            records.retain(|row| row.family == "transpose");
            records.remove(0)
        };
        let without = row(0);
        assert_eq!((without.status, without.energy_j, without.power_w), (Status::Ok, None, None));
        let with = row(1);
        assert_eq!((with.status, with.reason.as_str(), with.energies_j.len()), (Status::Ok, "", 1));
        assert!(with.energy_j.is_some_and(|joules| joules > 0.0), "{with:?}");
        assert_eq!(with.sensor_w, has_counter.then_some(200.0));
        let median_s = with.median_ns.expect("timed") / 1e9;
        if !has_counter {
            let joules = with.energy_j.expect("checked");
            assert!((joules / (200.0 * median_s) - 1.0).abs() < 0.5, "{joules} J in {median_s} s");
        }
    }
}
