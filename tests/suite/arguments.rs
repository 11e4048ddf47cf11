//! The command line: values that options and filters accept, and texts that fit 80 columns.

use crate::command::{Folder, Output, has_device, is_installed, program, shaderbench, shaderbench_in_empty_folder};
use crate::terminal::without_colors;

/// The commands in the groups of the help, each with its example.
fn commands(help: &str) -> Vec<(String, String)> {
    let is_named = |line: &&str| line.starts_with("  ") && line[2..].starts_with(|c: char| c.is_ascii_lowercase());
    let lines: Vec<&str> = help.lines().collect();
    let starts =
        (0..lines.len()).filter(|index| is_named(&lines[*index]) && !lines[*index].starts_with("  shaderbench"));
    let entry = |index: usize| {
        let name = lines[index].split_whitespace().next().unwrap_or_default();
        // The example ends the line, or is on the next one.
        let example = lines[index..].iter().find_map(|line| line.find("shaderbench ").map(|at| &line[at..]));
        (name.to_owned(), example.expect("an example").to_owned())
    };
    starts.map(entry).collect()
}

#[track_caller]
fn assert_fits_80_columns(text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{} columns: {line}\n{text}", line.chars().count());
    }
}

#[test]
fn size_and_param_take_one_value_each_or_several_by_commas() {
    let padded = shaderbench(&["show", "--lang", "hlsl", "--param", "PAD=1", "transpose/tiled"]).run().succeeds();
    assert!(padded.stdout.contains("groupshared float tile[1056]"), "{padded}");
    let two = shaderbench(&["show", "--lang", "cuda", "--param", "SLOTS=64,WG=32", "atomics/spread"]).run().succeeds();
    assert!(two.stdout.contains("#define SLOTS 64u") && two.stdout.contains("#define WG 32u"), "{two}");
    // The argument after a value is a filter.
    shaderbench_in_empty_folder(&["run", "--size", "2^16", "2^17", "--dry-run"])
        .fails_with(2, "there is no family or benchmark '2^17'");
    if !has_device() {
        return;
    }
    for arguments in [
        &["--size", "2^10", "--size", "2^11", "reduction/sequential"][..],
        &["--size", "2^10,2^11", "reduction/sequential"],
    ] {
        let output = shaderbench_in_empty_folder(&[&["run", "--dry-run"], arguments].concat()).succeeds();
        for case in ["reduction/sequential f32 1024\n", "reduction/sequential f32 2048\n"] {
            assert!(output.stdout.contains(case), "{output}");
        }
        assert!(!output.stdout.contains("transpose"), "{output}");
    }
}

#[test]
fn a_part_of_a_name_selects_every_benchmark_that_contains_it() {
    let shown = shaderbench(&["show", "tiled_vec"]).run();
    let full = shaderbench(&["show", "transpose/tiled_vec4"]).run().succeeds();
    assert_eq!(shown.succeeds().stdout, full.stdout);
    let several = shaderbench(&["show", "tiled"]).run().exits_with(2);
    for name in ["transpose/tiled, ", "matmul/tiled"] {
        assert!(several.stderr.contains(name), "{several}");
    }
    let like = "did you mean 'transpose/tiled', 'matmul/tiled' or 'attention/tiled'?";
    shaderbench(&["show", "tield"]).run().fails_with(2, like);
    shaderbench(&["show", "transpose/registres"]).run().fails_with(2, "did you mean 'transpose/registers'?");
    let like = "did you mean 'matmul/cooperative' or 'attention/cooperative'?";
    shaderbench(&["show", "transpose/cooperative"]).run().fails_with(2, like);
    if has_device() {
        let run = |filter: &str| shaderbench_in_empty_folder(&["run", filter, "--dry-run", "--profile", "quick"]);
        let output = run("tiled").succeeds();
        assert!(output.stdout.contains("matmul/tiled ") && output.stdout.contains("transpose/tiled "), "{output}");
        assert!(!output.stdout.contains("scan/"), "{output}");
        let note = "no family is named 'tiled'; running the benchmarks whose names contain it: transpose/tiled, ";
        assert!(output.stderr.contains(note), "{output}");
        // A family's full name is no partial match.
        assert!(!run("scan").succeeds().stderr.contains("names contain it"));
    }
}

#[test]
fn a_part_of_a_name_selects_rows_to_compare() {
    let folder = Folder::new();
    for name in ["a.csv", "b.csv"] {
        let row = |benchmark: &str| format!("transpose,{benchmark},ok,{name}\n");
        folder.write(name, format!("family,benchmark,status,device\n{}{}", row("tiled"), row("naive")));
    }
    let compared = |filter: &str| folder.run(&["compare", "a.csv", "b.csv", filter]);
    let output = compared("tile").succeeds();
    assert!(!output.stdout.contains("naive"), "{output}");
    compared("tilt").fails_with(2, "did you mean 'transpose/tiled'?");
}

#[test]
fn help_fits_80_columns_and_is_short() {
    let help = shaderbench(&["--help"]).run().succeeds().stdout;
    assert_eq!(help, shaderbench(&["-h"]).run().succeeds().stdout);
    assert_eq!(help, shaderbench(&["help"]).run().succeeds().stdout);
    let all = shaderbench(&["help", "--all"]).run().succeeds().stdout;
    assert!(help.lines().count() <= 40, "{help}");
    assert_eq!(commands(&help), commands(&all));
    assert_fits_80_columns(&help);
    assert_fits_80_columns(&all);
    for (command, example) in commands(&all) {
        let short = shaderbench(&[&command, "-h"]).run().succeeds().stdout;
        assert_fits_80_columns(&short);
        assert!(short.lines().count() <= 40, "{} lines of {command}\n{short}", short.lines().count());
        assert!(short.ends_with(&format!("Example: {example}\n")), "{short}");
        let long = shaderbench(&[&command, "--help"]).run().succeeds().stdout;
        assert_fits_80_columns(&long);
        assert_eq!(shaderbench(&["help", &command]).run().succeeds().stdout, long);
    }
    shaderbench(&["help", "sumary"]).run().fails_with(2, "there is no command 'sumary'");
}

#[test]
fn every_example_of_the_help_is_accepted() {
    let help = shaderbench(&["help", "--all"]).run().succeeds().stdout;
    // Two spaces or more separate a use from its meaning.
    let uses = help.lines().filter_map(|line| line.strip_prefix("  shaderbench ")?.split("  ").next());
    let uses: Vec<String> = uses.filter(|text| !text.is_empty()).map(|text| format!("shaderbench {text}")).collect();
    assert!(uses.len() > 12, "{help}");
    for example in commands(&help).into_iter().map(|(_, example)| example).chain(uses) {
        let arguments: Vec<&str> = example.split(' ').skip(1).filter(|word| !word.is_empty()).collect();
        let is_run = ["run", "transpose"].contains(&arguments[0]);
        let arguments = if is_run { [&arguments[..], &["--dry-run"]].concat() } else { arguments };
        // Without a device, arguments are parsed and nothing is measured.
        let folder = Folder::new();
        let output = folder.shaderbench(&arguments).without_devices().run();
        for mistake in ["unexpected argument", "invalid value", "there is no", "unrecognized"] {
            let is_of_device = output.stderr.contains("there is no device");
            assert!(!output.stderr.contains(mistake) || is_of_device, "{output}");
        }
    }
}

#[test]
fn an_expected_name_is_answered_with_what_does_its_work() {
    let output = shaderbench_in_empty_folder(&["merge", "x", "--format", "y"]).exits_with(2);
    let sentence = "error: there is no command 'merge': use `shaderbench report DIR -o all.csv.gz`";
    assert_eq!(output.sole_error(), sentence);
}

#[test]
fn options_stand_behind_their_command() {
    for arguments in [&["--size", "4", "list"][..], &["bench", "--size", "4", "init", "x"]] {
        let sentence = "--size goes after the command: `";
        shaderbench_in_empty_folder(arguments).fails_with(2, sentence);
    }
    let folder = Folder::new();
    folder.run(&["-q", "bench", "init", "mine"]).succeeds();
    folder.run(&["bench", "-q", "init", "other"]).succeeds();
}

#[test]
fn a_command_line_without_a_command_runs_benchmarks_or_shows_a_report() {
    let folder = Folder::new();
    let report = "results/nvidia-h200/2026-11-30-vulkan.csv";
    folder.write("r.csv", std::fs::read(report).expect("a report"));
    folder.write("reports/a.csv", std::fs::read(report).expect("a report"));
    let summary = folder.run(&["summary", "r.csv"]).succeeds().stdout;
    assert_eq!(folder.run(&["r.csv"]).succeeds().stdout, summary);
    assert_eq!(folder.run(&["--color", "never", "r.csv"]).succeeds().stdout, summary);
    assert_eq!(folder.run(&["--color=never", "summary", "r.csv"]).succeeds().stdout, summary);
    let of_folder = folder.run(&["reports/"]).succeeds().stdout;
    assert_eq!(of_folder, summary.replace("r.csv", "reports/a.csv"));
    assert_eq!(folder.run(&["h100"]).succeeds().stdout, folder.run(&["summary", "h100"]).succeeds().stdout);
    folder.run(&["none.csv"]).fails_with(1, "cannot read 'none.csv'");
    folder.run(&["r.csv", "--profile", "quick"]).fails_with(2, "r.csv is a report, but --profile is an option of");
    folder
        .run(&["--profile", "quick", "summary", "r.csv"])
        .fails_with(2, "goes after the command: `summary --profile`");
    folder.write("mine.wgsl", "");
    folder.run(&["mine.wgsl"]).fails_with(2, "mine.wgsl is a kernel: `shaderbench bench mine.wgsl` measures it");
    for (word, command) in [("sumary", "summary"), ("comapre", "compare"), ("rnu", "run")] {
        let sentence = format!("error: there is no command '{word}': did you mean `{command}`?");
        assert_eq!(folder.run(&[word]).exits_with(2).sole_error(), sentence);
    }
    folder.run(&["tranpose"]).fails_with(2, "did you mean 'transpose'?");
}

#[test]
fn a_run_without_filters_is_quick_and_with_filters_standard_on_a_gpu() {
    if !has_device() {
        return;
    }
    let is_software = shaderbench_in_empty_folder(&["devices"]).stdout.contains("llvmpipe");
    let usual = if is_software { "quick" } else { "standard" };
    for (arguments, profile) in [
        (&[][..], "quick"),
        (&["run"], "quick"),
        (&["transpose"], usual),
        (&["run", "--tag", "peak"], usual),
        (&["run", "--profile", "standard"], "standard"),
    ] {
        let output = shaderbench_in_empty_folder(&[arguments, &["--dry-run"]].concat()).succeeds();
        assert!(output.stdout.contains(&format!(" cases, profile {profile}, on ")), "{output}");
    }
}

#[test]
fn quiet_commands_print_results_and_errors_alone() {
    let folder = Folder::new();
    let output = folder.run(&["list", "--source", "C5", "--quiet"]).succeeds();
    assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{output}");
    folder.run(&["-q", "summary", "none.csv"]).fails_with(1, "cannot read 'none.csv'");
    if !has_device() {
        return;
    }
    let arguments = ["run", "ceiling/launch", "--profile", "quick", "-q", "-o", "r.csv", "--fail-on", "wrong"];
    let output = folder.run(&arguments).succeeds();
    assert!(output.stdout.contains("launch"), "{output}");
    // A driver may print lines of its own.
    for note in ["timing by", "1 case", "rows in"] {
        assert!(!output.stderr.contains(note), "{output}");
    }
    assert!(!folder.records("r.csv").is_empty());
}

#[test]
fn colors_are_for_terminals_that_have_them_unless_the_user_says_otherwise() {
    let piped = |color: &[&str]| {
        let output = shaderbench_in_empty_folder(&[&["summary", "h100"], color].concat()).succeeds();
        output.stdout.contains('\u{1b}')
    };
    assert_eq!([piped(&[]), piped(&["--color", "auto"]), piped(&["--color=always"])], [false, false, true]);
    shaderbench(&["summary", "h100", "--color", "pink"]).run().exits_with(2);
    if !is_installed("script") {
        return;
    }
    let on_terminal = |term: &str, arguments: &str| {
        let line = format!("stty cols 80 rows 24; exec \"$SHADERBENCH\" {arguments}");
        let terminal = program("script").args(&["-qec", &line, "/dev/null"]).env("TERM", term).env("CI", "true");
        let output = terminal.env("SHADERBENCH", env!("CARGO_BIN_EXE_shaderbench")).env("NO_COLOR", "").run();
        output.succeeds().stdout.contains('\u{1b}')
    };
    for arguments in ["summary h100", "--help", "compare h100 --help"] {
        assert!(!on_terminal("dumb", arguments), "{arguments}");
        assert!(!on_terminal("xterm", &format!("{arguments} --color never")), "{arguments}");
    }
    assert!(on_terminal("xterm", "summary h100") && on_terminal("dumb", "summary h100 --color always"));
    if has_device() {
        let run = "run ceiling/launch --profile quick --fail-on wrong --out /dev/null";
        assert!(!on_terminal("dumb", run) && on_terminal("xterm", run));
    }
}

#[test]
fn list_breaks_at_words_within_the_width() {
    let listed = shaderbench(&["list"]).run().succeeds().stdout;
    assert_fits_80_columns(&listed);
    let wide = shaderbench(&["list"]).env("COLUMNS", "400").run().succeeds().stdout;
    assert!(wide.lines().any(|line| line.chars().count() > 80), "nothing to break:\n{wide}");
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&listed), words(&wide));
    // Continued summaries stay in their column.
    let is_headed = |line: &&str| !line.starts_with("    ") || line.starts_with("     ");
    assert!(listed.lines().filter(is_headed).count() > 80, "{listed}");
}

#[test]
fn messages_beside_the_progress_bar_break_at_words() {
    if !has_device() || !is_installed("script") {
        return;
    }
    let folder = Folder::new();
    let original = include_str!("../../shaders/transpose/tiled.wgsl");
    folder.write("transpose/tiled.wgsl", original.replace("corner.yx", "corner.xy"));
    let line =
        "stty cols 80 rows 40; exec \"$SHADERBENCH\" run transpose/tiled --profile quick --size 96x64 --shaders .";
    let terminal = program("script").args(&["-qec", line, "/dev/null"]).folder(&folder.path("."));
    let output: Output = terminal.env("SHADERBENCH", env!("CARGO_BIN_EXE_shaderbench")).env("TERM", "xterm").run();
    let screen = without_controls(&output.stdout);
    assert!(screen.contains("wrong: element"), "{screen}");
    let is_whole = |line: &str| line.trim_end().ends_with("transpose/tiled f32 96x64 PAD=1");
    assert!(screen.lines().any(is_whole), "the bar cuts the case's name\n{screen}");
    // A message over the bar is padded to its last line's end, and the terminal wraps. Bundle paths cannot be broken.
    for line in screen.lines().filter(|line| !line.contains("-wrong/")) {
        let line: Vec<char> = line.chars().collect();
        let is_broken_word = |end: &usize| line[end - 1] != ' ' && line[*end] != ' ' && !"░█".contains(line[*end]);
        let broken = (80..line.len()).step_by(80).find(is_broken_word);
        assert_eq!(broken, None, "{}", line.iter().collect::<String>());
    }
}

/// The text without colours; each cursor movement and carriage return is a line break.
fn without_controls(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('\u{1b}') {
        plain.push_str(&rest[..start]);
        let code = &rest[start..];
        let end = code.find(|c: char| c.is_ascii_alphabetic()).map_or(code.len(), |end| end + 1);
        plain.push_str(if code[..end].ends_with('m') { "" } else { "\n" });
        rest = &code[end..];
    }
    plain.push_str(rest);
    without_colors(&plain.replace('\r', "\n"))
}

#[test]
fn devices_shows_what_selects_and_explains_and_all_the_rest() {
    if !has_device() {
        return;
    }
    let devices = |more: &[&str]| shaderbench_in_empty_folder(&[&["devices"], more].concat()).succeeds().stdout;
    let (short, long) = (devices(&[]), devices(&["--all"]));
    for (text, words) in [
        (&short, &["[0] ", "driver", "workgroup memory", "largest buffer", "smallest subgroup"][..]),
        (&long, &["[0] ", "  limits\n", "max buffer size", "  features\n", "smallest subgroup"]),
    ] {
        for word in words {
            assert!(text.contains(word), "'{word}' is missing\n{text}");
        }
        for debug in ["Some(", "None"] {
            assert!(!text.contains(debug), "{text}");
        }
        assert_fits_80_columns(text);
    }
    for word in ["max buffer size", "features\n", "vendor id"] {
        assert!(!short.contains(word), "{short}");
    }
    let sheets = short.split("\n\n").map(|sheet| sheet.lines().count());
    assert!(sheets.max() < Some(24), "a device fits a screen\n{short}");
    assert!(!devices(&["--format", "markdown"]).contains("max buffer size"));
    assert!(devices(&["--format", "markdown", "--all"]).contains("max buffer size"));
    assert_eq!(devices(&["--format", "json"]), devices(&["--format", "json", "--all"]));
}

#[test]
fn a_software_device_has_no_estimate_of_a_gpus_time() {
    if !has_device() || !shaderbench_in_empty_folder(&["devices"]).stdout.contains("llvmpipe") {
        return;
    }
    let dry_run = ["run", "--device", "llvmpipe", "--profile", "standard", "--dry-run"];
    let output = shaderbench_in_empty_folder(&dry_run).succeeds();
    let last = output.stdout.lines().next_back().expect("a line");
    assert!(last.contains(" cases, profile standard, on llvmpipe"), "{last}");
}

#[test]
fn a_twin_is_shown_with_its_prelude_only_on_request() {
    let shown = |more: &[&str]| shaderbench(&[&["show", "transpose/tiled", "--lang", "cuda"], more].concat()).run();
    let (alone, whole) = (shown(&[]).succeeds().stdout, shown(&["--prelude"]).succeeds().stdout);
    let prelude = include_str!("../../shaders/prelude.cuh");
    assert!(whole.starts_with(prelude), "{whole}");
    let (note, program) = alone.split_once('\n').expect("lines");
    assert_eq!(note, "// Without the prelude that all CUDA ports share: add --prelude to print it.");
    assert_eq!(format!("{prelude}\n{program}"), whole);
    let refused = shaderbench(&["show", "transpose/tiled", "--prelude"]).run();
    refused.fails_with(2, "--prelude needs --lang cuda");
}
