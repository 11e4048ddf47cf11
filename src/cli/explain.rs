//! `explain`: what benchmarks measure, how to read their numbers, their newest results, and the tour of the articles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};

use super::format::Format;
use super::interrupt;
use super::output::{print, print_json};
use super::references::is_example;
use super::reports::{example_report, named_or_newest, or_meant};
use super::tour::{COLUMNS, GLOSSARY, is_step, measure, steps_named};
use answers::articles::GLOSSARY as TERMS;
use answers::articles::{self, StepData, glossary, sides, terms_named};
use answers::compare::Report;
use answers::cost::{BesideLibrary, libraries};
use answers::facts::facts;
use answers::fastest::{Choice, choice, choices};
use answers::report::column_list;
use answers::report::json::columns;
use answers::report::{self, Medium, Part, Section, lay_out, toolchains};
use gpu::engine::plan::{params_of, select};
use kernels::FAMILIES;
use kernels::articles::{shown_by, steps};
use record::claim::ArticleClaim;
use record::error::{Result, usage};
use record::format::{distinct, joined};
use record::suite::{Benchmark, Case, Family, Limit, Params, Shape, binary_size};
use record::{Record, is_software};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Benchmarks, families, globs, steps (D5), glossary or columns [default: all steps]
    ///
    /// A name is a benchmark (transpose/tiled), a family (transpose), a glob ('*/vec4*'), or a chapter (D) or step (D5)
    /// of the tour of five articles on CUDA memory. `glossary` lists CUDA terms and their WGSL names, `columns` the
    /// columns of a report; a term (warp) or a column (drift) shows only its own entry. A file name selects a report,
    /// like --report.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Report to read, or h100 for a built-in example [default: the newest in reports/, then in results/]
    ///
    /// The default is the newest report with rows of most of these benchmarks. h100 is a built-in report of an NVIDIA
    /// H100.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Measure these benchmarks first, with profile quick
    #[arg(long, conflicts_with = "report")]
    run: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,
}

/// The meaning of the names on the command line.
struct Wanted {
    steps: Vec<&'static ArticleClaim>,
    selected: Vec<(&'static Family, &'static Benchmark)>,
    /// Whether a name selects kernels rather than families.
    is_by_kernel: bool,
    report: Option<PathBuf>,
}

impl Wanted {
    fn of(arguments: &Arguments) -> Result<Self> {
        let (mut steps, mut filters): (Vec<&'static ArticleClaim>, Vec<String>) = (Vec::new(), Vec::new());
        let mut reports: Vec<PathBuf> = arguments.report.iter().cloned().collect();
        for name in &arguments.names {
            let path = Path::new(name);
            if is_step(name) {
                steps.extend(steps_named(name).map_err(|error| or_meant(error, &arguments.names))?);
            } else if path.is_file() || is_example(path) {
                reports.push(path.to_owned());
            } else {
                filters.push(name.clone());
            }
        }
        if reports.len() + usize::from(arguments.run) > 1 {
            return Err(usage!("explain reads one report: name only one file, or use --run without a file"));
        }
        // Without a filter, `select` would return every benchmark.
        let unknown = |error| or_meant(error, &filters);
        let selected = if filters.is_empty() { Vec::new() } else { select(&filters).map_err(unknown)? };
        let is_by_kernel = filters.iter().any(|name| name.contains('/'));
        Ok(Self { steps, selected, is_by_kernel, report: reports.pop() })
    }

    fn is_list(&self) -> bool {
        self.steps.is_empty() && self.selected.is_empty()
    }

    fn steps(&self) -> Vec<&'static ArticleClaim> {
        if self.is_list() { steps() } else { self.steps.clone() }
    }

    fn selected_names(&self) -> Vec<String> {
        self.selected.iter().map(|(family, benchmark)| format!("{}/{}", family.name, benchmark.name)).collect()
    }

    /// The benchmarks of the steps and of the selection.
    fn kernels(&self) -> BTreeSet<String> {
        let of_steps = self.steps().into_iter().flat_map(|step| step.kernels).map(|kernel| (*kernel).to_owned());
        of_steps.chain(self.selected_names()).collect()
    }
}

pub(super) fn explain(arguments: &Arguments) -> Result<u8> {
    let medium = arguments.format.medium();
    let (terms, columns) = match arguments.names.as_slice() {
        [name] if name == GLOSSARY => (TERMS.to_vec(), Vec::new()),
        [name] if name == COLUMNS => (Vec::new(), column_list::named(None)),
        [name] if !is_step(name) && select(std::slice::from_ref(name)).is_err() => {
            (terms_named(name), column_list::named(Some(name)))
        }
        _ => Default::default(),
    };
    if !terms.is_empty() {
        let printed = medium.map_or_else(|| print_json(&terms), |medium| print(&glossary(&terms, medium)));
        return printed.map(|()| 0);
    }
    if !columns.is_empty() {
        let printed =
            medium.map_or_else(|| print_json(&columns), |medium| print(&column_list::table(&columns, medium)));
        return printed.map(|()| 0);
    }
    let mut wanted = Wanted::of(arguments)?;
    let (steps, kernels) = (wanted.steps(), wanted.kernels());
    let mut code = 0;
    if arguments.run {
        (code, wanted.report) = measure(&steps, &wanted.selected_names())?;
        if code == interrupt::EXIT_CODE {
            return Ok(code);
        }
    }
    // Without kernels any row will do: device properties are in every row.
    let is_wanted = |row: &Record| kernels.is_empty() || kernels.contains(&row.name());
    let mut measured = named_or_newest(wanted.report.as_deref(), is_wanted)?;
    if measured.is_none() && arguments.run {
        measured = Some(example_report()?);
    }
    let measured = measured.as_ref();
    let is_undecided = steps.iter().any(|step| step.is_timing)
        && measured.is_some_and(|measured| measured.records.first().is_some_and(is_software));
    let beside = if is_undecided { Some(example_report()?) } else { None };
    let Some(medium) = medium else {
        return print_json(&data(&steps, &wanted.selected, measured)).map(|()| code);
    };
    let (whose, sides) = super::tour::beginning(measured, beside.as_ref());
    let mut tour = match wanted.steps.as_slice() {
        _ if wanted.is_list() => super::tour::all(&sides),
        [] => Vec::new(),
        steps => super::tour::each(steps, &sides),
    };
    if !tour.is_empty() {
        tour.insert(0, whose);
    }
    let mut blocks: Vec<String> = tour.into_iter().map(|parts| lay_out(parts, medium)).collect();
    for family in FAMILIES {
        let of_family = wanted.selected.iter().filter(|(of, _)| of.name == family.name);
        let benchmarks: Vec<&'static Benchmark> = of_family.map(|(_, benchmark)| *benchmark).collect();
        if !benchmarks.is_empty() {
            let is_page = !wanted.is_by_kernel && benchmarks.len() == family.benchmarks.len();
            let all = of_benchmarks(family, &benchmarks, measured);
            let head = |rows: &[&Record]| -> Vec<String> {
                let parts = described(family, &benchmarks, is_page, choice(family, rows)).into_iter();
                parts.map(|parts| lay_out(parts, medium)).collect()
            };
            let whole = head(&all);
            let is_long = is_page && whole[0].lines().count() > PAGE / 2;
            let first: Vec<&Record> = all.iter().copied().filter(|row| row.backend == all[0].backend).collect();
            blocks.extend(if is_long { head(&first) } else { whole });
            let above = blocks.last().map_or(0, |head| head.lines().count() + 1);
            let text = match measured.filter(|_| !all.is_empty()) {
                Some(report) => {
                    let text = |shown: &[&Record]| {
                        lay_out(rows(family, &benchmarks, &report.name, [&all, shown], medium, is_page), medium)
                    };
                    let fits = |rows: &[&Record]| !is_page || above + text(rows).lines().count() <= PAGE;
                    text(&fitting(&all, fits))
                }
                None => lay_out(vec![not_measured(family, &benchmarks, wanted.report.as_deref())], medium),
            };
            blocks.push(text);
        }
    }
    print(&blocks.join("\n"))?;
    Ok(code)
}

/// The JSON output of `explain`.
#[derive(Serialize)]
struct Explained<'a> {
    report: Option<Source<'a>>,
    steps: Vec<StepData>,
    benchmarks: Vec<Described>,
    /// Only of families whose benchmarks are all explained.
    findings: Vec<Found<'a>>,
    /// The fastest kernels of the same families.
    choices: Vec<Choice<'a>>,
    /// Their kernels compared with the vendor's library.
    libraries: Vec<BesideLibrary<'a>>,
}

#[derive(Serialize)]
struct Source<'a> {
    path: &'a str,
    device: &'a str,
    date: &'a str,
}

#[derive(Serialize)]
struct Described {
    family: &'static str,
    benchmark: &'static str,
    summary: &'static str,
    /// The nonempty texts of the printed explanation, by label.
    #[serde(flatten)]
    texts: BTreeMap<String, String>,
    dtypes: Vec<&'static str>,
    params: Vec<String>,
    /// As in the JSON report of a run.
    rows: Vec<Map<String, Value>>,
}

#[derive(Serialize)]
struct Found<'a> {
    family: &'static str,
    api: &'static str,
    compiler: &'a str,
    text: String,
    values: Vec<articles::Value>,
}

fn data<'a>(
    steps: &[&'static ArticleClaim],
    selected: &[(&'static Family, &'static Benchmark)],
    measured: Option<&'a Report>,
) -> Explained<'a> {
    let records = measured.map_or(&[][..], |measured| &measured.records);
    let sides = sides(records);
    let source = |measured: &'a Report| {
        let first = measured.records.first()?;
        Some(Source { path: &measured.name, device: &first.device, date: &first.date })
    };
    let mut explained = Explained {
        report: measured.and_then(source),
        steps: steps.iter().map(|step| articles::data(step, &sides)).collect(),
        benchmarks: Vec::new(),
        findings: Vec::new(),
        choices: Vec::new(),
        libraries: Vec::new(),
    };
    for (family, benchmark) in selected {
        let texts = fields(family, benchmark).into_iter().filter(|(_, text)| !text.is_empty());
        explained.benchmarks.push(Described {
            family: family.name,
            benchmark: benchmark.name,
            summary: benchmark.summary,
            texts: texts.map(|(label, text)| (label.replace(' ', "_"), text)).collect(),
            dtypes: dtypes(benchmark),
            params: params_of(benchmark),
            rows: records.iter().filter(|row| is_of(row, family, benchmark)).map(columns).collect(),
        });
    }
    for family in FAMILIES {
        let count = selected.iter().filter(|(of, _)| of.name == family.name).count();
        if count != family.benchmarks.len() {
            continue;
        }
        let rows: Vec<&Record> = records.iter().filter(|row| row.family == family.name).collect();
        let found = report::findings(family.name, &rows).into_iter().map(|(toolchain, finding)| Found {
            family: family.name,
            api: toolchain.api.name(),
            compiler: toolchain.foreign(),
            text: finding.text(),
            values: articles::values(finding.values().cloned().collect()),
        });
        explained.findings.extend(found);
        explained.choices.extend(choices(family, &rows));
        explained.libraries.extend(libraries(family, &rows));
    }
    explained
}

fn is_of(row: &Record, family: &Family, benchmark: &Benchmark) -> bool {
    row.family == family.name && row.benchmark == benchmark.name
}

/// Most lines of a family's page.
const PAGE: usize = 60;

/// Most kernels that a family's page names.
const NAMED: usize = 40;

/// The rows that fit: all; those of the largest size per type and API; of the first type and API; or the first ones.
fn fitting<'a>(all: &[&'a Record], fits: impl Fn(&[&Record]) -> bool) -> Vec<&'a Record> {
    let side = |row: &Record| (row.backend, row.dtype);
    let mut found = all.to_vec();
    if !fits(&found) {
        found.retain(|row| all.iter().filter(|other| side(other) == side(row)).all(|other| other.n <= row.n));
    }
    if !fits(&found) {
        found.retain(|row| side(row) == side(all[0]));
    }
    while found.len() > 1 && !fits(&found) {
        found.pop();
    }
    found
}

/// Refers to the rows that a page has no room for.
fn more_rows(rest: usize, family: &Family) -> Option<Part> {
    let kernel = family.benchmarks.first()?.name;
    let text = format!("{rest} more: `shaderbench explain {}/{kernel}` shows all rows of a kernel", family.name);
    (rest > 0).then_some(Part::Field { label: "rows", text })
}

/// The page of a family, with its fastest kernels; or a page for each benchmark.
fn described(
    family: &'static Family,
    benchmarks: &[&'static Benchmark],
    is_page: bool,
    choice: Vec<Part>,
) -> Vec<Vec<Part>> {
    if is_page {
        let heading = Part::Heading { name: family.name.to_owned(), rest: family.summary.to_owned() };
        let model = Part::Field { label: "model", text: family.model_text.to_owned() };
        let kernel = benchmarks[0].name;
        let names = if benchmarks.len() > NAMED {
            format!("{} kernels", benchmarks.len())
        } else {
            joined(benchmarks.iter().map(|benchmark| benchmark.name), ", ")
        };
        let names = format!("{names}; `shaderbench explain {}/{kernel}` describes one kernel", family.name);
        let kernels = Part::Field { label: "kernels", text: names };
        return vec![[heading].into_iter().chain(choice).chain([model, kernels]).collect()];
    }
    let one = |benchmark: &&'static Benchmark| {
        let name = format!("{}/{}", family.name, benchmark.name);
        let fields = fields(family, benchmark);
        let fields = fields.into_iter().filter(|(_, text)| !text.is_empty());
        let fields = fields.map(|(label, text)| Part::Field { label, text });
        [Part::Heading { name, rest: benchmark.summary.to_owned() }].into_iter().chain(fields).collect()
    };
    benchmarks.iter().map(one).collect()
}

/// The texts about a benchmark, by label; a text may be empty.
pub(super) fn fields(family: &'static Family, benchmark: &'static Benchmark) -> Vec<(&'static str, String)> {
    let header = kernels::header(benchmark);
    let apis = if benchmark.spirv.is_empty() { "CUDA" } else { "CUDA and Vulkan" };
    let alone = benchmark.only_cuda.map_or_else(String::new, |why| format!("Only in {apis}: {why}."));
    vec![
        ("does", header.what),
        ("pattern", header.pattern),
        ("work", format!("{} {}", header.work, example(family, benchmark)).trim().to_owned()),
        ("model", family.model_text.to_owned()),
        ("ceiling", ceiling(family, benchmark)),
        ("look for", header.look_for),
        ("limits", header.limits),
        ("answers", answers(family, benchmark)),
        ("options", options(benchmark)),
        ("note", alone),
    ]
}

/// The measured peaks that the benchmark's rows are compared with, or why there are none.
fn ceiling(family: &'static Family, benchmark: &'static Benchmark) -> String {
    if benchmark.ceiling.is_none() && !benchmark.no_ceiling.is_empty() {
        return format!("no measured limit: {}", benchmark.no_ceiling);
    }
    let limits = distinct(largest_cases(family, benchmark).iter().flat_map(Case::limits));
    let rest = if limits.len() > 1 { ", whichever takes longer" } else { "" };
    let limits: Vec<&str> = limits.into_iter().map(limited).collect();
    if limits.is_empty() { "no measured limit".to_owned() } else { format!("{}{rest}", limits.join(", or ")) }
}

/// The benchmark's representative cases of its first type, with all parameters, at the largest size.
fn largest_cases(family: &'static Family, benchmark: &'static Benchmark) -> Vec<Case> {
    let (dtypes, extents, sets) = benchmark.representative();
    let params = |set: &Params| set.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let shape = |set: &Params| Shape::new(dtypes[0], extents[extents.len() - 1], params(set));
    sets.iter().map(|set| Case::new(family, benchmark, shape(set))).collect()
}

/// Bytes and operations of the first of the largest cases.
fn example(family: &'static Family, benchmark: &'static Benchmark) -> String {
    let case = &largest_cases(family, benchmark)[0];
    let work = case.work();
    let bytes = (work.bytes > 0).then(|| binary_size(work.bytes));
    let flops = (work.flops > 0).then(|| format!("{} operations", grouped(work.flops)));
    let counted: Vec<String> = bytes.into_iter().chain(flops).collect();
    if counted.is_empty() {
        return String::new();
    }
    let params = format!(" {}", case.params_text());
    format!("At {} {}{}: {}.", case.shape.dtype.name(), case.shape.extent, params.trim_end(), counted.join(", "))
}

/// A number with commas as thousands separators.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let parts: Vec<_> = digits.as_bytes().rchunks(3).rev().map(|part| String::from_utf8_lossy(part)).collect();
    parts.join(",")
}

const fn limited(limit: Limit) -> &'static str {
    match limit {
        Limit::Copy => "copying the same number of bytes (ceiling/copy with the same working set)",
        Limit::Read => "reading the same number of bytes (ceiling/read and read_tree with the same working set)",
        Limit::Fill => "writing the same number of bytes (ceiling/fill with the same working set)",
        Limit::Fma => "multiply-adds of the same type (ceiling/fma and similar)",
        Limit::Tensor => "f16 matrix products on tensor cores (the fastest f16 kernel)",
        Limit::TensorBf16 => "bf16 matrix products on tensor cores (the fastest bf16 kernel)",
        Limit::TensorTf32 => "tf32 matrix products on tensor cores (the fastest tf32 kernel)",
        Limit::TensorFp8 => "fp8 matrix products on tensor cores (the fastest fp8 kernel)",
        Limit::TensorInt8 => "8-bit integer matrix products on tensor cores (the fastest 8-bit integer kernel)",
        Limit::Workgroup => "reading workgroup memory (ceiling/workgroup_read)",
        Limit::Launch => "an empty launch (ceiling/launch)",
    }
}

/// The articles' claims that the kernel tests: `D6 (the transpose through a shared tile)`.
fn answers(family: &Family, benchmark: &Benchmark) -> String {
    let shown = shown_by(family.name, benchmark.name).into_iter();
    shown.map(|step| format!("{} ({})", step.id, step.title)).collect::<Vec<_>>().join("; ")
}

pub(super) fn dtypes(benchmark: &Benchmark) -> Vec<&'static str> {
    distinct(benchmark.cases.iter().flat_map(|cases| cases.dtypes).map(|dtype| dtype.name()))
}

fn options(benchmark: &Benchmark) -> String {
    let params = params_of(benchmark);
    let with = if params.is_empty() { String::new() } else { format!("; --param {}", params.join(", ")) };
    format!("{}{with}", dtypes(benchmark).join(", "))
}

/// A line for benchmarks without rows in the named report, or in any.
fn not_measured(family: &Family, benchmarks: &[&Benchmark], report: Option<&Path>) -> Part {
    let name = if let [one] = benchmarks { format!("{}/{}", family.name, one.name) } else { family.name.to_owned() };
    let nothing = report.map_or_else(|| "no rows yet".to_owned(), |path| format!("no rows in {}", path.display()));
    let text = format!("{nothing}: run `shaderbench run {name}`; `--report h100` shows an NVIDIA H100's rows");
    Part::Field { label: "measured", text }
}

/// The benchmarks' rows, sorted.
fn of_benchmarks<'a>(family: &Family, benchmarks: &[&Benchmark], measured: Option<&'a Report>) -> Vec<&'a Record> {
    let is_selected = |row: &&Record| benchmarks.iter().any(|benchmark| is_of(row, family, benchmark));
    let records = measured.map_or(&[][..], |measured| &measured.records);
    let mut rows: Vec<&Record> = records.iter().filter(is_selected).collect();
    report::sort_rows(&mut rows, family.is_by_kernel);
    rows
}

/// Rows of the benchmarks, their findings, and the comparison with the vendor's library, in the format of `run`. A
/// family's page leaves out what the driver reports about single kernels.
fn rows(
    family: &'static Family,
    benchmarks: &[&Benchmark],
    report_name: &str,
    [rows, shown]: [&[&Record]; 2],
    medium: Medium,
    is_page: bool,
) -> Vec<Part> {
    let date = rows[0].date.get(..10).unwrap_or(&rows[0].date);
    let toolchains = toolchains(rows.iter().copied());
    let names = toolchains.iter().map(|toolchain| toolchain.title()).collect::<Vec<_>>().join(" and ");
    let summary = format!("{}, {names}, {date} ({report_name})", rows[0].device);
    // Findings are per family.
    let is_whole = benchmarks.len() == family.benchmarks.len();
    let mut findings = if is_whole { report::findings(family.name, rows) } else { Vec::new() };
    findings.retain(|(toolchain, _)| shown.iter().any(|row| row.toolchain() == Some(*toolchain)));
    let is_by_kernel = family.is_by_kernel;
    let section = Section { title: "measured", summary: &summary, findings, is_by_kernel, rows: shown.to_vec() };
    let libraries = if is_whole { libraries(family, rows) } else { Vec::new() };
    let libraries = libraries.iter().map(|of| Part::Field { label: "library", text: of.text() });
    let is_of_page = |fact: &Part| !(is_page && matches!(fact, Part::Field { label: "compiled", .. }));
    let facts = facts(benchmarks, rows).into_iter().filter(is_of_page);
    let more = more_rows(rows.len() - shown.len(), family);
    answers::section(&section, medium).into_iter().chain(facts).chain(libraries).chain(more).collect()
}
