//! The kernels of examples/ are right, and faults in them are found.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::command::{Folder, has_device};
use record::{Record, Status};

/// An example: its file, a quick size, its rows, and what it needs besides the program.
type Example = (&'static str, &'static str, usize, &'static [&'static str]);

const EXAMPLES: [Example; 16] = [
    ("stencil", "50x33", 4, &[]),
    ("nbody", "300", 2, &[]),
    ("matvec", "16x2048", 2, &[]),
    ("bitonic", "2^12", 2, &[]),
    ("prefix_sum", "2^13", 2, &[]),
    ("scan_chain", "70001", 2, &[]),
    ("four_passes", "2^12", 1, &[]),
    ("nbody_steps", "300", 1, &[]),
    ("life", "33x20", 1, &[]),
    ("blur", "33x20", 1, &[]),
    ("transpose_template", "50x33", 2, &["python3"]),
    ("layer_norm", "20x300", 1, &["python3", "numpy"]),
    ("indirect", "5000", 1, &[]),
    ("saxpy", "5000", 2, &[]),
    ("axpby", "5000", 1, &[]),
    ("gamma", "5000", 1, &[]),
];

/// Whether this machine has what an example needs. Prints what is missing.
fn has_all(needed: &[&str]) -> bool {
    let can_run = |line: &[&str]| {
        let mut command = Command::new("python3");
        command.args(line).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let is_missing = |name: &&&str| match **name {
        "numpy" => !can_run(&["-c", "import numpy"]),
        _ => !can_run(&["--version"]),
    };
    let missing = needed.iter().find(is_missing);
    if let Some(name) = missing {
        eprintln!("SKIPPED: {name} is not installed");
    }
    missing.is_none()
}

/// The examples with one file's text replaced, and without ceilings, which take most of the time.
fn examples(file: &str, before: &str, after: &str) -> Folder {
    let folder = Folder::new();
    let all = ["examples/kernels", "examples/spirv"].map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join(name));
    for entry in all.iter().flat_map(|path| std::fs::read_dir(path).expect("a folder")) {
        let path = entry.expect("readable").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let Ok(text) = std::fs::read_to_string(&path) else {
            folder.write(&name, std::fs::read(&path).expect("bytes"));
            continue;
        };
        assert!(name != file || text.contains(before), "{file} has no '{before}'");
        let text = if name == file { text.replace(before, after) } else { text };
        let unlimited =
            |line: &str| (if line.starts_with("limit = ") { "limit = \"none\"" } else { line }).to_owned() + "\n";
        let text: String = text.lines().map(unlimited).collect();
        let has_limit = text.contains("limit = \"none\"");
        let is_toml = path.extension().is_some_and(|end| end == "toml");
        folder.write(&name, if is_toml && !has_limit { format!("limit = \"none\"\n{text}") } else { text });
    }
    folder
}

fn of(name: &str) -> Example {
    *EXAMPLES.iter().find(|(known, ..)| *known == name).expect("an example")
}

#[test]
fn the_kernels_of_the_examples_are_right() {
    if !has_device() {
        return;
    }
    for (name, size, count, needed) in EXAMPLES {
        if !has_all(needed) {
            continue;
        }
        let folder = examples("", "", "");
        let toml = format!("{name}.toml");
        let line = ["bench", &toml, "--size", size, "--profile", "quick", "--epochs", "2", "--out", "r.csv"];
        let output = folder.run(&line).succeeds();
        let rows = folder.records("r.csv");
        assert_eq!(rows.len(), count, "{output}");
        // The suite has a family called stencil.
        let family = if name == "stencil" { "heat" } else { name };
        let is_right = |row: &Record| row.family == family && row.status == Status::Ok && row.median_ns.is_some();
        assert!(rows.iter().all(is_right), "{output}");
        let (answer, tables) = output.stdout.split_once("\n\n").expect("the answer, then tables");
        let are_right = match count {
            1 => "The result is correct.".to_owned(),
            2 => "Both results are correct.".to_owned(),
            _ => format!("All {count} results are correct."),
        };
        let is_compared =
            count == 1 || answer.contains(" is fastest: ") || answer.contains("No clear difference between ");
        assert!(is_compared && answer.replace('\n', " ").contains(&are_right), "{output}");
        assert!(tables.starts_with(&format!("{family}\n")), "{output}");
    }
}

#[test]
fn planted_faults_in_the_kernels_of_the_examples_are_found() {
    if !has_device() {
        return;
    }
    for (name, file, before, after) in [
        ("stencil", "stencil_tiled.wgsl", "let near = tile[k - 1u]", "let near = tile[k]"),
        ("stencil", "stencil.wgsl", "input[i - columns]", "input[i]"),
        ("nbody", "nbody.wgsl", "tile[k].w * inverse", "tile[k].w"),
        ("matvec", "matvec.wgsl", "k += WG", "k += 2u * WG"),
        ("bitonic", "bitonic.wgsl", "(low & length) == 0u", "(low & apart) == 0u"),
        ("prefix_sum", "prefix_sum.wgsl", "x.x + x.y", "x.x + x.z"),
        ("scan_chain", "scan_chain.wgsl", "sums[group.x - 1u]", "sums[group.x]"),
        ("scan_chain", "scan_chain.toml", ", { entry = \"scan_sums\", groups = 1 }", ""),
        ("four_passes", "four_passes.toml", "{ clear = \"counts\" },", ""),
        ("four_passes", "four_passes.toml", "8 * step", "8 * min(step, 2)"),
        ("four_passes", "four_passes.wgsl", "+ rank] = key", "+ WG - 1u - rank] = key"),
        ("nbody_steps", "nbody_steps.wgsl", "tile[t] = before", "tile[0] = before"),
        ("life", "life.wgsl", "neighbours == 3u", "neighbours == 4u"),
        ("blur", "blur.wgsl", "sum / 4.0", "sum / 4.1"),
        ("blur", "blur.wgsl", "vec2<f32>(id.xy) + 0.5", "vec2<f32>(id.xy)"),
        ("transpose_template", "transpose_template.wgsl.in", "tile[t.x][t.y]", "tile[t.y][t.x]"),
        ("layer_norm", "layer_norm.wgsl", " - mean * mean", ""),
        ("indirect", "indirect.wgsl", "+ WG - 1u) / WG", ") / WG / 2u"),
        ("axpby", "axpby.toml", "b = 2.0", "b = 2.5"),
        ("gamma", "gamma.toml", "exponent = 2.2", "exponent = 2.4"),
    ] {
        let (_, size, _, needed) = of(name);
        if !has_all(needed) {
            continue;
        }
        let folder = examples(file, before, after);
        let toml = format!("{name}.toml");
        let line =
            ["bench", &toml, "--size", size, "--profile", "quick", "--epochs", "1", "--time", "5m", "--out", "r.csv"];
        let output = folder.run(&line).exits_with(3);
        let rows = folder.records("r.csv");
        let stem = file.trim_end_matches(".wgsl");
        // Of several kernels, only the faulty one must be wrong.
        let is_alone = !rows.iter().any(|row| row.benchmark == stem);
        for row in rows {
            let status = if is_alone || row.benchmark == stem { Status::Wrong } else { Status::Ok };
            assert_eq!(row.status, status, "{file}: {before} → {after}\n{output}");
        }
    }
}

#[test]
fn each_step_of_a_launch_has_a_row_on_request() {
    if !has_device() {
        return;
    }
    let folder = examples("", "", "");
    let line = ["bench", "scan_chain.toml", "--each-step", "--param", "WG=128", "--size", "70001", "--epochs", "1"];
    let output = folder.run(&[&line[..], &["--out", "r.csv"]].concat()).succeeds();
    let rows = folder.records("r.csv");
    let names: Vec<&str> = rows.iter().map(|row| row.benchmark.as_str()).collect();
    assert_eq!(
        names,
        ["scan_chain", "scan_chain.1.scan_blocks", "scan_chain.2.scan_sums", "scan_chain.3.add_sums"],
        "{output}"
    );
    assert!(rows.iter().all(|row| row.status == Status::Ok && row.median_ns.is_some()), "{output}");
    assert!(rows[1..].iter().all(|row| row.bytes.is_none()), "{output}");
}

#[test]
fn a_picture_that_a_kernel_draws_is_saved() {
    if !has_device() {
        return;
    }
    let folder = examples("", "", "");
    let line = ["bench", "blur.toml", "--size", "20x33", "--epochs", "1", "--out", "r.csv", "--save-image", "images"];
    folder.run(&line).succeeds();
    let file = std::fs::read(folder.path("images/blur-blur-20x33.png")).expect("an image");
    let decoder = png::Decoder::new(std::io::Cursor::new(file));
    let reader = decoder.read_info().expect("a header");
    assert_eq!((reader.info().width, reader.info().height), (33, 20));
    // The image can also be a texture's contents.
    folder.write(
        "copied.toml",
        "kernels = [\"blur.wgsl\"]\nlimit = \"none\"\ngroups = [\"ceil_div(columns, 16)\", \
        \"ceil_div(rows, 16)\"]\n[buffers]\nimage = { file = \"images/blur-blur-20x33.png\" }\n",
    );
    folder.run(&["bench", "copied.toml", "--size", "20x33", "--epochs", "1", "--out", "c.csv"]).succeeds();
    let text = folder.text("copied.toml").replace(".png\" }", ".png\", size = [\"columns\", \"rows\"] }");
    folder.write("copied.toml", text);
    folder
        .run(&["bench", "copied.toml", "--size", "21x33", "--profile", "quick", "--out", "d.csv"])
        .fails_with(2, "copied.toml: the .png file has 33 x 20 pixels, but the texture has 33 x 21 texels");
}

#[test]
fn python_gets_rows_with_typed_values() {
    if !has_device() || !has_all(&["python3"]) {
        return;
    }
    let folder = examples("", "", "");
    let script = "import shaderbench
rows = shaderbench.bench('scan_chain.toml', size=[5000, 6000], param='WG=128', profile='quick', epochs=2)
assert [row['n'] for row in rows] == ['5000', '6000'], rows
assert all(row['status'] == 'ok' and row['median_ns'] > 0 and len(row['epochs_ns']) == 2 for row in rows), rows
try:
    shaderbench.bench('none.toml')
except shaderbench.Failed as fault:
    assert str(fault).startswith(\"error: cannot read 'none.toml'\"), fault
";
    let program = Path::new(env!("CARGO_BIN_EXE_shaderbench")).parent().expect("a folder").to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(program).chain(std::env::split_paths(&path))).expect("a PATH");
    let output = Command::new("python3")
        .args(["-c", script])
        .env("PYTHONPATH", Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/python"))
        .env("PATH", path)
        .current_dir(folder.path(""))
        .output()
        .expect("python3 starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
