//! The gain of coalescing, tiles and padding in a transpose.

use record::Record;
use record::claim::*;
use record::format::all_correct;
use record::suite::prelude::*;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured { name: "fastest transpose", state: fastest }),
    Claim::Ratio(Ratio {
        name: "speed ratio: coalesced writes / coalesced reads",
        kernels: [(WRITE, NONE), (READ, NONE)],
        by: By::Bytes,
        says: "With coalesced writes, the naive kernel is {} with coalesced reads.",
    }),
    Claim::Ratio(Ratio {
        name: "speed ratio: input declared read / declared read_write",
        kernels: [(WRITE, NONE), ("transpose/naive_read_write_input", NONE)],
        by: By::Bytes,
        says: "With the input bound as `read`, the naive kernel is {} with `read_write`.",
    }),
    Claim::Ratio(Ratio {
        name: "speed ratio: padded tile / unpadded tile",
        kernels: [PADDED, UNPADDED],
        by: By::Bytes,
        says: "A padded tile is {} an unpadded tile.",
    }),
    Claim::Article(ArticleClaim {
        id: "D5",
        title: "two versions of the naive transpose",
        claim: "With f64 elements, coalesced writes are about twice as fast as coalesced reads.",
        kernels: &[WRITE, READ],
        terms: &["double", "const T* __restrict__", "global memory"],
        prediction: "The article measures 2× with blocks of 32×32 threads: caches serve uncoalesced reads, but not \
            uncoalesced writes. The claim holds if coalesced writes are faster.",
        judge: Judge::Claim(two_ways),
        picture: |rows| bars(rows, longest(rows, (READ, NONE)).ok()?, &[(READ, NONE), (WRITE, NONE)]),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "D6",
        title: "the transpose through a shared tile",
        claim: "The suite adds a tile in shared memory, which makes both reads and writes coalesced.",
        kernels: &[TILED, WRITE],
        terms: &["__shared__", "__syncthreads()"],
        prediction: "Without padding, accessing a column of the tile causes a 32-way bank conflict; one extra column \
            removes it.",
        judge: Judge::Report(tile),
        picture: ladder,
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "D7",
        title: "64-bit elements and odd sizes",
        claim: "The article's elements have 64 bits; the suite adds f32, and matrices whose sides are not multiples of \
            the tile size.",
        kernels: &[READ, WRITE, TILED],
        terms: &["double"],
        prediction: "Results are correct at every size. f64 elements need a device that supports f64.",
        is_timing: false,
        judge: Judge::Report(sizes),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "D8",
        title: "the read-only path",
        claim: "Coalesced writes are faster because `__ldg` caches the uncoalesced reads.",
        kernels: &[WRITE, "transpose/naive_read_write_input"],
        terms: &["__ldg()", "const T* __restrict__", "T*"],
        prediction: "Before Pascal, only read-only inputs were cached in the SM. A GPU with one L1 for all loads gains \
            nothing from a read-only input.",
        judge: Judge::Claim(|rows, facts| {
            let read = ((WRITE, NONE), "the kernel with a read-only input");
            let both = (("transpose/naive_read_write_input", NONE), "the kernel with a writable input");
            faster(rows, facts, 1.0, read, both)
        }),
        ..ArticleClaim::BLANK
    }),
];

fn fastest(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let best = fastest_bytes(rows.iter().copied().filter(|row| is_f32(row)))?;
    let fastest = facts.fastest("fastest", &best, label, "the measured copy peak")?;
    Some(format!("Transpose of {} f32 elements: {fastest}.", best.row.short_size()))
}

const READ: &str = "transpose/naive_coalesced_read";
const WRITE: &str = "transpose/naive_coalesced_write";
const TILED: &str = "transpose/tiled";
const UNPADDED: Named<'static> = (TILED, &[("PAD", 0.0)]);
const PADDED: Named<'static> = (TILED, &[("PAD", 1.0)]);

/// Compares the naive kernels as the article launches them, with f64 in blocks of 32×32 threads; without such rows,
/// with any f64 rows; otherwise with f32.
fn two_ways(rows: &DeviceRows, facts: &mut Facts) -> Result<Answer, Why> {
    const ARTICLE: &[(&str, f64)] = &[("HEIGHT", 32.0)];
    let wide: Vec<&Record> = rows.all().iter().copied().filter(|row| row.dtype == Some(Dtype::F64)).collect();
    let wide = DeviceRows::new(&wide);
    let has = |sheet: &DeviceRows, params| sheet.together([(WRITE, params), (READ, params)]).is_ok();
    let (rows, params) = match (has(&wide, ARTICLE), has(&wide, NONE)) {
        (true, _) => (&wide, ARTICLE),
        (false, true) => (&wide, NONE),
        (false, false) => (rows, NONE),
    };
    let write = ((WRITE, params), "the kernel with coalesced writes");
    let answer = faster(rows, facts, 1.0, write, ((READ, params), "the kernel with coalesced reads"))?;
    let [row, _] = rows.together([(WRITE, params), (READ, params)])?;
    let kind = match (row.dtype, params.is_empty()) {
        (Some(Dtype::F64), false) => None,
        (Some(Dtype::F64), true) => Some("The blocks have 32×8 threads."),
        _ => Some("The report has no f64 rows, so these rows are f32."),
    };
    Ok(answer.and(kind.map(str::to_owned)))
}

fn tile(rows: &DeviceRows, facts: &mut Facts) -> Result<Report, Why> {
    let [padded, unpadded, naive] = rows.together([PADDED, UNPADDED, (WRITE, NONE)])?;
    let first = compared(facts, "speed ratio: padded / unpadded", speed(padded, unpadded)?)?;
    let second = compared(facts, "speed ratio: padded / naive", speed(padded, naive)?)?;
    let size = padded.short_size();
    let text = format!(
        "At {size}, the padded tile is {first} the unpadded tile, and {second} the naive kernel with coalesced \
         writes."
    );
    let figures = [(padded, "padded"), (unpadded, "unpadded"), (naive, "naive")];
    Ok(Report::new(text).with(figures.map(|(row, name)| rate(facts, name, row))))
}

fn sizes(rows: &DeviceRows, facts: &mut Facts) -> Result<Report, Why> {
    let is_odd = |row: &&&Record| matches!(row.n, Some(Extent::Matrix(r, c)) if r % 32 != 0 || c % 32 != 0);
    let all = rows.right(&[READ, WRITE, TILED])?;
    let wide = all.iter().filter(|row| row.dtype == Some(Dtype::F64)).count();
    let odd = all.iter().filter(is_odd).count();
    let text = format!("{}: {wide} in f64, {odd} with a side that is not a multiple of 32.", all_correct(all.len()));
    let wide = rows.timed(PADDED).filter(|row| row.dtype == Some(Dtype::F64) && !rows.is_software()).last();
    Ok(Report::new(text).with([wide.and_then(|row| rate(facts, "padded tile with f64", row))]))
}

fn ladder(rows: &DeviceRows) -> Option<Picture> {
    let like = longest(rows, (READ, NONE)).ok()?;
    let others = ["transpose/tiled_vec4", "transpose/registers", "transpose/tiled_wide"].map(|kernel| (kernel, NONE));
    bars(rows, like, &[&[(READ, NONE), (WRITE, NONE), UNPADDED, PADDED], &others[..]].concat())
}
