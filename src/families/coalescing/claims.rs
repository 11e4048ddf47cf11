//! The cost of unaligned, strided and shared reads.

use crate::claim::{
    Answer, ArticleClaim, COMPARED, Claim, Comparison, Facts, Measured, Quantity, Sheet, WITHIN, Why, compare, faster,
    graph, has_params, is_faster, is_near, largest, measured, of, percent, rate, rates, speed, speeds, time,
};
use crate::families::claims::finding;
use crate::families::coalescing::{addresses, degree_of_coalescing};
use crate::families::predicted;
use crate::record::stats::Estimate;
use crate::record::{Record, format, stats};
use crate::suite::binary_size;

pub(in crate::families) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured {
        name: "speed at an offset",
        rows: "offset with OFFSET=1 and OFFSET=8, a whole sector, else OFFSET=0, at the largest size",
        condition: "a percentage if the intervals are apart; alike if they overlap and are within ±5 %",
        state: offset,
    }),
    Claim::Measured(Measured {
        name: "speed at an offset, pieces apart",
        rows: "offset_apart with OFFSET=1 and OFFSET=8, at each size",
        condition: "each percentage with the digits that its interval leaves",
        state: apart,
    }),
    Claim::Measured(Measured {
        name: "speed at a stride",
        rows: "stride with STRIDE=2, 8, 32, each relative to STRIDE=1, at the largest size",
        condition: "each percentage with the digits that its interval leaves",
        state: strides,
    }),
    Claim::Measured(Measured {
        name: "uniform buffer",
        rows: "broadcast_uniform and broadcast_storage, at the largest size",
        condition: COMPARED,
        state: |rows, facts| {
            let (uniform, storage) = pair(rows, ("broadcast_uniform", &[]), ("broadcast_storage", &[]))?;
            let speed = facts.speed("broadcast from a uniform buffer", storage, uniform)?;
            Some(format!("Reading a shared element from a uniform buffer is {speed} reading it from a storage buffer."))
        },
    }),
    Claim::Article(ArticleClaim {
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
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
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
        judge: one_element_off,
        model: || {
            vec![graph("speed over OFFSET by the model, relative to OFFSET=0", OFFSETS, |k| {
                predicted(OFFSET, "OFFSET", k)
            })]
        },
        picture: |rows| {
            let values = speeds(rows, OFFSET, "OFFSET", OFFSETS);
            measured(graph("speed over OFFSET, measured", OFFSETS, |k| values.get(k as usize).copied()?))
        },
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
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
        judge: |rows, facts| {
            let uniform = (("coalescing/broadcast_uniform", NONE), "reading the element from constant memory");
            faster(rows, facts, uniform, (("coalescing/broadcast_storage", NONE), "reading it from global memory"))
        },
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
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
        ..ArticleClaim::BLANK
    }),
];

const NONE: &[(&str, f64)] = &[];
/// A benchmark with its parameters.
type Named<'a> = (&'a str, &'a [(&'a str, f64)]);

/// The times of two benchmarks, at the largest size of the second.
fn pair(rows: &[&Record], own: Named, base: Named) -> Option<(Estimate, Estimate)> {
    let measured = |(benchmark, params): Named| -> Vec<&Record> {
        of(rows, benchmark).filter(|row| row.median_ns.is_some() && has_params(row, params)).collect()
    };
    let base = largest(measured(base).into_iter())?;
    let own = measured(own).into_iter().rfind(|row| row.n == base.n)?;
    Some((time(own)?, time(base)?))
}

fn offset(rows: &Sheet, facts: &mut Facts) -> Option<String> {
    // At 8 the code is that at 1; at 0 a branch of the kernel is dropped.
    let (one, aligned, sector) = [8.0, 0.0].into_iter().find_map(|offset| {
        let (one, aligned) = pair(rows, ("offset", &[("OFFSET", 1.0)]), ("offset", &[("OFFSET", offset)]))?;
        Some((one, aligned, offset))
    })?;
    let model = 100.0 * degree_of_coalescing(&addresses(1, 1), 4);
    let left = match compare(aligned, one)? {
        Comparison::Differ(speed) => {
            format!("leaves {} of the speed at offset {sector}", facts.percent("offset 1", speed)?)
        }
        Comparison::Alike => format!("is as fast, within the noise, as one of {sector}"),
    };
    Some(format!("An offset of one element {left} (sectors alone: {model:.0} %)."))
}

fn apart(rows: &Sheet, facts: &mut Facts) -> Option<String> {
    let at = |offset: f64| {
        of(rows, "offset_apart").filter(move |row| row.median_ns.is_some() && has_params(row, &[("OFFSET", offset)]))
    };
    let speed = |one: &Record| {
        let aligned = at(8.0).find(|aligned| aligned.n == one.n)?;
        let speed =
            facts.percent(format!("offset 1 apart, {}", one.size()), stats::ratio(time(aligned)?, time(one)?)?)?;
        Some(format!("{speed} at {}", one.short_size()))
    };
    let speeds: Vec<String> = at(1.0).filter_map(speed).collect();
    let list = speeds.join(", ");
    (!speeds.is_empty())
        .then(|| format!("Where neighbouring pieces of 128 bytes are read far apart, it leaves {list}."))
}

fn strides(rows: &Sheet, facts: &mut Facts) -> Option<String> {
    let speed = |stride: u64| {
        let (own, first) = pair(rows, ("stride", &[("STRIDE", stride as f64)]), ("stride", &[("STRIDE", 1.0)]))?;
        let degree = 100.0 * degree_of_coalescing(&addresses(stride, 0), 4);
        let speed = facts.percent(format!("stride {stride}"), stats::ratio(first, own)?)?;
        Some(format!("stride {stride} {speed} (degree of coalescing {degree:.1} %)"))
    };
    let strides: Vec<String> = [2, 8, 32].into_iter().filter_map(speed).collect();
    let list = strides.join(", ");
    (!strides.is_empty()).then(|| format!("Speed relative to stride 1: {list}."))
}

const OFFSET: &str = "coalescing/offset";
const APART: &str = "coalescing/offset_apart";
const STRIDE: &str = "coalescing/stride";
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
    unclear: Option<Why>,
}

impl Patterns {
    /// Counts a pattern that has rows.
    fn count(&mut self, rows: &Sheet, facts: &mut Facts, name: &str, kernels: [Named; 2], model: f64) {
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
            let text = percent(facts, name, speed);
            let text = text
                .map(|speed| format!("{speed} of the aligned speed instead of {} at {name}", format::percent(model)));
            self.widest = text.ok().map(|text| (ratio, text)).or(self.widest.take());
        }
    }
}

/// Compares the measured speed of every offset, stride and broadcast with the model's.
fn sectors(rows: &Sheet, facts: &mut Facts) -> Result<Answer, Why> {
    const BROADCAST: &str = "coalescing/broadcast_storage";
    let mut found = Patterns::default();
    let offsets = OFFSETS.skip(1).map(|k| (OFFSET, "OFFSET", k, 0.0));
    for (kernel, name, value, first) in offsets.chain(STRIDES.skip(1).map(|s| (STRIDE, "STRIDE", s, 1.0))) {
        if let Some(model) = predicted(kernel, name, value) {
            let kernels = [(kernel, &[(name, value as f64)][..]), (kernel, &[(name, first)][..])];
            found.count(rows, facts, &format!("{name}={value}"), kernels, model);
        }
    }
    if let Some(model) = predicted(BROADCAST, "OFFSET", 0) {
        found.count(rows, facts, "one element for all", [(BROADCAST, NONE), (OFFSET, &[("OFFSET", 0.0)])], model);
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

fn one_element_off(rows: &Sheet, facts: &mut Facts) -> Result<Answer, Why> {
    let at = |k: f64| -> [(&str, f64); 1] { [("OFFSET", k)] };
    // At 8, a whole sector, the code is that at 1; at 0 a branch of the kernel is dropped.
    let [one, aligned] = rows
        .together([(OFFSET, &at(1.0)), (OFFSET, &at(8.0))])
        .or_else(|_| rows.together([(OFFSET, &at(1.0)), (OFFSET, &at(0.0))]))?;
    let rows_apart = rows.together([(APART, &at(1.0)), (APART, &at(8.0))]);
    let left = speed(one, aligned)?;
    let model = predicted(OFFSET, "OFFSET", 1).unwrap_or(1.0);
    let holds = is_near(left, model)?;
    let percent = percent(facts, "offset 1", left)?;
    let rates = rates(facts, one, aligned);
    let answer = Answer::new(holds, format!("At an offset of 1, {percent} of the aligned speed is left{rates}."));
    // Neighbours that run far apart in time cannot share the sector between them.
    let Ok([one, aligned]) = rows_apart else { return Ok(answer) };
    let left = speed(one, aligned)?;
    let text = self::percent(facts, "offset 1, pieces apart", left)?;
    let explains = !holds && is_near(left, model) == Ok(true);
    let figure = [Some(format!("with neighbouring pieces far apart {text}"))];
    Ok(if explains { answer.because("neighbouring warps share the fifth sector") } else { answer }.with(figure))
}

fn stride(rows: &Sheet, facts: &mut Facts) -> Result<Answer, Why> {
    let at = |s: f64| -> [(&str, f64); 1] { [("STRIDE", s)] };
    let [one, two, eight, sixteen] =
        rows.together([(STRIDE, &at(1.0)), (STRIDE, &at(2.0)), (STRIDE, &at(8.0)), (STRIDE, &at(16.0))])?;
    let (eighth, beyond) = (speed(eight, one)?, speed(sixteen, eight)?);
    let falls = is_faster(speed(one, eight)?)?;
    let is_flat = is_near(beyond, 1.0)?;
    let left = percent(facts, "stride 8", eighth)?;
    let second = speed(two, one).and_then(|second| percent(facts, "stride 2", second));
    let second =
        second.map_or_else(|_| String::new(), |second| format!("Stride 2 runs at {second} of the speed of stride 1. "));
    let start = format!("{second}Stride 8 runs at {left} of the speed of stride 1");
    let mut answer = if is_flat {
        Answer::new(falls, format!("{start}, and stride 16 is as fast as stride 8, {WITHIN}."))
    } else {
        let further = percent(facts, "stride 16 over 8", beyond)?;
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
    Ok(answer.with(rates.map(|(row, name)| rate(facts, name, row))))
}

#[cfg(test)]
mod tests {
    use crate::families::planted::{found, row};

    #[test]
    fn rows_of_one_size_are_compared() {
        let rows = [
            row("offset", &[("OFFSET", 0.0)], 4096, 10.0e6),
            row("offset", &[("OFFSET", 1.0)], 4096, 20.0e6),
            row("offset", &[("OFFSET", 0.0)], 8192, 30.0e6),
            row("offset", &[("OFFSET", 1.0)], 8192, 40.0e6),
            row("offset_apart", &[("OFFSET", 1.0)], 1024, 12.5e6),
            row("offset_apart", &[("OFFSET", 8.0)], 1024, 10.0e6),
            row("stride", &[("STRIDE", 1.0)], 1024, 10.0e6),
            row("stride", &[("STRIDE", 8.0)], 1024, 40.0e6),
            row("broadcast_storage", &[], 1024, 10.0e6),
            row("broadcast_uniform", &[], 1024, 10.0e6),
        ];
        assert_eq!(
            found("coalescing", &rows).expect("enough rows").text(),
            "An offset of one element leaves 75 % of the speed at offset 0 (sectors alone: 80 %). Where \
             neighbouring pieces of 128 bytes are read far apart, it leaves 80 % at 2^10. Speed relative to stride 1: \
             stride 8 25 % (degree of coalescing 12.5 %). Reading a shared element from a uniform buffer is as fast, \
             within the noise, as reading it from a storage buffer."
        );
    }
}
