//! The fastest sum, and the gain of workgroup memory.

use record::claim::*;
use record::suite::Api;
use record::suite::prelude::*;
use record::{Record, format};

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured { name: "fastest sum", state: fastest }),
    Claim::Ratio(Ratio {
        name: "speed ratio: workgroup memory / global memory",
        kernels: [(WORKGROUP, NONE), (GLOBAL, NONE)],
        by: By::Bytes,
        says: "The tree's steps in workgroup memory (with workgroup barriers) are {} the same steps in global memory.",
    }),
    Claim::Measured(Measured {
        name: "gain from the barriers and from the data",
        state: |rows, facts| {
            let best = best(rows)?.row;
            let rate = |benchmark| byte_rate(like(rows, benchmark, &[], best)?);
            let (device, workgroup) = (rate("interleaved_device_barrier")?, rate("interleaved_workgroup")?);
            let barriers = facts.speed("speed ratio: workgroup barriers / device-wide barriers", workgroup, device)?;
            if best.backend == Some(Api::Cuda) {
                return Some(format!(
                    "In workgroup memory, the steps with workgroup barriers are {barriers} the steps with \
                    device-wide fences."
                ));
            }
            let name = "speed ratio: workgroup memory / global memory, device-wide barriers in both";
            let data = facts.speed(name, device, rate("interleaved_global")?)?;
            Some(format!(
                "With storageBarrier in both kernels, the steps in workgroup memory are {data} in global memory. With \
                workgroup barriers alone, the steps are {barriers} with both barriers."
            ))
        },
    }),
    Claim::Article(ArticleClaim {
        id: "A3",
        title: "sum in place in global memory",
        claim: "The article sums each block in place in global memory, and times all steps together.",
        kernels: &[GLOBAL],
        terms: &["global memory", "__syncthreads()", "block"],
        computed_prediction: || {
            // Each of the 511 additions of a block loads two words and stores one.
            let times = (BLOCK - 1.0) * 3.0 / BLOCK;
            format!(
                "A block of 512 elements needs 511 additions, each with two loads and a store: {} times the bytes of \
                the input.",
                format::significant(times, 3)
            )
        },
        judge: Judge::Report(in_place),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "A4",
        title: "the same sum in shared memory",
        claim: "Shared memory is much faster than global memory.",
        kernels: &[WORKGROUP, GLOBAL, DEVICE_BARRIER, "reduction/interleaved_dynamic"],
        terms: &["__shared__", "extern __shared__", "__syncthreads()", "__threadfence()"],
        prediction: "Global memory is read once; the steps stay on the SM. The barriers differ too: wgpu gives \
            storageBarrier device scope. To separate the two causes, interleaved_device_barrier has its data in shared \
            memory and uses both barriers. \"Much faster\" means more than 10 % faster.",
        judge: Judge::Claim(shared_memory),
        picture: ladder,
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "A5",
        title: "the sum end to end",
        claim: "Timed end to end, including copies, the sum takes less time in shared memory than in global memory.",
        kernels: &[WORKGROUP, GLOBAL],
        terms: &["cudaMemcpy() to the device", "cudaMemcpy() to the host", "cudaEvent_t"],
        prediction: "The input crosses the bus, which is far slower than device memory. Both sums need the same \
            copies, which take most of the time.",
        judge: Judge::Claim(end_to_end),
        ..ArticleClaim::BLANK
    }),
];

fn best<'a>(rows: &[&'a Record]) -> Option<Fastest<'a>> {
    fastest_bytes(rows.iter().copied().filter(|row| is_f32(row) && has_params(row, &[])))
}

fn fastest(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let best = best(rows)?;
    let fastest = facts.fastest("fastest", &best, benchmark, "the measured read peak")?;
    Some(format!("Sum of {} f32 values: {fastest}.", best.row.short_size()))
}

const GLOBAL: &str = "reduction/interleaved_global";
const WORKGROUP: &str = "reduction/interleaved_workgroup";
const DEVICE_BARRIER: &str = "reduction/interleaved_device_barrier";

/// Threads of a block.
const BLOCK: f64 = 512.0;

/// Whether shared memory makes the sum faster. In wgpu, the barriers of the two sums differ too, so the sum in shared
/// memory with both barriers decides. In CUDA, the sum in global memory has the weaker fence: the two are compared.
fn shared_memory(rows: &DeviceRows, facts: &mut Facts) -> Result<Answer, Why> {
    let (workgroup, global) = ((WORKGROUP, NONE), (GLOBAL, NONE));
    let other = (global, "the sum in global memory");
    let whole = faster(rows, facts, CLAIM_MARGIN, (workgroup, "the sum in shared memory"), other)?;
    let is_cuda = rows.all().iter().any(|row| row.backend == Some(Api::Cuda));
    if !whole.holds() {
        return Ok(whole);
    }
    let [barriers, device] = rows.together([workgroup, (DEVICE_BARRIER, NONE)])?;
    let name = "speed ratio: workgroup barriers / device-wide barriers";
    let gain = speed(barriers, device).ok().and_then(|gain| facts.times(name, gain));
    if is_cuda {
        let fences = gain.map(|gain| {
            format!("With a device-wide fence in each step, the sum in shared memory takes {gain} as long.")
        });
        return Ok(whole.and(fences));
    }
    let [device, global] = rows.together([(DEVICE_BARRIER, NONE), global])?;
    let data = speed(device, global)?;
    let holds = is_faster(data, CLAIM_MARGIN)?;
    let gained = compared(facts, "speed ratio: shared memory / global memory, device-wide barriers in both", data)?;
    let text = format!(
        "At {}, with device-wide barriers in both, the sum in shared memory is {gained} the sum in global memory.",
        device.short_size()
    );
    let rest = gain.map(|gain| format!("Workgroup barriers alone gain another {gain}."));
    let figures = [rate(facts, "in shared memory", barriers), rate(facts, "in global memory", global)];
    Ok(Answer::new(holds, text).and(rest).with(figures))
}

fn in_place(rows: &DeviceRows, facts: &mut Facts) -> Result<Report, Why> {
    let row = longest(rows, (GLOBAL, NONE))?;
    let part = share(row).ok_or_else(|| Why::new(format!("no measured peak applies to `{GLOBAL}`")))?;
    let percent = percent(facts, "share", part)?;
    let rate = byte_rate(row).and_then(|rate| facts.byte_rate("in place", rate));
    let rate = rate.map_or_else(String::new, |rate| format!("{rate}, "));
    Ok(Report::new(format!(
        "At {}, the in-place sum reaches {rate}{percent} of the measured read peak.",
        row.short_size()
    )))
}

/// Each sum is timed end to end once: the spread outside the kernel, over at least this many kernels, is the noise.
const FEWEST: usize = 3;

fn end_to_end(rows: &DeviceRows, facts: &mut Facts) -> Result<Answer, Why> {
    let [shared, global] = rows.together([(WORKGROUP, NONE), (GLOBAL, NONE)])?;
    let is_alike = |other: &&Record| other.n == global.n && other.dtype == global.dtype;
    let rest = |row: &Record| Some(row.end_to_end_ns? - row.median_ns?);
    let rests: Vec<f64> = rows.family("reduction").into_iter().filter(is_alike).filter_map(rest).collect();
    let ends = rests.iter().copied().reduce(f64::min).zip(rests.iter().copied().reduce(f64::max));
    let (least, most) = ends
        .filter(|_| rests.len() >= FEWEST)
        .ok_or_else(|| Why::new(format!("fewer than {FEWEST} sums at {} are timed end to end", global.short_size())))?;
    let times = [shared, global].map(|row| row.end_to_end_ns.zip(time(row)));
    let [Some((own, own_kernel)), Some((other, other_kernel))] = times else {
        return Err(rows.missing(&[WORKGROUP, GLOBAL]));
    };
    let ms = |ns: f64| format!("{} ms", format::significant(ns / 1e6, 3));
    let mut kernel = |name: &str, time| facts.time(name, time).ok_or_else(|| noisy_time(name));
    let text = format!(
        "At {}, the sum takes {} end to end in shared memory and {} in global memory. The kernels alone take {} and \
         {}.",
        global.short_size(),
        ms(own),
        ms(other),
        kernel("kernel time with shared memory", own_kernel)?,
        kernel("kernel time with global memory", other_kernel)?
    );
    if (other - own).abs() <= most - least {
        let (least, most) = (ms(least), ms(most));
        return Err(Why::new(format!(
            "the end-to-end difference is within the noise: outside the kernel, {} sums of this size take {least} to \
             {most}. {}",
            rests.len(),
            text.trim_end_matches('.')
        )));
    }
    Ok(Answer::new(own < other, text))
}

fn noisy_time(name: &str) -> Why {
    Why::new(format!("the {name} is too noisy to quote"))
}

fn ladder(rows: &DeviceRows) -> Option<Picture> {
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
    use crate::planted::found;

    const N: u64 = 1 << 28;

    fn row(benchmark: &str, us: f64, noise: f64) -> Record {
        let ns = us * 1000.0;
        Record {
            dtype: Some(Dtype::F32),
            backend: Some(Api::Vulkan),
            gb_per_s: Some(4.0 * N as f64 / ns),
            ci_low_ns: Some(ns * (1.0 - noise)),
            ci_high_ns: Some(ns * (1.0 + noise)),
            ..crate::planted::row(benchmark, &[], N, ns)
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
        let finding = text(&rows(5000.0, 0.001));
        assert!(finding.starts_with("Sum of 2^28 f32 values: "), "{finding}");
        assert!(finding.contains("are 2.34× as fast as the same steps in global memory"), "{finding}");
        assert!(finding.contains("the steps in workgroup memory are 1.36× as fast as in global memory"), "{finding}");
        assert!(finding.contains("With workgroup barriers alone, the steps are 1.72× as fast as with"), "{finding}");
        let cuda: Vec<Record> =
            rows(5000.0, 0.001).into_iter().map(|row| Record { backend: Some(Api::Cuda), ..row }).collect();
        let finding = text(&cuda);
        assert!(finding.contains("the steps with workgroup barriers are 1.72× as fast as"), "{finding}");
        assert!(!finding.contains("storageBarrier"), "{finding}");
    }

    #[test]
    fn missing_or_noisy_rows_leave_the_parts_out() {
        let mut without = rows(5000.0, 0.001);
        without.remove(1);
        for rows in [without, rows(5000.0, 0.5)] {
            let finding = text(&rows);
            assert!(finding.contains("are 2.34× as fast as the same") && !finding.contains("in both"), "{finding}");
        }
    }
}
