//! Imports point downward only, and form no cycle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{ItemMod, ItemUse, UseTree, Visibility};

/// The library crates, whose boundaries the compiler enforces, and the program's crate.
const CRATES: [&str; 5] = ["src/record", "src/kernels", "src/gpu", "src/answers", "src"];

/// What folders may import from their own crate and those below. Compilers and devices import no rows, no families.
const IMPORTS: &[(&str, &[&str])] = &[
    ("src/record/error", &["crate::error"]),
    ("src/record/suite", &["crate::error", "crate::suite"]),
    ("src/gpu/shader", &["crate::shader", "record::error", "record::suite", "kernels::PRELUDE"]),
    ("src/gpu/job", &["crate::job", "crate::shader", "record::error", "record::suite"]),
    ("src/gpu/backend", &["crate::backend", "crate::job", "crate::shader", "record::error", "record::suite"]),
    ("src/answers/report", &["crate::report", "record::", "kernels::"]),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("src is there").map(|entry| entry.expect("readable").path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

fn sources_of(root: &str) -> Vec<PathBuf> {
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("build.rs");
    let is_of_other = |path: &PathBuf| CRATES.iter().any(|other| *other != "src" && path.starts_with(other));
    let all = sources(Path::new(root)).into_iter().filter(is_rust);
    all.filter(|path| root != "src" || !is_of_other(path)).collect()
}

fn all_sources() -> Vec<PathBuf> {
    CRATES.iter().flat_map(|root| sources_of(root)).collect()
}

#[test]
fn declarations_are_kept_forever_in_one_place() {
    for path in all_sources() {
        let leaks = std::fs::read_to_string(&path).expect("readable").contains("Box::leak");
        assert!(!leaks || path == Path::new("src/record/suite/kept.rs"), "{}: see suite::kept", path.display());
    }
}

#[test]
fn imports_run_downward_only() {
    let is_of_a_name = |c: char| c.is_alphanumeric() || c == '_';
    for (folder, allowed) in IMPORTS {
        for path in sources(Path::new(folder)).iter().filter(|path| path.extension().is_some_and(|end| end == "rs")) {
            let text = std::fs::read_to_string(path).expect("readable");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for room in ["crate::", "record::", "kernels::"] {
                for (at, _) in code.match_indices(room).filter(|(at, _)| !code[..*at].ends_with(is_of_a_name)) {
                    let is_allowed = allowed.iter().any(|allowed| code[at..].starts_with(allowed));
                    let import: String = code[at..].chars().take(40).collect();
                    assert!(is_allowed || code[..at].ends_with("::"), "{} imports {import}", path.display());
                }
            }
        }
    }
}

/// A module by its path in its crate: `["backend", "wgpu"]` for `src/gpu/backend/wgpu/mod.rs`.
type Module = Vec<String>;

fn module(root: &str, path: &Path) -> Module {
    let inside = path.strip_prefix(root).expect("below its root").with_extension("");
    let parts = inside.iter().map(|part| part.to_string_lossy().into_owned());
    parts.filter(|part| !["mod", "lib"].contains(&part.as_str())).collect()
}

/// The paths that a file names outside of its tests.
#[derive(Default)]
struct Paths {
    used: Vec<Vec<String>>,
    /// Paths of `pub use`, which are no dependency of the file itself.
    exported: Vec<Vec<String>>,
}

impl Paths {
    fn of(path: &Path) -> Self {
        let file = syn::parse_file(&std::fs::read_to_string(path).expect("readable")).expect("valid Rust");
        let mut paths = Self::default();
        paths.visit_file(&file);
        paths
    }
}

/// The leaves of a `use`, each as a path.
fn leaves(tree: &UseTree, prefix: &[String]) -> Vec<Vec<String>> {
    let with = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &with(&path.ident)),
        UseTree::Name(name) if name.ident == "self" => vec![prefix.to_vec()],
        UseTree::Name(name) => vec![with(&name.ident)],
        UseTree::Rename(rename) => vec![with(&rename.ident)],
        UseTree::Glob(_) => vec![prefix.to_vec()],
        UseTree::Group(group) => group.items.iter().flat_map(|tree| leaves(tree, prefix)).collect(),
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let is_test = item.attrs.iter().any(|attribute| {
            attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Ident>().is_ok_and(|name| name == "test")
        });
        if !is_test {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let list = if matches!(item.vis, Visibility::Inherited) { &mut self.used } else { &mut self.exported };
        list.extend(leaves(&item.tree, &[]));
    }

    /// `pub(super)` imports nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.used.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}

/// The module that defines `path`, seen from the module `from`; `None` if outside of the crate.
fn defined_in(from: &Module, path: &[String], files: &BTreeMap<Module, Paths>) -> Option<Module> {
    let known = |module: &Module| files.contains_key(module);
    let (mut at, mut rest) = match path.first()?.as_str() {
        "crate" => (Module::new(), &path[1..]),
        "self" => (from.clone(), &path[1..]),
        "super" => {
            let levels = path.iter().take_while(|part| *part == "super").count();
            (from[..from.len().saturating_sub(levels)].to_vec(), &path[levels..])
        }
        child if known(&[&from[..], &[child.to_owned()]].concat()) => (from.clone(), path),
        _ => return None,
    };
    while let Some(next) = rest.first() {
        let child = [&at[..], std::slice::from_ref(next)].concat();
        if known(&child) {
            (at, rest) = (child, &rest[1..]);
            continue;
        }
        let exported = files.get(&at)?.exported.iter().find(|path| path.last() == Some(next) && path.len() > 1);
        return exported.map_or(Some(at.clone()), |path| defined_in(&at, path, files));
    }
    Some(at)
}

/// A cycle in `graph`, as its modules in order.
fn circle(graph: &BTreeMap<Module, BTreeSet<Module>>) -> Option<Vec<Module>> {
    fn walk(
        at: &Module,
        graph: &BTreeMap<Module, BTreeSet<Module>>,
        way: &mut Vec<Module>,
        done: &mut BTreeSet<Module>,
    ) -> Option<Vec<Module>> {
        if let Some(start) = way.iter().position(|module| module == at) {
            return Some(way[start..].to_vec());
        }
        if !done.insert(at.clone()) {
            return None;
        }
        way.push(at.clone());
        let found = graph.get(at).into_iter().flatten().find_map(|next| walk(next, graph, way, done));
        way.pop();
        found
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|module| walk(module, graph, &mut Vec::new(), &mut done))
}

#[test]
fn no_two_files_import_each_other_on_whatever_way() {
    for root in CRATES {
        let files: BTreeMap<Module, Paths> =
            sources_of(root).iter().map(|path| (module(root, path), Paths::of(path))).collect();
        let needs = |from: &Module, paths: &Paths| -> BTreeSet<Module> {
            let used = paths.used.iter().filter_map(|path| defined_in(from, path, &files));
            used.filter(|to| to != from).collect()
        };
        let graph = files.iter().map(|(module, paths)| (module.clone(), needs(module, paths))).collect();
        let circle = circle(&graph).map(|circle| circle.iter().map(|module| module.join("/")).collect::<Vec<_>>());
        assert_eq!(circle, None, "these files of {root} import each other");
        let needs = |from: &str, to: &str| graph[&module(root, Path::new(from))].contains(&module(root, Path::new(to)));
        assert!(root != "src/gpu" || needs("src/gpu/engine/run/case.rs", "src/gpu/engine/run/rows.rs"));
    }
}

#[test]
fn each_package_with_one_door_is_used_there_alone() {
    for (package, door) in [
        ("naga::", "src/gpu/shader"),
        ("spirv::", "src/gpu/shader"),
        ("wgpu::", "src/gpu/backend/wgpu"),
        ("cudarc::", "src/gpu/backend/cuda"),
        ("libloading::", "src/gpu/backend"),
    ] {
        for path in all_sources().iter().filter(|path| !path.starts_with(door)) {
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
fn the_paths_in_contributing_exist() {
    const GUIDES: [&str; 4] = ["CONTRIBUTING.md", "shaders/README.md", "scripts/README.md", "packaging/README.md"];
    let text: String = GUIDES.iter().map(|guide| std::fs::read_to_string(guide).expect("readable")).collect();
    let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let is_path = |text: &&&str| {
        let roots = ["src/", "tests/", "web/", "scripts/", "examples/", "packaging/"];
        roots.iter().any(|root| text.starts_with(root)) && !text.contains(['<', '*', ' ', '\n'])
    };
    let paths: Vec<&&str> = quoted.iter().filter(is_path).collect();
    assert!(paths.len() > 30, "{} paths", paths.len());
    for path in paths {
        assert!(Path::new(path).exists(), "a guide names {path}, which does not exist");
    }
}

#[test]
fn the_core_reads_no_clock_and_no_file() {
    for path in all_sources() {
        // On Linux, a card's sensors, PCIe link and NUMA node are files.
        let is_sensor = path.parent().is_some_and(|folder| folder.ends_with("backend/monitor"));
        // nvcc compiles CUB from a file, and may hang.
        let is_compiled = path.ends_with("backend/cuda/library/cub.rs");
        let edges = ["src/cli", "src/main.rs", "src/answers/report"];
        let is_edge = edges.iter().any(|edge| path.starts_with(edge)) || is_sensor || is_compiled;
        let text = std::fs::read_to_string(&path).expect("readable");
        if !is_edge {
            assert!(!text.contains("std::time::Instant") && !text.contains("std::fs"), "{}", path.display());
        }
    }
}

#[test]
fn names_of_tests_fit_a_line() {
    const MOST: usize = 70;
    let all = [sources(Path::new("src")), sources(Path::new("tests"))].concat();
    for path in all.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
        let text = std::fs::read_to_string(path).expect("readable");
        for test in text.split("#[test]").skip(1) {
            let name = test.split("fn ").nth(1).and_then(|rest| rest.split('(').next()).unwrap_or_default();
            assert!(name.len() <= MOST, "{}: {name}", path.display());
        }
    }
}
