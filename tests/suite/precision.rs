//! Float kernels keep their error bound on a real (or software) device, and exceed it fourfold if they keep fewer bits.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalogue::{benchmark, family};
use crate::device::{adapter, common_dtype, open};
use gpu::backend::Backend;
use gpu::engine::checks::precision::{Deviation, Launch};
use gpu::shader::Shader;
use kernels::FAMILIES;
use record::suite::{Benchmark, Case, Dtype, Family, Params, Shape, Significands};

/// A planted fault exceeds the bound by this factor or more.
const LEAST: f64 = 4.0;

/// Significant bits of bf16, and of tf32 and f16.
const NARROW: [u32; 2] = [8, 11];

/// Kernels whose declared arithmetic hides cuts to so many bits or more: sums of f16, whose error is a dozen of its
/// last bits; weights with an offset, which leaves them 16 bits in f32; the texture unit's 8-bit weights.
const HIDDEN: [(&str, Dtype, u32); 4] = [
    ("ceiling/fma_f16", Dtype::F16, 8),
    ("ceiling/fma_f16", Dtype::Vec2F16, 8),
    ("gemv/q4_vec4", Dtype::F32, 11),
    ("texture/rotate_sampled_float", Dtype::F32, 8),
];

fn launch(family: &'static Family, benchmark: &'static Benchmark, dtype: Dtype, params: Params) -> Option<Launch> {
    let block =
        benchmark.blocks().find(|(dtypes, ..)| dtypes.contains(&dtype)).or_else(|| benchmark.blocks().next())?;
    let params: BTreeMap<_, _> = params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let largest = *block.1.iter().max_by_key(|extent| extent.count())?;
    Launch::new(&Case::new(family, benchmark, Shape::new(dtype, largest, params)))
}

/// The launches of a family's kernels in each type, with their first and last parameters.
fn launches(family: &'static Family) -> Vec<(String, Dtype, Launch)> {
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    for benchmark in family.benchmarks.iter().filter(|benchmark| benchmark.only_cuda.is_none()) {
        let blocks: Vec<_> = benchmark.blocks().collect();
        let types = blocks.iter().flat_map(|(dtypes, ..)| dtypes.iter());
        let types: BTreeSet<_> = types.flat_map(|dtype| [*dtype, common_dtype(benchmark, *dtype)]).collect();
        for dtype in types {
            let of_type = blocks.iter().filter(|(dtypes, ..)| dtypes.contains(&dtype));
            let all: Vec<Params> = of_type.flat_map(|(.., params)| params.iter().copied()).collect();
            let all = if all.is_empty() { blocks[0].2.to_vec() } else { all };
            for params in all.first().into_iter().chain(all.last()) {
                let launch = launch(family, benchmark, dtype, params);
                if let Some(launch) = launch.filter(|launch| seen.insert(launch.job.label.clone())) {
                    found.push((format!("{}/{}", family.name, benchmark.name), dtype, launch));
                }
            }
        }
    }
    found
}

/// A launch's deviation; `None` if the device does not run it.
fn deviation(backend: &mut dyn Backend, launch: &Launch) -> Option<Deviation> {
    match pollster::block_on(launch.run(backend)) {
        Ok(deviation) => deviation,
        Err(error) if error.is_skip() => None,
        Err(error) => panic!("{}: {error}", launch.job.label),
    }
}

mod every_float_kernel_keeps_the_bits_of_its_type {
    crate::device::each_family!(verify_family);

    fn verify_family(name: &str) {
        super::verify_family(name);
    }
}

/// Inputs cut to fewer bits stand for a kernel that cuts the values it reads.
fn verify_family(name: &str) {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    let (mut faults, mut cut_kernels) = (Vec::new(), BTreeSet::new());
    for (name, dtype, mut launch) in launches(family(name)) {
        let Some(own) = deviation(&mut backend, &launch) else { continue };
        let mut line = format!("{}: {:.3} of the bound", launch.job.label, own.factor);
        if own.factor.is_nan() || own.factor > 1.0 {
            faults.push(format!("{}: {own}", launch.job.label));
        }
        let is_first = cut_kernels.insert((name.clone(), dtype));
        let kept = dtype.scalar().significant_bits();
        for bits in NARROW.into_iter().filter(|bits| *bits < kept && is_first) {
            for buffer in &mut launch.job.buffers {
                buffer.significands = Significands::Full(bits);
            }
            let factor = deviation(&mut backend, &launch).expect("it ran").factor;
            line += &format!(", {factor:.1} with factors of {bits} bits");
            let is_hidden = HIDDEN.iter().any(|(known, of, from)| (*known, *of) == (&*name, dtype) && bits >= *from);
            if is_hidden != (factor < LEAST) {
                faults.push(format!("{}: {factor:.1} with factors of {bits} bits", launch.job.label));
            }
        }
        eprintln!("{line}");
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Used by planted faults: the upper bits of factors, sums of f16, an exponential of 12 bits.
const FUNCTIONS: &str = "
fn bf16_of(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) & 0xffff0000u); }
fn tf32_of(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) & 0xffffe000u); }
fn f16_of(x: f32) -> f32 { return unpack2x16float(pack2x16float(vec2<f32>(x, 0.0))).x; }
fn f16_of4(x: vec4<f32>) -> vec4<f32> { return vec4<f32>(f16_of(x.x), f16_of(x.y), f16_of(x.z), f16_of(x.w)); }
fn coarse(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(exp(x)) & 0xfffff000u); }
";

/// Arithmetic faults: f16 sums in every family that adds, 12-bit exponentials in all that have them, and cut factors.
const FAULTS: &[(&str, &str, &str)] = &[
    (
        "attention/naive",
        "sum += scores[row * length + key] * v[from_v + key * D];",
        "sum = f16_of(sum + scores[row * length + key] * v[from_v + key * D]);",
    ),
    ("attention/naive", " exp(", " coarse("),
    ("attention/tiled", " exp(", " coarse("),
    ("bank_conflict/stride", "a += table[at];", "a = f16_of(a + table[at]);"),
    ("cache_curve/read_once", "a += input[at];", "a = f16_of4(a + input[at]);"),
    ("ceiling/read", "a += input[i];", "a = f16_of4(a + input[i]);"),
    ("coalescing/offset_reads", "x[at] + y[at + LEAD]", "f16_of(x[at] + y[at + LEAD])"),
    ("fft/stockham", "a.x * b.y + a.y * b.x", "f16_of(a.x * b.y + a.y * b.x)"),
    (
        "gemv/naive",
        "sum += f32(weights[row * sizes.columns + column]) * f32(x[column]);",
        "sum = f16_of(sum + f32(weights[row * sizes.columns + column]) * f32(x[column]));",
    ),
    (
        "gemv/q8_naive",
        "sum += scale * weight(block, column % 32u) * x[column];",
        "sum = f16_of(sum + scale * weight(block, column % 32u) * x[column]);",
    ),
    (
        "gemv/q4_naive",
        "sum += scale * weight(block, column % 32u) * x[column];",
        "sum = f16_of(sum + scale * weight(block, column % 32u) * x[column]);",
    ),
    (
        "matmul/naive",
        "sum += a[id.y * sizes.k + p] * b[p * sizes.n + id.x];",
        "sum = f16_of(sum + a[id.y * sizes.k + p] * b[p * sizes.n + id.x]);",
    ),
    ("matmul/tiled", "a_tile[own] = from_a;", "a_tile[own] = bf16_of(from_a);"),
    ("matmul/tiled", "a_tile[own] = from_a;", "a_tile[own] = tf32_of(from_a);"),
    ("matmul/tiled", "a_tile[own] = from_a;", "a_tile[own] = f16_of(from_a);"),
    ("pitched/rows_2d", "sum += input[row * sizes.pitch + x];", "sum = f16_of(sum + input[row * sizes.pitch + x]);"),
    ("reduction/sequential", "tile[t] += tile[t + s];", "tile[t] = f16_of(tile[t] + tile[t + s]);"),
    ("rmsnorm/workgroup", "parts[t] += parts[t + s];", "parts[t] = f16_of(parts[t] + parts[t + s]);"),
    ("roofline/fma_an_element", "x = fma(x, m, p);", "x = f16_of4(fma(x, m, p));"),
    ("scan/three_kernels", "b += a; c += b; d += c;", "b = f16_of(b + a); c = f16_of(c + b); d = f16_of(d + c);"),
    (
        "softmax/online",
        "parts[t] = parts[t] * exp(tops[t] - both) + parts[t + s] * exp(tops[t + s] - both);",
        "parts[t] = f16_of(parts[t] * exp(tops[t] - both) + parts[t + s] * exp(tops[t + s] - both));",
    ),
    ("softmax/online", " exp(", " coarse("),
    ("softmax/three_pass", " exp(", " coarse("),
    ("spmv/row", "sum += values[k] * x[columns[k]];", "sum = f16_of(sum + values[k] * x[columns[k]]);"),
    (
        "stencil/naive_2d",
        "next = T(0.5) * own + T(0.125) * around;",
        "next = f16_of(T(0.5) * own + T(0.125) * around);",
    ),
    (
        "stencil/naive_3d",
        "next = T(0.25) * own + T(0.125) * around;",
        "next = f16_of(T(0.25) * own + T(0.125) * around);",
    ),
    (
        "stream/triad",
        "a[i] = b[i] + T(bitcast<f32>(sizes.scalar)) * c[i];",
        "a[i] = f16_of4(b[i] + T(bitcast<f32>(sizes.scalar)) * c[i]);",
    ),
    ("stream/dot", "tile[t] += tile[t + half];", "tile[t] = f16_of4(tile[t] + tile[t + half]);"),
    ("texture/rotate_by_hand_float", "= mix(above, below, part.y);", "= f16_of(mix(above, below, part.y));"),
];

/// Families without a fault here: they compute with integers, only move floats, or borrow their kernels. `rates` makes
/// its values from integers, and compares them bit for bit or within its instruction's tolerance.
const WITHOUT: [&str; 12] = [
    "atomics",
    "barrier",
    "histogram",
    "host_cost",
    "memory_spaces",
    "radix_sort",
    "rates",
    "safety_tax",
    "sum_of_cubes",
    "transfer",
    "transpose",
    "workgroup_memory",
];

mod faults_of_precision_are_found {
    crate::device::each_family!(find_in);

    fn find_in(family: &str) {
        super::find_faults_of(family);
    }
}

fn find_faults_of(name: &str) {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    let mut hidden = Vec::new();
    for (name, before, after) in FAULTS.iter().filter(|(known, ..)| known.split('/').next() == Some(name)) {
        let (family, benchmark) = benchmark(name);
        let (dtypes, _, params) =
            benchmark.blocks().find(|(dtypes, ..)| dtypes[0].scalar().is_float()).expect("floats");
        let dtype = common_dtype(benchmark, dtypes[0]);
        let mut launch = launch(family, benchmark, dtype, params[0]).expect("a launch");
        assert!(benchmark.wgsl.contains(before), "{name}: the kernel has no '{before}'");
        let faulty = benchmark.wgsl.replace(before, after) + FUNCTIONS;
        let shader = Shader::parse_for(&faulty, dtype.name(), &launch.job.kernel.constants);
        launch.job.kernel.source = shader.expect("a planted fault is valid WGSL").source().to_owned();
        let Some(found) = deviation(&mut backend, &launch) else { continue };
        eprintln!("{name}: {:.1} times the bound, '{after}'", found.factor);
        if found.factor.is_nan() || found.factor < LEAST {
            hidden.push(format!("{name}: {found}, '{after}'"));
        }
    }
    assert!(hidden.is_empty(), "{}", hidden.join("\n"));
}

#[test]
fn every_family_that_computes_with_floats_has_a_fault_of_precision() {
    for family in FAMILIES {
        let has_faults = FAULTS.iter().any(|(name, ..)| name.split('/').next() == Some(family.name));
        assert_ne!(has_faults, WITHOUT.contains(&family.name), "{}", family.name);
    }
}
