//! The cost of unaligned, strided and shared reads.

use crate::claims::finding;
use crate::coalescing::{addresses, degree_of_coalescing};
use record::claim::*;
use record::stats::Estimate;
use record::suite::binary_size;
use record::{Record, format};

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured {
        name: "speed at an offset",
        state: |rows, facts| one_element_off(rows, facts).ok().map(Report::into_text),
    }),
    Claim::Measured(Measured { name: "speed at a stride", state: |rows, facts| useful_rates(rows, facts).ok() }),
    Claim::Measured(Measured {
        name: "uniform buffer",
        state: |rows, facts| one_for_all(rows, facts).ok().map(Report::into_text),
    }),
    Claim::Article(ArticleClaim {
        id: "D1",
        title: "the degree of coalescing",
        claim: "Transactions move sectors of 32 bytes, and the degree of coalescing is the bytes that a warp requests, \
            divided by the bytes of its sectors.",
        kernels: &["cache_curve/granule", OFFSET, STRIDE, "coalescing/broadcast_storage"],
        terms: &["warp", "global memory"],
        computed_prediction: || {
            format!(
                "The degree is {} at an offset of 1, {} at stride 2, {} from stride 8 on, and {} if all threads read \
                the same word. The degree counts bytes; the article derives no speed from it.",
                degree(1, 1),
                degree(2, 0),
                degree(8, 0),
                degree(0, 0)
            )
        },
        judge: Judge::Claim(sectors),
        model: || {
            vec![
                graph("degree of coalescing by OFFSET", OFFSETS, |k| Some(degree_of_coalescing(&addresses(1, k), 4))),
                graph("degree of coalescing for each STRIDE", STRIDES, |s| {
                    Some(degree_of_coalescing(&addresses(s, 0), 4))
                }),
            ]
        },
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "D2",
        title: "arrays read and written at an offset",
        claim: "At an offset of one element, a warp needs five sectors instead of four: the degree is 80 %.",
        kernels: &[OFFSET, APART, READS],
        terms: &["warp", "global memory"],
        prediction: "The degree counts bytes; the article says nothing about speed. The fifth sector is also the first \
            sector of the next warp, so a cache may serve it. To launch <<<128, 32>>> as in the article, use `run \
            coalescing/offset --size 4096 --param WG=32`.",
        judge: Judge::Report(one_element_off),
        picture: |rows| speeds(rows, "speed by OFFSET, relative to OFFSET=0", OFFSET, "OFFSET", OFFSETS),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "D3",
        title: "one element for all threads",
        claim: "If all threads read one element of global memory, the degree is 12.5 %; constant memory suits such \
            reads.",
        kernels: &["coalescing/broadcast_uniform", "coalescing/broadcast_storage"],
        terms: &["__constant__", "global memory"],
        prediction: "Constant and global memory are equally fast if one cached sector serves every warp.",
        judge: Judge::Report(one_for_all),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "D4",
        title: "arrays read at a stride",
        claim: "The suite adds strides: from a stride of 8 elements on, each thread of a warp loads its own sector.",
        kernels: &[STRIDE, "cache_curve/granule"],
        terms: &["warp", "global memory"],
        prediction: "If whole sectors or fetches are counted, the rate does not depend on the stride. The stores \
            stay coalesced.",
        judge: Judge::Report(stride),
        picture: |rows| speeds(rows, "speed by STRIDE, relative to STRIDE=1", STRIDE, "STRIDE", STRIDES),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "D9",
        title: "where allocations start",
        claim: "Allocations start at a multiple of 256 bytes.",
        kernels: &[APART],
        terms: &["cudaMalloc()"],
        prediction: "OFFSET=0 is as fast as OFFSET=16 (64 bytes later) and faster than OFFSET=1. The times cannot \
            show an alignment beyond the size of a fetch.",
        judge: Judge::Report(aligned),
        ..ArticleClaim::BLANK
    }),
];

const OFFSET: &str = "coalescing/offset";
const READS: &str = "coalescing/offset_reads";
const APART: &str = "coalescing/offset_apart";
const STRIDE: &str = "coalescing/stride";
const OFFSETS: Range = 0..=31;
const STRIDES: Range = 1..=32;

fn degree(stride: u64, offset: u64) -> String {
    format!("{} %", 100.0 * degree_of_coalescing(&addresses(stride, offset), 4))
}

/// The bytes of a fetch that `cache_curve` shows.
fn fetch(rows: &DeviceRows, name: &str) -> Option<u64> {
    let found = finding("cache_curve", &rows.family("cache_curve"))?;
    if let Quantity::Bytes(bytes) = found.value(name)? { Some(bytes) } else { None }
}

fn sectors(rows: &DeviceRows, facts: &mut Facts) -> Result<Answer, Why> {
    let bytes = fetch(rows, "fill of the first level");
    let bytes = bytes.ok_or_else(|| {
        Why::new(
            "the rows of `cache_curve` are missing, or too noisy to show how many bytes a miss in the first-level \
            cache fetches",
        )
    })?;
    let dram = fetch(rows, "fetch from DRAM");
    let dram = dram.map(|dram| format!("A load from DRAM fetches {}.", facts.bytes("fetch from DRAM", dram)));
    let miss = facts.bytes("sector", bytes);
    Ok(Answer::new(bytes == 32, format!("A miss in the first-level cache fetches {miss}.")).and(dram))
}

/// The speed at OFFSET=1 as a share of the speed at a base offset, at the largest size and at the others.
fn left(rows: &DeviceRows, facts: &mut Facts, kernel: &str) -> Result<String, Why> {
    let at = |k: f64| -> [(&str, f64); 1] { [("OFFSET", k)] };
    // 16 elements are 64 bytes, a whole fetch from DRAM; older reports have 0, where a branch of the kernel is dropped.
    let (base, found) = [16.0, 0.0]
        .into_iter()
        .find_map(|base| Some((base, rows.together([(kernel, &at(1.0)), (kernel, &at(base))]).ok()?)))
        .ok_or_else(|| rows.missing(&[kernel]))?;
    let [one, aligned] = found;
    let name = |row: &Record| format!("speed ratio: {kernel} {}, OFFSET=1 / OFFSET={base}", row.size());
    let part = percent(facts, &name(one), speed(one, aligned)?)?;
    let rates = rates(facts, one, aligned);
    let (own, bases) = (at(1.0), at(base));
    let others = rows.timed((kernel, &own)).filter(|row| row.n != one.n).filter_map(|row| {
        let aligned = rows.timed((kernel, &bases)).find(|aligned| aligned.n == row.n)?;
        let part = percent(facts, &name(row), speed(row, aligned).ok()?).ok()?;
        Some(format!(", {part} at {}", row.short_size()))
    });
    let others: String = others.collect();
    let rates = rates.map_or_else(String::new, |rates| format!(" ({rates})"));
    Ok(format!("{part} of the OFFSET={base} speed at {}{rates}{others}", one.short_size()))
}

fn one_element_off(rows: &DeviceRows, facts: &mut Facts) -> Result<Report, Why> {
    let offset = left(rows, facts, OFFSET)?;
    let apart = left(rows, facts, APART).ok().map(|left| {
        format!("If neighbouring 128-byte pieces are accessed far apart in time, OFFSET=1 reaches {left}.")
    });
    let reads = left(rows, facts, READS).ok().map(|left| format!("With aligned stores, OFFSET=1 reaches {left}."));
    Ok(Report::new(format!("OFFSET=1 reaches {offset}.")).and(apart).and(reads))
}

fn aligned(rows: &DeviceRows, facts: &mut Facts) -> Result<Report, Why> {
    let at = |k: f64| -> [(&str, f64); 1] { [("OFFSET", k)] };
    let [zero, one, whole] = rows.together([(APART, &at(0.0)), (APART, &at(1.0)), (APART, &at(16.0))])?;
    let speeds = (speed(zero, whole)?, speed(one, whole)?);
    let mut speed_at = |offset: &str, speed| percent(facts, &format!("speed ratio: {offset} / OFFSET=16"), speed);
    let (start, off) = (speed_at("OFFSET=0", speeds.0)?, speed_at("OFFSET=1", speeds.1)?);
    let shows = speeds.0.low > speeds.1.high && speeds.0.high > 0.95;
    let shows = shows.then(|| "The buffers start at a multiple of the fetch size.".to_owned());
    let size = zero.short_size();
    Ok(Report::new(format!("At {size}, OFFSET=0 runs at {start} of the speed of OFFSET=16, and OFFSET=1 at {off}."))
        .and(shows))
}

const SHOWN: [u64; 6] = [1, 2, 4, 8, 16, 32];

fn unstrided<'a>(rows: &DeviceRows<'a>) -> Result<&'a Record, Why> {
    let [first, _] = rows.together([(STRIDE, &[("STRIDE", 1.0)]), (STRIDE, &[("STRIDE", 8.0)])])?;
    Ok(first)
}

fn strided<'a>(rows: &DeviceRows<'a>, first: &Record, stride: u64) -> Option<&'a Record> {
    rows.timed((STRIDE, &[("STRIDE", stride as f64)])).find(|row| row.n == first.n && row.timer == first.timer)
}

/// The rates by stride, counting only the bytes that are used.
fn useful_rates(rows: &DeviceRows, facts: &mut Facts) -> Result<String, Why> {
    let first = unstrided(rows)?;
    let span = |stride: u64| format::scaled((4 * scalars(first) * stride) as f64 / 1e3, &["kB", "MB", "GB"]);
    if let Some(l2) = first.l2_bytes.filter(|l2| 4 * scalars(first) * 8 < 2 * l2) {
        return Err(Why::new(format!(
            "at {} elements, the stride-8 loads span {}, less than twice the L2 size of {}; use `run \
            coalescing/stride --size 14000000`",
            first.short_size(),
            span(8),
            binary_size(l2)
        )));
    }
    let rates = SHOWN.into_iter().filter_map(|stride| {
        let row = strided(rows, first, stride)?;
        let rate = facts.byte_rate(format!("stride {stride}"), byte_rate(row)?)?;
        Some(format!("{rate} at stride {stride}"))
    });
    let rates: Vec<String> = rates.collect();
    if rates.is_empty() {
        return Err(Why::new("the rates are too noisy to quote"));
    }
    let (size, least, most) = (first.short_size(), span(1), span(*STRIDES.end()));
    Ok(format!("At {size} elements, where the loads span {least} to {most}, the rates are {}.", rates.join(", ")))
}

/// [`useful_rates`], and the rates of whole fetches: for each element the store, and the loaded bytes up to the next
/// element, at most one fetch.
fn stride(rows: &DeviceRows, facts: &mut Facts) -> Result<Report, Why> {
    let text = useful_rates(rows, facts)?;
    let first = unstrided(rows)?;
    let (bytes, source) = match fetch(rows, "fetch from DRAM") {
        Some(bytes) => (bytes, "fetches from DRAM"),
        None => (32, "sectors"),
    };
    let total = |stride: u64| {
        let moved = 4 + bytes.min(4 * stride);
        Some(scaled(byte_rate(strided(rows, first, stride)?)?, moved as f64 / 8.0))
    };
    let rates: Vec<Estimate> = (4..=bytes / 2).filter_map(total).collect();
    let by_value = |a: &&Estimate, b: &&Estimate| a.value.total_cmp(&b.value);
    let ends = rates.iter().min_by(by_value).zip(rates.iter().max_by(by_value));
    let range = ends.and_then(|(least, most)| {
        let least = facts.byte_rate("lowest rate of whole fetches", *least)?;
        Some((least, facts.byte_rate("highest rate of whole fetches", *most)?))
    });
    let whole = range.map(|(least, most)| {
        let size = binary_size(bytes);
        format!("If whole {source} of {size} are counted, strides 4 to {} move {least} to {most}.", bytes / 2)
    });
    Ok(Report::new(text).and(whole))
}

fn one_for_all(rows: &DeviceRows, facts: &mut Facts) -> Result<Report, Why> {
    let uniform = (("coalescing/broadcast_uniform", NONE), "reading the element from constant memory");
    beside(rows, facts, uniform, (("coalescing/broadcast_storage", NONE), "reading the element from global memory"))
}

#[cfg(test)]
mod tests {
    use crate::planted::{found, row};
    use record::Record;

    #[test]
    fn rows_of_one_size_are_compared() {
        let stride = |stride: f64, ns: f64| Record {
            gb_per_s: Some(8.0 * 1024.0 / ns),
            ..row("stride", &[("STRIDE", stride)], 1024, ns)
        };
        let rows = [
            row("offset", &[("OFFSET", 0.0)], 4096, 10.0e6),
            row("offset", &[("OFFSET", 1.0)], 4096, 20.0e6),
            row("offset", &[("OFFSET", 0.0)], 8192, 30.0e6),
            row("offset", &[("OFFSET", 1.0)], 8192, 40.0e6),
            row("offset_apart", &[("OFFSET", 1.0)], 1024, 12.5e6),
            row("offset_apart", &[("OFFSET", 8.0)], 1024, 11.0e6),
            row("offset_apart", &[("OFFSET", 16.0)], 1024, 10.0e6),
            stride(1.0, 10.0),
            stride(8.0, 40.0),
            row("broadcast_storage", &[], 1024, 10.0e6),
            row("broadcast_uniform", &[], 1024, 10.0e6),
        ];
        assert_eq!(
            found("coalescing", &rows).expect("enough rows").text(),
            "OFFSET=1 reaches 75 % of the OFFSET=0 speed at 2^13, 50 % at 2^12. If neighbouring 128-byte pieces \
            are accessed far apart in time, OFFSET=1 reaches 80 % of the OFFSET=16 speed at 2^10. At 2^10 elements, \
            where the loads span 4.10 kB to 131 kB, the rates are 819 GB/s at stride 1, 205 GB/s at stride 8. At 2^10, \
            reading the element from constant memory is as fast (within 10 %) as reading the element from global \
            memory."
        );
    }
}
