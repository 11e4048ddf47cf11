//! The suite's fast variants compared with NVIDIA's libraries: `against_libraries LIBRARIES REPORT…`. LIBRARIES is the
//! output of `scripts/reference/libraries.cu`, the reports are CSVs of the same device. Prints a Markdown table. Each
//! ratio is the suite's rate divided by the library's: above 1 the suite is faster. `scripts/against-libraries.sh` runs
//! everything.

use std::collections::HashMap;
use std::path::Path;

use shaderbench::report;
use shaderbench::results::{Record, Status};

/// The reference of a row of the table.
enum Against {
    /// A line that `libraries.cu` prints.
    Library(&'static str),
    /// The figure of clpeak 1.1 on an H200 (SXM, 1980 MHz, driver 580) in the row's unit. It is not run here.
    Clpeak(f64),
}

use Against::{Clpeak, Library};

/// The unit of a row.
enum Unit {
    /// 10⁹ bytes a second, reads plus writes.
    Bytes,
    /// 10¹² operations a second.
    Operations,
    /// Microseconds: less is better, and the ratio is the suite's time divided by the library's.
    Time,
}

use Unit::{Bytes, Operations, Time};

/// A line of the table.
struct Line(
    /// The label.
    &'static str,
    /// The benchmarks, of which the fastest row counts.
    &'static [&'static str],
    /// The types.
    &'static [&'static str],
    /// The size; empty for any.
    &'static str,
    Unit,
    Against,
    /// The target of the ratio.
    f64,
);

const V4: &[&str] = &["vec4<f32>"];
const F32: &[&str] = &["f32"];
const N28: &str = "268435456";
const TRANSPOSES: &[&str] = &["transpose/tiled", "transpose/tiled_vec4", "transpose/registers", "transpose/tiled_wide"];
const SENT: &[&str] = &[
    "transfer/write_buffer",
    "transfer/mapped_staging",
    "transfer/pinned_to_device",
    "transfer/pinned_by_kernel",
    "transfer/mapped_primary_write",
];
const RECEIVED: &[&str] = &["transfer/read_back", "transfer/device_to_staging", "transfer/mapped_primary_read"];

const LINES: &[Line] = &[
    Line("copy, 1 GiB", &["ceiling/copy"], V4, N28, Bytes, Library("memcpy_d2d_1GiB"), 1.01),
    Line("read, 1 GiB", &["ceiling/read", "ceiling/read_tree"], V4, N28, Bytes, Clpeak(4348.0), 1.02),
    Line("fill, 1 GiB", &["ceiling/fill"], V4, N28, Bytes, Library("memset_1GiB"), 1.0),
    Line(
        "sum of 2^28 f32",
        &["reduction/vec4_grid_stride"],
        F32,
        N28,
        Bytes,
        Library("cub_reduce_sum_f32_268435456"),
        1.03,
    ),
    Line(
        "sum of 2^20 f32: time",
        &["reduction/vec4_grid_stride"],
        F32,
        "1048576",
        Time,
        Library("cub_reduce_sum_f32_1048576_time"),
        0.8,
    ),
    Line("transpose f32 4096", TRANSPOSES, F32, "4096x4096", Bytes, Library("cublas_transpose_f32_4096"), 1.05),
    Line("transpose f32 8192", TRANSPOSES, F32, "8192x8192", Bytes, Library("cublas_transpose_f32_8192"), 1.0),
    Line("transpose f32 16384", TRANSPOSES, F32, "16384x16384", Bytes, Library("cublas_transpose_f32_16384"), 1.0),
    Line("transpose f64 8192", TRANSPOSES, &["f64"], "8192x8192", Bytes, Library("cublas_transpose_f64_8192"), 1.0),
    Line(
        "product f32 4096",
        &["matmul/double_buffered"],
        F32,
        "4096x4096x4096",
        Operations,
        Library("cublas_sgemm_fp32_4096"),
        0.95,
    ),
    Line(
        "product f32 8192",
        &["matmul/double_buffered"],
        F32,
        "8192x8192x8192",
        Operations,
        Library("cublas_sgemm_fp32_8192"),
        0.95,
    ),
    Line(
        "product f16 to f32 4096",
        &["matmul/cooperative"],
        &["f16"],
        "4096x4096x4096",
        Operations,
        Library("cublas_gemm_f16_f32_4096"),
        0.5,
    ),
    Line("tensor cores, f16 to f32", &["ceiling/tensor"], &["f16"], "4194304", Operations, Clpeak(579.0), 0.95),
    Line("FMA f32", &["ceiling/fma"], &["f32", "vec2<f32>", "vec4<f32>"], "4194304", Operations, Clpeak(66.2), 0.99),
    Line("FMA f16×2", &["ceiling/fma_f16"], &["vec2<f16>"], "4194304", Operations, Clpeak(66.3), 0.99),
    Line("FMA f64", &["ceiling/fma"], &["f64"], "4194304", Operations, Clpeak(33.3), 0.99),
    Line("multiply-add i32", &["ceiling/mad"], &["u32"], "4194304", Operations, Clpeak(33.3), 0.99),
    Line("workgroup memory", &["ceiling/workgroup_read"], &["f32", "vec4<f32>"], "", Bytes, Clpeak(28_100.0), 1.17),
    Line(
        "inclusive scan of 2^28 f32",
        &["scan/single_pass_subgroup"],
        F32,
        N28,
        Bytes,
        Library("cub_scan_inclusive_f32_2^28"),
        0.95,
    ),
    Line(
        "histogram of 2^30 random bytes",
        &["histogram/vec4"],
        &["u32"],
        N28,
        Bytes,
        Library("cub_histogram256_random_u8"),
        0.9,
    ),
    Line("STREAM triad, against a copy", &["stream/triad"], V4, N28, Bytes, Library("memcpy_d2d_1GiB"), 1.0),
    Line("STREAM dot, against a copy", &["stream/dot"], V4, N28, Bytes, Library("memcpy_d2d_1GiB"), 1.0),
    Line("host to device, 256 MiB", SENT, &["f32", "vec4<f32>"], "67108864", Bytes, Library("h2d_pinned"), 0.95),
    Line("device to host, 256 MiB", RECEIVED, F32, "67108864", Bytes, Library("d2h_pinned"), 0.95),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut files = std::env::args().skip(1);
    let libraries = files.next().ok_or("usage: against_libraries LIBRARIES REPORT…")?;
    let figures = figures(&std::fs::read_to_string(libraries)?);
    let mut rows: Vec<Record> = Vec::new();
    for file in files {
        rows.extend(report::reader::open(Path::new(&file))?.records);
    }
    rows.retain(|row| row.status == Status::Ok);
    println!("| what | against | Vulkan | ratio | CUDA twin | ratio | reach |\n|---|---|---|---|---|---|---|");
    for line @ Line(what, .., unit, against, reach) in LINES {
        let (name, theirs) = match *against {
            Library(name) => (name.to_owned(), figures.get(name).copied()),
            Clpeak(figure) => ("clpeak".to_owned(), Some(figure)),
        };
        let sign = if matches!(unit, Time) { "≤" } else { "≥" };
        let unit = match unit {
            Bytes => "GB/s",
            Operations => "TFLOP/s",
            Time => "µs",
        };
        let cell = |api: &str| {
            let Some(ours) = best(line, &rows, api) else { return "– | –".to_owned() };
            let ratio = theirs.map_or_else(|| "–".to_owned(), |theirs| format!("{:.3}", ours / theirs));
            format!("{} {unit} | {ratio}", short(ours))
        };
        let theirs = theirs.map_or_else(|| "not measured".to_owned(), |theirs| format!("{} {unit}", short(theirs)));
        let (vulkan, cuda) = (cell("vulkan"), cell("cuda"));
        println!("| {what} | {name}: {theirs} | {vulkan} | {cuda} | {sign} {reach:.2} |");
    }
    Ok(())
}

/// The figures of lines `name value unit`.
fn figures(text: &str) -> HashMap<String, f64> {
    let words = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.filter_map(|words| Some((words.first()?.to_string(), words.get(1)?.parse().ok()?))).collect()
}

/// The fastest row's figure, in the line's unit.
fn best(Line(_, of, dtypes, n, unit, ..): &Line, rows: &[Record], api: &str) -> Option<f64> {
    let is_selected = |row: &&Record| {
        row.api_name() == api
            && of.contains(&format!("{}/{}", row.family, row.benchmark).as_str())
            && dtypes.contains(&row.dtype_name())
            && (n.is_empty() || row.size() == *n)
    };
    let figures = rows.iter().filter(is_selected).filter_map(|row| match unit {
        Bytes => row.gb_per_s,
        Operations => Some(row.gflop_per_s? / 1e3),
        Time => Some(row.median_ns? / 1e3),
    });
    figures.max_by(|a, b| if matches!(unit, Time) { b.total_cmp(a) } else { a.total_cmp(b) })
}

fn short(figure: f64) -> String {
    if figure >= 1000.0 { format!("{figure:.0}") } else { format!("{figure:.1}") }
}
