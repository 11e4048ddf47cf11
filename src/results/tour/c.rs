//! Chapter C: sum of cubes with synchronisation.

use super::judges::{bars, faster, right};
use super::rows::{Cannot, Rows, WITHIN, duration, is_faster, is_near, noisy, speed, time};
use super::step::{Answer, Step, Told};
use crate::record::format;
use crate::results::findings::Draft;

pub(super) const STEPS: &[Step] = &[
    Step {
        id: "C1",
        title: "thread 0 adds its block's sums",
        claim: "32 blocks of 256 threads sum the cubes of 1,048,576 digits; after a barrier, thread 0 adds up its \
            block, and the host adds 32 numbers.",
        kernels: &["sum_of_cubes/serial_block_sum", "sum_of_cubes/accumulate_in_workgroup"],
        terms: &["__syncthreads()", "__shared__", "threadIdx", "blockIdx", "gridDim"],
        prediction: || "The sum of the GPU is exactly the sum of the CPU: the numbers are integers.".to_owned(),
        is_timing: false,
        judge: |rows, draft| {
            let has_own = rows.of(ACCUMULATE).next().is_some();
            let kernels = if has_own { &[SERIAL, ACCUMULATE][..] } else { &[SERIAL] };
            let answer = right(rows, kernels, |rows| match rows {
                [_] => "The block sums are those of the CPU.".to_owned(),
                [_, _] => "The block sums of both rows are those of the CPU.".to_owned(),
                several => format!("The block sums of all {} rows are those of the CPU.", several.len()),
            })?;
            let mut figure = |name, kernel| {
                let row = rows.timed((kernel, NONE)).last().filter(|_| !rows.is_software())?;
                duration(draft, name, row)
            };
            // The conclusion: the host adds 32 numbers instead of 8,192, for little more time on the device.
            let kernels =
                [("kernel", SERIAL), ("accumulating in shared memory", ACCUMULATE), ("without block sums", BARE)];
            Ok(answer.with(kernels.map(|(name, kernel)| figure(name, kernel))))
        },
        ..Step::BLANK
    },
    Step {
        id: "C2",
        title: "a tree instead of thread 0",
        claim: "A tree over the 256 sums of a block is faster than thread 0 adding them one by one.",
        kernels: &["sum_of_cubes/tree_block_sum", "sum_of_cubes/serial_block_sum", "sum_of_cubes/many_blocks_host_sum"],
        terms: &["__syncthreads()", "__shared__"],
        prediction: || "8 steps instead of 255 additions in a row.".to_owned(),
        judge: tree,
        ..Step::BLANK
    },
    Step {
        id: "C3",
        title: "from one thread to many blocks",
        claim: "Each step is faster than the one before: one thread, one block in chunks, one block with coalesced \
            reads, 32 blocks.",
        kernels: &[
            "sum_of_cubes/one_invocation",
            "sum_of_cubes/one_block_chunks",
            "sum_of_cubes/one_block_interleaved",
            "sum_of_cubes/many_blocks_host_sum",
        ],
        terms: &["kernel<<<blocks, threads>>>", "threadIdx", "blockIdx", "blockDim"],
        prediction: || {
            "At most 256× from one thread to a block, and at most 32× from one block to 32: no step gains more than \
             its threads."
                .to_owned()
        },
        judge: steps,
        picture: |rows| {
            let like = rows.timed((LADDER[0].0, NONE)).last()?;
            bars(
                rows,
                like,
                &[LADDER[0].0, LADDER[1].0, LADDER[2].0, LADDER[3].0, SERIAL, TREE].map(|name| (name, NONE)),
            )
        },
        ..Step::BLANK
    },
    Step {
        id: "C4",
        title: "a clock read inside the kernel",
        claim: "The latest end minus the earliest start of all blocks is the run time of the kernel, without its launch.",
        kernels: &["sum_of_cubes/clock_in_kernel"],
        terms: &["clock64(), %globaltimer", "cudaEvent_t"],
        prediction: || "Less than the time between two events, which includes the launch.".to_owned(),
        judge: clock,
        ..Step::BLANK
    },
    Step {
        id: "C5",
        title: "all properties, and the warp size",
        claim: "Among its properties the device reports its warp size, 32 threads.",
        terms: &["cudaGetDeviceProperties()", "warpSize"],
        prediction: || {
            "32 on NVIDIA, 32 or 64 on AMD, 8 to 32 on Intel. WebGPU reports a range, and no clock rate or pitch."
                .to_owned()
        },
        is_timing: false,
        judge: |rows, _| warp(rows),
        ..Step::BLANK
    },
];

const NONE: &[(&str, f64)] = &[];
const SERIAL: &str = "sum_of_cubes/serial_block_sum";
const ACCUMULATE: &str = "sum_of_cubes/accumulate_in_workgroup";
const BARE: &str = "sum_of_cubes/many_blocks_host_sum";
const TREE: &str = "sum_of_cubes/tree_block_sum";

/// The kernels of the steps, and what each step adds.
const LADDER: [(&str, &str); 4] = [
    ("sum_of_cubes/one_invocation", ""),
    ("sum_of_cubes/one_block_chunks", "a block instead of one thread"),
    ("sum_of_cubes/one_block_interleaved", "coalesced reads"),
    ("sum_of_cubes/many_blocks_host_sum", "32 blocks"),
];

fn tree(rows: &Rows, draft: &mut Draft) -> Told {
    let mut answer = faster(rows, draft, ((TREE, NONE), "the tree"), ((SERIAL, NONE), "thread 0 alone"))?;
    // The kernel that leaves the sums of a block to the host shows what both ways of adding them cost at most.
    let bare = rows.together([(BARE, NONE), (SERIAL, NONE)]);
    if let Ok([bare, serial]) = bare
        && !answer.holds()
        && is_near(speed(bare, serial)?, 1.0) == Ok(true)
    {
        answer = answer.because(&format!(
            "adding up a block takes little of the time: without any block sum the kernel is as fast, {WITHIN}"
        ));
    }
    Ok(answer)
}

fn steps(rows: &Rows, draft: &mut Draft) -> Told {
    let found = rows.together(LADDER.map(|(kernel, _)| (kernel, NONE)))?;
    let mut parts = Vec::new();
    let mut holds = true;
    for (pair, (_, what)) in found.windows(2).zip(&LADDER[1..]) {
        let gain = speed(pair[1], pair[0])?;
        holds &= is_faster(gain)?;
        parts.push(format!("{what} {}", draft.times(*what, gain).ok_or_else(|| noisy("a step gains", gain))?));
    }
    let start = if holds { "Speedup of each step" } else { "Not every step is faster" };
    let last = draft.time("32 blocks time", time(found[3])?).map(|time| format!("32 blocks {time}"));
    Ok(Answer::new(holds, format!("{start}: {}.", parts.join(", "))).with([last]))
}

fn clock(rows: &Rows, draft: &mut Draft) -> Told {
    const KERNEL: &str = "sum_of_cubes/clock_in_kernel";
    let [row] = rows.together([(KERNEL, NONE)])?;
    let inside = row.in_kernel_ns.ok_or_else(|| Cannot::new(format!("`{KERNEL}` has no time from inside")))?;
    let outside = time(row)?;
    // The time from inside has no interval of its own: that of the events decides.
    if inside >= outside.low && inside <= outside.high {
        return Err(Cannot::new("too noisy to tell: the time from inside lies within the noise of the events"));
    }
    let events = draft.time("events", outside).ok_or_else(|| Cannot::new("the time is too noisy to quote"))?;
    let inside_text = format::scaled(inside, format::TIME_UNITS, 3);
    let text = format!("By the clock in the kernel it takes {inside_text}, between two events {events}.");
    Ok(Answer::new(inside < outside.low, text))
}

fn warp(rows: &Rows) -> Told {
    let size = rows.all().iter().find_map(|row| row.subgroup_size);
    let size = size.ok_or_else(|| Cannot::new("the report has no subgroup size"))?;
    let holds = (size.least, size.most) == (32, 32);
    Ok(Answer::new(holds, format!("A subgroup has {size} invocations on this device.")))
}
