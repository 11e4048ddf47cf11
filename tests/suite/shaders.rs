//! Every WGSL file has a benchmark and a header, and the compilers of all platforms accept it. No GPU needed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::catalogue::{benchmarks, files_below};
use crate::command::is_installed;
use crate::compilers::{assert_glslang_accepts_glsl, assert_glslang_accepts_hlsl, assert_spirv_val_accepts, rejection};
use gpu::engine::plan::{Request, plan};
use gpu::job::{Job, Language};
use gpu::shader::{Reach, Shader, Target};
use rayon::prelude::*;
use record::suite::{Case, HOST_PARAMS, Profile};
use record::suite::{Checks, Constants, Feature, Value};

fn files() -> Vec<PathBuf> {
    files_below(Path::new("shaders"), "wgsl")
}

fn all_cases() -> Vec<Case> {
    plan(&Request::new(Vec::new(), Profile::Thorough)).expect("a plan of everything")
}

/// `None` if no API supports the case.
fn job(case: &Case) -> Option<Job> {
    match Job::new(case) {
        Ok(job) => Some(job),
        Err(error) => {
            assert!(error.is_skip(), "{case}: {error}");
            None
        }
    }
}

/// One case for each compiled kernel: each benchmark, type and set of overrides.
fn kernels() -> Vec<(Case, Job)> {
    let mut seen = BTreeSet::new();
    let with_job = all_cases().into_iter().filter_map(|case| job(&case).map(|job| (case, job)));
    with_job.filter(|(_, job)| !job.kernel.source.is_empty() && seen.insert(job.kernel.hash(Language::Wgsl))).collect()
}

#[test]
fn every_wgsl_file_belongs_to_exactly_one_benchmark() {
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let users: Vec<_> = benchmarks()
            .into_iter()
            .filter(|(_, _, benchmark)| benchmark.wgsl == text)
            // `safety_tax` also measures kernels of other families, with checks on.
            .filter(|(_, family, _)| family.name != "safety_tax" || path.starts_with("shaders/safety_tax"))
            // Benchmarks of host work share kernels.
            .filter(|(name, _, one)| one.host_part.is_none() || path.ends_with(format!("{name}.wgsl")))
            .map(|(name, ..)| format!("shaders/{name}.wgsl"))
            .collect();
        assert_eq!(users, [path.to_string_lossy().into_owned()], "the file, and the benchmarks that include its text");
    }
}

#[test]
fn declared_parameters_are_overrides_of_the_shader() {
    for case in all_cases() {
        if job(&case).is_none_or(|job| job.kernel.source.is_empty()) {
            continue;
        }
        let shader = Shader::parse(case.benchmark.wgsl, case.shape.dtype.name()).expect("valid");
        for name in case.shape.params.keys() {
            let is_known = shader.overrides().contains(name.as_str()) || HOST_PARAMS.contains(&name.as_str());
            assert!(is_known, "{case}: {name} is no override of the shader");
        }
        for name in shader.overrides() {
            assert_eq!(name, name.to_uppercase(), "{case}: overrides are in capitals");
        }
    }
}

#[test]
fn naga_translates_every_kernel_to_every_target_that_has_its_features() {
    for (case, job) in kernels() {
        let shader = Shader::parse(&job.kernel.source, case.shape.dtype.name()).expect("valid");
        for target in Target::ALL {
            let translated = shader.translate(target, &job.kernel.constants, Checks::default());
            let lacks = |of, feature| target == of && job.kernel.interface.features.contains(&feature);
            let is_lacking = lacks(Target::Msl, Feature::F64)
                || lacks(Target::Msl, Feature::I64Division)
                || lacks(Target::Msl, Feature::I64Atomics)
                // Kernels with cooperative matrices use 16×16 elements, Metal 8×8.
                || lacks(Target::Msl, Feature::CooperativeMatrix)
                || lacks(Target::Glsl, Feature::F16)
                || lacks(Target::Glsl, Feature::I64)
                || lacks(Target::Glsl, Feature::I16)
                || lacks(Target::Glsl, Feature::CooperativeMatrix)
                || lacks(Target::Glsl, Feature::F32Atomics)
                || lacks(Target::Hlsl(None), Feature::F32Atomics)
                || lacks(Target::Hlsl(None), Feature::CooperativeMatrix);
            match translated {
                Ok(text) => assert!(!text.is_empty() && !is_lacking, "{case} in {}", target.name()),
                Err(error) => assert!(is_lacking, "{case}: {error}"),
            }
        }
    }
}

/// A kernel has the same text at several sizes.
fn distinct<T>(mut texts: Vec<(T, Vec<u8>)>) -> Vec<(T, Vec<u8>)> {
    let mut seen = BTreeSet::new();
    texts.retain(|(_, text)| seen.insert(text.clone()));
    texts
}

#[test]
fn tint_accepts_every_kernel() {
    if !is_installed("tint") {
        return;
    }
    let mut checked = 0;
    for (case, job) in kernels() {
        let features = &job.kernel.interface.features;
        let own = [Feature::F64, Feature::I64, Feature::I16, Feature::F32Atomics, Feature::CooperativeMatrix];
        if own.iter().any(|own| features.contains(own)) {
            continue; // Extensions of naga that no browser has.
        }
        // `backend/wgpu/web.rs` also adds these directives, which naga does not know.
        let is_subgroups = features.contains(&Feature::Subgroups);
        let directives = if is_subgroups { "enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n" } else { "" };
        let text = format!("{directives}{}", job.kernel.source);
        let rejection = rejection("tint", &["--format", "wgsl", "-o", "/dev/null"], "kernel.wgsl", text.as_bytes());
        assert_eq!(rejection, None, "{case}");
        checked += 1;
    }
    assert!(checked > 15, "only {checked} kernels");
}

#[test]
fn the_naga_program_accepts_every_wgsl_file() {
    if !is_installed("naga") {
        return;
    }
    for path in files() {
        let text = std::fs::read(&path).expect("readable");
        assert_eq!(rejection("naga", &[], "kernel.wgsl", &text), None, "{}", path.display());
    }
}

/// Every kernel without checks, and the first of each benchmark with those of browsers.
#[test]
fn spirv_val_accepts_every_kernel() {
    if !is_installed("spirv-val") {
        return;
    }
    let kernels = kernels();
    let mut seen = BTreeSet::new();
    let first = kernels.iter().filter(|(case, _)| seen.insert(case.name())).map(|kernel| (kernel, Checks::ALL));
    let all: Vec<_> = first.chain(kernels.iter().map(|kernel| (kernel, Checks::default()))).collect();
    all.par_iter().for_each(|((case, job), checks)| {
        let shader = Shader::parse(&job.kernel.source, case.shape.dtype.name()).expect("valid");
        let binary = shader.translate(Target::SpirV, &job.kernel.constants, *checks);
        let is_cooperative = job.kernel.interface.features.contains(&Feature::CooperativeMatrix);
        // Drivers with cooperative matrices have Vulkan 1.3.
        let target = if is_cooperative { "vulkan1.3" } else { "vulkan1.1" };
        assert_spirv_val_accepts(&case.to_string(), &binary.expect("SPIR-V has every feature"), target);
    });
}

#[test]
#[ignore = "takes minutes: scripts/test.sh --all"]
fn glslang_accepts_every_kernel() {
    if !is_installed("glslangValidator") {
        return;
    }
    let kernels = kernels();
    let in_language = |target: Target, checks: Checks, is_tested: fn(&BTreeSet<Feature>) -> bool| {
        let text = |(case, job): &'_ (Case, Job)| {
            let shader = Shader::parse(&job.kernel.source, case.shape.dtype.name()).expect("valid");
            shader.translate(target, &job.kernel.constants, checks).ok()
        };
        let tested = kernels.iter().filter(|(_, job)| is_tested(&job.kernel.interface.features));
        let texts: Vec<_> = tested.filter_map(|kernel| Some((kernel, text(kernel)?))).collect();
        assert!(texts.len() > 100, "only {} kernels", texts.len());
        distinct(texts)
    };
    // glslang's HLSL lacks templated loads, with which naga reads f64 and f16.
    let is_readable =
        |features: &BTreeSet<Feature>| !features.contains(&Feature::F64) && !features.contains(&Feature::F16);
    for checks in [Checks::default(), Checks::ALL] {
        in_language(Target::Glsl, checks, |_| true).par_iter().for_each(|((case, job), text)| {
            let has_subgroups = job.kernel.interface.features.contains(&Feature::Subgroups);
            assert_glslang_accepts_glsl(&case.to_string(), text, has_subgroups);
        });
        let texts = in_language(Target::Hlsl(None), checks, is_readable);
        let accepted =
            texts.par_iter().filter(|((case, _), text)| assert_glslang_accepts_hlsl(&case.to_string(), text));
        let accepted = accepted.count();
        assert!(accepted > 40, "glslang accepts only {accepted} kernels in HLSL");
    }
}

/// Every kernel that `target` can express, as text, with all checks and with none.
pub(crate) fn texts_in(target: Target) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for (case, job) in kernels() {
        let shader = Shader::parse(&job.kernel.source, case.shape.dtype.name()).expect("valid");
        for checks in [Checks::default(), Checks::ALL] {
            if let Ok(text) = shader.translate(target, &job.kernel.constants, checks) {
                texts.push((case.to_string(), String::from_utf8(text).expect("UTF-8")));
            }
        }
    }
    assert!(texts.len() > 200, "only {} texts", texts.len());
    texts
}

/// The type and name that a line of C declares: `float4 a = …;` and `uint i;`.
pub(crate) fn declared(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split_whitespace();
    let (kind, name) = (words.next()?, words.next()?);
    let is_word = |word: &str| word.chars().all(|c| c.is_alphanumeric() || "_:".contains(c));
    let is_declaration = line.trim_end().ends_with(';') && words.next().is_none_or(|next| next == "=");
    let name = name.trim_end_matches(';');
    (is_declaration && is_word(kind) && is_word(name) && kind != "return").then_some((kind, name))
}

/// Stores to a local vector's component by run-time index: FXC unrolls loops around them or fails (X3511, wgpu#4436,
/// #8334).
fn stores_by_index(text: &str) -> Vec<&str> {
    let is_vector = |kind: &str| kind.ends_with(['2', '3', '4']) && !kind.contains('_');
    let mut vectors = BTreeSet::new();
    let mut stores = Vec::new();
    for line in text.lines() {
        if let Some((_, name)) = declared(line).filter(|(kind, _)| is_vector(kind)) {
            vectors.insert(name);
        }
        let target = line.split_once("] = ").and_then(|(target, _)| target.trim().split_once('['));
        if target.is_some_and(|(name, index)| vectors.contains(name) && index.parse::<u32>().is_err()) {
            stores.push(line);
        }
    }
    stores
}

#[test]
fn no_direct3d_kernel_stores_to_a_local_vector_by_an_index() {
    let loops = "float4 a = (float4)0;\nfloat b[4];\na[0] = 1.0;\nb[_e1] = 1.0;\na[_e1] = 1.0;\n";
    assert_eq!(stores_by_index(loops), ["a[_e1] = 1.0;"]);
    for (case, text) in texts_in(Target::Hlsl(None)) {
        assert_eq!(stores_by_index(&text), [""; 0], "{case}");
    }
}

/// With and without checks, naga guards integer divisions in HLSL. Rows name these guards (`division`) if the divisor
/// is no constant: compilers remove the others.
#[test]
fn hlsl_guards_every_division_by_a_value() {
    let (mut guarded, mut divide, mut kernels) = (0, 0, 0);
    let mut seen = BTreeSet::new();
    for (case, job) in self::kernels() {
        let shader = Shader::parse(&job.kernel.source, case.shape.dtype.name()).expect("valid");
        let Ok(text) = shader.translate(Target::Hlsl(None), &job.kernel.constants, Checks::default()) else { continue };
        let text = String::from_utf8(text).expect("UTF-8");
        let is_guarded = text.contains(" naga_div(") || text.contains(" naga_mod(");
        assert!(is_guarded || !job.kernel.interface.divides, "{case} divides without a guard");
        if seen.insert(text) {
            guarded += u32::from(is_guarded);
            divide += u32::from(job.kernel.interface.divides);
            kernels += 1;
        }
    }
    println!("of {kernels} outputs {guarded} have guards, {divide} guards of values");
    assert!(divide > 0 && divide < guarded && guarded < kernels);
}

#[test]
fn constants_reach_the_kernel() {
    let case = all_cases().into_iter().find(|case| case.params_text() == "PAD=0").expect("tiled, unpadded");
    let job = Job::new(&case).expect("valid");
    assert_eq!(job.kernel.constants, Constants::from([("PAD".to_owned(), 0.0)]));
    assert_eq!(job.kernel.interface.workgroup_bytes, 32 * 32 * 4);
}

#[test]
fn the_hash_of_a_wgsl_kernel_is_the_same_as_in_earlier_reports() {
    let case = all_cases().into_iter().find(|case| case.params_text() == "PAD=1").expect("tiled, padded");
    let mut kernel = Job::new(&case).expect("valid").kernel;
    kernel.source = "source".to_owned();
    assert_eq!(kernel.hash(Language::Wgsl), "1911ecd6d383ba4e");
}

#[test]
fn buffers_are_used_as_far_as_their_indices_tell() {
    let kernel = "override WG: u32 = 64u;
override HALF: u32 = WG / 2u;
override SCALE: f32;
@group(0) @binding(0) var<storage, read> input: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;
@group(0) @binding(2) var<storage, read_write> bins: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read> table: array<u32>;
@group(0) @binding(4) var<storage, read> idle: array<u32>;
@compute @workgroup_size(WG)
fn main(@builtin(global_invocation_id) g: vec3<u32>, @builtin(workgroup_id) w: vec3<u32>,
    @builtin(local_invocation_index) l: u32) {
let i = g.x;
sums[w.x] = SCALE * input[i].x + f32(HALF);
atomicAdd(&bins[l], table[i / 7u]);
}";
    let shader = Shader::parse(kernel, "f32").expect("valid");
    let constants = Constants::from([("SCALE".to_owned(), 2.0)]);
    let uses = shader.buffer_uses("main", &constants).expect("resolved");
    let found: Vec<_> =
        uses.iter().map(|of| (of.name.as_str(), of.is_read, of.is_written, of.is_atomic, of.reach)).collect();
    assert_eq!(
        found,
        [
            ("input", true, false, false, Reach::Invocations),
            ("sums", false, true, false, Reach::Workgroups),
            ("bins", false, true, true, Reach::Constant(64)),
            ("table", true, false, false, Reach::Unknown),
        ]
    );
    assert_eq!(shader.defaults(), [("WG", Some(Value::U32(64))), ("HALF", None), ("SCALE", None)]);
    assert_eq!(["WG", "HALF", "SCALE"].map(|name| shader.needs_value(name)), [false, false, true]);
}
