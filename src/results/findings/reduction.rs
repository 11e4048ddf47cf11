//! The fastest sum, and the gain of workgroup memory.

use super::claim::Claim;
use super::estimate::byte_rate;
use super::finding::Draft;
use super::query::{Fastest, benchmark, fastest_bytes, has_params, is_f32, like};
use crate::record::Record;
use crate::suite::Api;

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "fastest sum",
        rows: "f32 without parameters, at the largest size",
        condition: "one kernel is named if its interval is clear of the others, else those that overlap",
        state: fastest,
    },
    Claim {
        name: "gain of workgroup memory",
        rows: "interleaved_workgroup and interleaved_global, f32, at the largest size",
        condition: "a factor if the intervals are apart; alike if they overlap and are within ±5 %",
        state: |rows, draft| {
            let best = best(rows)?;
            let of = |benchmark| byte_rate(like(rows, benchmark, &[], best.row)?);
            let (workgroup, global) = (of("interleaved_workgroup")?, of("interleaved_global")?);
            let speed = draft.speed("workgroup memory over global memory", workgroup, global)?;
            Some(format!(
                "In workgroup memory, with barriers of that scope, the same steps are {speed} in global memory."
            ))
        },
    },
    Claim {
        name: "parts of that gain",
        rows: "interleaved_workgroup, interleaved_device_barrier and (not in CUDA, whose fences differ) \
            interleaved_global, f32, at the largest size",
        condition: "a factor if the intervals are apart; alike if they overlap and are within ±5 %; nothing if any \
            comparison shows neither",
        state: |rows, draft| {
            let best = best(rows)?.row;
            let of = |benchmark| byte_rate(like(rows, benchmark, &[], best)?);
            let (device, workgroup) = (of("interleaved_device_barrier")?, of("interleaved_workgroup")?);
            let barriers = draft.speed("barriers of the workgroup over those of the device", workgroup, device)?;
            if best.backend == Some(Api::Cuda) {
                return Some(format!(
                    "In workgroup memory, these steps are {barriers} the same with a fence of the device in each."
                ));
            }
            let data = draft.speed("data in workgroup memory over global memory", device, of("interleaved_global")?)?;
            Some(format!(
                "The part of the data: with storageBarrier in both, the steps in workgroup memory are {data} in global \
                 memory. The part of the barriers: with those of workgroup memory alone, they are {barriers} with \
                 storageBarrier besides."
            ))
        },
    },
];

fn best<'a>(rows: &[&'a Record]) -> Option<Fastest<'a>> {
    fastest_bytes(rows.iter().copied().filter(|row| is_f32(row) && has_params(row, &[])))
}

fn fastest(rows: &[&Record], draft: &mut Draft) -> Option<String> {
    let best = best(rows)?;
    let (subject, rate) = best.named(benchmark);
    let rate = draft.byte_rate("fastest", rate)?;
    let share = if best.is_certain() {
        draft.share("fastest share", best.row, "the measured read peak")
    } else {
        String::new()
    };
    Some(format!("Sum of {} f32: {subject} {rate}{share}.", best.row.short_size()))
}

#[cfg(test)]
mod tests {
    use super::super::planted::found;
    use super::*;
    use crate::suite::{Dtype, Extent};

    const N: u64 = 1 << 28;

    fn row(benchmark: &str, us: f64, noise: f64) -> Record {
        let ns = us * 1000.0;
        Record {
            family: "reduction".to_owned(),
            benchmark: benchmark.to_owned(),
            dtype: Some(Dtype::F32),
            n: Some(Extent::Linear(N)),
            backend: Some(Api::Vulkan),
            status: crate::record::Status::Ok,
            gb_per_s: Some(4.0 * N as f64 / ns),
            median_ns: Some(ns),
            ci_low_ns: Some(ns * (1.0 - noise)),
            ci_high_ns: Some(ns * (1.0 + noise)),
            epochs_ns: vec![ns; 3],
            ..Record::default()
        }
    }

    fn rows(device_us: f64, noise: f64) -> Vec<Record> {
        vec![
            row("interleaved_global", 6800.0, 0.001),
            row("interleaved_device_barrier", device_us, noise),
            row("interleaved_workgroup", 2900.0, 0.001),
        ]
    }

    fn text(rows: &[Record]) -> String {
        found("reduction", rows).expect("claims").text
    }

    #[test]
    fn the_gain_has_two_parts_and_cuda_tells_that_of_the_barriers() {
        let told = text(&rows(5000.0, 0.001));
        assert!(told.starts_with("Sum of 2^28 f32: "), "{told}");
        assert!(told.contains("the same steps are 2.345× as fast as in global memory"), "{told}");
        assert!(told.contains("the steps in workgroup memory are 1.36× as fast as in global memory"), "{told}");
        assert!(told.contains("with those of workgroup memory alone, they are 1.724× as fast as with"), "{told}");
        let cuda: Vec<Record> =
            rows(5000.0, 0.001).into_iter().map(|row| Record { backend: Some(Api::Cuda), ..row }).collect();
        let told = text(&cuda);
        assert!(told.contains("these steps are 1.724× as fast as the same with a fence of the device"), "{told}");
        assert!(!told.contains("part of the data"), "{told}");
    }

    #[test]
    fn missing_or_noisy_rows_leave_the_parts_out() {
        let mut without = rows(5000.0, 0.001);
        without.remove(1);
        for rows in [without, rows(5000.0, 0.5)] {
            let told = text(&rows);
            assert!(told.contains("the same steps are 2.345×") && !told.contains("part of"), "{told}");
        }
    }
}
