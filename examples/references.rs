//! Writes what `normal` and `share` know of the reports in `results/` to `data/references.json.gz`:
//! `cargo run --example references`. Run it after a change in `results/`; a test checks that it was.

use std::path::Path;

use shaderbench::report::normal::{Shipped, pack};
use shaderbench::report::reader;

const OUT: &str = "data/references.json.gz";

/// The program contains the file.
const MOST_BYTES: usize = 1_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut shipped = Shipped::default();
    for path in reader::files(Path::new("results"))?.reports {
        if reader::has_ending(&path, "csv") {
            shipped.add(&reader::open(&path)?.records);
        }
    }
    let packed = pack(shipped);
    if packed.len() > MOST_BYTES {
        return Err(format!("{OUT} would have {} bytes: at most {MOST_BYTES} are allowed", packed.len()).into());
    }
    std::fs::write(OUT, &packed)?;
    println!("{OUT}: {} bytes", packed.len());
    Ok(())
}
