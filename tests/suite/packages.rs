//! `packaging/pack.py`, which makes the packages of a release, from programs that are a line of text each.

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::command::{Folder, Output, is_installed, program};

const TARGETS: [&str; 5] = [
    "aarch64-apple-darwin",
    "aarch64-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-linux-gnu",
];
const ADDRESS: &str = "https://example.org/owner/shaderbench";

/// Packs programs for some targets into `name`.
fn pack(folder: &Folder, name: &str, targets: &[&str], address: &str) -> Output {
    for target in targets {
        let program = if target.contains("windows") { "shaderbench.exe" } else { "shaderbench" };
        folder.write(&format!("{name}-programs/{target}/{program}"), format!("program for {target}\n"));
    }
    for page in ["man/shaderbench.1", "completions/shaderbench.bash", "completions/_shaderbench"] {
        folder.write(&format!("{name}-pages/{page}"), page);
    }
    program("python3")
        .args(&["-B", "packaging/pack.py", &folder.argument(&format!("{name}-programs")), &folder.argument(name)])
        .env("VERSION", env!("CARGO_PKG_VERSION"))
        .env("SOURCE_DATE_EPOCH", "1790000000")
        .env("PAGES", &folder.argument(&format!("{name}-pages")))
        .env("REPOSITORY", address)
        .run()
        .succeeds()
}

/// The files below a folder, by their paths in it.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|(below, contents)| (format!("{name}/{below}"), contents)));
        } else {
            found.insert(name, std::fs::read(&path).expect("readable"));
        }
    }
    found
}

fn sha256(contents: &[u8]) -> String {
    Sha256::digest(contents).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `scripts/workflows.sh` checks the file with its schema.
#[test]
fn the_citation_names_version_and_licences() {
    let citation = include_str!("../../CITATION.cff");
    let version = citation.lines().find_map(|line| line.strip_prefix("version: "));
    assert_eq!(version, Some(env!("CARGO_PKG_VERSION")));
    let licences =
        citation.lines().skip_while(|line| *line != "license:").skip(1).map_while(|line| line.strip_prefix("  - "));
    assert_eq!(licences.collect::<Vec<_>>().join(" OR "), env!("CARGO_PKG_LICENSE"));
}

#[test]
fn equal_programs_give_equal_packages_for_every_target() {
    if !is_installed("python3") {
        return;
    }
    let folder = Folder::new();
    let output = pack(&folder, "one", &TARGETS, ADDRESS);
    let reversed: Vec<&str> = TARGETS.iter().rev().copied().collect();
    // Another second, and files in another order.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    pack(&folder, "other", &reversed, ADDRESS);
    let packages = files(&folder.path("one"));
    let others = files(&folder.path("other"));
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&packages), names(&others));
    for (name, contents) in &packages {
        assert!(contents == &others[name], "{name} differs");
    }
    for target in TARGETS {
        assert!(names(&packages).iter().any(|name| name.contains(target)), "no archive for {target}");
    }
    let count = |suffix: &str| packages.keys().filter(|name| name.ends_with(suffix)).count();
    let debs = if output.stdout.contains("SKIPPED: dpkg-deb") { 0 } else { 2 };
    assert_eq!((count(".whl"), count(".tgz"), count(".deb")), (5, 6, debs), "{output}");

    let sums = folder.text("one/SHA256SUMS");
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").expect("a sum and a name");
        assert_eq!(sum, sha256(&packages[name]), "{name}");
    }
    assert_eq!(sums.lines().count(), 5 + 5 + 6 + debs);

    let manifests: Vec<&String> = packages.keys().filter(|name| name.starts_with("manifests/")).collect();
    assert_eq!(manifests.len(), 7, "{manifests:?}");
    let texts: String = manifests.iter().map(|name| String::from_utf8_lossy(&packages[*name])).collect();
    for (name, contents) in packages.iter().filter(|(name, _)| TARGETS.iter().any(|target| name.contains(target))) {
        assert!(
            texts.contains(&format!("{ADDRESS}/releases/download/v{}/{name}", env!("CARGO_PKG_VERSION"))),
            "{name}"
        );
        assert!(texts.contains(&sha256(contents)), "no manifest has the checksum of {name}");
    }
    assert!(!texts.contains("SHA256 ") && !texts.contains("@VERSION@"), "{texts}");
}

#[test]
fn what_cannot_be_packed_is_named() {
    if !is_installed("python3") {
        return;
    }
    let folder = Folder::new();
    let without = pack(&folder, "one", &["x86_64-unknown-linux-gnu"], "");
    assert!(
        without.stdout.contains("SKIPPED: Homebrew, winget, Scoop, AUR: the repository has no address"),
        "{without}"
    );
    assert!(!folder.path("one/manifests").exists());
    let partial = pack(&folder, "other", &["x86_64-unknown-linux-gnu"], ADDRESS);
    for (manager, target) in
        [("homebrew", "aarch64-apple-darwin"), ("scoop", "Windows"), ("aur", "aarch64-unknown-linux-gnu")]
    {
        assert!(partial.stdout.contains(&format!("SKIPPED: {manager}: there is no program for {target}")), "{partial}");
    }
}
