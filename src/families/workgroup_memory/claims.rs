//! The cost of each way to declare and share workgroup memory.

use crate::claim::{
    Answer, ArticleClaim, COMPARED, Claim, Facts, Measured, Sheet, Why, byte_rate, duration, has_params, is_faster,
    largest, no_slower, noisy, of, param, right, scalars, speed, time,
};
use crate::record::Record;
use crate::record::stats::Estimate;
use crate::suite::binary_size;

pub(in crate::families) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured {
        name: "length as an override",
        rows: "override_size and fixed_size, at the largest size that both have",
        condition: COMPARED,
        state: |rows, facts| {
            let takes = slowdown(rows, facts, "override over fixed length", "override_size", "fixed_size")?;
            Some(format!("An array whose length is an override takes {takes} one of fixed length."))
        },
    }),
    Claim::Measured(Measured {
        name: "length set at launch",
        rows: "dynamic_size and fixed_size, at the largest size that both have",
        condition: COMPARED,
        state: |rows, facts| {
            let takes = slowdown(rows, facts, "launch over fixed length", "dynamic_size", "fixed_size")?;
            Some(format!("An array whose length is set at launch takes {takes} one of fixed length."))
        },
    }),
    Claim::Measured(Measured {
        name: "one block of words",
        rows: "carved and structured, at the largest size that both have",
        condition: COMPARED,
        state: |rows, facts| {
            let takes = slowdown(rows, facts, "one array over a struct", "carved", "structured")?;
            Some(format!("Three arrays in one block of words take {takes} a struct of three."))
        },
    }),
    Claim::Measured(Measured {
        name: "writes to one word",
        rows: "same_word and distinct_words, at the largest size that both have",
        condition: COMPARED,
        state: |rows, facts| {
            let takes = slowdown(rows, facts, "one word over 32 words", "same_word", "distinct_words")?;
            Some(format!("32 writes to one word take {takes} writes to 32 words."))
        },
    }),
    Claim::Measured(Measured {
        name: "atomics on one word",
        rows: "atomic_word and distinct_words, at the largest size that both have",
        condition: COMPARED,
        state: |rows, facts| {
            let takes = slowdown(rows, facts, "atomics over 32 words", "atomic_word", "distinct_words")?;
            Some(format!("32 atomicMax operations on one word take {takes} writes to 32 words."))
        },
    }),
    Claim::Measured(Measured {
        name: "copy by occupancy",
        rows: "occupancy with the least and the most workgroup memory, at the largest size",
        condition: "both rates with the digits that their intervals leave",
        state: |rows, facts| {
            let (few, many) = occupancy(rows)?;
            let (few_bytes, many_bytes) = (binary_size(4 * words(few)), binary_size(4 * words(many)));
            let few = facts.byte_rate(format!("copy holding {few_bytes}"), byte_rate(few)?)?;
            let many = facts.byte_rate(format!("copy holding {many_bytes}"), byte_rate(many)?)?;
            Some(format!(
                "A copy by workgroups of 64 runs at {few} with {few_bytes} of workgroup memory each, at {many} with \
                 {many_bytes}."
            ))
        },
    }),
    Claim::Measured(Measured {
        name: "zeroing by the API",
        rows: "zero_init zeroed by the API and not zeroed, at the largest size",
        condition: COMPARED,
        state: |rows, facts| {
            let zeroed = zeroed(rows, &[("ZEROING", 0.0), ("ZERO_INIT", 1.0)])?;
            let takes = facts.duration("zeroed by the API", zeroed.0, zeroed.1)?;
            Some(format!("Workgroups that use 1 KiB of 16 KiB take {takes} without zeroing when the API zeroes all."))
        },
    }),
    Claim::Measured(Measured {
        name: "zeroing by the kernel",
        rows: "zero_init zeroed by the kernel and not zeroed, at the largest size",
        condition: COMPARED,
        state: |rows, facts| {
            let zeroed = zeroed(rows, &[("ZEROING", 1.0)])?;
            let takes = facts.duration("zeroed by the kernel", zeroed.0, zeroed.1)?;
            Some(format!("Workgroups that use 1 KiB of 16 KiB take {takes} without zeroing when the kernel zeroes it."))
        },
    }),
    Claim::Article(ArticleClaim {
        id: "A2",
        title: "static and dynamic shared arrays",
        claim: "A shared array whose size the host chooses at launch is as fast as one of fixed size.",
        kernels: &["workgroup_memory/fixed_size", "workgroup_memory/override_size", "workgroup_memory/dynamic_size"],
        terms: &["__shared__", "extern __shared__"],
        prediction: || "1×: the kernels do the same work. Only CUDA can set the size at each launch.".to_owned(),
        judge: arrays,
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "B2",
        title: "shared arrays start without a value",
        claim: "A shared array cannot be initialised where it is declared, and setting it in the kernel costs time.",
        kernels: &["workgroup_memory/zero_init", "safety_tax/workgroup_fill", "workgroup_memory/static_and_dynamic"],
        terms: &["__shared__", "extern __shared__"],
        prediction: || {
            "CUDA leaves the array as it is. WGSL has no initialiser either, but the API sets every word to zero. Each \
             takes time: the words are stored before the kernel begins."
                .to_owned()
        },
        judge: zeroing,
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "B3",
        title: "three arrays in one shared block",
        claim: "One block of shared memory holds three arrays of different types, divided by hand at byte offsets.",
        kernels: &["workgroup_memory/carved", "workgroup_memory/structured"],
        terms: &["extern __shared__"],
        prediction: || {
            "The same answers as with a struct: 128 × i16 at 0, 64 × f32 at 256, 256 × i32 at 512.".to_owned()
        },
        is_timing: false,
        judge: |rows, _| {
            right(rows, &["workgroup_memory/carved", "workgroup_memory/structured"], |rows| {
                format!("All {} cases give the right answer, divided by hand and as a struct.", rows.len())
            })
        },
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "E4",
        title: "a block divided by hand: its cost",
        claim: "Three arrays divided by hand from one block of shared memory are as fast as three declared arrays.",
        kernels: &["workgroup_memory/carved", "workgroup_memory/structured"],
        terms: &["extern __shared__"],
        prediction: || {
            "1× in CUDA, whose pointers have types. WGSL has to shift and cast words at each access.".to_owned()
        },
        judge: divided,
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "E6",
        title: "many threads write one word",
        claim: "If several threads of a warp write one word of shared memory, exactly one of the values remains.",
        kernels: &["workgroup_memory/same_word", "workgroup_memory/distinct_words", "workgroup_memory/atomic_word"],
        terms: &["__shared__", "atomicMax()"],
        prediction: || "One of the 32 values, which one is not defined; an atomic keeps the largest.".to_owned(),
        is_timing: false,
        judge: one_value,
        ..ArticleClaim::BLANK
    }),
];

const NONE: &[(&str, f64)] = &[];
/// How long `benchmark` takes compared with `other`, at the largest size at which both were measured.
fn slowdown(rows: &Sheet, facts: &mut Facts, name: &str, benchmark: &str, other: &str) -> Option<String> {
    let measured = |name| of(rows, name).filter(|row| row.median_ns.is_some());
    let pairs = measured(benchmark).filter_map(|row| Some((row, measured(other).find(|other| other.n == row.n)?)));
    let (row, other) = pairs.max_by_key(|(row, _)| scalars(row))?;
    facts.duration(name, time(row)?, time(other)?)
}

/// Times of `zero_init` with these parameters and without zeroing, at the largest size.
fn zeroed(rows: &[&Record], params: &[(&str, f64)]) -> Option<(Estimate, Estimate)> {
    let measured = || of(rows, "zero_init").filter(|row| row.median_ns.is_some());
    let n = largest(measured())?.n;
    let own = |params: &[(&str, f64)]| time(measured().find(|row| row.n == n && has_params(row, params))?);
    Some((own(params)?, own(&[("ZEROING", 0.0)])?))
}

/// The copies by the workgroups with the least and the most workgroup memory, at the largest size.
fn occupancy<'a>(rows: &[&'a Record]) -> Option<(&'a Record, &'a Record)> {
    let measured = || of(rows, "occupancy").filter(|row| row.gb_per_s.is_some());
    let most = measured().map(scalars).max()?;
    let of_largest = || measured().filter(|row| scalars(row) == most);
    let (few, many) = (of_largest().min_by_key(|row| words(row))?, of_largest().max_by_key(|row| words(row))?);
    (words(few) < words(many)).then_some((few, many))
}

/// Words of workgroup memory per workgroup.
fn words(row: &Record) -> u64 {
    param(row, "WORDS").unwrap_or(0.0) as u64
}

fn arrays(rows: &Sheet, facts: &mut Facts) -> Result<Answer, Why> {
    let fixed = (("workgroup_memory/fixed_size", NONE), "a fixed size");
    let dynamic = ("workgroup_memory/dynamic_size", &[("SHARED_BYTES", 1024.0)][..]);
    if rows.timed(dynamic).next().is_some() {
        return no_slower(rows, facts, (dynamic, "a size set at launch"), fixed);
    }
    let chosen = ("workgroup_memory/override_size", &[("LENGTH", 256.0)][..]);
    no_slower(rows, facts, (chosen, "a size set by an override"), fixed)
}

fn zeroing(rows: &Sheet, facts: &mut Facts) -> Result<Answer, Why> {
    const KERNEL: &str = "workgroup_memory/zero_init";
    let [set, left] = rows.together([(KERNEL, &[("ZEROING", 1.0)]), (KERNEL, &[("ZEROING", 0.0)])])?;
    let longer = speed(left, set)?;
    let holds = is_faster(longer)?;
    let quoted = facts.times("set by the kernel", longer).ok_or_else(|| noisy("the ratio is", longer))?;
    let text = format!("The kernel takes {quoted} as long if it sets 16 KiB first.");
    let by_api = rows.together([(KERNEL, &[("ZEROING", 0.0), ("ZERO_INIT", 1.0)]), (KERNEL, &[("ZEROING", 0.0)])]);
    let by_api = by_api.ok().and_then(|[set, left]| {
        let longer = speed(left, set).ok()?;
        Some(format!("{} as long if the API sets it", facts.times("set by the API", longer)?))
    });
    Ok(Answer::new(holds, text).with([by_api]))
}

fn divided(rows: &Sheet, facts: &mut Facts) -> Result<Answer, Why> {
    let carved = (("workgroup_memory/carved", NONE), "the divided block");
    no_slower(rows, facts, carved, (("workgroup_memory/structured", NONE), "the struct of three arrays"))
}

fn one_value(rows: &Sheet, facts: &mut Facts) -> Result<Answer, Why> {
    let answer = right(rows, &["workgroup_memory/same_word"], |_| {
        "In every round exactly one of the 32 values remains, and it is one that was written.".to_owned()
    })?;
    let kernels = [("distinct_words", "32 words"), ("same_word", "one word"), ("atomic_word", "atomics on one word")];
    let mut figure = |(kernel, name): (&str, &str)| {
        let kernel = format!("workgroup_memory/{kernel}");
        let row = rows.together([(&kernel, NONE)]).ok().filter(|_| !rows.is_software())?;
        duration(facts, name, row[0])
    };
    let figures: Vec<Option<String>> = kernels.into_iter().map(&mut figure).collect();
    Ok(answer.with(figures))
}
