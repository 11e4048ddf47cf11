//! The profile `quick`: one saturating size per kernel, of those that `standard` measures.

use std::collections::BTreeMap;
use std::path::Path;

use answers::report::csv;
use gpu::engine::plan::{Request, plan};
use kernels::FAMILIES;
use record::suite::{Case, Extent, Profile};
use record::{Record, Status};

fn planned(profile: Profile) -> Vec<Case> {
    plan(&Request::new(Vec::new(), profile)).expect("a plan")
}

/// Whether the case belongs to a curve over sizes, or is a ceiling at another case's working set.
fn is_of_curve(case: &Case) -> bool {
    case.family.name == "cache_curve" || case.benchmark.sets_ceiling
}

#[test]
fn each_kernel_has_one_size_which_standard_measures_too() {
    let standard: Vec<String> = planned(Profile::Standard).iter().map(Case::to_string).collect();
    let mut sizes: BTreeMap<String, Extent> = BTreeMap::new();
    for case in planned(Profile::Quick).iter().filter(|case| !is_of_curve(case)) {
        assert!(standard.contains(&case.to_string()), "{case}");
        let size = *sizes.entry(case.name()).or_insert(case.shape.extent);
        assert_eq!(size, case.shape.extent, "{}", case.name());
    }
    for family in FAMILIES {
        assert!(
            sizes.keys().any(|name| name.starts_with(family.name))
                // Ceilings come with the cases that need them; curves, instructions and host time are no headlines.
                || ["ceiling", "cache_curve", "host_cost", "rates"].contains(&family.name),
            "{}",
            family.name
        );
    }
}

/// In a committed report of a large GPU.
#[test]
fn the_rate_is_within_three_percent_of_that_at_the_largest_size() {
    /// Exceptions: launches of a tenth of a second at the largest size; the latency of a workgroup alone on its SM.
    const OTHER: &[&str] = &["attention/tiled", "barrier/exchange"];
    let path = "results/nvidia-h100-80gb-hbm3/2026-11-28-vulkan+cuda.csv";
    let text = std::fs::read(path).expect("the report is there");
    let records = csv::read(Path::new(path), text.as_slice()).expect("a report").records;
    let rate = |row: &Record| row.gb_per_s.or(row.gflop_per_s);
    let mut compared = 0;
    for case in planned(Profile::Quick).iter().filter(|case| !is_of_curve(case) && case.family.name != "transfer") {
        let alike = |row: &&Record| {
            let is_kernel = (row.name(), row.dtype) == (case.name(), Some(case.shape.dtype));
            is_kernel && row.params == case.shape.params && row.status == Status::Ok && row.api_name() == "vulkan"
        };
        let rows: Vec<&Record> = records.iter().filter(alike).collect();
        let Some(own_row) = rows.iter().find(|row| row.n == Some(case.shape.extent)) else { continue };
        let largest_row = rows.iter().max_by_key(|row| row.n.map(Extent::count)).expect("a row");
        let (Some(own), Some(largest)) = (rate(own_row), rate(largest_row)) else { continue };
        compared += 1;
        // Other shapes of as many elements are other work.
        let is_larger = largest_row.n.map(Extent::count) > own_row.n.map(Extent::count);
        assert!(
            !is_larger || own > 0.97 * largest || OTHER.contains(&case.name().as_str()),
            "{case}: {own} of {largest}"
        );
    }
    assert!(compared > 80, "{compared}");
}
