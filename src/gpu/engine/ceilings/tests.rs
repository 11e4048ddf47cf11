use crate::engine::ceilings::*;
use kernels::FAMILIES;
use record::suite::{Benchmark, Dtype, Extent, Family, Shape, Work};

/// A case of `n` elements, otherwise the first of the benchmark's representative ones.
fn case(name: &str, n: u64) -> Case {
    case_with(name, n, &[])
}

fn case_with(name: &str, n: u64, params: &[(&str, f64)]) -> Case {
    let (family, benchmark) = name.split_once('/').expect("family/benchmark");
    let family = FAMILIES.iter().find(|known| known.name == family).expect("a family");
    let benchmark = family.benchmarks.iter().find(|known| known.name == benchmark).expect("a benchmark");
    let (dtypes, _, sets) = benchmark.representative();
    let params = sets[0].iter().chain(params).map(|(name, value)| ((*name).to_owned(), *value)).collect();
    Case::new(family, benchmark, Shape::new(dtypes[0], Extent::Linear(n), params))
}

/// A row of `amount` per launch at `rate` per nanosecond, whose interval reaches from ÷ (1 + noise) to × (1 + noise).
fn row_at(amount: u64, rate: f64, noise: f64) -> Record {
    let time = amount as f64 / rate;
    Record {
        median_ns: Some(time),
        min_ns: Some(time / (1.0 + 2.0 * noise)),
        ci_low_ns: Some(time / (1.0 + noise)),
        ci_high_ns: Some(time * (1.0 + noise)),
        ..Record::default()
    }
}

/// A row with a rate of `rate` bytes per nanosecond.
fn row(case: &Case, rate: f64, noise: f64) -> Record {
    row_at(case.work().bytes, rate, noise)
}

fn ceilings(rungs: &[(&Case, Record)]) -> Ceilings {
    Ceilings::from_rows(rungs.iter().map(|(case, record)| (*case, record)))
}

/// The row of `case` at `rate`, judged by ceilings of 900 B/ns at 2^20 elements (cache) and 500 B/ns at 2^24 (DRAM).
fn judged(case: &Case, rate: f64, ladder: &str) -> Record {
    let mut ceilings = Ceilings::default();
    for (n, rate) in [(1 << 20, 900.0), (1 << 24, 500.0)] {
        let rung = self::case(ladder, n);
        ceilings.add(&rung, &row(&rung, rate, 0.001));
    }
    let mut record = row(case, rate, 0.001);
    ceilings.judge(case, &mut record, None);
    record
}

#[test]
fn a_row_above_its_rung_is_implausible() {
    let copy = case("stream/copy", 1 << 24);
    assert_eq!(judged(&copy, 510.0, "ceiling/copy").status, Status::Ok);
    assert_eq!(judged(&copy, 540.0, "ceiling/copy").status, Status::Implausible);
}

#[test]
fn a_ceiling_is_the_fastest_kernels_median_and_not_its_fastest_sample() {
    let (copy, rung) = (case("stream/copy", 1 << 24), case("ceiling/copy", 1 << 24));
    let rows = [(&rung, row(&rung, 400.0, 0.3)), (&rung, row(&rung, 500.0, 0.01)), (&rung, row(&rung, 450.0, 0.4))];
    let ceilings = ceilings(&rows);
    let mut record = row(&copy, 500.0, 0.01);
    ceilings.judge(&copy, &mut record, None);
    // Two intervals of ± 1 % in quadrature: ± 1.4 %.
    let reach = (2.0_f64.sqrt() * 1.01_f64.ln()).exp();
    let near = |a: Option<f64>, b: f64| (a.expect("a share") - b).abs() < 1e-6;
    assert!(near(record.share, 1.0), "{:?}", record.share);
    assert!(near(record.share_low, 1.0 / reach) && near(record.share_high, reach), "{record:?}");
    // The kernel that sets the ceiling is at 100 % by definition.
    for (index, exact) in [(0, None), (1, Some(1.0))] {
        let mut ceiling = rows[index].1.clone();
        ceilings.judge(&rung, &mut ceiling, Some(0.5));
        assert_eq!(ceiling.share_low.filter(|low| ceiling.share_high == Some(*low)), exact);
    }
}

#[test]
fn a_row_whose_interval_reaches_its_ceiling_is_too_noisy_to_judge() {
    let (copy, rung) = (case("stream/copy", 1 << 24), case("ceiling/copy", 1 << 24));
    // 20 % above the ceiling, with various intervals of the row and the ceiling, and variations of the device.
    for (own, of_ceiling, scatter, status) in [
        (0.01, 0.01, None, Status::Implausible),
        (0.1, 0.01, None, Status::Implausible),
        (0.01, 0.1, None, Status::Implausible),
        (0.1, 0.1, None, Status::Ok),
        (0.15, 0.01, None, Status::Ok),
        (0.01, 0.15, None, Status::Ok),
        (0.01, 0.01, Some(0.05), Status::Implausible),
        (0.01, 0.01, Some(0.1), Status::Ok),
        (0.1, 0.01, Some(0.05), Status::Ok),
    ] {
        let ceilings = ceilings(&[(&rung, row(&rung, 500.0, of_ceiling))]);
        let mut record = row(&copy, 600.0, own);
        ceilings.judge(&copy, &mut record, scatter);
        assert_eq!(record.status, status, "{own} {of_ceiling} {scatter:?}");
        assert_eq!(record.share_low > Some(IMPLAUSIBLE), status == Status::Implausible);
        let (cause, verdict) = match status {
            Status::Ok => (Cause::PerhapsAboveCeiling, "too noisy to judge"),
            _ => (Cause::AboveCeiling, "no kernel can be that fast"),
        };
        assert_eq!(record.cause, Some(cause));
        assert_eq!(record.reason, format!("120 % of the ceiling 'copy 128 MiB': {verdict}"));
        assert_eq!(record.share, Some(1.2));
        // The reason disappears when the ceiling rises.
        let mut risen = ceilings.clone();
        assert!(risen.add(&rung, &row(&rung, 590.0, 0.01)));
        risen.judge(&copy, &mut record, scatter);
        assert_eq!((record.status, record.reason.as_str()), (Status::Ok, ""));
    }
}

#[test]
fn a_row_or_a_ceiling_without_an_interval_makes_no_row_implausible() {
    let (copy, rung) = (case("stream/copy", 1 << 24), case("ceiling/copy", 1 << 24));
    let without = |record: Record| Record { ci_low_ns: None, ci_high_ns: None, ..record };
    let sure = |case: &Case, rate: f64| row(case, rate, 0.01);
    for (of_ceiling, own) in
        [(sure(&rung, 500.0), without(sure(&copy, 1000.0))), (without(sure(&rung, 500.0)), sure(&copy, 1000.0))]
    {
        let mut record = own;
        ceilings(&[(&rung, of_ceiling)]).judge(&copy, &mut record, None);
        assert_eq!(
            (record.status, record.share, record.share_low, record.share_high),
            (Status::Ok, Some(2.0), None, None)
        );
        assert_eq!(record.reason, "200 % of the ceiling 'copy 128 MiB': too few samples to judge");
    }
}

/// Log-normal factors of standard deviation `sigma`, by Knuth's MMIX generator and the Box-Muller transform.
fn noise(seed: u64, sigma: f64) -> impl FnMut() -> f64 {
    let mut state = seed;
    let mut uniform = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    move || (sigma * (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()).exp()
}

/// A row whose epochs differ by `noise`, with Student's interval on a log scale; ± 1 % for a single epoch.
fn noisy_row(case: &Case, rate: f64, epochs: usize, noise: &mut impl FnMut() -> f64) -> Record {
    let time = case.work().bytes as f64 / rate;
    if epochs == 1 {
        return row(case, rate * noise(), 0.01);
    }
    let medians: Vec<f64> = (0..epochs).map(|_| time * noise()).collect();
    let mean = stats::geometric_mean(&medians).expect("epochs");
    let (low, high) = stats::median_interval(&medians).expect("an interval");
    Record {
        median_ns: Some(mean),
        ci_low_ns: Some(low.min(mean)),
        ci_high_ns: Some(high.max(mean)),
        ..Record::default()
    }
}

/// The number of 2,000 rows, truly at `share` of their ceiling, that are implausible.
fn implausible_rows(share: f64, sigma: f64, epochs: usize, scatter: Option<f64>) -> usize {
    let (copy, rung) = (case("stream/copy", 1 << 24), case("ceiling/copy", 1 << 24));
    let mut noise = noise(2026, sigma);
    let mut is_implausible = || {
        let ceilings = ceilings(&[(&rung, noisy_row(&rung, 500.0, epochs, &mut noise))]);
        let mut record = noisy_row(&copy, share * 500.0, epochs, &mut noise);
        ceilings.judge(&copy, &mut record, scatter);
        record.status == Status::Implausible
    };
    (0..2000).filter(|_| is_implausible()).count()
}

#[test]
fn a_fault_of_20_percent_is_found_and_noise_of_53_is_not_implausible() {
    // A 95 % interval of ± 53 % for a single sample is a standard deviation of 0.53 / 1.96.
    let sigma = 0.53 / 1.96;
    for epochs in [3, 5] {
        assert_eq!(implausible_rows(1.0, sigma, epochs, Some(sigma * 1.645)), 0, "{epochs} epochs");
        // Without the widening of a software device, a row at its ceiling is as rarely implausible as the interval.
        let alone = implausible_rows(1.0, sigma, epochs, None);
        assert!(alone <= 2000 / 40, "{alone} of 2,000 rows of {epochs} epochs");
    }
    // Intervals of a single epoch show nothing of the variation. The widening replaces it.
    let (wide, alone) = (implausible_rows(1.0, sigma, 1, Some(sigma * 1.645)), implausible_rows(1.0, sigma, 1, None));
    assert!(wide <= 2000 / 40 && alone > 2000 / 4, "{wide} and {alone} of 2,000 rows");
    assert_eq!(implausible_rows(1.2, 0.01 / 1.96, 5, None), 2000);
    assert_eq!(implausible_rows(1.0, 0.01 / 1.96, 5, None), 0);
}

#[test]
fn a_software_device_is_judged_by_the_fastest_of_its_memory_ceilings() {
    let (add, copy, read) = (case("stream/add", 1 << 24), case("ceiling/copy", 1 << 24), case("ceiling/read", 1 << 24));
    let ceilings = ceilings(&[(&read, row(&read, 300.0, 0.001)), (&copy, row(&copy, 500.0, 0.001))]);
    for (rate, scatter, status) in
        [(510.0, None, Status::Implausible), (510.0, Some(0.0), Status::Ok), (540.0, Some(0.0), Status::Implausible)]
    {
        let mut record = row(&add, rate, 0.001);
        ceilings.judge(&add, &mut record, scatter);
        assert_eq!(record.status, status, "{rate} {scatter:?}: {}", record.reason);
    }
}

#[test]
fn a_verdict_that_is_withdrawn_restores_the_earlier_reason() {
    let (copy, rung) = (case("stream/copy", 1 << 24), case("ceiling/copy", 1 << 24));
    let low = ceilings(&[(&rung, row(&rung, 500.0, 0.001))]);
    let risen = ceilings(&[(&rung, row(&rung, 530.0, 0.001))]);
    for known in ["", "device speed drifted by 11 %"] {
        let mut record = Record { reason: known.to_owned(), ..row(&copy, 540.0, 0.001) };
        low.judge(&copy, &mut record, None);
        assert_eq!(record.status, Status::Implausible);
        assert!(record.reason.starts_with("108 % of ") && record.reason.ends_with(known), "{}", record.reason);
        // Judging again changes nothing.
        let mut again = record.clone();
        low.judge(&copy, &mut again, None);
        assert_eq!(again, record);
        risen.judge(&copy, &mut record, None);
        assert_eq!((record.status, record.reason.as_str()), (Status::Ok, known));
        // Without ceilings there is no share.
        Ceilings::default().judge(&copy, &mut record, None);
        assert_eq!(record, Record { reason: known.to_owned(), ..row(&copy, 540.0, 0.001) });
    }
}

#[test]
fn a_row_above_the_largest_rung_is_judged_by_the_fastest_rung() {
    let copy = case("stream/copy", 1 << 26);
    let record = judged(&copy, 540.0, "ceiling/copy");
    assert_eq!((record.status, record.share), (Status::Ok, Some(1.08)));
    assert_eq!(judged(&copy, 950.0, "ceiling/copy").status, Status::Implausible);
}

/// The roofline's rows on a device that copies 500 B/ns and does 10,000 operations/ns: the ridge is at 20 operations
/// per byte, or 80 FMAS per element of 8 bytes in and out.
#[test]
fn a_mixed_kernel_is_bound_by_the_slower_of_two_limits() {
    let (copy, fma) = (case("ceiling/copy", 1 << 26), case("ceiling/fma", 1 << 22));
    let ceilings = ceilings(&[(&copy, row(&copy, 500.0, 0.001)), (&fma, row_at(fma.work().flops, 10_000.0, 0.001))]);
    for (fmas, bound, share) in
        [(1.0, "copy 512 MiB", 0.5), (64.0, "copy 512 MiB", 0.5), (128.0, "fma f32", 0.8), (512.0, "fma f32", 0.8)]
    {
        let case = case_with("roofline/fma_an_element", 1 << 26, &[("FMAS", fmas)]);
        let rate =
            if bound == "fma f32" { 10_000.0 / case.work().flops as f64 } else { 500.0 / case.work().bytes as f64 };
        let mut record = row_at(1, share * rate, 0.001);
        ceilings.judge(&case, &mut record, None);
        assert_eq!(record.ceiling.map(|bound| bound.to_string()).as_deref(), Some(bound), "{fmas}");
        assert!((record.share.expect("a share") - share).abs() < 1e-6, "{fmas}: {:?}", record.share);
        assert!(ceilings.is_limited_by(&case, if bound == "fma f32" { &fma } else { &copy }));
        assert!(!ceilings.is_limited_by(&case, if bound == "fma f32" { &copy } else { &fma }));
    }
    // A device whose arithmetic is not measured is compared by the other limit.
    let case = case_with("roofline/fma_an_element", 1 << 26, &[("FMAS", 512.0)]);
    let mut record = row_at(1, 0.8 * 10_000.0 / case.work().flops as f64, 0.001);
    self::ceilings(&[(&copy, row(&copy, 500.0, 0.001))]).judge(&case, &mut record, None);
    assert_eq!(record.ceiling.map(|bound| bound.to_string()).as_deref(), Some("copy 512 MiB"));
}

/// A device of 132 multiprocessors at 1.98 GHz: 66.9 TFLOP/s of f32.
fn known_units() -> Ceilings {
    Ceilings::of_device(Peaks::of_multiprocessors(132, 1.98, 90))
}

#[test]
fn a_ceiling_above_what_units_can_do_is_implausible_and_sets_none() {
    let fma = case("ceiling/fma", 1 << 22);
    for (rate, noise, status) in [
        (60_000.0, 0.01, Status::Ok),
        (66_900.0 * 1.04, 0.001, Status::Ok),
        (66_900.0 * 1.2, 0.2, Status::Ok),
        (66_900.0 * 1.2, 0.01, Status::Implausible),
        (5e6, 0.01, Status::Implausible),
    ] {
        let mut ceilings = known_units();
        let mut record = row_at(fma.work().flops, rate, noise);
        assert_eq!(ceilings.add(&fma, &record), status == Status::Ok, "{rate}");
        ceilings.judge(&fma, &mut record, None);
        assert_eq!(record.status, status, "{rate} {noise}");
        if rate == 5e6 {
            assert_eq!(
                record.reason,
                "5000 TFLOP/s exceeds 66.9 TFLOP/s, the most that 132 SMs at 1.98 GHz can reach: no kernel can be \
                 that fast"
            );
        }
        // Without known units, no rate is refused.
        Ceilings::default().judge(&fma, &mut record, None);
        assert_eq!((record.status, record.reason.as_str()), (Status::Ok, ""));
    }
}

#[test]
fn ceilings_of_multiply_adds_are_in_proportion() {
    let (f32s, integers) = (case("ceiling/fma", 1 << 22), case("ceiling/mad", 1 << 22));
    let mut doubles = f32s.clone();
    doubles.shape.dtype = record::suite::Dtype::F64;
    let (halves, row_of) =
        (case("ceiling/fma_f16", 1 << 22), |case: &Case, rate| row_at(case.work().flops, rate, 0.01));
    for (fast, slow, ratio, status) in [
        (&doubles, &f32s, 1.0, Status::Ok),
        (&doubles, &f32s, 1.5, Status::Implausible),
        (&halves, &f32s, 4.0, Status::Ok),
        (&halves, &f32s, 6.0, Status::Implausible),
        (&f32s, &integers, 60.0, Status::Ok),
        (&f32s, &integers, 80.0, Status::Implausible),
        (&f32s, &doubles, 80.0, Status::Ok),
    ] {
        let mut record = row_of(fast, 1000.0 * ratio);
        let ceilings = ceilings(&[(slow, row_of(slow, 1000.0)), (fast, record.clone())]);
        ceilings.judge(fast, &mut record, None);
        assert_eq!(record.status, status, "{fast} {slow} {ratio}: {}", record.reason);
        // A software device's speed may have changed between the two, whatever the canary saw.
        ceilings.judge(fast, &mut record, Some(0.0));
        assert_eq!(record.status, Status::Ok, "{fast}");
    }
}

fn cases_of(family: &'static Family, benchmark: &'static Benchmark) -> Vec<Case> {
    let mut cases = Vec::new();
    for block in benchmark.cases {
        for (dtype, extent) in block.dtypes.iter().flat_map(|dtype| block.extents.iter().map(move |e| (*dtype, *e))) {
            for params in block.params {
                let params = params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
                cases.push(Case::new(family, benchmark, Shape::new(dtype, extent, params)));
            }
        }
    }
    cases
}

#[test]
fn every_benchmark_with_bytes_or_operations_has_a_limit_or_a_reason() {
    let all = FAMILIES.iter().flat_map(|family| family.benchmarks.iter().map(move |benchmark| (*family, benchmark)));
    let (mut mixed, mut measured): (Vec<&str>, Vec<Limit>) = (Vec::new(), Vec::new());
    for (family, benchmark) in all {
        let name = format!("{}/{}", family.name, benchmark.name);
        // The curve's limits depend on the level that a working set fits in.
        if family.name != "cache_curve" {
            assert_ne!(benchmark.ceiling.is_some(), !benchmark.no_ceiling.is_empty(), "{name}: a limit, or a reason");
        }
        assert!(!benchmark.sets_ceiling || family.name == "ceiling", "{name} sets a ceiling that no plan schedules");
        measured.extend(benchmark.ceiling.filter(|_| benchmark.sets_ceiling));
        for case in cases_of(family, benchmark) {
            let limits: Vec<Limit> = case.limits().collect();
            if limits.len() > 1 && !mixed.contains(&benchmark.name) {
                mixed.push(benchmark.name);
            }
            for limit in limits {
                assert!(amount(limit, &case) > 0.0, "{case} does nothing that '{}' limits", limit.name());
            }
            // A case that declares the limit of its arithmetic would never be compared with that of its bytes.
            let is_declared_in_bytes = benchmark.ceiling.is_none_or(Limit::is_in_bytes);
            assert!(is_declared_in_bytes || case.work().bytes == 0, "{case} must declare the limit of its bytes");
        }
    }
    assert!(mixed.contains(&"fma_an_element"), "{mixed:?}");
    for limit in Limit::ALL {
        assert!(measured.contains(&limit), "nothing measures '{}'", limit.name());
    }
}

/// Only the number and clock of tensor cores limit a kernel on them: `ceiling/tensor` measures what `mma` reaches.
#[test]
fn the_units_alone_limit_kernels_on_tensor_cores() {
    let rung = case("ceiling/tensor", 1 << 22);
    let family = FAMILIES.iter().find(|family| family.name == "matmul").expect("a family");
    let cooperative = family.benchmarks.iter().find(|benchmark| benchmark.name == "cooperative").expect("a benchmark");
    // A kernel whose declaration has bytes: the limit of its operations is that of its code.
    let work = |_: &Shape| Work { bytes: 1 << 20, flops: 1 << 40 };
    let variant = |ceiling, arithmetic| {
        record::suite::kept::kept(Benchmark { ceiling: Some(ceiling), arithmetic, work, ..*cooperative })
    };
    let judged = |benchmark: &'static Benchmark, rate: f64| {
        let case = Case::new(family, benchmark, Shape::new(Dtype::F16, Extent::Linear(1 << 22), Default::default()));
        let mut ceilings = Ceilings::of_device(Peaks::of_multiprocessors(132, 1.98, 90));
        ceilings.add(&rung, &row_at(rung.work().flops, 630_000.0, 0.001));
        let mut record = row_at(1 << 40, rate, 0.001);
        record.gflop_per_s = Some(rate);
        ceilings.judge(&case, &mut record, None);
        (record.status, record.ceiling.map(|bound| bound.limit))
    };
    let of_code = variant(Limit::Copy, Limit::Tensor);
    let alone = variant(Limit::Tensor, Limit::Tensor);
    for rate in [289_000.0, 744_000.0] {
        assert_eq!(judged(alone, rate), (Status::Ok, Some(Limit::Tensor)));
        assert_eq!(judged(of_code, rate).0, Status::Ok);
    }
    assert_eq!(judged(alone, 3e6).0, Status::Implausible);
    assert_eq!(judged(variant(Limit::Copy, Limit::Fma), 289_000.0).0, Status::Implausible);
}

/// A claim whose own ceiling did not run. Few samples have no interval.
#[test]
fn a_claim_is_held_against_every_measured_peak_where_its_own_did_not_run() {
    let fma = case("ceiling/fma", 1 << 22);
    let family = FAMILIES.iter().find(|family| family.name == "matmul").expect("a family");
    let tiled = family.benchmarks.iter().find(|benchmark| benchmark.name == "tiled").expect("a benchmark");
    let claimed = Benchmark {
        ceiling: Some(Limit::Tensor),
        wgsl: "of a user",
        work: |_| Work { bytes: 0, flops: 9_000_000_000_000 },
        ..*tiled
    };
    let claimed = Case::new(
        family,
        record::suite::kept::kept(claimed),
        Shape::new(Dtype::F32, Extent::Linear(1 << 10), Default::default()),
    );
    let ceilings = ceilings(&[(&fma, row_at(fma.work().flops, 100.0, 0.01))]);
    for (rate, has_interval, status) in [
        (99.0, true, Status::Ok),
        (150.0, true, Status::Implausible),
        (150.0, false, Status::Ok),
        (200_000.0, false, Status::Implausible),
    ] {
        let mut record = row_at(claimed.work().flops, rate, 0.01);
        if !has_interval {
            (record.ci_low_ns, record.ci_high_ns) = (None, None);
        }
        ceilings.judge(&claimed, &mut record, None);
        assert_eq!(record.status, status, "{rate} {has_interval}: {}", record.reason);
    }
}
