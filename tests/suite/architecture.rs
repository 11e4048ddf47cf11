//! Imports run downward only.

use std::path::{Path, PathBuf};

/// The rooms of the crate, the lowest first: each may import those before it.
const ROOMS: &[&str] =
    &["error", "suite", "families", "shader", "job", "backend", "results", "engine", "report", "cli"];

/// Imports that go past a room: what declares a kernel knows nothing of compilers, and reports are made without devices at hand.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("shader", &["families"]),
    ("job", &["families"]),
    ("backend", &["families"]),
    ("report", &["shader", "job", "engine"]),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("src is there").map(|entry| entry.expect("readable").path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// The room that a file belongs to: `backend` for `src/backend/wgpu/mod.rs`.
fn room(path: &Path) -> String {
    let inside = path.strip_prefix("src").expect("below src");
    let first = inside.components().next().expect("a file").as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

#[test]
fn imports_run_downward_only() {
    let floor = |name: &str| ROOMS.iter().position(|room| *room == name);
    for path in sources(Path::new("src")) {
        let room = room(&path);
        let Some(own) = floor(&room) else {
            assert!(["lib", "main"].contains(&room.as_str()), "{} is in no room", path.display());
            continue;
        };
        let forbidden = FORBIDDEN.iter().find(|(name, _)| *name == room).map_or(&[][..], |(_, rooms)| rooms);
        let text = std::fs::read_to_string(&path).expect("readable");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for import in code.split("crate::").skip(1) {
            let name: String = import.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let Some(other) = floor(&name) else { continue };
            assert!(other <= own && !forbidden.contains(&name.as_str()), "{} imports crate::{name}", path.display());
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
        ("nvml_wrapper::", "src/backend/monitor"),
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
        let is_edge = ["cli", "main", "report"].contains(&room(&path).as_str());
        let text = std::fs::read_to_string(&path).expect("readable");
        if !is_edge {
            assert!(!text.contains("std::time::Instant") && !text.contains("std::fs"), "{}", path.display());
        }
    }
}
