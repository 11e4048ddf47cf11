//! User kernels that the program once misjudged: right ones called wrong, and the reverse.

use crate::command::{Folder, has_device};
use record::Status;

const MAIN: &str = "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>)";
const IN: &str = "@group(0) @binding(0) var<storage, read> a: array<f32>;\n";
const OUT: &str = "@group(0) @binding(1) var<storage, read_write> output: array<f32>;\n";

/// Status and reason of the only row of `k.wgsl` with `k.toml`, and the exit code.
fn judged(files: &[(&str, &str)]) -> (Status, String, Option<i32>) {
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    judged_with(&files)
}

fn judged_with(files: &[(&str, &[u8])]) -> (Status, String, Option<i32>) {
    let folder = Folder::new();
    files.iter().for_each(|(name, bytes)| folder.write(name, bytes));
    let output = folder.run(&[
        "bench",
        "k.toml",
        "--profile",
        "quick",
        "--time",
        "5m",
        "--epochs",
        "2",
        "--seed",
        "42",
        "--out",
        "r.csv",
    ]);
    let mut rows = folder.records("r.csv");
    rows.retain(|row| row.family == "k");
    assert_eq!(rows.len(), 1, "{output}");
    (rows[0].status, rows[0].reason.clone(), output.code)
}

fn kernel(bindings: &str, body: &str) -> String {
    format!("{bindings}{MAIN} {{ {body} }}\n")
}

#[test]
fn a_right_kernel_is_right() {
    if !has_device() {
        return;
    }
    let points = "@group(0) @binding(0) var<storage, read_write> output: array<vec3<f32>>;\n";
    let padded = kernel(points, "output[id.x] = vec3<f32>(vec3(id.x)) + vec3(0.0, 1.0, 2.0);");
    let uniform = "struct P { a: f32, b: f32 }\n@group(0) @binding(0) var<uniform> p: P;\n";
    let bits = kernel(&format!("{uniform}{OUT}"), "output[id.x] = p.a + p.b;");
    let unset = kernel(&format!("override m: f32;\n{OUT}"), "output[id.x] = 1.0 / m;");
    let words = "@group(0) @binding(1) var<storage, read_write> output: array<u32>;\n";
    let barrier = kernel(words, "subgroupBarrier(); output[id.x] = id.x;");
    for (wgsl, toml) in [
        (padded.clone(), "groups = \"n / 256\"\n[verify]\nreference = \"k.wgsl\"\nreference_entry = \"main\""),
        (padded, "groups = \"n / 256\"\n[verify]\nexpect = \"float(i / 4) + i % 4\""),
        (bits.clone(), "[buffers]\np = { words = [\"bits(0.5)\", \"bits(0.25)\"] }\n[verify]\nexpect = \"0.75\""),
        (bits.clone(), "[buffers]\np = { words = [0.5, 0.25] }\n[verify]\nexpect = \"0.75\""),
        (bits, "[uniforms]\np = { b = 0.25, a = 0.5 }\n[verify]\nexpect = \"0.75\""),
        (unset, "[params]\nm = 4\n[verify]\nexpect = \"1.0 / m\""),
        (barrier, "[verify]\nexpect = \"i\""),
        (
            format!("enable subgroups;\n{}", kernel(words, "output[id.x] = subgroupAdd(1u) / subgroupAdd(1u);")),
            "[verify]\nexpect = \"1\"",
        ),
    ] {
        let toml = format!("sizes = 4096\nlimit = \"none\"\n{toml}\n");
        let (status, reason, code) = judged(&[("k.wgsl", &wgsl), ("k.toml", &toml)]);
        // No kernel is compared with itself, and a device may lack subgroups.
        let is_right = matches!(status, Status::Ok | Status::Unverified | Status::Skipped);
        assert!(is_right && code == Some(0), "{wgsl}\n{toml}: {status:?} {reason}");
    }
}

#[test]
fn a_wrong_kernel_is_wrong_whatever_its_inputs_are_called() {
    if !has_device() {
        return;
    }
    let two = format!("{IN}@group(0) @binding(2) var<storage, read> b: array<f32>;\n{OUT}");
    let swapped = kernel(&two, "output[id.x] = b[id.x] - 2.0 * a[id.x];");
    for contents in ["random", "small", "signs", "digits"] {
        let toml = format!(
            "sizes = 4096\nlimit = \"none\"\n[buffers]\na = {{ contents = \"{contents}\" }}\nb = {{ contents = \
             \"{contents}\" }}\n[verify]\nexpect = \"a[i] - 2.0 * b[i]\"\nrelative = 1e-6\n"
        );
        assert_eq!(judged(&[("k.wgsl", &swapped), ("k.toml", &toml)]).0, Status::Wrong, "{contents}");
    }
    // A buffer that is only read is an input, however it is declared. The reference computes another function.
    let read_only = format!("@group(0) @binding(0) var<storage, read_write> a: array<f32>;\n{OUT}");
    let relu = kernel(&read_only, "output[id.x] = max(a[id.x] * 2.0 + 1.0, 0.0);");
    let other = kernel(&read_only, "let v = a[id.x] * 7.0 + 100.0; output[id.x] = select(0.0, v, v > 0.0);");
    let toml = "sizes = 4096\nlimit = \"none\"\n[verify]\nbuffer = \"output\"\nreference = \"r.wgsl\"\n";
    assert_eq!(judged(&[("k.wgsl", &relu), ("r.wgsl", &other), ("k.toml", toml)]).0, Status::Wrong);
    // A padded element's scalars are compared.
    let points = "@group(0) @binding(0) var<storage, read_write> output: array<vec3<f32>>;\n";
    let shifted = kernel(points, "output[id.x] = vec3<f32>(vec3(id.x)) + vec3(0.0, 1.0, 3.0);");
    let toml = "sizes = 4096\nlimit = \"none\"\ngroups = \"n / 256\"\n[verify]\nexpect = \"float(i / 4) + i % 4\"\n";
    let (status, reason, _) = judged(&[("k.wgsl", &shifted), ("k.toml", toml)]);
    assert!(status == Status::Wrong && reason.contains("element 2 is 3, must be 2"), "{reason}");
}

#[test]
fn a_declaration_at_fault_says_so_and_leaves_no_bundle() {
    if !has_device() {
        return;
    }
    let copy = kernel(&format!("{IN}{OUT}"), "output[id.x] = a[id.x];");
    let half = kernel(&format!("{IN}{OUT}"), "if (id.x < arrayLength(&output) / 2u) { output[id.x] = a[id.x]; }");
    for (toml, sentence) in [
        ("[verify]\nreference = \"r.wgsl\"", "the reference k/r f32 4096 does not write element 2048 of 'output'"),
        ("[verify]\nexpect = \"if i == 5 { a[0 - 1] } else { a[i] }\"", "index -1 is out of range for 4096 elements"),
        ("[verify]\ncompute = \"for i in 0..5 { right[i] = a[i]; }\"", "the expected value of element 5 is NaN"),
        ("[verify]\ncompute = \"for i in 0..n + 1 { right[i] = a[i]; }\"", "index 4096 is out of range for 4096"),
        ("[verify]\ncommand = \"no-such-program\"", "no-such-program: command not found"),
    ] {
        let folder = Folder::new();
        folder.write("k.wgsl", &copy);
        folder.write("r.wgsl", &half);
        folder.write("k.toml", format!("sizes = 4096\nlimit = \"none\"\n{toml}\n"));
        let output =
            folder.run(&["bench", "k.toml", "--profile", "quick", "--time", "5m", "--out", "r.csv"]).exits_with(3);
        let rows = folder.records("r.csv");
        assert_eq!(rows[0].status, Status::Failed, "{toml}\n{output}");
        assert!(rows[0].reason.contains(sentence), "{toml}: {}", rows[0].reason);
        assert!(!folder.path("r-wrong").exists(), "{toml}");
    }
}

#[test]
fn variants_may_call_their_buffers_as_they_like() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let sum = |a: &str, b: &str| {
        let bindings = format!(
            "@group(0) @binding(0) var<storage, read> {a}: array<f32>;\n@group(1) @binding(3) var<storage, read_write> \
             {b}: array<f32>;\n"
        );
        kernel(
            &bindings,
            &format!(
                "var s = 0.0; for (var k = 0u; k < arrayLength(&{a}); k += 1u) {{ s += {a}[k]; }} if (id.x < \
                 arrayLength(&{b})) {{ {b}[id.x] = s; }}"
            ),
        )
    };
    folder.write("a.wgsl", sum("src", "dst"));
    folder.write("b.wgsl", sum("input", "output"));
    let toml = |kernels: &str, key: &str| {
        format!(
            "kernels = [{kernels}]\nsizes = 256\nlimit = \"none\"\n[buffers]\n{key} = {{ contents = \"small\", length \
             = \"4 * n\" }}\n[verify]\nexpect = \"let s = 0.0; for k in 0..4 * n {{ s += src[k]; }} s\"\n"
        )
    };
    let line = ["bench", "ab.toml", "--profile", "quick", "--time", "5m", "--epochs", "1", "--out", "r.csv", "--force"];
    folder.write("ab.toml", toml("\"a.wgsl\", \"b.wgsl\"", "src"));
    folder.run(&line).fails_with(2, "for this kernel, set names = { input = \"src\" }, or declare [buffers.input]");
    for kernels in [
        "\"a.wgsl\", { file = \"b.wgsl\", names = { input = \"src\", output = \"dst\" } }",
        "\"a.wgsl\", { file = \"b.wgsl\", names = { 0 = \"src\", \"1.3\" = \"dst\" } }",
    ] {
        for key in ["src", "0"] {
            folder.write("ab.toml", toml(kernels, key));
            let output = folder.run(&line).succeeds();
            let rows = folder.records("r.csv");
            assert!(rows.len() == 2 && rows.iter().all(|row| row.status == Status::Ok), "{output}");
        }
    }
}

#[test]
fn several_outputs_are_verified_each_in_its_way() {
    if !has_device() {
        return;
    }
    let bindings = format!("{IN}{OUT}@group(0) @binding(2) var<storage, read_write> counts: array<u32>;\n");
    let both = kernel(&bindings, "output[id.x] = 2.0 * a[id.x]; counts[id.x] = id.x / 3u;");
    let toml = "sizes = 4096\nlimit = \"none\"\n[[verify]]\nbuffer = \"output\"\nexpect = \"2.0 * a[i]\"\n\
                [[verify]]\nbuffer = \"counts\"\ncompute = \"for i in 0..n { right[i] = i / 3; }\"\n";
    assert_eq!(judged(&[("k.wgsl", &both), ("k.toml", toml)]).0, Status::Ok);
    let (status, reason, _) = judged(&[("k.wgsl", &both.replace("/ 3u", "/ 4u")), ("k.toml", toml)]);
    assert!(status == Status::Wrong && reason.contains("counts: element 3 is 0, must be 1"), "{reason}");
}

#[test]
fn a_bundle_of_an_older_run_does_not_stay_beside_a_new_one() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    folder.write("k.wgsl", kernel(&format!("{IN}{OUT}"), "output[id.x] = a[id.x];"));
    let toml = |right: &str| format!("sizes = 4096\nlimit = \"none\"\n[verify]\nexpect = \"{right}\"\n");
    folder.write("k.toml", toml("a[i] + 1"));
    let line = ["bench", "k.toml", "--profile", "quick", "--time", "5m", "--epochs", "1", "--out", "r.csv", "--force"];
    folder.run(&line).exits_with(3);
    assert!(folder.path("r-wrong").exists());
    // Files that are no bundle stay.
    folder.write("r-wrong/notes.txt", "mine");
    folder.write("k.toml", toml("a[i]"));
    folder.run(&line).succeeds();
    let left = std::fs::read_dir(folder.path("r-wrong")).expect("a folder").count();
    assert!(left == 1 && folder.path("r-wrong/notes.txt").exists());
}

#[test]
fn a_dispatch_of_a_scalar_each_over_vectors_says_so() {
    if !has_device() {
        return;
    }
    let vectors = "@group(0) @binding(0) var<storage, read_write> output: array<vec4<f32>>;\n";
    let (status, reason, code) = judged(&[
        ("k.wgsl", &kernel(vectors, "output[id.x] = vec4(1.0);")),
        ("k.toml", "sizes = 4096\nlimit = \"none\"\n"),
    ]);
    let hint = "4096 invocations run, one per scalar, but 'output' has 1024 elements of 4 scalars; set `groups`";
    assert!(status == Status::Wrong && code == Some(3) && reason.contains(hint), "{reason}");
}

#[test]
fn a_parameter_of_the_command_line_gives_an_override_its_value() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    folder.write("k.wgsl", kernel(&format!("override m: f32;\n{OUT}"), "output[id.x] = 1.0 / m;"));
    folder.write("k.toml", "sizes = 64\nlimit = \"none\"\n[params]\nm = [2, 4]\n[verify]\nexpect = \"1.0 / m\"\n");
    let line =
        ["bench", "k.toml", "--profile", "quick", "--time", "5m", "--epochs", "1", "--out", "r.csv", "--param", "m=8"];
    let output = folder.run(&line).succeeds();
    assert!(folder.records("r.csv")[0].params["m"] == 8.0, "{output}");
    // Also without [params] in the file.
    folder.write("k.toml", "sizes = 64\nlimit = \"none\"\n[verify]\nexpect = \"1.0 / m\"\n");
    let output = folder.run(&[&line[..], &["--force"]].concat()).succeeds();
    assert!(folder.records("r.csv")[0].params["m"] == 8.0, "{output}");
}

#[test]
fn a_kernel_is_told_the_length_of_its_buffers() {
    if !has_device() {
        return;
    }
    let lengths =
        kernel(&format!("{IN}{OUT}"), "if (id.x < arrayLength(&output)) { output[id.x] = f32(arrayLength(&a)); }");
    for n in [1000, 1001, 1002, 1003] {
        let toml = format!(
            "sizes = {n}\nlimit = \"none\"\n[buffers]\na = {{ length = \"n - 1\" }}\n[verify]\nexpect = \"n - 1\"\n"
        );
        let (status, reason, _) = judged(&[("k.wgsl", &lengths), ("k.toml", &toml)]);
        assert_eq!(status, Status::Ok, "{n}: {reason}");
    }
}

#[test]
fn a_name_that_nothing_has_is_refused() {
    let folder = Folder::new();
    folder.write("k.wgsl", kernel(&format!("{IN}{OUT}"), "output[id.x] = a[id.x];"));
    for (toml, sentence) in [
        ("[samplers]\ns = { filter = \"nearest\" }", "[samplers.s]: the kernel has no sampler 's'; its samplers: none"),
        (
            "kernels = [{ file = \"k.wgsl\", names = { srq = \"a\" } }]",
            "names: k.wgsl has no binding 'srq', only a, output",
        ),
        (
            "steps = [{ entry = \"main\" }, { swap = [\"a\", \"outptu\"] }]",
            "steps: no dispatch binds a buffer 'outptu'; the bound buffers are a, output",
        ),
        (
            "steps = [{ entry = \"main\", indirect = \"x\" }]",
            "steps: no dispatch binds a buffer 'x'; the bound buffers are a, output",
        ),
        (
            "steps = [{ repeat = 2, index = \"n\", steps = [{ entry = \"main\" }] }]",
            "index = \"n\" uses a name that is already defined",
        ),
        ("steps = [{ entry = \"main\" }, { repeat = 1000000, steps = [] }]", "repeats steps more than 100000 times"),
        ("[params]\nT = []", "[params]: T needs at least one value"),
        ("[buffers]\na = { size = [1, 1] }", "[buffers.a]: `size` and `format` apply to textures only"),
        ("[buffers]\na = \"small\"", "expected a table, for example { contents = \"small\" }"),
        ("name = \" \"", "k.toml: `name` is empty"),
    ] {
        folder.write("k.toml", format!("{toml}\n"));
        let wgsl = kernel(&format!("override T: u32 = 1u;\n{IN}{OUT}"), "output[id.x] = a[id.x] * f32(T);");
        folder.write("k.wgsl", wgsl);
        let output = folder.run(&["bench", "k.toml", "--size", "64", "--out", "r.csv", "--force"]);
        assert!(output.code == Some(2) && output.stderr.contains(sentence), "{toml}: {sentence}\n{output}");
    }
    folder.run(&["bench", "k.toml", "other.toml"]).fails_with(2, "a .toml file must be the only file");
}

/// A NumPy file of 64 numbers with these bytes.
fn npy(kind: &str, number: impl Fn(u8) -> Vec<u8>) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': (64,), }}\n");
    let start = [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat();
    start.into_iter().chain((0..64).flat_map(number)).collect()
}

/// Each kernel of 64 outputs has a file `f.npy`, the expected status, and a part of the reason.
#[test]
fn a_right_value_is_compared_in_the_type_of_the_output() {
    if !has_device() {
        return;
    }
    let output = |kind: &str| format!("@group(0) @binding(1) var<storage, read_write> output: array<{kind}>;\n");
    let input = "@group(0) @binding(0) var<storage, read> a: array<i64>;\n";
    let five = kernel(&output("u32"), "output[id.x] = 5u;");
    let minus = kernel(&output("i32"), "output[id.x] = -1;");
    let narrow = kernel(&format!("{input}{}", output("u32")), "output[id.x] = u32(a[id.x] & 0xffffffffli);");
    let copy = kernel(&format!("{input}{}", output("i64")), "output[id.x] = a[id.x];");
    let counted = npy("<i8", |number| (i64::from(number) + 1).to_le_bytes().to_vec());
    let largest = npy("<i8", |_| i64::MAX.to_le_bytes().to_vec());
    let fraction = npy("<f8", |_| 5.7_f64.to_le_bytes().to_vec());
    let beyond = npy("<i8", |_| ((1_i64 << 32) + 5).to_le_bytes().to_vec());
    let file = "[verify]\nfile = \"f.npy\"";
    let from = "[buffers]\na = { file = \"f.npy\" }\n[verify]\nexpect";
    let of_half = |half| format!("[verify]\nexpect = \"6\"\ntolerance = \"if i < 32 {{ 1 }} else {{ {half} }}\"");
    for (wgsl, toml, npy, wanted, part) in [
        (&five, file.to_owned(), &fraction, Status::Failed, "element 0 is 5.7, which u32 cannot hold"),
        (&five, file.to_owned(), &beyond, Status::Failed, "element 0 is 4294967301, which u32 cannot hold"),
        (&five, "[verify]\nexpect = \"-4294967291\"".to_owned(), &beyond, Status::Failed, "which u32 cannot hold"),
        (&five, format!("{file}\nwrap = true"), &beyond, Status::Ok, ""),
        (&five, format!("{file}\ntolerance = 1"), &fraction, Status::Ok, ""),
        (&five, format!("{file}\ntolerance = 0.5"), &fraction, Status::Wrong, "must be 5.7"),
        (&minus, "[verify]\nexpect = \"1\"\ntolerance = 2".to_owned(), &fraction, Status::Ok, ""),
        (&minus, "[verify]\nexpect = \"2\"\ntolerance = 2".to_owned(), &fraction, Status::Wrong, "is -1, must be 2"),
        (&five, of_half("1"), &fraction, Status::Ok, ""),
        (&five, of_half("0.5"), &fraction, Status::Wrong, "element 32 is 5, must be 6"),
        (&five, of_half("i - 40"), &fraction, Status::Failed, "must be finite and at least 0, but is -8 for i = 32"),
        (&five, of_half("0.0 / 0.0"), &fraction, Status::Failed, "must be finite and at least 0, but is NaN"),
        (&narrow, format!("{from} = \"i + 1\""), &counted, Status::Ok, ""),
        (&copy, format!("{from} = \"-1\""), &largest, Status::Wrong, "in its high 32 bits"),
        (&copy, format!("{from} = \"9223372036854775806\""), &largest, Status::Wrong, "in its low 32 bits"),
        (&copy, format!("{from} = \"9223372036854775807\""), &largest, Status::Ok, ""),
        (&copy, "[verify]\nexpect = \"a[i]\"".to_owned(), &largest, Status::Ok, ""),
    ] {
        let toml = format!("sizes = 64\nlimit = \"none\"\n{toml}\n");
        let files = [("k.wgsl", wgsl.as_bytes()), ("k.toml", toml.as_bytes()), ("f.npy", npy)];
        let (status, reason, _) = judged_with(&files);
        // A device may lack integers of 64 bits.
        let is_right = status == wanted && reason.contains(part) || (status == Status::Skipped && wgsl.contains("i64"));
        assert!(is_right, "{wgsl}\n{toml}: {status:?} {reason}");
    }
    // In a texture of integers, a picture's texels are integers.
    let image = "@group(0) @binding(0) var a: texture_2d<u32>;\n";
    let read =
        kernel(&format!("{image}{}", output("u32")), "output[id.x] = textureLoad(a, vec2(id.x % 8u, id.x / 8u), 0).x;");
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 8, 8);
    encoder.set_color(png::ColorType::Grayscale);
    let bytes: Vec<u8> = (0..64).map(|index| 4 * index + 3).collect();
    encoder.write_header().and_then(|mut writer| writer.write_image_data(&bytes)).expect("written");
    let toml = "sizes = \"8x8\"\nlimit = \"none\"\n[buffers]\na = { file = \"f.png\", format = \"r32uint\" }\n[verify]\n\
                expect = \"4 * i + 3\"\n";
    let (status, reason, _) = judged_with(&[("k.wgsl", read.as_bytes()), ("k.toml", toml.as_bytes()), ("f.png", &png)]);
    assert_eq!(status, Status::Ok, "{reason}");
}

#[test]
fn what_a_kernel_leaves_undone_is_found() {
    if !has_device() {
        return;
    }
    let matrix = "@group(0) @binding(0) var<storage, read_write> y: array<f32>;\n@compute @workgroup_size(16, 16) fn \
                  main(@builtin(global_invocation_id) g: vec3u) { if (g.x < 256u && g.y < 256u) { y[g.y * 256u + g.x] = \
                  1.0; } }";
    let copy = kernel(&format!("{IN}{OUT}"), "output[id.x] = a[id.x];");
    let forty_two = kernel(&format!("{IN}{OUT}"), "output[id.x] = 42.0 + 0.0 * a[id.x];");
    let hole = kernel(OUT, "if (id.x < 300000u || id.x >= 301049u) { output[id.x] = 1.0; }");
    let one = "sizes = \"256x256\"\nlimit = \"none\"\n";
    let verified = "[verify]\nexpect = \"1.0\"";
    let infinite = "sizes = 1024\nlimit = \"none\"\n[verify]\nexpect = \"exp(1000.0 * (2.0 + a[i]))\"\nrelative = 1e-6";
    let claim = "sizes = 1024\n[verify]\nexpect = \"a[i]\"";
    for (wgsl, toml, wanted, part) in [
        (matrix, format!("{one}{verified}"), Status::Ok, ""),
        (
            matrix,
            format!("groups = 16\n{one}{verified}"),
            Status::Wrong,
            "was never written; dispatched 16×1×1 workgroups of 16×16",
        ),
        (matrix, format!("groups = 16\n{one}"), Status::Unverified, "94 % of 'y' was never written; dispatched 16×1×1"),
        (matrix, one.to_owned(), Status::Unverified, "nothing to compare the output with"),
        // A hole of a thousandth, in an output too large to be compared whole.
        (&hole, format!("sizes = \"2^20\"\nlimit = \"none\"\n{verified}"), Status::Wrong, "was never written"),
        (&forty_two, infinite.to_owned(), Status::Wrong, "is 42, must be inf"),
        (
            &copy,
            "sizes = 65536\nlimit = \"none\"\n[verify]\nexpect = \"max(a[i], 0.0)\"".to_owned(),
            Status::Wrong,
            "must be 0",
        ),
        (
            &copy,
            format!("bytes = \"9e9\"\nlimit = \"copy\"\n{claim}"),
            Status::Implausible,
            "no kernel can be that fast",
        ),
        (
            &copy,
            format!("bytes = \"9e9\"\nlimit = \"read\"\n{claim}"),
            Status::Implausible,
            "no kernel can be that fast",
        ),
        (
            &copy,
            format!("bytes = \"9e9\"\nlimit = \"fill\"\n{claim}"),
            Status::Implausible,
            "no kernel can be that fast",
        ),
        (
            &copy,
            format!("flops = \"9e12\"\nlimit = \"tensor\"\n{claim}"),
            Status::Implausible,
            "no kernel can be that fast",
        ),
    ] {
        let (status, reason, _) = judged(&[("k.wgsl", wgsl), ("k.toml", &toml)]);
        let says_more = wanted == Status::Unverified && part.starts_with("nothing") && reason.contains("never");
        assert!(status == wanted && reason.contains(part) && !says_more, "{toml}: {status:?} {reason}");
    }
}
