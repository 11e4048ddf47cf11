//! docs/usage.md matches the command line and the families: `UPDATE_USAGE=1 cargo test --test suite usage::` writes it.

use crate::command::shaderbench;
use kernels::FAMILIES;
use record::suite::Tag;

const PATH: &str = "docs/usage.md";

const INTRODUCTION: &str = "\
# Commands and options

<!-- Written by tests/suite/usage.rs: UPDATE_USAGE=1 cargo test --test suite usage:: -->

[README](../README.md) has the first steps, [recordings](research/recordings) show whole runs on a terminal.
[method.md](method.md) explains how rows are measured, [reports.md](reports.md) the files.
";

fn printed(arguments: &[&str]) -> String {
    shaderbench(arguments).run().succeeds().stdout
}

fn block(language: &str, text: &str) -> String {
    format!("```{language}\n{}\n```\n", text.trim_end())
}

/// A help text from its usage to its last argument, and the texts of its own options.
fn parts(help: &str) -> (String, Vec<String>) {
    let (head, rest) = help.split_once("\nOptions:\n").expect("options");
    let mut options: Vec<String> = Vec::new();
    for line in rest.lines().take_while(|line| !line.starts_with("Example:")) {
        match options.last_mut() {
            Some(option) if !line.starts_with("  -") && !line.starts_with("      -") => {
                option.push_str(&format!("{}\n", line.trim_end()));
            }
            _ => options.push(format!("{line}\n")),
        }
    }
    let is_of_all = |option: &String| ["--color", "--quiet", "--help"].iter().any(|name| option.contains(name));
    let own = options.into_iter().map(|option| option.trim_end().to_owned()).filter(|option| !is_of_all(option));
    let lines = head.lines().skip_while(|line| !line.starts_with("Usage:"));
    (lines.map(|line| format!("{}\n", line.trim_end())).collect(), own.collect())
}

/// The name in an option's text, such as `--size`.
fn name(option: &str) -> &str {
    option.split_whitespace().find(|word| word.starts_with("--")).expect("a name")
}

/// The section of a command and its subcommands. `known` are options of another command.
fn section(path: &[&str], examples: &[(&str, &str)], known: &[String]) -> String {
    let help = printed(&[path, &["--help"]].concat());
    let about = help.split("\n\nUsage:").next().expect("a first sentence").trim_end();
    let (head, options) = parts(&help);
    let is_known = |option: &&String| known.contains(option);
    let same: Vec<String> = options.iter().filter(is_known).map(|option| format!("`{}`", name(option))).collect();
    let own: Vec<&str> = options.iter().filter(|option| !is_known(option)).map(String::as_str).collect();
    let list = if own.is_empty() { String::new() } else { format!("\nOptions:\n{}", own.join("\n\n")) };
    let mut text = format!("\n{} {}\n\n{about}\n\n", "#".repeat(path.len() + 1), path.join(" "));
    text.push_str(&block("text", &format!("{head}{list}")));
    if !same.is_empty() {
        text.push_str(&format!("\nOptions as those of [run](#run): {}.\n", same.join(", ")));
    }
    let start = format!("shaderbench {}", path.join(" "));
    let uses = examples.iter().filter(|(example, _)| path.len() == 1 && example.starts_with(&start));
    let line = |(example, meaning): &(&str, &str)| match *meaning {
        "" => format!("{example}\n"),
        meaning => format!("{example:<45} # {meaning}\n"),
    };
    let uses: String = uses.map(line).collect();
    if !uses.is_empty() {
        text.push_str(&format!("\n{}", block("sh", &uses)));
    }
    let tasks = head.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    for task in tasks {
        let task = task.split_whitespace().next().expect("a name");
        text.push_str(&section(&[path, &[task]].concat(), examples, known));
    }
    text
}

fn families() -> String {
    let mut text = String::from("\n## Families and tags\n\n`shaderbench explain FAMILY` says more.\n\n");
    text.push_str("| family | what it measures | tags |\n|---|---|---|\n");
    for family in FAMILIES {
        let tags: Vec<String> = family.tags.iter().map(|tag| format!("`{}`", Tag::name(*tag))).collect();
        let summary = family.summary.replace('|', "\\|");
        text.push_str(&format!("| `{}` | {summary} | {} |\n", family.name, tags.join(", ")));
    }
    text
}

fn page() -> String {
    let help = printed(&["help", "--all"]);
    let blocks: Vec<&str> = help.trim_end().split("\n\n").collect();
    let of = |title: &str| blocks.iter().position(|block| block.starts_with(title)).expect("a block");
    let (usage, more, options, codes) = (of("Usage:"), of("More uses:"), of("Options of"), of("Exit codes:"));
    let is_command = |line: &&str| line[2..].starts_with(|c: char| c.is_ascii_lowercase());
    let mut commands: Vec<(&str, &str)> = Vec::new();
    let mut text = format!("{INTRODUCTION}\n{}\n", block("text", &blocks[usage..usage + 2].join("\n\n")));
    for group in &blocks[usage + 2..more] {
        let (title, lines) = group.split_once('\n').expect("commands");
        let names: Vec<&str> = lines.lines().filter(is_command).filter_map(|l| l.split_whitespace().next()).collect();
        let examples = lines.lines().filter_map(|line| Some(&line[line.find("shaderbench ")?..]));
        commands.extend(names.iter().copied().zip(examples));
        let links: Vec<String> = names.iter().map(|name| format!("[{name}](#{name})")).collect();
        text.push_str(&format!("- {title} {}\n", links.join(", ")));
    }
    text.push_str(&format!("\n{}", block("text", &format!("{}\n\n{}", blocks[options], blocks[codes]))));
    let more = blocks[more].lines().skip(1).map(|line| line.trim().split_once("  ").expect("a meaning"));
    let mut uses: Vec<(&str, &str)> = commands.iter().map(|(_, example)| (*example, "")).collect();
    uses.extend(more.map(|(example, meaning)| (example, meaning.trim())));
    let (_, known) = parts(&printed(&["run", "--help"]));
    for (name, _) in &commands {
        text.push_str(&section(&[*name], &uses, if *name == "bench" { &known } else { &[] }));
    }
    let others = uses.iter().filter(|(example, _)| example.starts_with("shaderbench --"));
    let others: String = others.map(|(example, meaning)| format!("{example:<45} # {meaning}\n")).collect();
    text.push_str(&format!("\n## Completions and manual pages\n\n{}", block("sh", &others)));
    text + &families()
}

#[test]
fn the_usage_page_is_that_of_the_definitions() {
    let page = page();
    if std::env::var_os("UPDATE_USAGE").is_some() {
        std::fs::write(PATH, &page).expect("written");
    }
    let written = std::fs::read_to_string(PATH).expect("readable");
    assert!(written == page, "{PATH} is out of date: UPDATE_USAGE=1 cargo test --test suite usage:: writes it");
}
