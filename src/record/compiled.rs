use super::row::Record;
use crate::suite::binary_size;

/// The driver's figures for one kernel through one API, as ranges over `rows`: `30–40 registers, 64 B of local memory,
/// 4 KiB of workgroup memory, occupancy 50 %, 304 instructions`. Empty if the driver reports none.
#[must_use]
pub fn compiled(rows: &[&Record]) -> String {
    let range = |figure: fn(&Record) -> Option<u64>, text: &dyn Fn(u64) -> String| {
        let (least, most) =
            (rows.iter().filter_map(|row| figure(row)).min()?, rows.iter().filter_map(|row| figure(row)).max()?);
        Some(if least == most { text(most) } else { format!("{}–{}", text(least), text(most)) })
    };
    let bytes = |figure, what: &str| match range(figure, &binary_size)? {
        none if none == "0 B" => Some(format!("no {what}")),
        bytes => Some(format!("{bytes} of {what}")),
    };
    let parts = [
        range(|row| row.registers, &|count| count.to_string()).map(|count| format!("{count} registers")),
        bytes(|row| row.local_bytes, "local memory"),
        bytes(|row| row.workgroup_bytes, "workgroup memory"),
        range(|row| row.occupancy.map(|share| (100.0 * share).round() as u64), &|percent| percent.to_string())
            .map(|percent| format!("occupancy {percent} %")),
        match range(|row| row.instructions, &|count| count.to_string()) {
            Some(count) => Some(format!("{count} instructions")),
            None => bytes(|row| row.binary_bytes, "code"),
        },
        range(|row| row.subgroup_size_run, &|count| count.to_string()).map(|count| format!("subgroups of {count}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// How the kernel differs between two rows of one API, if reported: `registers 32 → 40, local memory 0 → 64 B`.
#[must_use]
pub fn compiled_changes(from: &Record, to: &Record) -> String {
    if from.backend != to.backend {
        return String::new();
    }
    let figures = [
        ("registers", from.registers.zip(to.registers), ""),
        ("local memory", from.local_bytes.zip(to.local_bytes), " B"),
        ("workgroup memory", from.workgroup_bytes.zip(to.workgroup_bytes), " B"),
        ("instructions", from.instructions.zip(to.instructions), ""),
    ];
    let changed = figures.into_iter().filter_map(|(name, pair, unit)| {
        let (from, to) = pair.filter(|(from, to)| from != to)?;
        Some(format!("{name} {from} → {to}{unit}"))
    });
    changed.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Api;

    fn row(registers: u64, local_bytes: u64) -> Record {
        Record {
            backend: Some(Api::Vulkan),
            registers: Some(registers),
            local_bytes: Some(local_bytes),
            ..Record::default()
        }
    }

    #[test]
    fn a_compiled_kernel_is_told_by_what_its_driver_reports() {
        assert_eq!(compiled(&[&row(32, 0)]), "32 registers, no local memory");
        let full = Record {
            workgroup_bytes: Some(4096),
            occupancy: Some(0.5),
            instructions: Some(304),
            subgroup_size_run: Some(32),
            ..row(40, 64)
        };
        let expected = "32–40 registers, 0 B–64 B of local memory, 4 KiB of workgroup memory, occupancy 50 %, 304 \
                        instructions, subgroups of 32";
        assert_eq!(compiled(&[&row(32, 0), &full]), expected);
        assert_eq!(compiled(&[&Record::default()]), "");
    }

    #[test]
    fn only_what_changed_within_one_api_is_a_change() {
        assert_eq!(compiled_changes(&row(32, 0), &row(40, 64)), "registers 32 → 40, local memory 0 → 64 B");
        assert_eq!(compiled_changes(&row(32, 0), &row(32, 0)), "");
        assert_eq!(compiled_changes(&Record::default(), &row(32, 0)), "");
        assert_eq!(compiled_changes(&row(32, 0), &Record { backend: Some(Api::Cuda), ..row(40, 0) }), "");
    }
}
