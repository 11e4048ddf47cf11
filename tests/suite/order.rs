//! The order of rows and families in tables.

use crate::command::{Folder, shaderbench};
use answers::report::{Terminal, csv, families_in_reading_order, sections};
use answers::tables;
use kernels::FAMILIES;
use kernels::articles::steps;
use record::suite::{Api, Dtype, Extent, parse_params};
use record::{Clock, Record};

fn row(name: &str, n: u64, params: &str, median_ns: f64) -> Record {
    let (family, benchmark) = name.split_once('/').expect("a family");
    Record {
        backend: Some(Api::Vulkan),
        family: family.into(),
        benchmark: benchmark.into(),
        dtype: Some(Dtype::F32),
        n: Some(Extent::Linear(n)),
        params: parse_params(params).expect("parameters"),
        median_ns: Some(median_ns),
        ci_low_ns: Some(median_ns * 0.99),
        ci_high_ns: Some(median_ns * 1.01),
        gb_per_s: Some(1e6 / median_ns),
        timer: Some(Clock::Timestamp),
        ..Record::default()
    }
}

fn at(width: usize) -> Terminal {
    Terminal { width, has_color: false }
}

#[test]
fn parameters_are_sorted_as_numbers_and_sizes_are_together() {
    let run = [
        row("coalescing/stride", 1024, "STRIDE=16", 1.0),
        row("coalescing/stride", 1024, "STRIDE=2", 1.0),
        row("coalescing/offset", 1024, "OFFSET=10", 1.0),
        row("coalescing/offset", 1024, "OFFSET=9", 1.0),
        row("coalescing/stride", 2048, "STRIDE=1", 1.0),
        row("coalescing/stride", 1024, "STRIDE=3", 1.0),
        row("coalescing/stride", 1024, "STRIDE=0.5;WG=32", 1.0),
        row("coalescing/stride", 1024, "", 1.0),
    ];
    let sections = sections(&run);
    let shown: Vec<String> =
        sections[0].rows.iter().map(|row| format!("{} {}", row.size(), row.params_text())).collect();
    let expected = [
        "1024 ",
        "1024 STRIDE=2",
        "1024 STRIDE=3",
        "1024 STRIDE=16",
        "1024 STRIDE=0.5;WG=32",
        "1024 OFFSET=9",
        "1024 OFFSET=10",
        "2048 STRIDE=1",
    ];
    assert_eq!(shown, expected);
    let text = tables(&sections, at(80));
    assert_eq!(text.matches("f32 2^10").count(), 1, "one group for each size\n{text}");
}

#[test]
fn kernels_stay_together_where_a_table_is_by_kernel() {
    let run = [
        row("ceiling/copy", 1024, "ROUNDS=32", 1.0),
        row("ceiling/read", 1024, "", 1.0),
        row("ceiling/copy", 2048, "", 1.0),
        row("ceiling/copy", 1024, "ROUNDS=4", 1.0),
    ];
    let sections = sections(&run);
    let label = |row: &&Record| format!("{} {} {}", row.benchmark, row.size(), row.params_text()).trim_end().to_owned();
    let shown: Vec<String> = sections[0].rows.iter().map(label).collect();
    assert_eq!(shown, ["copy 1024 ROUNDS=4", "copy 1024 ROUNDS=32", "copy 2048", "read 1024"]);
}

#[test]
fn families_come_in_the_order_of_the_tour() {
    let names: Vec<&str> = families_in_reading_order().iter().map(|family| family.name).collect();
    assert_eq!((names[0], names.len()), ("ceiling", FAMILIES.len()));
    // The first step of each family, by the first kernel of the step.
    let mut toured: Vec<&str> = Vec::new();
    for family in steps().iter().filter_map(|step| step.kernels.first()?.split('/').next()) {
        if family != "transfer" && !toured.contains(&family) {
            toured.push(family);
        }
    }
    let of_tour: Vec<&str> = names.iter().copied().filter(|name| toured.contains(name)).collect();
    assert_eq!(of_tour, toured);
    // Run in the order of the suite, shown in that of the tour.
    let run = ["matmul/naive", "bank_conflict/stride", "coalescing/offset", "scan/one", "ceiling/copy"];
    let run = run.map(|name| row(name, 1024, "", 1.0));
    let shown: Vec<&str> = sections(&run).iter().map(|section| section.title).collect();
    assert_eq!(shown, ["ceiling", "coalescing", "bank_conflict", "matmul", "scan"]);
    let list = shaderbench(&["list"]).run().succeeds().stdout;
    let index = |family: &str| list.find(&format!("\n{family}: ")).expect("listed");
    assert!(index("coalescing") < index("bank_conflict") && index("bank_conflict") < index("matmul"), "{list}");
}

#[test]
fn compared_rows_have_the_order_of_tables_and_cards_keep_theirs() {
    let folder = Folder::new();
    let of_device = |device: &str, rows: &[(&str, &str)]| {
        let row = |(name, params): &(&str, &str)| Record { device: device.into(), ..row(name, 1024, params, 1e5) };
        rows.iter().map(row).collect::<Vec<_>>()
    };
    let strides = [("scan/one", ""), ("coalescing/stride", "STRIDE=10"), ("coalescing/stride", "STRIDE=9")];
    let mut rows = of_device("Zeta", &strides);
    // A family of the other card only comes before all of the first one's.
    rows.extend(of_device("Alpha", &[&strides[..], &[("ceiling/copy", "")]].concat()));
    folder.write("r.csv", csv::write(&rows));
    let output = folder.run(&["compare", "r.csv", "--all"]).succeeds().stdout;
    let index = |text: &str| output.find(text).unwrap_or_else(|| panic!("{text} is missing\n{output}"));
    assert!(index("A: Zeta") < index("B: Alpha"), "{output}");
    assert!(index("STRIDE=9 ") < index("STRIDE=10 ") && index("coalescing") < index("scan"), "{output}");
}
