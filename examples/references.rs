//! Packs the tracked reports in `results/` into `data/references.json.gz`, for `compare` and `share`, and the example
//! of `--report h100` into `data/h100.csv.gz`. A test checks that it was run after changes in `results/`.

use std::path::Path;

use answers::references::{Shipped, pack};
use answers::report::{example, reader};

#[path = "../src/answers/report/committed/files.rs"]
mod committed;
use committed::committed_reports;

const OUT: &str = "data/references.json.gz";
const EXAMPLE: &str = "data/h100.csv.gz";

/// Size limits, since the program contains the files.
const MOST_BYTES: usize = 1_000_000;
const MOST_EXAMPLE_BYTES: usize = 240_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut shipped = Shipped::default();
    for path in committed_reports(Path::new("")) {
        shipped.add(&reader::open(&path)?.records);
    }
    let report = reader::open(Path::new(example::SOURCE))?.records;
    for (path, packed, most) in
        [(OUT, pack(shipped), MOST_BYTES), (EXAMPLE, example::pack(&report), MOST_EXAMPLE_BYTES)]
    {
        if packed.len() > most {
            return Err(format!("{path} would have {} bytes: at most {most} are allowed", packed.len()).into());
        }
        std::fs::write(path, &packed)?;
        println!("{path}: {} bytes", packed.len());
    }
    Ok(())
}
