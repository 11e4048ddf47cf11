//! The fastest sum, and the gain of workgroup memory.

use crate::claim::{
    Answer, ArticleClaim, COMPARED, Claim, Facts, Fastest, Measured, Picture, Sheet, Why, bars, benchmark, byte_rate,
    faster, fastest_bytes, has_params, is_f32, like, longest, percent, rate, share, speed, time,
};
use crate::record::stats::Estimate;
use crate::record::{Record, format};
use crate::suite::{Api, Dtype};

pub(in crate::families) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured {
        name: "fastest sum",
        rows: "f32 without parameters, at the largest size",
        condition: "one kernel is named if its interval is clear of the others, else those that overlap",
        state: fastest,
    }),
    Claim::Measured(Measured {
        name: "gain of workgroup memory",
        rows: "interleaved_workgroup and interleaved_global, f32, at the largest size",
        condition: COMPARED,
        state: |rows, facts| {
            let best = best(rows)?;
            let of = |benchmark| byte_rate(like(rows, benchmark, &[], best.row)?);
            let (workgroup, global) = (of("interleaved_workgroup")?, of("interleaved_global")?);
            let speed = facts.speed("workgroup memory over global memory", workgroup, global)?;
            Some(format!(
                "In workgroup memory, with barriers of that scope, the same steps are {speed} in global memory."
            ))
        },
    }),
    Claim::Measured(Measured {
        name: "parts of that gain",
        rows: "interleaved_workgroup, interleaved_device_barrier and (not in CUDA, whose fences differ) \
            interleaved_global, f32, at the largest size",
        condition: "a factor if the intervals are apart; alike if they overlap and are within ±5 %; nothing if any \
            comparison shows neither",
        state: |rows, facts| {
            let best = best(rows)?.row;
            let of = |benchmark| byte_rate(like(rows, benchmark, &[], best)?);
            let (device, workgroup) = (of("interleaved_device_barrier")?, of("interleaved_workgroup")?);
            let barriers = facts.speed("barriers of the workgroup over those of the device", workgroup, device)?;
            if best.backend == Some(Api::Cuda) {
                return Some(format!(
                    "In workgroup memory, these steps are {barriers} the same with a fence of the device in each."
                ));
            }
            let data = facts.speed("data in workgroup memory over global memory", device, of("interleaved_global")?)?;
            Some(format!(
                "The part of the data: with storageBarrier in both, the steps in workgroup memory are {data} in global \
                 memory. The part of the barriers: with those of workgroup memory alone, they are {barriers} with \
                 storageBarrier besides."
            ))
        },
    }),
    Claim::Article(ArticleClaim {
        id: "A3",
        title: "sum in place in global memory",
        claim: "Summed in place in global memory, a block pays for every step with loads and stores: the kernel stays \
            far below the read bandwidth.",
        kernels: &["reduction/interleaved_global"],
        terms: &["global memory", "__syncthreads()", "block"],
        prediction: || {
            // Each of the 511 additions of a block loads two words and stores one.
            let times = (BLOCK - 1.0) * 3.0 / BLOCK;
            format!(
                "511 additions for each block of 512, with two loads and a store each: {} times the bytes of the input. \
                 Far below means less than half of the measured read peak.",
                format::significant(times, 2)
            )
        },
        judge: in_place,
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "A4",
        title: "the same sum in shared memory",
        claim: "The same steps are faster on a copy in shared memory.",
        kernels: &[
            "reduction/interleaved_workgroup",
            "reduction/interleaved_global",
            "reduction/interleaved_device_barrier",
            "reduction/interleaved_dynamic",
        ],
        terms: &["__shared__", "extern __shared__", "__syncthreads()", "__threadfence()"],
        prediction: || {
            "Global memory is read once; the steps stay on the SM. The barriers differ too: wgpu gives storageBarrier \
             the scope of the device. interleaved_device_barrier has data in shared memory and both barriers, which \
             separates the two causes."
                .to_owned()
        },
        judge: |rows, facts| {
            let workgroup = ((WORKGROUP, NONE), "the sum in shared memory");
            let answer = faster(rows, facts, workgroup, ((GLOBAL, NONE), "the sum in global memory"))?;
            let parts = if answer.holds() { parts(rows, facts) } else { None };
            Ok(answer.and(parts))
        },
        picture: ladder,
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "A5",
        title: "the sum end to end",
        claim: "End to end, with copy in, copy out and a serial sum on the host, the kernel is the smaller part of the \
            time: the copies decide.",
        kernels: &["reduction/interleaved_global", "reduction/interleaved_workgroup"],
        terms: &["cudaMemcpy() to the device", "cudaMemcpy() to the host", "cudaEvent_t"],
        prediction: || {
            "The input crosses the bus, which is far slower than device memory: the kernel takes less than half of the \
             time."
                .to_owned()
        },
        judge: end_to_end,
        ..ArticleClaim::BLANK
    }),
];

const NONE: &[(&str, f64)] = &[];
fn best<'a>(rows: &[&'a Record]) -> Option<Fastest<'a>> {
    fastest_bytes(rows.iter().copied().filter(|row| is_f32(row) && has_params(row, &[])))
}

fn fastest(rows: &Sheet, facts: &mut Facts) -> Option<String> {
    let best = best(rows)?;
    let fastest = facts.fastest("fastest", &best, benchmark, "the measured read peak")?;
    Some(format!("Sum of {} f32: {fastest}.", best.row.short_size()))
}

const GLOBAL: &str = "reduction/interleaved_global";
const WORKGROUP: &str = "reduction/interleaved_workgroup";
const DEVICE_BARRIER: &str = "reduction/interleaved_device_barrier";

/// Threads of a block.
const BLOCK: f64 = 512.0;

/// The factor between the two sums as the product of two: that of the data at the same barriers, and that of the barriers
/// on the same data. In CUDA no sum in global memory has a fence of the device: only the second is told. `None` where the
/// sums at the size of the comparison leave either open.
fn parts(rows: &Sheet, facts: &mut Facts) -> Option<String> {
    let [workgroup, global] = rows.together([(WORKGROUP, NONE), (GLOBAL, NONE)]).ok()?;
    let [device, same] = rows.together([(DEVICE_BARRIER, NONE), (WORKGROUP, NONE)]).ok()?;
    if (same.n, same.dtype) != (workgroup.n, workgroup.dtype) {
        return None;
    }
    let is_clear = |ratio: &Estimate| {
        (ratio.low > 1.0 || ratio.high < 1.0) && format::digits(ratio.value, ratio.low, ratio.high).is_some()
    };
    let barriers = speed(workgroup, device).ok().filter(is_clear)?;
    if workgroup.backend == Some(Api::Cuda) {
        let barriers = facts.times("part of the barriers", barriers)?;
        return Some(format!(
            "With a fence of the device in each step, the sum in shared memory takes {barriers} as long."
        ));
    }
    let data = facts.times("part of the data", speed(device, global).ok().filter(is_clear)?)?;
    let barriers = facts.times("part of the barriers", barriers)?;
    Some(format!(
        "Of this factor, {data} is the part of the data (in shared memory, with storageBarrier in both) and {barriers} \
         that of the barriers (without storageBarrier)."
    ))
}

fn in_place(rows: &Sheet, facts: &mut Facts) -> Result<Answer, Why> {
    let row = longest(rows, (GLOBAL, NONE))?;
    let part = share(row).ok_or_else(|| Why::new(format!("`{GLOBAL}` has no share of a peak")))?;
    if part.low < 0.5 && part.high >= 0.5 {
        return Err(Why::new("too noisy to tell: the share of the read peak may be below or above half"));
    }
    let percent = percent(facts, "share", part)?;
    let text = format!("The sum in place reaches {percent} of the measured read peak.");
    Ok(Answer::new(part.high < 0.5, text).with([rate(facts, "in place", row)]))
}

/// Runs end to end are timed once, so that their spread over the kernels of a size stands for their noise.
const FEWEST: usize = 2;

fn end_to_end(rows: &Sheet, facts: &mut Facts) -> Result<Answer, Why> {
    let row = longest(rows, (GLOBAL, NONE))?;
    let is_alike = |other: &&Record| other.n == row.n && other.dtype == row.dtype;
    let whole: Vec<f64> =
        rows.family("reduction").into_iter().filter(is_alike).filter_map(|row| row.end_to_end_ns).collect();
    let shortest = whole.iter().copied().reduce(f64::min).filter(|_| whole.len() >= FEWEST);
    let shortest = shortest.ok_or_else(|| Why::new("fewer than two sums of the size are timed end to end"))?;
    let longest = whole.iter().copied().fold(shortest, f64::max);
    let kernel = time(row).ok_or_else(|| rows.missing(&[GLOBAL]))?;
    if kernel.high >= shortest / 2.0 && kernel.low < longest / 2.0 {
        return Err(Why::new("too noisy to tell: the kernel may take more or less than half of the time"));
    }
    let name = facts.time("kernel", kernel).ok_or_else(|| Why::new("the kernel's time is too noisy to quote"))?;
    // The least part that is not the kernel's.
    let rest = 1.0 - kernel.high / shortest;
    let (low, high) = (format::significant(shortest / 1e6, 3), format::significant(longest / 1e6, 3));
    let of_rest = if rest > 0.0 {
        format!(": at least {} is copies and the sum on the host", format::percent((100.0 * rest).floor() / 100.0))
    } else {
        String::new()
    };
    let text = format!(
        "The kernel in global memory takes {name}; end to end, the {} sums of this size take {low} to {high} ms{of_rest}.",
        whole.len()
    );
    Ok(Answer::new(kernel.high < shortest / 2.0, text))
}

fn ladder(rows: &Sheet) -> Option<Picture> {
    const KERNELS: [&str; 6] = [
        GLOBAL,
        WORKGROUP,
        "reduction/sequential",
        "reduction/first_add",
        "reduction/subgroup",
        "reduction/vec4_grid_stride",
    ];
    let like = longest(rows, (GLOBAL, NONE)).ok().filter(|row| row.dtype == Some(Dtype::F32))?;
    bars(rows, like, &KERNELS.map(|kernel| (kernel, NONE)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::planted::found;
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
        found("reduction", rows).expect("claims").text()
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
