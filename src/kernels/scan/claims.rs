//! The gain of one pass over three kernels.

use record::Record;
use record::claim::*;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured { name: "rates of a scan", state: rates }),
    Claim::Ratio(Ratio {
        name: "speed ratio: single_pass / three_kernels",
        kernels: [("scan/single_pass", NONE), ("scan/three_kernels", NONE)],
        by: By::Bytes,
        says: "At that size, single_pass is {} three_kernels.",
    }),
    Claim::Measured(Measured {
        name: "gain from subgroups",
        state: |rows, facts| {
            let (one, three) = pair(rows)?;
            let rivals = of(rows, "single_pass_subgroup").filter(|row| is_f32(row) && row.n == one.n);
            let best = fastest(rivals, byte_rate)?;
            let name = "speed ratio: single_pass_subgroup / three_kernels";
            let speed = facts.speed(name, best.rate, byte_rate(three)?)?;
            let with = match best.row.params_text() {
                params if best.is_certain() && !params.is_empty() => format!(" (fastest with {params})"),
                _ => String::new(),
            };
            Some(format!("At that size, single_pass_subgroup{with} is {speed} three_kernels."))
        },
    }),
];

/// The rows of `single_pass` and `three_kernels` at the largest size that both have.
fn pair<'a>(rows: &[&'a Record]) -> Option<(&'a Record, &'a Record)> {
    let measured: Vec<&Record> = rows.iter().copied().filter(|row| is_f32(row) && byte_rate(row).is_some()).collect();
    let three_kernels = |one: &Record| of(&measured, "three_kernels").find(|row| row.n == one.n);
    let pairs = of(&measured, "single_pass").filter_map(|one| Some((one, three_kernels(one)?)));
    pairs.max_by_key(|(one, _)| one.bytes)
}

fn rates(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let shown = match pair(rows) {
        Some((one, three)) => vec![three, one],
        None => vec![*rows.iter().filter(|row| is_f32(row) && row.gb_per_s.is_some()).max_by_key(|row| row.bytes)?],
    };
    let scanned = |row: &&Record| {
        let rate = facts.byte_rate(row.benchmark.as_str(), byte_rate(row)?)?;
        let share = facts.share(format!("{} share", row.benchmark), row, "the measured copy peak");
        Some(format!("{} runs at {rate}{share}", row.benchmark))
    };
    let parts: Vec<String> = shown.iter().map(scanned).collect::<Option<_>>()?;
    Some(format!("Scan of {} f32 values: {}.", shown[0].short_size(), parts.join(", ")))
}
