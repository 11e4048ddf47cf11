//! `packaging/pack.py`, which makes a release's packages, with programs of one line of text each.

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::command::{Folder, Output, is_installed, program, shaderbench};

const TARGETS: [&str; 6] = [
    "aarch64-apple-darwin",
    "aarch64-pc-windows-msvc",
    "aarch64-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-linux-gnu",
];
const ADDRESS: &str = "https://example.org/owner/shaderbench";

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

/// `scripts/workflows.sh` validates the file against its schema.
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
    // A second later, with files in another order.
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
    assert_eq!((count(".whl"), count(".tgz"), count(".cdx.json"), count(".deb")), (6, 7, 6, debs), "{output}");

    let sums = folder.text("one/SHA256SUMS");
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").expect("a sum and a name");
        assert_eq!(sum, sha256(&packages[name]), "{name}");
    }
    assert_eq!(sums.lines().count(), 6 + 6 + 7 + 6 + debs);

    let manifests: Vec<&String> = packages.keys().filter(|name| name.starts_with("manifests/")).collect();
    assert_eq!(manifests.len(), 12, "{manifests:?}");
    let texts: String = manifests.iter().map(|name| String::from_utf8_lossy(&packages[*name])).collect();
    let is_archive = |name: &str| [".tar.gz", ".zip"].iter().any(|ending| name.ends_with(ending));
    for (name, contents) in packages.iter().filter(|(name, _)| is_archive(name)) {
        assert!(
            texts.contains(&format!("{ADDRESS}/releases/download/v{}/{name}", env!("CARGO_PKG_VERSION"))),
            "{name}"
        );
        assert!(texts.contains(&sha256(contents)), "no manifest has the checksum of {name}");
    }
    assert!(!texts.contains("SHA256 ") && !texts.contains("@VERSION@"), "{texts}");
    // Pictures and links work outside of the repository.
    let wheel = packages.iter().find(|(name, _)| name.ends_with("x86_64.manylinux2014_x86_64.whl")).expect("a wheel").0;
    let wheel = program("unzip").args(&["-p", &folder.argument(&format!("one/{wheel}")), "*/METADATA"]);
    let npm = folder.argument(&format!("one/shaderbench-{}.tgz", env!("CARGO_PKG_VERSION")));
    let npm = program("tar").args(&["-xOf", &npm, "package/README.md"]);
    for (name, readme) in
        [("unzip", wheel), ("tar", npm)].map(|(name, print)| (name, is_installed(name).then(|| print.run().stdout)))
    {
        let Some(readme) = readme else { continue };
        let links: Vec<&str> = readme.split("](").skip(1).collect();
        assert!(links.len() > 10 && links.iter().all(|link| link.starts_with("http")), "{name}: {links:#?}");
        assert!(readme.contains(&format!("]({ADDRESS}/raw/v{}/docs/", env!("CARGO_PKG_VERSION"))), "{name}: {readme}");
    }
}

#[test]
fn what_cannot_be_packed_is_named() {
    if !is_installed("python3") {
        return;
    }
    let folder = Folder::new();
    let without = pack(&folder, "one", &["x86_64-unknown-linux-gnu"], "");
    assert!(
        without.stdout.contains("SKIPPED: aur, homebrew, nix, phoronix, scoop, winget: the repository has no address"),
        "{without}"
    );
    assert!(!folder.path("one/manifests").exists());
    let partial = pack(&folder, "other", &["x86_64-unknown-linux-gnu"], ADDRESS);
    for (manager, target) in [
        ("homebrew", "aarch64-apple-darwin"),
        ("scoop", "x86_64-pc-windows-msvc"),
        ("aur", "aarch64-unknown-linux-gnu"),
    ] {
        assert!(partial.stdout.contains(&format!("SKIPPED: {manager}: there is no program for {target}")), "{partial}");
    }
}

/// The lines that the profile for the Phoronix Test Suite reads, without their values.
fn phoronix_names() -> Vec<&'static str> {
    let parts = include_str!("../../packaging/phoronix/results-definition.xml").split("<OutputTemplate>").skip(1);
    parts.map(|part| part.split_once(" = #_RESULT_#</OutputTemplate>").expect("a template").0).collect()
}

/// The figures that the profile's script writes for the suite from this report.
fn phoronix_figures(report: &str) -> BTreeMap<String, f64> {
    let folder = Folder::new();
    let (report, program_path) =
        (Path::new(report).canonicalize().expect("a report"), env!("CARGO_BIN_EXE_shaderbench"));
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = run ] || exec '{program_path}' \"$@\"\n\
         while [ \"$1\" != --out ]; do shift; done\ncp '{}' \"$2\"\n",
        report.display()
    );
    let target = "shaderbench-0.0.0-x86_64-unknown-linux-gnu";
    folder.write(&format!("{target}/shaderbench"), script);
    folder.write("install.sh", include_str!("../../packaging/phoronix/install.sh"));
    let pack = format!("chmod +x {target}/shaderbench && tar -czf {target}.tar.gz {target} && sh install.sh");
    let run = |script: &str| {
        let log = folder.argument("figures.log");
        program("sh").args(&["-c", script]).folder(&folder.path("")).env("LOG_FILE", &log).run().succeeds();
    };
    run(&pack);
    run("./shaderbench");
    assert_eq!(
        (folder.text("install-exit-status"), folder.text("test-exit-status")),
        ("0\n".to_owned(), "0\n".to_owned())
    );
    let line = |line: &str| {
        let (name, value) = line.split_once(" = ").expect("a name and a value");
        (name.to_owned(), value.parse().expect("a number"))
    };
    folder.text("figures.log").lines().map(line).collect()
}

/// Two devices: not every device has tensor cores or distinguishable caches.
#[test]
fn the_phoronix_profile_reads_the_figures_of_the_summary() {
    if !is_installed("php") {
        return;
    }
    let (h100, software) = (
        "results/nvidia-h100-80gb-hbm3/2026-11-28-vulkan+cuda.csv",
        "results/llvmpipe-llvm-15-0-6-256-bits/2026-11-22-vulkan.csv",
    );
    let found = [h100, software].map(phoronix_figures);
    for name in phoronix_names() {
        let values: Vec<f64> = found.iter().filter_map(|figures| figures.get(name).copied()).collect();
        assert!(!values.is_empty() && values.iter().all(|value| *value > 0.0), "{name}: {values:?}\n{found:?}");
    }
    let summary = shaderbench(&["summary", h100, "--format", "json"]).run().succeeds().stdout;
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    let jobs = summary[0]["jobs"].as_array().expect("jobs");
    assert!(jobs.len() > 5);
    for job in jobs {
        let start = format!("jobs {} ", job["job"].as_str().expect("a name"));
        assert!(phoronix_names().iter().any(|name| name.starts_with(&start)), "the profile has no {start}");
    }
    let f32 = summary[0]["arithmetic"].as_array().expect("peaks").iter().find(|peak| peak["dtype"] == "f32");
    let rate = f32.expect("f32")["gop_per_s"].as_f64().expect("a rate");
    assert!((found[0]["arithmetic f32 gop_per_s"] / rate - 1.0).abs() < 1e-9);
}
