//! Chapter A: reduction by shared memory.

use super::judges::{bars, faster, longest, no_slower};
use super::rows::{Cannot, Rows, percent, rate, speed};
use super::step::{Answer, Picture, Step, Told};
use crate::record::{Record, format, stats::Estimate};
use crate::results::findings::{Draft, share, time_of};
use crate::suite::{Api, Dtype, binary_size};

pub(super) const STEPS: &[Step] = &[
    Step {
        id: "A1",
        title: "device properties",
        claim: "The host asks the device for its name and its limits before it launches a kernel.",
        terms: &["cudaGetDeviceProperties()", "warp", "streaming multiprocessor"],
        prediction: || {
            "Every API names the device and its driver. Only CUDA tells the number of SMs, the registers and the \
             clock rate."
                .to_owned()
        },
        is_timing: false,
        judge: |rows, _| properties(rows),
        ..Step::BLANK
    },
    Step {
        id: "A2",
        title: "static and dynamic shared arrays",
        claim: "A shared array whose size the host chooses at launch is as fast as one of fixed size.",
        kernels: &["workgroup_memory/fixed_size", "workgroup_memory/override_size", "workgroup_memory/dynamic_size"],
        terms: &["__shared__", "extern __shared__"],
        prediction: || "1×: the kernels do the same work. Only CUDA can set the size at each launch.".to_owned(),
        judge: arrays,
        ..Step::BLANK
    },
    Step {
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
        ..Step::BLANK
    },
    Step {
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
        judge: |rows, draft| {
            let workgroup = ((WORKGROUP, NONE), "the sum in shared memory");
            let answer = faster(rows, draft, workgroup, ((GLOBAL, NONE), "the sum in global memory"))?;
            let parts = if answer.holds() { parts(rows, draft) } else { None };
            Ok(answer.and(parts))
        },
        picture: ladder,
        ..Step::BLANK
    },
    Step {
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
        ..Step::BLANK
    },
];

const NONE: &[(&str, f64)] = &[];
const GLOBAL: &str = "reduction/interleaved_global";
const WORKGROUP: &str = "reduction/interleaved_workgroup";
const DEVICE_BARRIER: &str = "reduction/interleaved_device_barrier";

/// Threads of a block.
const BLOCK: f64 = 512.0;

fn properties(rows: &Rows) -> Told {
    let first = rows.all().first().ok_or_else(|| Cannot::new("the report has no rows"))?;
    if first.device.is_empty() {
        return Ok(Answer::new(false, "The report names no device.".to_owned()));
    }
    let driver = if first.driver.is_empty() { String::new() } else { format!(", driver {}", first.driver) };
    let find = |get: fn(&Record) -> Option<String>| rows.all().iter().find_map(|row| get(row)).unwrap_or_default();
    let size = find(|row| Some(format!(", subgroups of {} invocations", row.subgroup_size?)));
    let cache = find(|row| Some(format!(", an L2 of {}", binary_size(row.l2_bytes?))));
    Ok(Answer::new(true, format!("The API reports {}{driver}{size}{cache}.", first.device)))
}

fn arrays(rows: &Rows, draft: &mut Draft) -> Told {
    let fixed = (("workgroup_memory/fixed_size", NONE), "a fixed size");
    let dynamic = ("workgroup_memory/dynamic_size", &[("SHARED_BYTES", 1024.0)][..]);
    if rows.timed(dynamic).next().is_some() {
        return no_slower(rows, draft, (dynamic, "a size set at launch"), fixed);
    }
    let chosen = ("workgroup_memory/override_size", &[("LENGTH", 256.0)][..]);
    no_slower(rows, draft, (chosen, "a size set by an override"), fixed)
}

/// The factor between the two sums as the product of two: that of the data at the same barriers, and that of the barriers
/// on the same data. In CUDA no sum in global memory has a fence of the device: only the second is told. `None` where the
/// sums at the size of the comparison leave either open.
fn parts(rows: &Rows, draft: &mut Draft) -> Option<String> {
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
        let barriers = draft.times("part of the barriers", barriers)?;
        return Some(format!(
            "With a fence of the device in each step, the sum in shared memory takes {barriers} as long."
        ));
    }
    let data = draft.times("part of the data", speed(device, global).ok().filter(is_clear)?)?;
    let barriers = draft.times("part of the barriers", barriers)?;
    Some(format!(
        "Of this factor, {data} is the part of the data (in shared memory, with storageBarrier in both) and {barriers} \
         that of the barriers (without storageBarrier)."
    ))
}

fn in_place(rows: &Rows, draft: &mut Draft) -> Told {
    let row = longest(rows, (GLOBAL, NONE))?;
    let part = share(row).ok_or_else(|| Cannot::new(format!("`{GLOBAL}` has no share of a peak")))?;
    if part.low < 0.5 && part.high >= 0.5 {
        return Err(Cannot::new("too noisy to tell: the share of the read peak may be below or above half"));
    }
    let percent = percent(draft, "share", part)?;
    let text = format!("The sum in place reaches {percent} of the measured read peak.");
    Ok(Answer::new(part.high < 0.5, text).with([rate(draft, "in place", row)]))
}

/// Runs end to end are timed once, so that their spread over the kernels of a size stands for their noise.
const FEWEST: usize = 2;

fn end_to_end(rows: &Rows, draft: &mut Draft) -> Told {
    let row = longest(rows, (GLOBAL, NONE))?;
    let is_alike = |other: &&Record| other.n == row.n && other.dtype == row.dtype;
    let whole: Vec<f64> =
        rows.family("reduction").into_iter().filter(is_alike).filter_map(|row| row.end_to_end_ns).collect();
    let shortest = whole.iter().copied().reduce(f64::min).filter(|_| whole.len() >= FEWEST);
    let shortest = shortest.ok_or_else(|| Cannot::new("fewer than two sums of the size are timed end to end"))?;
    let longest = whole.iter().copied().fold(shortest, f64::max);
    let kernel = time_of(row).ok_or_else(|| rows.missing(&[GLOBAL]))?;
    if kernel.high >= shortest / 2.0 && kernel.low < longest / 2.0 {
        return Err(Cannot::new("too noisy to tell: the kernel may take more or less than half of the time"));
    }
    let name = draft.time("kernel", kernel).ok_or_else(|| Cannot::new("the kernel's time is too noisy to quote"))?;
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

fn ladder(rows: &Rows) -> Option<Picture> {
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
