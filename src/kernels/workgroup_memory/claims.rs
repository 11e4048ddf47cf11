//! The cost of each way to declare and share workgroup memory.

use record::Record;
use record::claim::*;
use record::format::all_correct;
use record::suite::binary_size;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Ratio(Ratio {
        name: "time ratio: length set by an override / fixed length",
        kernels: [("workgroup_memory/override_size", &[("LENGTH", 256.0)]), ("workgroup_memory/fixed_size", NONE)],
        by: By::Duration,
        says: "With an array length set by an override, the kernel takes {} with a fixed length.",
    }),
    Claim::Ratio(Ratio {
        name: "time ratio: length set at launch / fixed length",
        kernels: [
            ("workgroup_memory/dynamic_size", &[("SHARED_BYTES", 1024.0)]),
            ("workgroup_memory/fixed_size", NONE),
        ],
        by: By::Duration,
        says: "With an array length set at launch, the kernel takes {} with a fixed length.",
    }),
    Claim::Ratio(Ratio {
        name: "time ratio: three arrays packed in one array of words / struct of three arrays",
        kernels: [("workgroup_memory/carved", NONE), ("workgroup_memory/structured", NONE)],
        by: By::Duration,
        says: "With three arrays in one block of words, the kernel takes {} with a struct of three arrays.",
    }),
    Claim::Ratio(Ratio {
        name: "time ratio: writes to one word / writes to 32 words",
        kernels: [("workgroup_memory/same_word", NONE), ("workgroup_memory/distinct_words", NONE)],
        by: By::Duration,
        says: "Writes by 32 invocations to one word take {} writes to 32 words.",
    }),
    Claim::Ratio(Ratio {
        name: "time ratio: atomicMax on one word / writes to 32 words",
        kernels: [("workgroup_memory/atomic_word", NONE), ("workgroup_memory/distinct_words", NONE)],
        by: By::Duration,
        says: "Applying atomicMax 32 times to one word takes {} writing to 32 words.",
    }),
    Claim::Measured(Measured {
        name: "copy by occupancy",
        state: |rows, facts| {
            let (few, many) = occupancy(rows)?;
            let (few_bytes, many_bytes) = (binary_size(4 * words(few)), binary_size(4 * words(many)));
            let few = facts.byte_rate(format!("copy holding {few_bytes}"), byte_rate(few)?)?;
            let many = facts.byte_rate(format!("copy holding {many_bytes}"), byte_rate(many)?)?;
            Some(format!(
                "A copy by workgroups of 64 invocations runs at {few} with {few_bytes} of workgroup memory each, and \
                at {many} with {many_bytes}."
            ))
        },
    }),
    Claim::Ratio(Ratio {
        name: "time ratio: zeroed by the API / not zeroed",
        kernels: [(ZERO_INIT, &[("ZEROING", 0.0), ("ZERO_INIT", 1.0)]), (ZERO_INIT, &[("ZEROING", 0.0)])],
        by: By::Duration,
        says: "When the API zeroes an array of 16 KiB of which workgroups use 1 KiB, the kernel takes {} without \
            zeroing.",
    }),
    Claim::Ratio(Ratio {
        name: "time ratio: zeroed by the kernel / not zeroed",
        kernels: [(ZERO_INIT, &[("ZEROING", 1.0)]), (ZERO_INIT, &[("ZEROING", 0.0)])],
        by: By::Duration,
        says: "When the kernel zeroes an array of 16 KiB of which workgroups use 1 KiB, it takes {} without zeroing.",
    }),
    Claim::Article(ArticleClaim {
        id: "A2",
        title: "static and dynamic shared arrays",
        claim: "A shared array sized by the third launch parameter gives the same result as one of fixed size.",
        kernels: &[
            FIXED,
            "workgroup_memory/override_size",
            "workgroup_memory/dynamic_size",
            "workgroup_memory/fixed_bytes",
            "workgroup_memory/dynamic_bytes",
        ],
        terms: &["__shared__", "extern __shared__"],
        prediction: "Results and speed are the same, since the kernels do the same work. The parameter is a number of \
            bytes: length × sizeof. In WGSL, the pipeline sets the length. The article's array has 8 elements of \
            uchar.",
        is_timing: false,
        judge: Judge::Claim(arrays),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "A6",
        title: "shared memory limits the blocks per SM",
        claim: "A block has at most 48 KiB of shared memory, and all blocks of a launch have the same amount.",
        kernels: &["workgroup_memory/occupancy"],
        terms: &["__shared__", "streaming multiprocessor", "block"],
        prediction: "The blocks on an SM share its memory: if each block uses more, fewer blocks run at once. Too few \
            threads cannot hide the latency of DRAM.",
        judge: Judge::Report(blocks_of_an_sm),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "B2",
        title: "shared arrays start without a value",
        claim: "A shared array cannot be initialised where it is declared.",
        kernels: &["workgroup_memory/zero_init", "safety_tax/workgroup_fill", "workgroup_memory/static_and_dynamic"],
        terms: &["__shared__", "extern __shared__"],
        prediction: "CUDA leaves the array uninitialised. WGSL has no initialiser either, but the API sets every word \
            to zero. Zeroing by the API or by the kernel costs one more store per word.",
        judge: Judge::Report(zeroing),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "B3",
        also: &["E4"],
        title: "three arrays in one shared block",
        claim: "All dynamic shared arrays start at the same address, so the kernel divides the memory at byte offsets.",
        kernels: &["workgroup_memory/carved", "workgroup_memory/structured"],
        terms: &["extern __shared__"],
        prediction: "Results are the same as with a struct: 128 × i16 at byte 0, 64 × f32 at 256, 256 × i32 at 512. \
            CUDA's pointers have types; WGSL has to shift and cast words at each access.",
        is_timing: false,
        judge: Judge::Claim(divided),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "E6",
        title: "many threads write the same word",
        claim: "If several threads of a warp write the same word of shared memory, one of the values survives; which \
            one is undefined.",
        kernels: &["workgroup_memory/same_word", "workgroup_memory/distinct_words", "workgroup_memory/atomic_word"],
        terms: &["__shared__", "atomicMax()"],
        prediction: "One of the 32 values survives; an atomic maximum keeps the largest.",
        is_timing: false,
        judge: Judge::Claim(one_value),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "E7",
        title: "four threads write one word's bytes",
        claim: "The article stores single bytes in shared memory, several in each word.",
        kernels: &["workgroup_memory/bytes_of_word"],
        terms: &["char and short", "__shared__"],
        prediction: "All four bytes survive. WGSL has no byte type, so its kernel sets bytes with atomics, which shows \
            nothing about byte stores.",
        is_timing: false,
        judge: Judge::Report(bytes_of_word),
        ..ArticleClaim::BLANK
    }),
];

/// Rows with the least and the most workgroup memory, at the largest size.
fn occupancy<'a>(rows: &[&'a Record]) -> Option<(&'a Record, &'a Record)> {
    let measured = || of(rows, "occupancy").filter(|row| row.gb_per_s.is_some());
    let most = measured().map(scalars).max()?;
    let of_largest = || measured().filter(|row| scalars(row) == most);
    let (few, many) = (of_largest().min_by_key(|row| words(row))?, of_largest().max_by_key(|row| words(row))?);
    (words(few) < words(many)).then_some((few, many))
}

fn words(row: &Record) -> u64 {
    param(row, "WORDS").unwrap_or(0.0) as u64
}

const FIXED: &str = "workgroup_memory/fixed_size";
const ZERO_INIT: &str = "workgroup_memory/zero_init";

fn arrays(rows: &DeviceRows, facts: &mut Facts) -> Result<Answer, Why> {
    const AT_LAUNCH: &str = "workgroup_memory/dynamic_size";
    const OVERRIDE: &str = "workgroup_memory/override_size";
    let is_cuda = rows.verified(&[AT_LAUNCH]).is_ok();
    let (kernel, name, params) = if is_cuda {
        (AT_LAUNCH, "a size set at launch", [("SHARED_BYTES", 1024.0)])
    } else {
        (OVERRIDE, "a size set by an override", [("LENGTH", 256.0)])
    };
    // Older reports have no arrays of bytes.
    let bytes = if is_cuda { "workgroup_memory/dynamic_bytes" } else { "workgroup_memory/fixed_bytes" };
    let kernels = [FIXED, kernel, bytes];
    let kernels = if rows.of(bytes).next().is_some() { &kernels[..] } else { &kernels[..2] };
    let answer =
        right(rows, kernels, |rows| format!("{}, with a fixed size and with {name}.", all_correct(rows.len())))?;
    let label = format!("the kernel with {name}");
    Ok(answer.and(beside_hardware(
        rows,
        facts,
        ((kernel, &params), &label),
        (
            (FIXED, NONE),
            "the kernel with a fixed \
        size",
        ),
    )))
}

fn beside_hardware(rows: &DeviceRows, facts: &mut Facts, own: Subject, other: Subject) -> Option<String> {
    if rows.is_software() { None } else { beside(rows, facts, own, other).ok().map(Report::into_text) }
}

fn blocks_of_an_sm(rows: &DeviceRows, facts: &mut Facts) -> Result<Report, Why> {
    const KERNEL: &str = "workgroup_memory/occupancy";
    let most = largest(rows.of(KERNEL).filter(|row| row.gb_per_s.is_some()));
    let size = most.ok_or_else(|| rows.missing(&[KERNEL]))?.n;
    let mut copies: Vec<&Record> = rows.iter().copied().filter(|row| row.name() == KERNEL && row.n == size).collect();
    copies.sort_by_key(|row| words(row));
    let mut copy = |row: &Record| {
        let bytes = binary_size(4 * words(row));
        Some(format!("{} with {bytes}", facts.byte_rate(format!("copy holding {bytes}"), byte_rate(row)?)?))
    };
    let rates: Vec<String> = copies.iter().filter_map(|row| copy(row)).collect();
    match copies.first().filter(|_| rates.len() > 1) {
        Some(first) => Ok(Report::new(format!(
            "A copy of {} by blocks of {} threads runs at {} of shared memory per block.",
            first.short_size(),
            first.workgroup_size.map_or(64, |[x, y, z]| x * y * z),
            rates.join(", ")
        ))),
        None => Err(rows.missing(&[KERNEL])),
    }
}

fn zeroing(rows: &DeviceRows, facts: &mut Facts) -> Result<Report, Why> {
    let [set, left] = rows.together([(ZERO_INIT, &[("ZEROING", 1.0)]), (ZERO_INIT, &[("ZEROING", 0.0)])])?;
    let longer = speed(left, set)?;
    let quoted = facts.times("time ratio: zeroed by the kernel / not zeroed", longer);
    let quoted = quoted.ok_or_else(|| noisy("the ratio of the times is", longer))?;
    let by_api =
        rows.together([(ZERO_INIT, &[("ZEROING", 0.0), ("ZERO_INIT", 1.0)]), (ZERO_INIT, &[("ZEROING", 0.0)])]);
    let by_api = by_api.ok().and_then(|[set, left]| {
        let longer = speed(left, set).ok()?;
        let quoted = facts.times("time ratio: zeroed by the API / not zeroed", longer)?;
        Some(format!(", and {quoted} as long if the API does"))
    });
    let by_api = by_api.unwrap_or_default();
    Ok(Report::new(format!("The kernel takes {quoted} as long if it zeroes 16 KiB first{by_api}.")))
}

fn divided(rows: &DeviceRows, facts: &mut Facts) -> Result<Answer, Why> {
    const CARVED: &str = "workgroup_memory/carved";
    const STRUCT: &str = "workgroup_memory/structured";
    let answer = right(rows, &[CARVED, STRUCT], |rows| {
        format!("{}, with a divided block and with a struct.", all_correct(rows.len()))
    })?;
    let carved = ((CARVED, NONE), "the divided block");
    Ok(answer.and(beside_hardware(rows, facts, carved, ((STRUCT, NONE), "the struct of three arrays"))))
}

fn bytes_of_word(rows: &DeviceRows, facts: &mut Facts) -> Result<Report, Why> {
    const KERNEL: &str = "workgroup_memory/bytes_of_word";
    let found = rows.right(&[KERNEL])?;
    let text = all_correct(found.len()) + ": the four bytes of each word survive.";
    let row = rows.together([(KERNEL, NONE)]).ok().filter(|_| !rows.is_software());
    let rate = row.and_then(|[row]| rate(facts, "bytes written and read", row));
    Ok(Report::new(text).with([rate]))
}

fn one_value(rows: &DeviceRows, facts: &mut Facts) -> Result<Answer, Why> {
    let answer = right(rows, &["workgroup_memory/same_word"], |_| {
        "In every round, the word holds one of the 32 written values.".to_owned()
    })?;
    let kernels = [
        ("distinct_words", "writes to 32 words"),
        ("same_word", "writes to one word"),
        ("atomic_word", "atomicMax on one word"),
    ];
    let mut figure = |(kernel, name): (&str, &str)| {
        let kernel = format!("workgroup_memory/{kernel}");
        let row = rows.together([(&kernel, NONE)]).ok().filter(|_| !rows.is_software())?;
        duration(facts, name, row[0])
    };
    let figures: Vec<Option<String>> = kernels.into_iter().map(&mut figure).collect();
    Ok(answer.with(figures))
}
