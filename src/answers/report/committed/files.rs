//! The committed reports: the files in `results/` that git tracks. Reports that a user has put there do not count.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The committed CSV reports of the repository at `root`, sorted; without git, all in the folder, noted on stderr.
pub(crate) fn committed_reports(root: &Path) -> Vec<PathBuf> {
    let mut found = tracked(root).unwrap_or_else(|| {
        eprintln!("note: git tracks no file in {}/results, so every report there counts as committed", root.display());
        in_folder(&root.join("results"))
    });
    found.retain(|path| path.extension().is_some_and(|extension| extension == "csv"));
    found.sort();
    found
}

/// The files of `results/` in git's index; `None` if there are none.
fn tracked(root: &Path) -> Option<Vec<PathBuf>> {
    let output = Command::new("git").arg("-C").arg(root).args(["ls-files", "-z", "--", "results"]).output().ok()?;
    let names = String::from_utf8(output.stdout).ok()?;
    let files: Vec<PathBuf> = names.split_terminator('\0').map(|name| root.join(name)).collect();
    (output.status.success() && !files.is_empty()).then_some(files)
}

fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path());
    entries.flat_map(|path| if path.is_dir() { in_folder(&path) } else { vec![path] }).collect()
}
