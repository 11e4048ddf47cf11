//! Documents show what commands really print, and the paths, constants and functions that they name exist.

use std::path::{Path, PathBuf};

use crate::catalogue::files_below;
use crate::command::shaderbench;
use gpu::engine::Settings;
use record::suite::Profile;

/// Folders whose files documents name by their path.
const FOLDERS: [&str; 10] =
    ["src/", "tests/", "scripts/", "docs/", "shaders/", "web/", "examples/", "contrib/", "packaging/", "fuzz/"];

/// Paths that exist only after a script has run.
const LEFT_BY_SCRIPTS: [&str; 1] = ["fuzz/artifacts"];

fn documents() -> Vec<PathBuf> {
    let below =
        ["docs", "scripts", "shaders", "packaging"].iter().flat_map(|folder| files_below(Path::new(folder), "md"));
    ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].iter().map(PathBuf::from).chain(below).collect()
}

/// The paths in a text that begin with one of [`FOLDERS`], without patterns: `shaders/<family>/`, `web/test/*.mjs`.
fn paths(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_./-+".contains(c);
    let starts = FOLDERS.iter().flat_map(|folder| text.match_indices(folder)).map(|(start, _)| start);
    let found =
        starts.filter(|start| !text[..*start].ends_with(|c: char| is_part(c) && c != '/' || "*{}<>$~".contains(c)));
    let own = found.filter(|start| !text[..*start].ends_with('/') || text[..*start].ends_with("../"));
    own.filter_map(|start| {
        let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |length| start + length);
        let path = text[start..end].trim_end_matches(['.', '/', '-']);
        (!text[end..].starts_with(['<', '*', '{', '…'])).then_some(path)
    })
    .collect()
}

#[test]
fn every_path_in_a_document_exists() {
    assert_eq!(paths("`src/a.rs`, [b](../docs/b.md#c), shaders/<family>/, web/test/*.mjs"), ["src/a.rs", "docs/b.md"]);
    let mut missing = Vec::new();
    for document in documents() {
        let text = std::fs::read_to_string(&document).expect("readable");
        let folder = document.parent().expect("a folder");
        let exists = |path: &str| Path::new(path).exists() || folder.join(path).exists();
        let unknown = paths(&text).into_iter().filter(|path| !exists(path) && !LEFT_BY_SCRIPTS.contains(path));
        missing.extend(unknown.map(|path| format!("{}: {path}", document.display())));
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The documents for contributors write `NAME` of `a/file`.
#[test]
fn what_contributors_are_told_to_edit_exists() {
    let mut count = 0;
    for (document, folder) in [("CONTRIBUTING.md", ""), ("scripts/README.md", "web/test")] {
        let text = std::fs::read_to_string(document).expect("readable").replace('\n', " ");
        let parts: Vec<&str> = text.split('`').collect();
        for [name, between, file] in parts.windows(3).map(|three| [three[0], three[1], three[2]]) {
            let path = Path::new(folder).join(file);
            if between == " of " && path.is_file() {
                let source = std::fs::read_to_string(&path).expect("readable");
                assert!(source.contains(name), "{document}: {file} has no {name}");
                count += 1;
            }
        }
    }
    assert!(count > 5, "{count}");
}

#[test]
fn the_method_names_the_epochs_of_quick() {
    let quick = Settings::new(Profile::Quick, String::new(), String::new(), String::new()).epochs;
    assert!(include_str!("../../docs/method.md").contains(&format!("`quick` {}.", quick.most)));
}

/// A code block that begins with `$ shaderbench` shows a command and its output.
#[test]
fn what_documents_show_of_a_command_is_what_it_prints() {
    let mut seen = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).expect("readable");
        for block in text.split("```text\n$ shaderbench ").skip(1) {
            let (command, rest) = block.split_once('\n').expect("a command");
            let (shown, _) = rest.split_once("```").expect("the block ends");
            let arguments: Vec<&str> = command.split(' ').map(|argument| argument.trim_matches('\'')).collect();
            let output = shaderbench(&arguments).run();
            assert_eq!(output.stdout + &output.stderr, shown, "{}: {command}", path.display());
            seen += 1;
        }
    }
    assert!(seen >= 4, "{seen}");
}
