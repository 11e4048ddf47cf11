//! Invalid parameters, sizes and folders are usage errors before anything runs; accepted parameters give right results.

use crate::catalogue::{benchmarks, family, few_rounds};
use crate::command::{Folder, shaderbench_in_empty_folder};
use crate::device::{adapter, common_dtype, fault, open};
use gpu::engine::plan::{Request, params_of, plan};
use gpu::job::Job;
use record::suite::{Accepted, Benchmark, Case, Extent, HOST_PARAMS, Profile, Shape};

#[test]
fn declared_values_are_accepted() {
    for (name, family, benchmark) in benchmarks() {
        let declared = benchmark.cases.iter().flat_map(|block| block.params).flat_map(|params| params.iter());
        for (param, value) in declared.copied() {
            let accepted = benchmark.accepted(param);
            assert!(accepted.has(value), "{name}: {param}={value} is declared, and accepted is {accepted}");
        }
        for (param, _) in benchmark.accepts {
            // A literal may share its values with benchmarks that have other parameters.
            let is_used = family.benchmarks.iter().any(|other| params_of(other).iter().any(|known| known == param));
            assert!(is_used, "{name} has no parameter {param}");
        }
    }
}

#[test]
fn each_of_several_values_is_a_case() {
    let few = vec![("WG".to_owned(), 64.0), ("WG".to_owned(), 128.0)];
    let request = |params| Request {
        params,
        sizes: vec![Extent::Linear(1 << 20)],
        ..Request::new(vec!["reduction/atomic".to_owned()], Profile::Quick)
    };
    let values = |params| -> Vec<f64> {
        let cases = plan(&request(params)).expect("a plan");
        cases.iter().filter_map(|case| case.shape.params.get("WG").copied()).collect()
    };
    assert_eq!(values(few), [64.0, 128.0]);
    assert_eq!(values(vec![("WG".to_owned(), 128.0)]), [128.0]);
}

/// The ends of the accepted values and some between them, small enough for a software device.
fn samples(accepted: Accepted) -> Vec<f64> {
    match accepted {
        Accepted::Whole(least, most) => [least, least + 1, 3, 24, 255]
            .iter()
            .map(|value| *value.clamp(&least, &most))
            .chain((most < 2000).then_some(most))
            .map(f64::from)
            .collect(),
        Accepted::PowerOfTwo(least, most) => [least, 2 * least, most.min(4096)].map(f64::from).to_vec(),
        Accepted::Multiple(of, _) => [of, 3 * of].map(f64::from).to_vec(),
        Accepted::OneOf(values) => values.to_vec(),
        Accepted::Integer | Accepted::Number(_) => Vec::new(),
    }
}

/// An odd size, small enough for every value of a parameter.
fn size(name: &str, benchmark: &Benchmark, lanes: u64) -> Extent {
    match benchmark.representative().1[0] {
        Extent::Linear(1) => Extent::Linear(1),
        Extent::Linear(_) if name.starts_with("cache_curve") => Extent::Linear(1 << 14),
        Extent::Linear(_) => Extent::Linear(5003 * lanes),
        Extent::Matrix(..) if name == "fft/stockham" => Extent::Matrix(19, 512),
        Extent::Matrix(..) if name.starts_with("attention") => Extent::Matrix(3, 130),
        Extent::Matrix(..) => Extent::Matrix(100, 257),
        Extent::Product(..) => Extent::Product(65, 67, 33),
    }
}

mod every_accepted_value_of_an_override_gives_a_right_result {
    crate::device::each_family!(verify);

    fn verify(family: &str) {
        super::verify_values_of(family);
    }
}

fn verify_values_of(name: &str) {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    let family = family(name);
    // Kernels of `rates` differ in their step only: a few stand for all, so that this takes seconds.
    let stands = |benchmark: &Benchmark| {
        name != "rates"
            || [
                "u32_add",
                "u32_shuffle",
                "f16_add",
                "f64_add",
                "i64_divide",
                "u32_ballot",
                "u64_workgroup_atomic_add",
                "u32_global_atomic_max",
            ]
            .contains(&benchmark.name)
    };
    for benchmark in family.benchmarks.iter().filter(|one| !one.wgsl.is_empty() && stands(one)) {
        let name = format!("{name}/{}", benchmark.name);
        for param in params_of(benchmark).into_iter().filter(|param| !HOST_PARAMS.contains(&param.as_str())) {
            for value in samples(benchmark.accepted(&param)) {
                let (dtypes, _, sets) = benchmark.representative();
                let dtype = common_dtype(benchmark, dtypes[0]);
                let declared = sets[0].iter().map(|(name, value)| ((*name).to_owned(), *value));
                let mut params = few_rounds(family.name, declared);
                params.insert(param.clone(), value);
                let shape = Shape::new(dtype, size(&name, benchmark, dtype.lanes()), params);
                let case = Case::new(family, benchmark, shape);
                match Job::new(&case).and_then(|mut job| fault(&mut backend, &mut job)) {
                    Ok(fault) => assert_eq!(fault, None, "{case}"),
                    Err(error) => assert!(error.is_skip(), "{case}: {error}"),
                }
            }
        }
    }
}

#[test]
fn a_value_that_a_kernel_does_not_accept_is_a_usage_error() {
    for (filter, param, accepted) in [
        ("reduction/sequential", "WG=3", "WG must be a power of two from 16 to 1024"),
        ("reduction/sequential", "WG=1", "WG must be a power of two from 16 to 1024"),
        ("reduction/atomic", "WG=255", "WG must be a power of two from 16 to 1024"),
        ("reduction/sequential", "WG=0", "WG must be a power of two from 16 to 1024"),
        ("reduction/interleaved_global", "INPUT=0.3", "INPUT must be 0.25 or 0.5 or 1 or 2"),
        ("reduction/interleaved_global", "INPUT=0.5", "u32 cannot represent that value"),
        ("stream/copy", "WG=0", "WG must be a whole number from 1 to 1024"),
        ("stream/copy", "WG=-4", "WG must be a whole number from 1 to 1024"),
        ("stream/copy", "WG=1e99", "WG must be a whole number from 1 to 1024"),
        ("stream/dot", "WG=96", "WG must be a power of two from 1 to 1024"),
        ("transpose/tiled", "PAD=0.5", "PAD must be a whole number from 0 to 1024"),
        ("atomics/spread", "SLOTS=100", "SLOTS must be a power of two from 1 to 1048576"),
        ("safety_tax/fma", "BOUNDS=2", "BOUNDS must be 0 or 1"),
        ("workgroup_memory/carved", "ROUNDS=8", "ROUNDS must be 16"),
    ] {
        let arguments = ["run", filter, "--profile", "standard", "--dry-run", "--param", param];
        let output = shaderbench_in_empty_folder(&arguments).exits_with(2);
        let error = output.sole_error();
        assert!(error.ends_with(accepted), "{output}");
        assert!(
            error.starts_with(&format!("error: {filter} does not accept {}=", &param[..param.find('=').expect("=")])),
            "{output}"
        );
    }
    for not_finite in ["WG=NaN", "WG=inf"] {
        let arguments = ["run", "stream", "--dry-run", "--param", not_finite];
        shaderbench_in_empty_folder(&arguments).exits_with(2);
    }
    // `show` reads the same parameters.
    let arguments = ["show", "transpose/tiled", "--param", "PAD=-1"];
    shaderbench_in_empty_folder(&arguments)
        .fails_with(2, "does not accept PAD=-1: PAD must be a whole number from 0 to 1024");
    let accepted = ["run", "stream/copy", "reduction/sequential", "--dry-run", "--param", "WG=64"];
    shaderbench_in_empty_folder(&["show", "transpose/tiled", "--param", "PAD=2"]).succeeds();
    if crate::command::has_device() {
        shaderbench_in_empty_folder(&accepted).succeeds();
    }
}

#[test]
fn a_parameter_that_no_selected_kernel_has_is_a_usage_error() {
    let run = |filter: &str| shaderbench_in_empty_folder(&["run", filter, "--dry-run", "--param", "WG=64"]);
    let sentence = "there is no parameter 'WG': the selected kernels have no parameters";
    run("transfer/clear_buffer").fails_with(2, sentence);
    run("transpose/tiled").fails_with(2, "there is no parameter 'WG'");
}

#[test]
fn of_a_foreign_kernel_only_the_types_of_the_parameters_are_known() {
    let folder = Folder::new();
    let kernel = std::fs::read_to_string("shaders/reduction/sequential.wgsl").expect("readable");
    folder.write("reduction/sequential.wgsl", format!("{kernel}\noverride SCALE: f32 = 1.0;\n"));
    let run =
        |param: &str| folder.run(&["run", "reduction/sequential", "--dry-run", "--shaders", ".", "--param", param]);
    run("WG=0.5").fails_with(2, "does not accept WG=0.5: WG must be a whole number from 0 to 4294967295");
    run("SCALE=1e39").fails_with(2, "does not accept SCALE=");
    if crate::command::has_device() {
        run("WG=96").succeeds();
        run("SCALE=0.5").succeeds();
    }
}

#[test]
fn a_size_that_leaves_no_case_is_a_usage_error() {
    let run = |arguments: &[&str]| shaderbench_in_empty_folder(&[&["run", "--dry-run"], arguments].concat());
    run(&["reduction", "--size", "512x2000"])
        .fails_with(2, "no selected benchmark accepts the size 512x2000: use N (2^20) for reduction");
    run(&["ceiling/copy", "--size", "4096"]).fails_with(2, "--size does not apply to ceilings");
    run(&["reduction", "--size", "4096", "--size", "8x8x8"]).fails_with(2, "accepts the size 8x8x8");
    for (benchmark, sentence) in
        [("transpose", "the side of a square of at most 2^40 elements"), ("matmul", "at most 2^20")]
    {
        run(&[benchmark, "--size", "4294967296"]).fails_with(2, sentence);
    }
    run(&["transpose", "matmul", "--size", "9x9x9x9"]).fails_with(2, "9x9x9x9");
    if crate::command::has_device() {
        let output = run(&["transpose", "reduction", "pitched", "--size", "512x2000"]).succeeds();
        assert!(output.stderr.contains("left out because no --size fits: reduction, pitched/slices_3d"), "{output}");
        let output = run(&["transpose", "reduction", "--size", "512"]).succeeds();
        assert!(!output.stderr.contains("left out"), "{output}");
    }
}

#[test]
fn a_folder_without_a_kernel_that_is_asked_for_is_a_usage_error() {
    let folder = Folder::new();
    folder.write("transpose/tiled.wgsl", "fn main() {}");
    folder.write("scan/three_kernels.cu", "// no kernel");
    let run = |filters: &[&str]| folder.run(&[&["run", "--dry-run", "--shaders", "."], filters].concat());
    run(&["reduction"])
        .fails_with(2, "folder . has no kernel of the selected benchmarks, only scan/three_kernels, transpose/tiled");
    if crate::command::has_device() {
        run(&["reduction", "scan"]).succeeds();
    }
    for (text, sentence) in
        [(&b""[..], "tiled.wgsl: the file is empty"), (b"fn main() {}\n\0", "tiled.wgsl: line 2 has a NUL byte")]
    {
        folder.write("transpose/tiled.wgsl", text);
        run(&["transpose"]).fails_with(2, sentence);
    }
}

#[test]
fn the_variable_of_wgpu_is_checked() {
    let folder = Folder::new();
    let devices = |value: &str| folder.shaderbench(&["devices"]).env("WGPU_BACKEND", value).run();
    devices("vulcan").fails_with(2, "WGPU_BACKEND names the unknown API 'vulcan': use one of vulkan, vk");
    if crate::command::has_device() {
        let (empty, unset) = (devices("").succeeds(), folder.run(&["devices"]).succeeds());
        assert_eq!(empty.stdout, unset.stdout);
    }
}

/// Mesa's OpenGL driver, set to lack compute shaders.
#[test]
fn an_adapter_without_compute_shaders_is_one_sentence() {
    let folder = Folder::new();
    let without_compute = |arguments: &[&str]| {
        let variables = [
            ("MESA_EXTENSION_OVERRIDE", "-GL_ARB_compute_shader"),
            ("MESA_GL_VERSION_OVERRIDE", "3.3"),
            ("MESA_GLES_VERSION_OVERRIDE", "3.0"),
            ("WGPU_BACKEND", "gl"),
        ];
        variables.iter().fold(folder.shaderbench(arguments), |program, (name, value)| program.env(name, value)).run()
    };
    let devices = without_compute(&["devices"]);
    if !devices
        .stdout
        .lines()
        .any(|line| line.starts_with("    invocations per workgroup") && line.ends_with(" 0 (0 x 0 x 0)"))
    {
        eprintln!("SKIPPED: there is no Mesa driver for OpenGL");
        return;
    }
    without_compute(&["run", "barrier"]).fails_with(1, "has no compute shaders: choose another --backend or --device");
}
