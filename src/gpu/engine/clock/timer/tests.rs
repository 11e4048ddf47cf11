//! The clock's test on scripted devices.

use super::*;
use crate::backend::Task;

/// `device_ns` computes the device's time from the host's and the sample's index; `late_ns` is a delay of the host.
struct Scripted {
    each_ns: fn(usize) -> f64,
    device_ns: fn(f64, usize) -> Option<f64>,
    late_ns: fn(usize) -> f64,
    wall_ns: Vec<f64>,
}

impl Prepared for Scripted {
    fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
        let index = self.wall_ns.len();
        let ns = (self.each_ns)(index) * f64::from(launches);
        let wall_ns = ns + 20_000.0 + (self.late_ns)(index);
        self.wall_ns.push(wall_ns);
        let device_ns = (self.device_ns)(ns, index);
        Box::pin(async move { Ok(Sample { device_ns, wall_ns }) })
    }
    fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
        Box::pin(async { Ok((0.0, None)) })
    }
    fn poison(&mut self) -> Task<'_, ()> {
        Box::pin(async { Ok(()) })
    }
    fn read<'a>(&'a mut self, _: usize, _: u64, _: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
        Box::pin(async { Ok(()) })
    }
}

/// Times that are steady, and a host that is never late.
const QUIET: Scripted =
    Scripted { each_ns: |_| 10_000.0, device_ns: |ns, _| Some(ns), late_ns: |_| 0.0, wall_ns: Vec::new() };

/// The timer, and the host's time of the test in nanoseconds.
fn selected(mut job: Scripted) -> (Timer, f64) {
    let timer = pollster::block_on(tested(&mut job, SHORTEST_NS)).expect("nothing fails");
    (timer, job.wall_ns.iter().sum())
}

fn assert_refused(device_ns: fn(f64, usize) -> Option<f64>, reason: &str) {
    let (timer, _) = selected(Scripted { device_ns, ..QUIET });
    let note = timer.note.unwrap_or_default();
    assert!(!timer.is_device && note.contains(reason), "{reason}: {note}");
}

#[test]
fn a_right_clock_is_used_without_a_note_after_a_fifth_of_a_second() {
    let (timer, spent_ns) = selected(Scripted { device_ns: |ns, _| Some((ns / 32.0).round() * 32.0), ..QUIET });
    assert_eq!(timer, Timer { is_device: true, tick_ns: 32.0, note: None });
    assert!((0.16e9..0.26e9).contains(&spent_ns), "{spent_ns}");
}

#[test]
fn a_clock_is_used_if_its_rate_is_off_by_less_than_a_tenth() {
    for (device_ns, is_device) in [
        ((|ns, _| Some(0.92 * ns)) as fn(f64, usize) -> Option<f64>, true),
        (|ns, _| Some(1.08 * ns), true),
        (|ns, _| Some(0.88 * ns), false),
        (|ns, _| Some(1.12 * ns), false),
    ] {
        assert_eq!(selected(Scripted { device_ns, ..QUIET }).0.is_device, is_device);
    }
}

#[test]
fn a_clock_of_the_wrong_rate_is_refused_with_its_rate() {
    assert_refused(|ns, _| Some(2.0 * ns), "at 2.00 times");
    assert_refused(|ns, _| Some(0.5 * ns), "at 0.50 times");
    assert_refused(|ns, _| Some(41.7 * ns), "at 41.70 times");
    assert_refused(|ns, _| Some(ns / 41.7), "at 0.02 times");
    assert_refused(|ns, _| Some(1e3 * ns), "at 1000.00 times");
    assert_refused(|ns, _| Some(1e-3 * ns), "at 1.0e-3 times");
}

#[test]
fn a_clock_without_sensible_times_is_refused() {
    assert_refused(|_, _| None, "writes no timestamps");
    assert_refused(|ns, index| (index % 5 != 4).then_some(ns), "writes no timestamps");
    assert_refused(|_, _| Some(0.0), "all zero");
    assert_refused(|ns, _| Some(-ns), "run backwards");
    assert_refused(|ns, index| Some(if index % 5 == 4 { -ns } else { ns }), "run backwards");
    assert_refused(|_, _| Some(1000.0), "do not increase with the work");
    assert_refused(|_, _| Some(1e10), "do not increase with the work");
    // Times between nothing and 2 µs.
    assert_refused(|_, index| Some((index * 7 % 5) as f64 * 500.0), "times the rate of the host");
}

#[test]
fn a_clock_that_jumps_in_one_of_five_samples_is_refused() {
    for first in 0..5 {
        // The index of the sample selects the jump: a function pointer captures nothing.
        let device_ns: fn(f64, usize) -> Option<f64> = match first {
            0 => |ns, index| Some(if index % 5 == 0 { ns + 3e9 } else { ns }),
            1 => |ns, index| Some(if index % 5 == 1 { ns + 20e6 } else { ns }),
            2 => |ns, index| Some(if index % 5 == 2 { 1.8e19 } else { ns }),
            3 => |ns, index| Some(if index % 5 == 3 { 0.0 } else { ns }),
            _ => |ns, index| Some(if index % 5 == 4 { ns % 1e6 } else { ns }),
        };
        assert_refused(device_ns, "jump");
    }
}

#[test]
fn a_coarse_clock_is_used() {
    let (timer, _) = selected(Scripted { device_ns: |ns, _| Some((ns / 100_000.0).floor() * 100_000.0), ..QUIET });
    assert_eq!(timer, Timer { is_device: true, tick_ns: 100_000.0, note: None });
}

#[test]
fn an_interrupted_host_takes_more_rounds_and_is_no_reason_to_refuse() {
    // One of four samples ends 30 ms late.
    let late_ns = |index: usize| if index.is_multiple_of(4) { 30e6 } else { 0.0 };
    let (timer, spent_ns) = selected(Scripted { late_ns, ..QUIET });
    assert_eq!((timer.is_device, timer.note), (true, None));
    assert!((0.3e9..1.5e9).contains(&spent_ns), "{spent_ns}");
    // The wrong rate shows through the interruptions.
    for device_ns in [(|ns, _| Some(2.0 * ns)) as fn(f64, usize) -> Option<f64>, |ns, _| Some(0.5 * ns)] {
        let (timer, _) = selected(Scripted { device_ns, late_ns, ..QUIET });
        assert!(!timer.is_device, "{timer:?}");
    }
}

#[test]
fn a_host_too_noisy_to_tell_leaves_the_device_s_clock_with_a_note() {
    // Between 0 and 12 ms late, in no order.
    let late_ns = |index: usize| (index * index * 37 % 97) as f64 * 125_000.0;
    let (timer, spent_ns) = selected(Scripted { late_ns, ..QUIET });
    assert!(timer.is_device && timer.note.is_some_and(|note| note.contains("too noisy")));
    assert!(spent_ns < 1.5e9, "{spent_ns}");
    // A factor of two is still certain.
    for device_ns in [(|ns, _| Some(2.0 * ns)) as fn(f64, usize) -> Option<f64>, |ns, _| Some(0.5 * ns)] {
        let (timer, _) = selected(Scripted { device_ns, late_ns, ..QUIET });
        assert!(!timer.is_device, "{timer:?}");
    }
}

#[test]
fn a_device_that_speeds_up_under_load_has_samples_of_ten_milliseconds() {
    // Launches start five times as long.
    let each_ns = |index: usize| if index < 20 { 50_000.0 } else { 10_000.0 };
    let mut job = Scripted { each_ns, ..QUIET };
    let timer = pollster::block_on(tested(&mut job, SHORTEST_NS)).expect("nothing fails");
    assert_eq!((timer.is_device, timer.note), (true, None));
    let rounds = &job.wall_ns[job.wall_ns.len() - 6..];
    assert!(rounds.iter().all(|ns| *ns >= SHORTEST_NS), "{rounds:?}");
}

#[test]
fn long_launches_are_not_repeated_to_fill_a_sample() {
    // 100 ms each: 7 launches in a round.
    let (timer, spent_ns) = selected(Scripted { each_ns: |_| 1e8, ..QUIET });
    assert!(timer.is_device && spent_ns < 4.5e9, "{spent_ns}");
}

#[test]
fn the_host_s_clock_has_its_own_step() {
    let (timer, _) = selected(Scripted { device_ns: |_, _| None, ..QUIET });
    assert_eq!((timer.is_device, timer.tick_ns), (false, 10_000.0));
}

const DEVICE: Timer = Timer { is_device: true, tick_ns: 32.0, note: None };

fn taken(device_ns: fn(f64, usize) -> Option<f64>) -> (Result<Vec<Sample>>, usize) {
    let mut job = Scripted { device_ns, ..QUIET };
    let samples = pollster::block_on(DEVICE.samples(&mut job, 10, 4));
    (samples, job.wall_ns.len())
}

#[test]
fn samples_whose_clock_wrapped_or_jumped_are_taken_again() {
    // 36 bits of 52 ns wrap within the second sample.
    for wrapped in [
        |ns: f64, i| Some(if i == 1 { ns - 3.57e12 } else { ns }),
        |ns: f64, i| Some(if i == 1 { ns + 5e6 } else { ns }),
    ] {
        let (samples, count) = taken(wrapped);
        let times_ns: Vec<_> = samples.expect("the second time").into_iter().map(|sample| sample.device_ns).collect();
        assert_eq!((times_ns, count), (vec![Some(100_000.0); 4], 8));
    }
    let (samples, count) = taken(|ns, _| Some(1.1 * ns));
    assert_eq!((samples.map(|samples| samples.len()).ok(), count), (Some(4), 4), "a tenth is within the tolerance");
}

#[test]
fn a_clock_that_stays_impossible_fails_the_case_with_both_times() {
    let fault = |device_ns| taken(device_ns).0.expect_err("impossible").to_string();
    assert_eq!(
        fault(|ns, _| Some(-ns)),
        "clock error: a sample took -1.000e-1 ms by the device's timestamps: these are invalid"
    );
    assert_eq!(
        fault(|ns, _| Some(1e3 * ns)),
        "clock error: a submission took 4.000e2 ms by the device's timestamps, but only 4.800e-1 ms by the host's clock"
    );
    assert!(fault(|_, _| Some(f64::NAN)).contains("these are invalid"));
}
