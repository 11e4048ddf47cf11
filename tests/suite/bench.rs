//! `bench`: kernels of the user, and their TOML files.

use crate::command::{Folder, Output, has_device, shaderbench_in_empty_folder};
use record::{Record, Status};

const BINDINGS: &str = "@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
";
const MAIN: &str = "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) ";

fn kernel(body: &str) -> String {
    format!("{BINDINGS}{MAIN}{{ {body} }}\n")
}

const COPY: &str = "output[id.x] = input[id.x];";

/// Runs `bench k.wgsl` on 4096 scalars, with `toml` as its declaration unless empty.
fn bench(folder: &Folder, wgsl: &str, toml: &str, options: &[&str]) -> Output {
    folder.write("k.wgsl", wgsl);
    if !toml.is_empty() {
        folder.write("k.toml", toml);
    }
    let always = ["bench", "k.wgsl", "--size", "4096", "--profile", "quick", "--out", "r.csv", "--force"];
    folder.run(&[&always[..], options].concat())
}

fn rows(folder: &Folder) -> Vec<Record> {
    folder.records("r.csv").into_iter().filter(|row| row.family == "k").collect()
}

#[test]
fn a_new_kernel_has_a_table_at_once_and_files_are_not_overwritten() {
    let folder = Folder::new();
    let output = folder.run(&["bench", "init", "mine"]).succeeds();
    assert!(output.stdout.ends_with("next: shaderbench bench mine.wgsl\n"), "{output}");
    folder.run(&["bench", "init", "mine"]).fails_with(2, "mine.toml already exists: delete the file");
    let kernel = folder.text("mine.wgsl");
    for (option, name) in [("--out", "mine.wgsl"), ("--out", "mine.toml"), ("--json", "mine.WGSL"), ("--out", "a.spv")]
    {
        let output = folder.run(&["bench", "mine.wgsl", option, name, "--force"]);
        output.fails_with(2, &format!("{option} {name}: a report cannot have a kernel's file extension"));
    }
    assert_eq!(folder.text("mine.wgsl"), kernel);
    if !has_device() {
        return;
    }
    let output =
        folder.run(&["bench", "mine.wgsl", "--size", "2^14", "--profile", "quick", "--out", "r.csv"]).succeeds();
    assert!(output.stdout.contains("mine WG=128") && output.stdout.contains("mine WG=256"), "{output}");
    let rows: Vec<Record> = folder.records("r.csv").into_iter().filter(|row| row.family == "mine").collect();
    assert!(rows.iter().all(|row| row.status == Status::Ok && row.share.is_some()), "{output}");
    assert_eq!(rows[0].bytes, Some(12 << 14));
    // The same run again has nothing left to measure, and its report compares with itself.
    folder.run(&["bench", "mine.wgsl", "--size", "2^14", "--profile", "quick", "--resume", "r.csv"]).succeeds();
    folder.run(&["compare", "r.csv", "r.csv"]).succeeds();
}

#[test]
fn a_kernel_without_an_answer_is_unverified_and_a_wrong_one_wrong() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let output = bench(&folder, &kernel(COPY), "", &[]).succeeds();
    let found = rows(&folder);
    assert_eq!((found.len(), found[0].status), (1, Status::Unverified), "{output}");
    assert!(found[0].median_ns.is_some() && found[0].gb_per_s.is_none(), "{output}");
    assert!(output.stdout.contains("unverified: k f32 2^12 (nothing to compare the output with"), "{output}");
    for (body, answer, status) in [
        (COPY, "input[i]", Status::Ok),
        (COPY, "input[i] + 1", Status::Wrong),
        ("output[id.x] = input[id.x] + bitcast<f32>(0x7fc00000u | (id.x & 1u));", "input[i]", Status::Wrong),
        // Checks are on: a store past the end changes nothing, or the last element.
        ("output[id.x + 1000000000u] = input[id.x];", "input[i]", Status::Wrong),
        ("output[id.x] = input[id.x] + output[id.x];", "input[i]", Status::Wrong),
        ("output[id.x] = 1.001 * input[id.x];", "input[i]", Status::Wrong),
    ] {
        let output = bench(&folder, &kernel(body), "", &["--expect", answer, "--bytes", "8*n"]);
        assert_eq!(rows(&folder)[0].status, status, "{body}\n{output}");
        assert_eq!(output.code, Some(if status == Status::Ok { 0 } else { 3 }), "{output}");
    }
    let lenient = ["--expect", "input[i]", "--tolerance", "0.01"];
    bench(&folder, &kernel("output[id.x] = 1.001 * input[id.x];"), "", &lenient).succeeds();
}

#[test]
fn contents_and_answers_come_from_files_and_other_kernels() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let words: Vec<u8> = (0..4096).flat_map(|k| (k as f32).to_le_bytes()).collect();
    folder.write("in.bin", &words);
    folder.write("right.bin", &words);
    let toml = "[buffers]\ninput = { file = \"in.bin\" }\n[verify]\nfile = \"right.bin\"\n";
    bench(&folder, &kernel(COPY), toml, &[]).succeeds();
    folder.write("right.bin", &words[4..]);
    let short = "the file has 16380 B, but 'output' has 16384 B";
    bench(&folder, &kernel(COPY), toml, &[]).fails_with(2, short);
    // Signed integers, and a ramp; the reference has another workgroup size.
    let signed = kernel("output[id.x] = -3 * input[id.x];").replace("f32", "i32");
    let toml = "[buffers]\ninput = { contents = \"ramp\" }\n[verify]\nexpect = \"-3 * i\"\n";
    bench(&folder, &signed, toml, &[]).succeeds();
    folder.write("other.wgsl", signed.replace("workgroup_size(64)", "workgroup_size(32)"));
    let toml = "[buffers]\ninput = { contents = \"random\" }\n[verify]\nreference = \"other.wgsl\"\n";
    bench(&folder, &signed, toml, &[]).succeeds();
    folder.write("other.wgsl", signed.replace("-3", "-4"));
    bench(&folder, &signed, toml, &[]);
    assert_eq!(rows(&folder)[0].status, Status::Wrong);
}

#[test]
fn a_fault_of_a_kernel_or_its_file_is_one_clear_sentence() {
    let folder = Folder::new();
    folder.write("k.npy", "no array");
    let copy = kernel(COPY);
    let two_entries = format!("{}{}", copy.replace("fn main", "fn first"), MAIN.replace("main", "second") + "{}");
    let params =
        copy.replace("@compute", "struct P { n: u32, dt: f32 }\n@group(0) @binding(2) var<uniform> p: P;\n@compute");
    let params = params.replace(COPY, "output[id.x] = input[id.x] * p.dt * f32(p.n);");
    let drawing = copy.replace("@compute", "@group(0) @binding(2) var image: texture_2d<f32>;\n@compute");
    let drawing = drawing.replace(COPY, "output[id.x] = textureLoad(image, id.xy, 0).x + input[id.x];");
    let sampled = drawing.replace("@compute", "@group(0) @binding(3) var s: sampler;\n@compute");
    let sampled =
        sampled.replace("textureLoad(image, id.xy, 0)", "textureSampleLevel(image, s, vec2<f32>(id.xy), 0.0)");
    for (wgsl, toml, sentence) in [
        (&*format!("{BINDINGS}fn main() {{}}"), "", "k.wgsl: there is no compute entry point"),
        (&kernel("output[id.x] = input[id.x]"), "", "k.wgsl: expected `;`, found \"}\""),
        (
            &format!(
                "var<workgroup> big: array<u32, 536870912>;{}",
                kernel("big[id.x] = 1u; output[id.x] = f32(big[0]);")
            ),
            "",
            "k.wgsl: type is too large",
        ),
        (&copy, "[buffers]\nfoo = { contents = \"zero\" }", "the kernel has no binding 'foo', only input, output"),
        (&copy, "[buffers]\ninput = { contents = \"noise\" }", "unknown contents 'noise'; use random, positive, small"),
        (&copy, "[params]\nWG = 64", "the kernel has no override 'WG'; its overrides: none"),
        (&copy, "workgroup = 64", "workgroup: the kernel itself sets its workgroup size; remove `workgroup`"),
        (&copy, "size = 5", "k.toml, line 1: unknown field `size`, expected one of `name`"),
        (&copy, "name = \"a\"\n\nsize = 5", "k.toml, line 3: unknown field `size`"),
        (&copy, "[buffers.input]\ncontent = 1", "k.toml, line 2: unknown field `content`"),
        (
            &copy,
            "kernels = [{ file = \"k.wgsl\", group = 1 }]",
            "a kernel must be a file name, or a table that sets `file`",
        ),
        (&copy, "[buffers", "k.toml, line 1: unclosed table, expected `]`"),
        (&copy, "sizes = \"big\"", "k.toml: sizes: "),
        (&copy, "limit = \"speed\"", "unknown limit 'speed'; use copy, read"),
        (&copy, "dtype = \"bf16\"", "unknown dtype 'bf16'; use one of f32"),
        (&copy, "bytes = \"8 * rows\"", "k.toml: bytes: undefined variable: rows"),
        (&copy, "[verify]\nexpect = \"input[i\"", "k.toml: [verify]: expect: expecting ']'"),
        (
            &copy,
            "[verify]\ntolerance = 1.0",
            "set exactly one of `expect`, `compute`, `command`, `reference` and `file`",
        ),
        (
            &copy,
            "[verify]\nexpect = \"i\"\ntolerance = -1.0",
            "`tolerance` and `relative` must be finite and at least 0",
        ),
        (&copy, "entry = \"other\"", "k.wgsl: there is no entry point 'other', only main"),
        (
            &two_entries,
            "",
            "the kernel has the entry points first, second; set entry = \"first\" to run one, or steps = [{ entry",
        ),
        (&copy, "steps = []", "k.toml: no step runs an entry point"),
        (
            &copy,
            "steps = [{ clear = \"x\", swap = [\"a\", \"b\"] }]",
            "k.toml: steps, 1: set exactly one of `entry` (or `groups`), `clear`",
        ),
        (&copy, "steps = [{ entry = \"main\", times = 3 }]", "k.toml, line 1: unknown field `times`"),
        (
            &copy,
            "steps = [{ entry = \"main\" }, { clear = \"x\" }]",
            "k.toml: steps: no dispatch binds a buffer 'x'; the bound buffers are input, output",
        ),
        (&copy, "steps = [{ entry = \"main\", bind = { x = \"y\" } }]", "`bind` names 'x', but the kernel has no such"),
        (
            &copy,
            "steps = [{ repeat = \"k\", steps = [{ entry = \"main\" }] }]",
            "steps, 1: repeat: undefined variable: k",
        ),
        (
            &copy,
            "steps = [{ repeat = 1000000, steps = [{ entry = \"main\" }] }]",
            "a launch repeats steps more than 100000 times",
        ),
        (&copy, "[uniforms]\nfoo = 1", "[uniforms.foo]: the kernel has no variable 'foo', only input, output"),
        (
            &params,
            "[uniforms]\np = { n = \"n\", dx = 1.0 }",
            "[uniforms.p]: there is no field 'dx'; the fields are n (u32), dt (f32)",
        ),
        (&params, "[uniforms]\np = { n = \"n\" }", "[uniforms.p]: 'dt' has no value; the fields are n (u32), dt (f32)"),
        (
            &params,
            "[uniforms]\np = { n = 0.5, dt = 1 }",
            "[uniforms.p]: n: 0.5 is not an integer or is out of range; for the bits of a float, write bits(x)",
        ),
        (&params, "", "no values for the uniform 'p'; set them, for example\n[uniforms]\np = { n = \"n\", dt = 1.0 }"),
        (
            &drawing,
            "[buffers]\nimage = { format = \"r32uint\", size = [8, 8] }",
            "format r32uint does not match the kernel's texture",
        ),
        (&drawing, "[buffers]\nimage = { format = \"bgra\" }", "unknown format 'bgra'; use one of rgba8unorm"),
        (&drawing, "", "[buffers.image]: the texture needs size = [\"WIDTH\", \"HEIGHT\"], or `sizes` of the form"),
        (&sampled, "[samplers]\ns = { filter = \"cubic\" }", "[samplers.s]: 'cubic' is neither 'linear' nor 'nearest'"),
        (&format!("#import a::b\n{copy}"), "", "k.wgsl, line 1: #import a::b: there is no file a::b"),
        (&copy, "preprocess = \"no-such-program {in}\"", "k.wgsl: preprocess: no-such-program: command not found"),
        (&copy, "preprocess = \"cat {in} | cat\"", "is not a single command; to run several commands, write a script"),
        (&copy, "[verify]\ncompute = \"right[0] = \"", "[verify]: compute: script is incomplete"),
        (
            &copy,
            "[[verify]]\nexpect = \"1\"\n[[verify]]\nexpect = \"2\"",
            "with several [[verify]] tables, each table must name its buffer",
        ),
        (&copy, "[buffers]\ninput = { file = \"k.npy\" }", "k.npy: the file does not start with the .npy signature"),
        (&copy, "[buffers]\ninput = { contents = \"1 +\" }", "[buffers.input]: contents: script is incomplete"),
        (
            &copy,
            "kernels = [\"k.wgsl\", { file = \"k.wgsl\" }]",
            "two kernels are named k: give each kernel its own name in [[kernels]]",
        ),
        (&copy, "[verify]\nreference = \"none.wgsl\"", "cannot read 'none.wgsl'"),
    ] {
        let output = bench(&folder, wgsl, if toml.is_empty() { "\n" } else { toml }, &[]);
        assert!(matches!(output.code, Some(1 | 2)), "{output}");
        assert!(output.stderr.starts_with("error: ") && output.stderr.contains(sentence), "{sentence}\n{output}");
    }
    folder.run(&["bench", "none.wgsl"]).fails_with(1, "cannot read 'none.wgsl'");
    folder.run(&["bench", "k.toml.csv"]).fails_with(2, "bench runs .wgsl, .spv, .cu, .comp, .hlsl and .slang files");
    shaderbench_in_empty_folder(&["bench"]).exits_with(2);
    shaderbench_in_empty_folder(&["run", "--unchecked"]).fails_with(2, "--unchecked applies to the kernels of");
}

#[test]
fn a_file_that_does_not_fit_a_case_is_refused_before_a_device_is_opened() {
    let folder = Folder::new();
    let two = kernel("output[id.x] = input[id.x]; other[id.x] = 1.0;")
        .replace("@compute", "@group(0) @binding(2) var<storage, read_write> other: array<f32>;\n@compute");
    let uniform = kernel("output[id.x] = input[id.x] * scale.x;")
        .replace("@compute", "@group(0) @binding(2) var<uniform> scale: vec4<f32>;\n@compute");
    for (wgsl, toml, sentence) in [
        (kernel(COPY), "[verify]\nexpect = \"input[i + 1]\"\n", "index 4096 is out of range for 4096 elements"),
        (
            kernel(COPY),
            "[verify]\nbuffer = \"input\"\nexpect = \"1\"\n",
            "the kernel does not write 'input', only output",
        ),
        (two.clone(), "[verify]\nexpect = \"1.0\"\n", "[verify] must name a buffer, since the kernel writes output,"),
        (
            uniform.clone(),
            "\n",
            "k.toml: no values for the uniform 'scale'; set them, for example\n[uniforms]\nscale = [1.0, 1.0, 1.0, \
             1.0]",
        ),
        (
            uniform.clone(),
            "[uniforms]\nscale = [1.0]\n",
            "k.toml: [uniforms.scale]: 'scale' has 4 scalars, but its value has 1",
        ),
        (
            uniform.clone(),
            "[buffers]\nscale = { words = [1] }\n",
            "[buffers.scale]: the buffer's type needs 4 words, but the list has 1",
        ),
        (kernel(COPY), "groups = \"n * 1000\"\n", "4096000 workgroups in one dimension exceed the limit of 65535"),
        (kernel(COPY), "groups = \"n / 3\"\n[verify]\nlength = 5000\nexpect = \"1.0\"\n", "has only 4096 scalars"),
    ] {
        let output = bench(&folder, &wgsl, toml, &[]).exits_with(2);
        assert!(output.stderr.starts_with("error: ") && output.stderr.contains(sentence), "{sentence}\n{output}");
        assert!(!folder.path("r.csv").exists());
    }
    // Without the declaration that it needs.
    folder.write("alone.wgsl", uniform);
    let output = folder.run(&["bench", "alone.wgsl"]).exits_with(2);
    let sentence =
        "error: alone.wgsl needs a declaration that defines scale; `shaderbench bench init alone.wgsl` writes";
    assert!(output.stderr.starts_with(sentence) && output.stderr.contains("[uniforms]"), "{output}");
    if has_device() {
        bench(&folder, &two, "[verify]\nbuffer = \"other\"\nexpect = \"1.0\"\n", &[]).succeeds();
    }
}

#[test]
fn a_resumed_run_has_the_declaration_of_its_beginning() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let toml = "bytes = \"8 * n\"\nlimit = \"none\"\n[buffers]\ninput = { contents = \"small\" }\n[verify]\nexpect = \"input[i]\"\n";
    bench(&folder, &kernel(COPY), toml, &["--epochs", "1"]).succeeds();
    let resumed = |toml: &str, more: &[&str]| {
        folder.write("k.toml", toml);
        let always = ["bench", "k.wgsl", "--size", "4096", "--profile", "quick", "--epochs", "1", "--resume", "r.csv"];
        folder.run(&[&always[..], more].concat())
    };
    resumed(toml, &[]).succeeds();
    for (before, after) in
        [("8 * n", "4 * n"), ("expect = \"input[i]\"", "expect = \"1.0 * input[i]\""), ("small", "ramp")]
    {
        let output = resumed(&toml.replace(before, after), &[]).exits_with(2);
        assert!(output.stderr.contains("r.csv cannot be resumed: it has a row for k/k"), "{output}");
    }
    let output = resumed(toml, &["--unchecked"]).exits_with(2);
    assert!(output.stderr.contains("with different run-time checks: --unchecked has changed"), "{output}");
}
