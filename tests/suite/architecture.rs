//! Imports run downward only.

use std::path::{Path, PathBuf};

/// Modules and what each may import of the crate, the lowest first.
const LAYERS: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("stats", &[]),
    ("api", &[]),
    ("record", &[]),
    ("shader", &["error"]),
    ("suite", &["error", "record", "shader"]),
    ("families", &["api", "record", "shader", "suite"]),
    ("twin", &["error", "shader", "suite"]),
    ("job", &["error", "shader", "suite", "twin"]),
    ("monitor", &["record"]),
    ("backend", &["error", "api", "job", "monitor", "shader", "twin"]),
    ("measure", &["error", "stats", "backend"]),
    ("verify", &["error", "job", "suite", "backend"]),
    ("ceilings", &["record", "stats", "suite"]),
    ("plan", &["error", "families", "shader", "suite"]),
    ("compare", &["api", "record", "stats"]),
    ("report", &["error", "api", "record", "stats", "compare"]),
    (
        "run",
        &[
            "error", "api", "stats", "record", "shader", "suite", "families", "job", "monitor", "backend", "measure",
            "verify", "ceilings", "plan",
        ],
    ),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("src is there").map(|entry| entry.expect("readable").path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// The module of the crate that a file belongs to: `backend` for `src/backend/wgpu/mod.rs`.
fn module(path: &Path) -> String {
    let inside = path.strip_prefix("src").expect("below src");
    let first = inside.components().next().expect("a file").as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

#[test]
fn imports_run_downward_only() {
    for path in sources(Path::new("src")) {
        let module = module(&path);
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == module) else {
            assert!(["lib", "main", "cli"].contains(&module.as_str()), "{} has no layer", path.display());
            continue;
        };
        let text = std::fs::read_to_string(&path).expect("readable");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for import in code.split("crate::").skip(1) {
            let name: String = import.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let is_known = LAYERS.iter().any(|(layer, _)| *layer == name);
            assert!(
                !is_known || name == module || allowed.contains(&name.as_str()),
                "{} imports crate::{name}",
                path.display()
            );
        }
    }
}

#[test]
fn each_package_with_one_door_is_used_there_alone() {
    for (package, door) in [
        ("naga::", "src/shader"),
        ("rspirv::", "src/shader"),
        ("wgpu::", "src/backend/wgpu"),
        ("cudarc::", "src/backend/cuda"),
        ("libloading::", "src/backend/cuda"),
        ("nvml_wrapper::", "src/monitor.rs"),
    ] {
        for path in sources(Path::new("src")).iter().filter(|path| !path.starts_with(door)) {
            let text = std::fs::read_to_string(path).expect("readable");
            let uses = text.lines().filter(|line| {
                let own = line.replace("backend::wgpu::", "");
                own.contains(package) && !own.trim_start().starts_with("//")
            });
            assert_eq!(uses.collect::<Vec<_>>(), Vec::<&str>::new(), "{} uses {package}", path.display());
        }
    }
}

#[test]
fn the_core_reads_no_clock_and_no_file() {
    for path in sources(Path::new("src")) {
        let is_edge = ["cli", "main", "report"].contains(&module(&path).as_str());
        let text = std::fs::read_to_string(&path).expect("readable");
        if !is_edge {
            assert!(!text.contains("std::time::Instant") && !text.contains("std::fs"), "{}", path.display());
        }
    }
}
