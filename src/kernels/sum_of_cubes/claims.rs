//! The gain of each step of the article's sum.

use record::claim::*;
use record::stats::Estimate;
use record::{Record, format, stats};

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured { name: "speedup by step", state: steps }),
    Claim::Ratio(Ratio {
        name: "time ratio: accumulating in workgroup memory / in a register",
        kernels: [(ACCUMULATE, NONE), (SERIAL, NONE)],
        by: By::Duration,
        says: "Accumulating in workgroup memory takes {} in a register.",
    }),
    Claim::Ratio(Ratio {
        name: "speed ratio: tree / first step",
        kernels: [(TREE, NONE), ("sum_of_cubes/one_invocation", NONE)],
        by: By::Speed,
        says: "With {size} u32 values, the tree is {} the first step.",
    }),
    Claim::Article(ArticleClaim {
        id: "C1",
        title: "thread 0 adds its block's sums",
        claim: "Summing each block on the device makes the run longer; the host then adds 32 numbers instead of 8,192.",
        kernels: &[SERIAL, BARE, ACCUMULATE],
        terms: &["__syncthreads()", "__shared__", "threadIdx", "blockIdx", "gridDim"],
        prediction: "32 blocks of 256 threads sum the cubes of 1,048,576 digits; after a barrier, thread 0 of each \
            block adds 256 numbers. The times are those of the kernels alone.",
        judge: Judge::Claim(block_sums),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "C2",
        title: "a tree instead of thread 0",
        claim: "If thread 0 alone adds, the run takes longer; a tree avoids this cost.",
        kernels: &[TREE, SERIAL, BARE],
        terms: &["__syncthreads()", "__shared__"],
        prediction: "The tree needs 8 steps instead of 255 sequential additions.",
        judge: Judge::Claim(tree),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "C3",
        title: "from one thread to many blocks",
        claim: "The article times one thread, one block in chunks, one block with coalesced reads, and 32 blocks.",
        kernels: &[
            "sum_of_cubes/one_invocation",
            "sum_of_cubes/one_block_chunks",
            "sum_of_cubes/one_block_interleaved",
            BARE,
        ],
        terms: &["kernel<<<blocks, threads>>>", "threadIdx", "blockIdx", "blockDim"],
        prediction: "The speedup is at most 256× from one thread to a block, and at most 32× from one block to 32. \
            No step gains more than its increase in threads.",
        judge: Judge::Report(each_step),
        picture: |rows| {
            let like = rows.timed((LADDER[0].0, NONE)).last()?;
            bars(
                rows,
                like,
                &[LADDER[0].0, LADDER[1].0, LADDER[2].0, LADDER[3].0, SERIAL, TREE].map(|name| (name, NONE)),
            )
        },
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "C4",
        title: "a clock read inside the kernel",
        claim: "The latest end minus the earliest start of all blocks is the run time of the kernel, without its launch.",
        kernels: &["sum_of_cubes/clock_in_kernel"],
        terms: &["clock()", "clock64(), %globaltimer", "cudaEvent_t"],
        prediction: "The in-kernel time is less than the time between two events, which includes the launch.",
        judge: Judge::Claim(clock),
        ..ArticleClaim::BLANK
    }),
];

/// A kernel, the kernel of the next step, and what the step adds.
const STEPS: [(&str, &str, &str); 4] = [
    ("one_invocation", "one_block_chunks", "a workgroup instead of one invocation"),
    ("one_block_chunks", "one_block_interleaved", "coalesced reads"),
    ("one_block_interleaved", "many_blocks_host_sum", "32 workgroups"),
    ("serial_block_sum", "tree_block_sum", "a tree instead of one invocation"),
];

fn largest_n(rows: &[&Record]) -> Option<u64> {
    rows.iter().filter(|row| row.n.is_some()).map(|row| scalars(row)).max()
}

fn own(rows: &[&Record], benchmark: &str, n: u64) -> Option<Estimate> {
    time(of(rows, benchmark).find(|row| scalars(row) == n)?)
}

fn steps(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let n = largest_n(rows)?;
    let gain = |(from, to, what): &(&str, &str, &str)| {
        let gain = stats::ratio(own(rows, from, n)?, own(rows, to, n)?)?;
        Some(format!("{what} {}", facts.times(*what, gain)?))
    };
    Some(format!("Speedup by step with {} u32 values: {}.", short(n), joined(STEPS.iter().filter_map(gain), ", ")?))
}

const SERIAL: &str = "sum_of_cubes/serial_block_sum";
const ACCUMULATE: &str = "sum_of_cubes/accumulate_in_workgroup";
const BARE: &str = "sum_of_cubes/many_blocks_host_sum";
const TREE: &str = "sum_of_cubes/tree_block_sum";

const LADDER: [(&str, &str); 4] = [
    ("sum_of_cubes/one_invocation", ""),
    ("sum_of_cubes/one_block_chunks", "a block instead of one thread"),
    ("sum_of_cubes/one_block_interleaved", "coalesced reads"),
    ("sum_of_cubes/many_blocks_host_sum", "32 blocks"),
];

fn with_and_without(facts: &mut Facts, serial: &Record, without_sums: &Record) -> Result<String, Why> {
    let mut time = |name: &str, row| {
        let time = facts.time(name, known_time(row)?);
        time.ok_or_else(|| Why::new(format!("the time {name} is too noisy to quote")))
    };
    let (with, without) = (time("with block sums", serial)?, time("without block sums", without_sums)?);
    Ok(format!("At {}, the kernel takes {with} with block sums and {without} without them.", serial.short_size()))
}

fn block_sums(rows: &DeviceRows, facts: &mut Facts) -> Result<Answer, Why> {
    let [without_sums, serial] = rows.together([(BARE, NONE), (SERIAL, NONE)])?;
    let holds = is_faster(speed(without_sums, serial)?, 1.0)?;
    let text = with_and_without(facts, serial, without_sums)?;
    let shared = rows.together([(ACCUMULATE, NONE)]).ok();
    let shared = shared.and_then(|[row]| duration(facts, "accumulating in shared memory", row));
    Ok(Answer::new(holds, text).with([shared]))
}

fn tree(rows: &DeviceRows, facts: &mut Facts) -> Result<Answer, Why> {
    let answer = faster(rows, facts, 1.0, ((TREE, NONE), "the tree"), ((SERIAL, NONE), "thread 0 alone"))?;
    // The kernel that leaves block sums to the host shows what both ways of adding them cost at most.
    let Ok([without_sums, serial]) = rows.together([(BARE, NONE), (SERIAL, NONE)]) else { return Ok(answer) };
    let whole = known_time(serial)?;
    let part = difference(whole, known_time(without_sums)?);
    let part = if part.low > 0.0 { facts.time("adding a block's sums", part) } else { None };
    let cost = part.zip(facts.time("thread 0 alone", whole));
    let cost =
        cost.map(|(part, whole)| format!("Adding a block's sums in thread 0 takes {part} of the kernel's {whole}."));
    Ok(answer.and(cost))
}

fn each_step(rows: &DeviceRows, facts: &mut Facts) -> Result<Report, Why> {
    let found = rows.together(LADDER.map(|(kernel, _)| (kernel, NONE)))?;
    let mut parts = Vec::new();
    for (pair, (_, what)) in found.windows(2).zip(&LADDER[1..]) {
        let gain = speed(pair[1], pair[0])?;
        let times = facts.times(*what, gain).ok_or_else(|| noisy("the speedup of a step is", gain))?;
        parts.push(format!("{what} {times}"));
    }
    let last = facts.time("32 blocks time", known_time(found[3])?).map(|time| format!("32 blocks {time}"));
    let size = found[0].short_size();
    Ok(Report::new(format!("Speed relative to the previous step, at {size}: {}.", parts.join(", "))).with([last]))
}

fn clock(rows: &DeviceRows, facts: &mut Facts) -> Result<Answer, Why> {
    const KERNEL: &str = "sum_of_cubes/clock_in_kernel";
    let [row] = rows.together([(KERNEL, NONE)])?;
    let inside = row.in_kernel_ns.ok_or_else(|| Why::new(format!("`{KERNEL}` has no in-kernel time")))?;
    let outside = known_time(row)?;
    // The in-kernel time has no interval of its own, so the interval of the events decides.
    if inside >= outside.low && inside <= outside.high {
        return Err(Why::new("too noisy to tell: the in-kernel time is within the noise of the event time"));
    }
    let events =
        facts.time("time between events", outside).ok_or_else(|| Why::new("the time is too noisy to quote"))?;
    let inside_text = format::scaled(inside, format::TIME_UNITS);
    let text = format!("The kernel takes {inside_text} by its own clock, and {events} when timed with two events.");
    Ok(Answer::new(inside < outside.low, text))
}
