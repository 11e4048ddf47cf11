//! `list`: every family and benchmark.

use kernels::articles::shown_by;
use record::claim::ArticleClaim;
use serde_json::{Value, json};

use super::explain::dtypes;
use super::format::Format;
use super::output::{print, print_json, say, terminal};
use super::target::apis;
use super::tour::steps_named;
use answers::report::markdown::{escape, table};
use answers::report::{families_in_reading_order, wrap};
use gpu::engine::plan::params_of;
use record::error::Result;
use record::format::distinct;
use record::suite::{Api, Benchmark, Family, Tag};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Show only families with this tag: peak, article, llm, primitive, memory or cost
    ///
    /// Repeat the option or write llm,peak for several tags.
    #[arg(long = "tag", value_name = "TAG", value_parser = Tag::parse, value_delimiter = ',')]
    tags: Vec<Tag>,
    /// Show only the benchmarks for a step or chapter of `explain`, for example D5 or D
    #[arg(long, value_name = "ID")]
    source: Option<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,
}

/// Prints the benchmarks, filtered by tags and by a step or chapter of the tour.
pub(super) fn list(arguments: &Arguments) -> Result<()> {
    let Arguments { tags, source, format } = arguments;
    let steps = source.as_deref().map(steps_named).transpose()?;
    let is_wanted = |family: &Family, benchmark: &Benchmark| {
        let shows = |step: &ArticleClaim| step.shows(family.name, benchmark.name);
        steps.as_ref().is_none_or(|steps| steps.iter().any(|step| shows(step)))
    };
    let all = families_in_reading_order()
        .into_iter()
        .filter(|family| tags.is_empty() || family.tags.iter().any(|tag| tags.contains(tag)))
        .map(|family| (family, family.benchmarks.iter().filter(|own| is_wanted(family, own)).collect()));
    let listed: Vec<Listed> = all.filter(|(_, benchmarks): &Listed| !benchmarks.is_empty()).collect();
    if let (Some(source), true) = (source, listed.is_empty()) {
        let why = match tags.is_empty() {
            true => "run `shaderbench devices` for device properties",
            false => "--tag limits the search; leave out --tag to search all families",
        };
        say(&format!("no benchmark measures {source}: {why}"));
    }
    match format {
        Format::Table => print(&plain(&listed, terminal().width)),
        Format::Markdown => print(&markdown(&listed)),
        Format::Json => {
            let objects = |(family, benchmarks): &Listed| -> Vec<Value> {
                benchmarks.iter().map(|benchmark| object(family, benchmark)).collect()
            };
            print_json(&listed.iter().flat_map(objects).collect::<Value>())
        }
    }
}

type Listed = (&'static Family, Vec<&'static Benchmark>);

fn plain(listed: &[Listed], width: usize) -> String {
    let mut text = String::new();
    for (family, benchmarks) in listed {
        text.push_str(&wrap(&format!("{}: {}", family.name, family.summary), width, "    "));
        text.push('\n');
        for benchmark in benchmarks {
            text.push_str(&entry(benchmark, width));
        }
    }
    text
}

fn entry(benchmark: &Benchmark, width: usize) -> String {
    /// Width of the names with their indent and gap.
    const NAMES: usize = 30;
    let summary = wrap(benchmark.summary, width.saturating_sub(NAMES).max(20), "");
    let title = format!("  {} ", benchmark.name);
    // A long name has its own line.
    let above = if title.len() > NAMES { format!("  {}\n", benchmark.name) } else { String::new() };
    let line = |(index, line): (usize, &str)| {
        let name = if index == 0 && above.is_empty() { title.as_str() } else { "" };
        format!("{name:<NAMES$}{line}\n")
    };
    let lines: String = summary.lines().enumerate().map(line).collect();
    above + lines.as_str()
}

fn markdown(listed: &[Listed]) -> String {
    let section = |(family, benchmarks): &Listed| {
        let row = |benchmark: &&Benchmark| vec![benchmark.name.to_owned(), benchmark.summary.to_owned()];
        let rows: Vec<_> = benchmarks.iter().map(row).collect();
        let table = table(&["benchmark", "description"].map(str::to_owned), &[false, false], &rows);
        format!("### {}\n\n{}\n\n{table}", escape(family.name), escape(family.summary))
    };
    listed.iter().map(section).collect::<Vec<_>>().join("\n")
}

fn object(family: &Family, benchmark: &Benchmark) -> Value {
    let is_runnable = |api: &Api| match api {
        // CUDA runs benchmarks with CUDA code, and copies, which need no kernel.
        Api::Cuda => !benchmark.cuda.is_empty() || benchmark.wgsl.is_empty(),
        Api::Vulkan if !benchmark.spirv.is_empty() => true,
        _ => benchmark.only_cuda.is_none(),
    };
    let backends: Vec<_> = apis().into_iter().filter(is_runnable).map(Api::name).collect();
    json!({
        "family": family.name,
        "benchmark": benchmark.name,
        "summary": benchmark.summary,
        "sources": shown_by(family.name, benchmark.name).iter().flat_map(|step| std::iter::once(&step.id).chain(step.also)).collect::<Vec<_>>(),
        "tags": family.tags.iter().map(|tag| tag.name()).collect::<Vec<_>>(),
        "dtypes": dtypes(benchmark),
        "sizes": distinct(benchmark.cases.iter().flat_map(|cases| cases.extents).map(ToString::to_string)),
        "params": params_of(benchmark),
        "ceiling": benchmark.ceiling.map(record::suite::Limit::name),
        "backends": backends,
    })
}
