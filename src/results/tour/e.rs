//! Chapter E: banks.

use super::judges::{graph, measured, no_slower, right};
use super::rows::{
    Cannot, Rows, WITHIN, compared, duration, is_faster, is_near, is_no_slower, noisy, predicted, speed, speeds,
};
use super::step::{Answer, Step, Told};
use crate::families::bank_conflict::conflict;
use crate::record::format;
use crate::results::findings::Draft;
use crate::results::findings::bank_conflict::inferred_banks;

pub(super) const STEPS: &[Step] = &[
    Step {
        id: "E1",
        title: "strides, and the number of banks",
        claim: "Shared memory has 32 banks: at stride s, gcd(s, 32) threads of a warp wait for one bank.",
        kernels: &["bank_conflict/stride"],
        terms: &["__shared__", "warp"],
        prediction: || {
            let speed = |stride, banks| format::percent(1.0 / conflict(stride, banks) as f64);
            format!(
                "{} of the speed at stride 2, {} at stride 32, full speed at every odd stride. With the 16 banks of \
                 compute capability 1.x, {} at stride 32.",
                speed(2, 32),
                speed(32, 32),
                speed(32, 16)
            )
        },
        judge: banks,
        model: || {
            vec![graph("speed over STRIDE by the model of 32 banks", STRIDES, |s| predicted(STRIDE, "STRIDE", s))]
        },
        picture: |rows| {
            let values = speeds(rows, STRIDE, "STRIDE", STRIDES);
            measured(graph("speed over STRIDE, measured", STRIDES, |s| values.get(s as usize - 1).copied()?))
        },
        ..Step::BLANK
    },
    Step {
        id: "E2",
        title: "one word for many threads",
        claim: "Threads that read the same word of shared memory share it, without a conflict.",
        kernels: &["bank_conflict/broadcast", "bank_conflict/stride"],
        terms: &["__shared__", "warp"],
        prediction: || "The speed of stride 1, however many threads share a word.".to_owned(),
        judge: broadcast,
        ..Step::BLANK
    },
    Step {
        id: "E3",
        title: "bytes and halves",
        claim: "Threads that read neighbouring bytes or halves of one word do not conflict.",
        kernels: &[
            "bank_conflict/bytes",
            "bank_conflict/halves",
            "bank_conflict/bytes_direct",
            "bank_conflict/halves_direct",
        ],
        terms: &["char and short", "__shared__"],
        prediction: || {
            "Bytes of one word are as fast as bytes 4 apart. On compute capability 1.x they conflict. WGSL unpacks them \
             from words."
                .to_owned()
        },
        judge: narrow,
        ..Step::BLANK
    },
    Step {
        id: "E4",
        title: "a block divided by hand: its cost",
        claim: "Three arrays divided by hand from one block of shared memory are as fast as three declared arrays.",
        kernels: &["workgroup_memory/carved", "workgroup_memory/structured"],
        terms: &["extern __shared__"],
        prediction: || {
            "1× in CUDA, whose pointers have types. WGSL has to shift and cast words at each access.".to_owned()
        },
        judge: divided,
        ..Step::BLANK
    },
    Step {
        id: "E5",
        title: "the matrix product in tiles",
        claim: "Tiles in shared memory make the matrix product faster, and blocks in registers make it faster still.",
        kernels: &["matmul/naive", "matmul/tiled", "matmul/register_blocked"],
        terms: &["__shared__", "__syncthreads()", "register"],
        prediction: || {
            "A tile of side 16 reads global memory 16 times less often than the naive kernel; caches serve some of \
             these reads already."
                .to_owned()
        },
        judge: product,
        ..Step::BLANK
    },
    Step {
        id: "E6",
        title: "many threads write one word",
        claim: "If several threads of a warp write one word of shared memory, exactly one of the values remains.",
        kernels: &["workgroup_memory/same_word", "workgroup_memory/distinct_words", "workgroup_memory/atomic_word"],
        terms: &["__shared__", "atomicMax()"],
        prediction: || "One of the 32 values, which one is not defined; an atomic keeps the largest.".to_owned(),
        is_timing: false,
        judge: one_value,
        ..Step::BLANK
    },
];

const NONE: &[(&str, f64)] = &[];
const STRIDE: &str = "bank_conflict/stride";
const STRIDES: std::ops::RangeInclusive<u64> = 1..=64;

fn banks(rows: &Rows, draft: &mut Draft) -> Told {
    let at = |s: f64| -> [(&str, f64); 1] { [("STRIDE", s)] };
    let [one, two, whole, odd] =
        rows.together([(STRIDE, &at(1.0)), (STRIDE, &at(2.0)), (STRIDE, &at(32.0)), (STRIDE, &at(33.0))])?;
    let (second, whole, odd) = (speed(two, one)?, speed(whole, one)?, speed(odd, one)?);
    let mut quoted = |name, ratio| draft.times(name, ratio).ok_or_else(|| noisy("the ratio of the speeds is", ratio));
    let text = format!(
        "Relative to stride 1, stride 2 runs at {}, stride 32 at {}, stride 33 at {}.",
        quoted("stride 2", second)?,
        quoted("stride 32", whole)?,
        quoted("stride 33", odd)?
    );
    match inferred_banks(&rows.family("bank_conflict")) {
        Some(banks) => Ok(Answer::new(banks == 32, format!("The times show {banks} banks. {text}"))),
        // No conflict at stride 32 is no such bank.
        None if is_near(whole, 1.0)? => Ok(Answer::new(false, format!("No bank conflicts. {text}"))),
        None => Err(Cannot::new("no number of banks explains the times of all strides, or they are too noisy")),
    }
}

fn broadcast(rows: &Rows, draft: &mut Draft) -> Told {
    const GROUPS: [f64; 3] = [2.0, 16.0, 256.0];
    let mut holds = true;
    let mut figures = Vec::new();
    for group in GROUPS {
        let [shared, one] =
            rows.together([("bank_conflict/broadcast", &[("GROUP", group)]), (STRIDE, &[("STRIDE", 1.0)])])?;
        let speed = speed(shared, one)?;
        holds &= is_no_slower(speed)?;
        let name = format!("{group} threads a word");
        figures.push(draft.times(&*name, speed).map(|times| format!("{name} {times}")));
    }
    let text = if holds {
        format!("Reads of a word that 2, 16 or all threads share are as fast as stride 1, {WITHIN}.")
    } else {
        "Reads of a word that threads share are slower than stride 1.".to_owned()
    };
    Ok(Answer::new(holds, text).with(figures))
}

fn narrow(rows: &Rows, draft: &mut Draft) -> Told {
    let mut holds = true;
    let mut parts = Vec::new();
    for (name, apart) in [("bytes", 4.0), ("halves", 2.0), ("bytes_direct", 4.0), ("halves_direct", 2.0)] {
        let kernel = format!("bank_conflict/{name}");
        let pair = rows.together([(&kernel, &[("APART", 1.0)]), (&kernel, &[("APART", apart)])]);
        // WGSL has no loads of bytes and halves.
        if name.ends_with("_direct") && pair.is_err() {
            continue;
        }
        let [near, far] = pair?;
        let speed = speed(near, far)?;
        let is_free = is_no_slower(speed)?;
        holds &= is_free;
        if !is_free {
            let times = draft.times(name, speed).ok_or_else(|| noisy("the ratio of the speeds is", speed))?;
            parts.push(format!(
                "neighbouring {} are {times} as fast as {apart} bytes apart",
                name.replace("_direct", " loaded directly")
            ));
        }
    }
    let text = match parts.as_slice() {
        [] => format!("Neighbouring bytes and halves are no slower than those of words of their own, {WITHIN}."),
        parts => format!("A conflict: {}.", parts.join(", ")),
    };
    Ok(Answer::new(holds, text))
}

fn divided(rows: &Rows, draft: &mut Draft) -> Told {
    let carved = (("workgroup_memory/carved", NONE), "the divided block");
    no_slower(rows, draft, carved, (("workgroup_memory/structured", NONE), "the struct of three arrays"))
}

fn product(rows: &Rows, draft: &mut Draft) -> Told {
    let tile = &[("TILE", 16.0)][..];
    let [tiled, naive] = rows.together([("matmul/tiled", tile), ("matmul/naive", NONE)])?;
    let [blocked, _] = rows.together([("matmul/register_blocked", NONE), ("matmul/tiled", tile)])?;
    let (over_naive, over_tiled) = (speed(tiled, naive)?, speed(blocked, tiled)?);
    let holds = is_faster(over_naive)? && is_faster(over_tiled)?;
    let (first, second) =
        (compared(draft, "tiled over naive", over_naive)?, compared(draft, "registers over tiled", over_tiled)?);
    let size = tiled.short_size();
    Ok(Answer::new(
        holds,
        format!("At {size}, tiles are {first} the naive kernel, and blocks in registers {second} tiles."),
    ))
}

fn one_value(rows: &Rows, draft: &mut Draft) -> Told {
    let answer = right(rows, &["workgroup_memory/same_word"], |_| {
        "In every round exactly one of the 32 values remains, and it is one that was written.".to_owned()
    })?;
    let kernels = [("distinct_words", "32 words"), ("same_word", "one word"), ("atomic_word", "atomics on one word")];
    let mut figure = |(kernel, name): (&str, &str)| {
        let kernel = format!("workgroup_memory/{kernel}");
        let row = rows.together([(&kernel, NONE)]).ok().filter(|_| !rows.is_software())?;
        duration(draft, name, row[0])
    };
    let figures: Vec<Option<String>> = kernels.into_iter().map(&mut figure).collect();
    Ok(answer.with(figures))
}
