//! The suite's fast variants compared with NVIDIA's libraries, clpeak and vkpeak: `against_libraries LIBRARIES REPORT…`.
//! LIBRARIES is the output of `scripts/reference/libraries.cu`, the reports are CSVs of the same device: the suite's, and
//! clpeak's. A file `vkpeak.txt` among them is what vkpeak printed. Prints a Markdown table. Each
//! ratio is the suite's rate divided by the library's: above 1 the suite is faster. `scripts/against-libraries.sh` runs
//! everything.

mod lines;
mod peers;

use std::collections::HashMap;
use std::path::Path;

use answers::report;
use lines::{Against, LINES, Line, Unit};
use record::{Record, Status};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut files = std::env::args().skip(1);
    let libraries = files.next().ok_or("usage: against_libraries LIBRARIES REPORT…")?;
    let mut figures = figures(&std::fs::read_to_string(libraries)?);
    let mut rows: Vec<Record> = Vec::new();
    for file in files {
        let name = Path::new(&file).file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name == "vkpeak.txt" {
            figures.extend(peers::vkpeak(&std::fs::read_to_string(&file)?));
            continue;
        }
        if name.starts_with("clpeak") {
            figures.extend(peers::clpeak(&std::fs::read_to_string(&file)?)?);
            continue;
        }
        rows.extend(report::reader::open(Path::new(&file))?.records);
    }
    rows.retain(|row| row.status == Status::Ok);
    println!("| what | against | Vulkan | ratio | CUDA | ratio | reach |\n|---|---|---|---|---|---|---|");
    let (mut reached, mut goals) = ([0_usize; 2], [0_usize; 2]);
    for line in LINES {
        let sides = ["vulkan", "cuda"].map(|api| Side::of(line, &rows, &figures, api));
        let goal = line.reach.map_or_else(
            || "–".to_owned(),
            |reach| format!("{} {reach:.2}", if line.unit == Unit::Time { "≤" } else { "≥" }),
        );
        for ((reached, goals), side) in reached.iter_mut().zip(&mut goals).zip(&sides) {
            *reached += usize::from(side.reaches(line));
            // What the peers of a line do not do through an API is no goal there.
            *goals += usize::from(line.reach.is_some() && (side.theirs.is_some() || !line.has_peers()));
        }
        let against = reference(line, &sides, &figures);
        let [vulkan, cuda] = sides.map(|side| side.cells(line.unit));
        println!("| {} | {against} | {vulkan} | {cuda} | {goal} |", line.what);
    }
    let [vulkan, cuda] = reached;
    println!(
        "\n{vulkan} of the {} goals are reached through Vulkan, {cuda} of the {} through CUDA.",
        goals[0], goals[1]
    );
    Ok(())
}

/// The figures of a line through one API, in the line's unit.
struct Side {
    ours: Option<f64>,
    theirs: Option<f64>,
}

impl Side {
    fn of(line: &Line, rows: &[Record], figures: &HashMap<String, f64>, api: &str) -> Self {
        let theirs = match line.against {
            Against::Library(name) => figures.get(name).copied(),
            Against::Peers(of) => fastest_peer(of, figures, api).map(|(_, figure)| figure),
            Against::Row(of) => best(&Line { of, ..*line }, rows, "cuda"),
            Against::Own(of) => best(&Line { of, ..*line }, rows, api),
            Against::ReadPeak => {
                let reads = Line { of: &["ceiling/read", "ceiling/read_tree"], params: "", ..LINES[1] };
                best(&reads, rows, api)
            }
        };
        Self { ours: best(line, rows, api), theirs }
    }

    fn ratio(&self) -> Option<f64> {
        Some(self.ours? / self.theirs?)
    }

    /// Whether the ratio, as it is printed, reaches the goal.
    fn reaches(&self, line: &Line) -> bool {
        let Some((ratio, reach)) = self.ratio().zip(line.reach) else { return false };
        if line.unit == Unit::Time { ratio <= reach + 5e-4 } else { ratio >= reach - 5e-4 }
    }

    fn cells(&self, unit: Unit) -> String {
        let Some(ours) = self.ours else { return "– | –".to_owned() };
        let ratio = self.ratio().map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.3}"));
        format!("{} | {ratio}", with_unit(ours, unit))
    }
}

/// The name and the figure of the reference.
fn reference(line: &Line, sides: &[Side; 2], figures: &HashMap<String, f64>) -> String {
    let figure = |side: &Side| side.theirs.map_or_else(|| "not measured".to_owned(), |it| with_unit(it, line.unit));
    let [vulkan, cuda] = sides;
    match line.against {
        Against::Library(name) => format!("{name}: {}", figure(vulkan)),
        Against::Row(of) => format!("{}: {}", of.join(", "), figure(cuda)),
        Against::Own(of) => format!("{}: {}; CUDA {}", of.join(", "), figure(vulkan), figure(cuda)),
        Against::Peers(of) => {
            let peers = ["vulkan", "cuda"].map(|api| fastest_peer(of, figures, api));
            let named =
                peers.iter().flatten().map(|(name, figure)| format!("{name}: {}", with_unit(*figure, line.unit)));
            let named: Vec<String> = named.collect();
            if named.is_empty() { "not run here".to_owned() } else { named.join("; ") }
        }
        Against::ReadPeak => format!("read peak: {}; CUDA {}", figure(vulkan), figure(cuda)),
    }
}

/// The fastest of these figures through an API.
fn fastest_peer(of: &[&'static str], figures: &HashMap<String, f64>, api: &str) -> Option<(&'static str, f64)> {
    let own = of.iter().filter(|name| name.split('/').nth(1) == Some(api));
    own.filter_map(|name| Some((*name, *figures.get(*name)?))).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// The figures of lines `name value unit`.
fn figures(text: &str) -> HashMap<String, f64> {
    let words = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.filter_map(|words| Some((words.first()?.to_string(), words.get(1)?.parse().ok()?))).collect()
}

/// The fastest row's figure, in the line's unit.
fn best(line: &Line, rows: &[Record], api: &str) -> Option<f64> {
    let is_selected = |row: &&Record| {
        row.api_name() == api
            && line.of.iter().any(|of| *of == row.family || *of == format!("{}/{}", row.family, row.benchmark))
            && (line.dtypes.is_empty() || line.dtypes.contains(&row.dtype_name()))
            && (line.n.is_empty() || row.size() == line.n)
            && line.params.split(';').all(|wanted| wanted.is_empty() || has(row, wanted))
    };
    let figures = rows.iter().filter(is_selected).filter_map(|row| match line.unit {
        Unit::Bytes => row.gb_per_s,
        Unit::Operations | Unit::Integers => Some(row.gflop_per_s? / 1e3),
        Unit::Elements => Some(row.n?.count() as f64 / row.median_ns?),
        Unit::Time => Some(row.median_ns? / 1e3),
    });
    figures.max_by(|a, b| if line.unit == Unit::Time { b.total_cmp(a) } else { a.total_cmp(b) })
}

/// Whether a row has a parameter `A=1`.
fn has(row: &Record, wanted: &str) -> bool {
    row.params_text().split(';').any(|param| param == wanted)
}

fn with_unit(figure: f64, unit: Unit) -> String {
    let unit = match unit {
        Unit::Bytes => "GB/s",
        Unit::Operations => "TFLOP/s",
        Unit::Integers => "TOP/s",
        Unit::Elements => "Gkeys/s",
        Unit::Time => "µs",
    };
    if figure >= 1000.0 { format!("{figure:.0} {unit}") } else { format!("{figure:.1} {unit}") }
}
