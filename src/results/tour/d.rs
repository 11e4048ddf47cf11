//! Chapter D: coalescing and transpose.

use super::judges::{bars, faster, graph, longest, measured, rates, right};
use super::rows::{Cannot, Named, Rows, WITHIN, compared, is_faster, is_near, percent, predicted, rate, speed, speeds};
use super::step::{Answer, Picture, Step, Told};
use crate::families::coalescing::{addresses, degree_of_coalescing};
use crate::record::{Record, format};
use crate::results::findings::{Draft, Quantity, finding};
use crate::suite::{Dtype, Extent, binary_size};

pub(super) const STEPS: &[Step] = &[
    Step {
        id: "D1",
        title: "the degree of coalescing",
        claim: "The bytes that a warp asks for, over the bytes of the 32-byte sectors that move, tell how much of the \
            aligned speed is left.",
        kernels: &["coalescing/offset", "coalescing/stride", "coalescing/broadcast_storage"],
        terms: &["warp", "global memory"],
        prediction: || {
            format!(
                "The degree is {} at an offset of 1, {} at stride 2, {} from stride 8 on, and {} if all threads read \
                 one word.",
                degree(1, 1),
                degree(2, 0),
                degree(8, 0),
                degree(0, 0)
            )
        },
        judge: sectors,
        model: || {
            vec![
                graph("degree of coalescing over OFFSET", OFFSETS, |k| Some(degree_of_coalescing(&addresses(1, k), 4))),
                graph("degree of coalescing over STRIDE", STRIDES, |s| Some(degree_of_coalescing(&addresses(s, 0), 4))),
            ]
        },
        ..Step::BLANK
    },
    Step {
        id: "D2",
        title: "arrays read at an offset",
        claim: "At an offset of one element, a warp needs 5 sectors instead of 4: 80 % of the aligned speed is left.",
        kernels: &["coalescing/offset", "coalescing/offset_apart"],
        terms: &["warp", "global memory"],
        prediction: || {
            let speed = |k| predicted(OFFSET, "OFFSET", k).map_or_else(String::new, format::percent);
            format!(
                "{} at an offset of 1, {} at 8, which is a whole sector. The article launches <<<128, 32>>>: \
                 `run coalescing/offset --size 4096 --param WG=32`.",
                speed(1),
                speed(8)
            )
        },
        judge: offset,
        model: || {
            vec![graph("speed over OFFSET by the model, relative to OFFSET=0", OFFSETS, |k| {
                predicted(OFFSET, "OFFSET", k)
            })]
        },
        picture: |rows| {
            let values = speeds(rows, OFFSET, "OFFSET", OFFSETS);
            measured(graph("speed over OFFSET, measured", OFFSETS, |k| values.get(k as usize).copied()?))
        },
        ..Step::BLANK
    },
    Step {
        id: "D3",
        title: "one element for all threads",
        claim: "If all threads read one element of global memory, 12.5 % of its sector is used; constant memory \
            serves it better.",
        kernels: &["coalescing/broadcast_uniform", "coalescing/broadcast_storage"],
        terms: &["__constant__", "global memory"],
        prediction: || {
            let model = |kernel| predicted(kernel, "OFFSET", 0);
            let gain = model("coalescing/broadcast_uniform").zip(model("coalescing/broadcast_storage"));
            let gain = gain.map_or_else(String::new, |(uniform, storage)| format::ratio(uniform / storage));
            format!("{gain} as fast from constant memory, if every warp moves the sector again.")
        },
        judge: |rows, draft| {
            let uniform = (("coalescing/broadcast_uniform", NONE), "reading the element from constant memory");
            faster(rows, draft, uniform, (("coalescing/broadcast_storage", NONE), "reading it from global memory"))
        },
        ..Step::BLANK
    },
    Step {
        id: "D4",
        title: "arrays read at a stride",
        claim: "The speed falls with the stride up to 8 elements, where each load has a sector of its own, and no \
            further.",
        kernels: &["coalescing/stride"],
        terms: &["warp", "global memory"],
        prediction: || {
            let speed = |s| predicted(STRIDE, "STRIDE", s).map_or_else(String::new, format::percent);
            format!(
                "{} of the speed of stride 1 at stride 2, {} at 8 and beyond; the stores stay coalesced.",
                speed(2),
                speed(8)
            )
        },
        judge: stride,
        model: || {
            vec![graph("speed over STRIDE by the model, relative to STRIDE=1", STRIDES, |s| {
                predicted(STRIDE, "STRIDE", s)
            })]
        },
        picture: |rows| {
            let values = speeds(rows, STRIDE, "STRIDE", STRIDES);
            measured(graph("speed over STRIDE, measured", STRIDES, |s| values.get(s as usize - 1).copied()?))
        },
        ..Step::BLANK
    },
    Step {
        id: "D5",
        title: "the naive transpose, two ways",
        claim: "A naive transpose that writes coalesced is faster than one that reads coalesced.",
        kernels: &["transpose/naive_coalesced_write", "transpose/naive_coalesced_read"],
        terms: &["const T* __restrict__", "global memory"],
        prediction: || {
            "About 2× in the article: caches serve uncoalesced reads, but not uncoalesced writes.".to_owned()
        },
        judge: |rows, draft| {
            let write = ((WRITE, NONE), "the kernel with coalesced writes");
            faster(rows, draft, write, ((READ, NONE), "the kernel with coalesced reads"))
        },
        picture: |rows| bars(rows, longest(rows, (READ, NONE)).ok()?, &[(READ, NONE), (WRITE, NONE)]),
        ..Step::BLANK
    },
    Step {
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
        ..Step::BLANK
    },
    Step {
        id: "D7",
        title: "64-bit elements and odd sizes",
        claim: "The kernels transpose elements of 64 bits, and matrices whose sides are no multiple of the tile.",
        kernels: &["transpose/naive_coalesced_read", "transpose/naive_coalesced_write", "transpose/tiled"],
        terms: &["double"],
        prediction: || "The same answers at every size. f64 needs a device that has it.".to_owned(),
        is_timing: false,
        judge: sizes,
        ..Step::BLANK
    },
    Step {
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
        judge: |rows, draft| {
            let read = ((WRITE, NONE), "the kernel with a read-only input");
            faster(rows, draft, read, (("transpose/naive_read_write_input", NONE), "the kernel with a writable input"))
        },
        ..Step::BLANK
    },
];

const NONE: &[(&str, f64)] = &[];
const OFFSET: &str = "coalescing/offset";
const APART: &str = "coalescing/offset_apart";
const STRIDE: &str = "coalescing/stride";
const READ: &str = "transpose/naive_coalesced_read";
const WRITE: &str = "transpose/naive_coalesced_write";
const TILED: &str = "transpose/tiled";
const UNPADDED: Named = (TILED, &[("PAD", 0.0)]);
const PADDED: Named = (TILED, &[("PAD", 1.0)]);

const OFFSETS: std::ops::RangeInclusive<u64> = 0..=31;
const STRIDES: std::ops::RangeInclusive<u64> = 1..=32;

/// The degree of coalescing of f32 loads in percent.
fn degree(stride: u64, offset: u64) -> String {
    format!("{} %", 100.0 * degree_of_coalescing(&addresses(stride, offset), 4))
}

/// What patterns run as the model predicts, and which is furthest from it.
#[derive(Default)]
struct Patterns {
    near: u64,
    faster: u64,
    slower: u64,
    /// How far, and in words.
    widest: Option<(f64, String)>,
    unclear: Option<Cannot>,
}

impl Patterns {
    /// Counts a pattern that has rows.
    fn count(&mut self, rows: &Rows, draft: &mut Draft, name: &str, kernels: [Named; 2], model: f64) {
        let Ok([own, base]) = rows.together(kernels) else { return };
        let Ok(speed) = speed(own, base) else { return };
        match is_near(speed, model) {
            Ok(true) => self.near += 1,
            Ok(false) if speed.value > model => self.faster += 1,
            Ok(false) => self.slower += 1,
            Err(why) => {
                self.unclear = Some(why);
                return;
            }
        }
        let ratio = (speed.value / model).ln().abs();
        if self.widest.as_ref().is_none_or(|(known, _)| ratio > *known) {
            let text = percent(draft, name, speed);
            let text = text
                .map(|speed| format!("{speed} of the aligned speed instead of {} at {name}", format::percent(model)));
            self.widest = text.ok().map(|text| (ratio, text)).or(self.widest.take());
        }
    }
}

/// Compares the measured speed of every offset, stride and broadcast with the model's.
fn sectors(rows: &Rows, draft: &mut Draft) -> Told {
    const BROADCAST: &str = "coalescing/broadcast_storage";
    let mut found = Patterns::default();
    let offsets = OFFSETS.skip(1).map(|k| (OFFSET, "OFFSET", k, 0.0));
    for (kernel, name, value, first) in offsets.chain(STRIDES.skip(1).map(|s| (STRIDE, "STRIDE", s, 1.0))) {
        if let Some(model) = predicted(kernel, name, value) {
            let kernels = [(kernel, &[(name, value as f64)][..]), (kernel, &[(name, first)][..])];
            found.count(rows, draft, &format!("{name}={value}"), kernels, model);
        }
    }
    if let Some(model) = predicted(BROADCAST, "OFFSET", 0) {
        found.count(rows, draft, "one element for all", [(BROADCAST, NONE), (OFFSET, &[("OFFSET", 0.0)])], model);
    }
    let Patterns { near, faster, slower, widest, unclear } = found;
    let total = near + faster + slower;
    let (_, widest) =
        widest.filter(|_| total > 3).ok_or_else(|| unclear.unwrap_or_else(|| rows.missing(&[OFFSET, STRIDE])))?;
    let agree = format!("Of {total} access patterns, {near} run as the sectors predict, {WITHIN}");
    let text = if near == total {
        format!("{agree}.")
    } else {
        format!("{agree}, {faster} faster and {slower} slower; the widest gap is {widest}.")
    };
    Ok(Answer::new(near == total, text))
}

fn offset(rows: &Rows, draft: &mut Draft) -> Told {
    let at = |k: f64| -> [(&str, f64); 1] { [("OFFSET", k)] };
    // At 8, a whole sector, the code is that at 1; at 0 a branch of the kernel is dropped.
    let [one, aligned] = rows
        .together([(OFFSET, &at(1.0)), (OFFSET, &at(8.0))])
        .or_else(|_| rows.together([(OFFSET, &at(1.0)), (OFFSET, &at(0.0))]))?;
    let rows_apart = rows.together([(APART, &at(1.0)), (APART, &at(8.0))]);
    let left = speed(one, aligned)?;
    let model = predicted(OFFSET, "OFFSET", 1).unwrap_or(1.0);
    let holds = is_near(left, model)?;
    let percent = percent(draft, "offset 1", left)?;
    let rates = rates(draft, one, aligned);
    let answer = Answer::new(holds, format!("At an offset of 1, {percent} of the aligned speed is left{rates}."));
    // Neighbours that run far apart in time cannot share the sector between them.
    let Ok([one, aligned]) = rows_apart else { return Ok(answer) };
    let left = speed(one, aligned)?;
    let text = self::percent(draft, "offset 1, pieces apart", left)?;
    let explains = !holds && is_near(left, model) == Ok(true);
    let figure = [Some(format!("with neighbouring pieces far apart {text}"))];
    Ok(if explains { answer.because("neighbouring warps share the fifth sector") } else { answer }.with(figure))
}

fn stride(rows: &Rows, draft: &mut Draft) -> Told {
    let at = |s: f64| -> [(&str, f64); 1] { [("STRIDE", s)] };
    let [one, two, eight, sixteen] =
        rows.together([(STRIDE, &at(1.0)), (STRIDE, &at(2.0)), (STRIDE, &at(8.0)), (STRIDE, &at(16.0))])?;
    let (eighth, beyond) = (speed(eight, one)?, speed(sixteen, eight)?);
    let falls = is_faster(speed(one, eight)?)?;
    let is_flat = is_near(beyond, 1.0)?;
    let left = percent(draft, "stride 8", eighth)?;
    let second = speed(two, one).and_then(|second| percent(draft, "stride 2", second));
    let second =
        second.map_or_else(|_| String::new(), |second| format!("Stride 2 runs at {second} of the speed of stride 1. "));
    let start = format!("{second}Stride 8 runs at {left} of the speed of stride 1");
    let mut answer = if is_flat {
        Answer::new(falls, format!("{start}, and stride 16 is as fast as stride 8, {WITHIN}."))
    } else {
        let further = percent(draft, "stride 16 over 8", beyond)?;
        Answer::new(false, format!("{start}, and stride 16 at {further} of the speed of stride 8."))
    };
    // A granule of more than a sector explains a fall beyond stride 8 if the fall is that of the bytes moved: of each
    // element the granule's part up to the next one, and the store.
    let bytes_moved = |stride: u64, granule: u64| 4 + granule.min(4 * stride);
    let fall = |granule| bytes_moved(8, granule) as f64 / bytes_moved(16, granule) as f64;
    let granule = finding("cache_curve", &rows.family("cache_curve"))
        .and_then(|found| found.value("fetch from DRAM"))
        .and_then(|value| if let Quantity::Bytes(bytes) = value { Some(bytes) } else { None });
    let explains = |bytes: &u64| !is_flat && *bytes > 32 && is_near(beyond, fall(*bytes)) == Ok(true);
    if let Some(bytes) = granule.filter(explains) {
        let size = binary_size(bytes);
        answer = answer.because(&format!("a load from DRAM fetches {size} here, as `cache_curve/granule` shows"));
    }
    let rates = [(one, "stride 1"), (two, "stride 2"), (eight, "stride 8"), (sixteen, "stride 16")];
    Ok(answer.with(rates.map(|(row, name)| rate(draft, name, row))))
}

fn tile(rows: &Rows, draft: &mut Draft) -> Told {
    let [padded, unpadded, naive] = rows.together([PADDED, UNPADDED, (WRITE, NONE)])?;
    let (over_unpadded, over_naive) = (speed(padded, unpadded)?, speed(padded, naive)?);
    let holds = is_faster(over_unpadded)? && is_faster(over_naive)?;
    let first = compared(draft, "padded over unpadded", over_unpadded)?;
    let second = compared(draft, "padded over naive", over_naive)?;
    let text =
        format!("The padded tile is {first} the unpadded one, and {second} the naive kernel with coalesced writes.");
    let figures = [(padded, "padded"), (unpadded, "unpadded"), (naive, "naive")];
    Ok(Answer::new(holds, text).with(figures.map(|(row, name)| rate(draft, name, row))))
}

fn sizes(rows: &Rows, draft: &mut Draft) -> Told {
    let is_odd = |row: &Record| matches!(row.n, Some(Extent::Matrix(r, c)) if r % 32 != 0 || c % 32 != 0);
    let all = rows.verified(&[READ, WRITE, TILED])?.unwrap_or_default();
    let answer = right(rows, &[READ, WRITE, TILED], |rows| {
        let wide = rows.iter().filter(|row| row.dtype == Some(Dtype::F64)).count();
        let odd = rows.iter().filter(|row| is_odd(row)).count();
        format!("All {} cases are right: {wide} of f64, {odd} with a side that is no multiple of 32.", rows.len())
    })?;
    let has_both = all.iter().any(|row| row.dtype == Some(Dtype::F64)) && all.iter().any(|row| is_odd(row));
    if answer.holds() && !has_both {
        return Err(Cannot::new("the report has no verified transposes of f64 and of odd sizes"));
    }
    let wide = rows.timed(PADDED).filter(|row| row.dtype == Some(Dtype::F64) && !rows.is_software()).last();
    Ok(answer.with([wide.and_then(|row| rate(draft, "padded tile with f64", row))]))
}

fn ladder(rows: &Rows) -> Option<Picture> {
    let like = longest(rows, (READ, NONE)).ok()?;
    let others = ["transpose/tiled_vec4", "transpose/registers", "transpose/tiled_wide"].map(|kernel| (kernel, NONE));
    bars(rows, like, &[&[(READ, NONE), (WRITE, NONE), UNPADDED, PADDED], &others[..]].concat())
}
