//! The gain of coalescing, tiles and padding in a transpose.

use crate::claim::{
    Answer, ArticleClaim, COMPARED, Claim, Facts, Fastest, Measured, Picture, Sheet, Why, bars, byte_rate, compared,
    faster, fastest_bytes, is_f32, is_faster, label, like, longest, rate, right, speed,
};
use crate::record::Record;
use crate::suite::{Dtype, Extent};

pub(in crate::families) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured {
        name: "fastest transpose",
        rows: "f32, at the largest size",
        condition: "one kernel is named if its interval is clear of the others, else those that overlap",
        state: fastest,
    }),
    Claim::Measured(Measured {
        name: "coalesced writes",
        rows: "naive_coalesced_write and naive_coalesced_read, f32, at the largest size",
        condition: COMPARED,
        state: |rows, facts| {
            let (write, read) = (("naive_coalesced_write", NONE), ("naive_coalesced_read", NONE));
            let speed = faster_by(rows, facts, "coalesced writes over coalesced reads", write, read)?;
            Some(format!("With coalesced writes the naive kernel is {speed} with coalesced reads."))
        },
    }),
    Claim::Measured(Measured {
        name: "input bound as read",
        rows: "naive_coalesced_write and naive_read_write_input, f32, at the largest size",
        condition: COMPARED,
        state: |rows, facts| {
            let (read, both) = (("naive_coalesced_write", NONE), ("naive_read_write_input", NONE));
            let speed = faster_by(rows, facts, "read over read_write", read, both)?;
            Some(format!("With an input bound as `read` the naive kernel is {speed} with one bound as `read_write`."))
        },
    }),
    Claim::Measured(Measured {
        name: "padded tile",
        rows: "tiled with PAD=1 and with PAD=0, f32, at the largest size",
        condition: COMPARED,
        state: |rows, facts| {
            let (padded, bare) = (("tiled", &[("PAD", 1.0)][..]), ("tiled", &[("PAD", 0.0)][..]));
            let speed = faster_by(rows, facts, "padded tile over unpadded", padded, bare)?;
            Some(format!("A padded tile is {speed} an unpadded one."))
        },
    }),
    Claim::Article(ArticleClaim {
        id: "D5",
        title: "the naive transpose, two ways",
        claim: "A naive transpose that writes coalesced is faster than one that reads coalesced.",
        kernels: &["transpose/naive_coalesced_write", "transpose/naive_coalesced_read"],
        terms: &["const T* __restrict__", "global memory"],
        prediction: || {
            "About 2× in the article: caches serve uncoalesced reads, but not uncoalesced writes.".to_owned()
        },
        judge: |rows, facts| {
            let write = ((WRITE, NONE), "the kernel with coalesced writes");
            faster(rows, facts, write, ((READ, NONE), "the kernel with coalesced reads"))
        },
        picture: |rows| bars(rows, longest(rows, (READ, NONE)).ok()?, &[(READ, NONE), (WRITE, NONE)]),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "D6",
        title: "the transpose through a shared tile",
        claim: "A shared tile makes reads and writes coalesced, and one column of padding removes its bank conflicts.",
        kernels: &["transpose/tiled", "transpose/naive_coalesced_write"],
        terms: &["__shared__", "__syncthreads()"],
        prediction: || {
            "Without padding, a column of the tile is a 32-way conflict; with one column more, it has none.".to_owned()
        },
        judge: tile,
        picture: ladder,
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "D7",
        title: "64-bit elements and odd sizes",
        claim: "The kernels transpose elements of 64 bits, and matrices whose sides are no multiple of the tile.",
        kernels: &["transpose/naive_coalesced_read", "transpose/naive_coalesced_write", "transpose/tiled"],
        terms: &["double"],
        prediction: || "The same answers at every size. f64 needs a device that has it.".to_owned(),
        is_timing: false,
        judge: sizes,
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "D8",
        title: "the read-only path",
        claim: "An input that the compiler knows to be read-only is read faster by the uncoalesced transpose.",
        kernels: &["transpose/naive_coalesced_write", "transpose/naive_read_write_input"],
        terms: &["const T* __restrict__", "T*"],
        prediction: || {
            "The article's GPU reads such inputs through a cache of their own; a GPU with one L1 for all loads gains \
             nothing."
                .to_owned()
        },
        judge: |rows, facts| {
            let read = ((WRITE, NONE), "the kernel with a read-only input");
            faster(rows, facts, read, (("transpose/naive_read_write_input", NONE), "the kernel with a writable input"))
        },
        ..ArticleClaim::BLANK
    }),
];

/// A benchmark with its parameters.
type Named<'a> = (&'a str, &'a [(&'a str, f64)]);

const NONE: &[(&str, f64)] = &[];

fn best<'a>(rows: &[&'a Record]) -> Option<Fastest<'a>> {
    fastest_bytes(rows.iter().copied().filter(|row| is_f32(row)))
}

fn fastest(rows: &Sheet, facts: &mut Facts) -> Option<String> {
    let best = best(rows)?;
    let fastest = facts.fastest("fastest", &best, label, "the measured copy peak")?;
    Some(format!("Transpose of {} f32: {fastest}.", best.row.short_size()))
}

fn faster_by(rows: &Sheet, facts: &mut Facts, name: &str, own: Named, other: Named) -> Option<String> {
    let best = best(rows)?;
    let rate = |(benchmark, params): Named| byte_rate(like(rows, benchmark, params, best.row)?);
    facts.speed(name, rate(own)?, rate(other)?)
}

const READ: &str = "transpose/naive_coalesced_read";
const WRITE: &str = "transpose/naive_coalesced_write";
const TILED: &str = "transpose/tiled";
const UNPADDED: Named = (TILED, &[("PAD", 0.0)]);
const PADDED: Named = (TILED, &[("PAD", 1.0)]);

fn tile(rows: &Sheet, facts: &mut Facts) -> Result<Answer, Why> {
    let [padded, unpadded, naive] = rows.together([PADDED, UNPADDED, (WRITE, NONE)])?;
    let (over_unpadded, over_naive) = (speed(padded, unpadded)?, speed(padded, naive)?);
    let holds = is_faster(over_unpadded)? && is_faster(over_naive)?;
    let first = compared(facts, "padded over unpadded", over_unpadded)?;
    let second = compared(facts, "padded over naive", over_naive)?;
    let text =
        format!("The padded tile is {first} the unpadded one, and {second} the naive kernel with coalesced writes.");
    let figures = [(padded, "padded"), (unpadded, "unpadded"), (naive, "naive")];
    Ok(Answer::new(holds, text).with(figures.map(|(row, name)| rate(facts, name, row))))
}

fn sizes(rows: &Sheet, facts: &mut Facts) -> Result<Answer, Why> {
    let is_odd = |row: &Record| matches!(row.n, Some(Extent::Matrix(r, c)) if r % 32 != 0 || c % 32 != 0);
    let all = rows.verified(&[READ, WRITE, TILED])?.unwrap_or_default();
    let answer = right(rows, &[READ, WRITE, TILED], |rows| {
        let wide = rows.iter().filter(|row| row.dtype == Some(Dtype::F64)).count();
        let odd = rows.iter().filter(|row| is_odd(row)).count();
        format!("All {} cases are right: {wide} of f64, {odd} with a side that is no multiple of 32.", rows.len())
    })?;
    let has_both = all.iter().any(|row| row.dtype == Some(Dtype::F64)) && all.iter().any(|row| is_odd(row));
    if answer.holds() && !has_both {
        return Err(Why::new("the report has no verified transposes of f64 and of odd sizes"));
    }
    let wide = rows.timed(PADDED).filter(|row| row.dtype == Some(Dtype::F64) && !rows.is_software()).last();
    Ok(answer.with([wide.and_then(|row| rate(facts, "padded tile with f64", row))]))
}

fn ladder(rows: &Sheet) -> Option<Picture> {
    let like = longest(rows, (READ, NONE)).ok()?;
    let others = ["transpose/tiled_vec4", "transpose/registers", "transpose/tiled_wide"].map(|kernel| (kernel, NONE));
    bars(rows, like, &[&[(READ, NONE), (WRITE, NONE), UNPADDED, PADDED], &others[..]].concat())
}
