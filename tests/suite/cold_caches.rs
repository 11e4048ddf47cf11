//! Launches with cold caches (`--cache`): the cases, the steps before each launch, and the results.

use crate::device::{adapter, fault, open};
use gpu::engine::plan::{Caches, Request, plan};
use gpu::job::{Job, Step};
use record::suite::{COLD, Case, Profile};
use std::collections::BTreeSet;

fn planned(filter: &str, caches: Caches) -> Vec<Case> {
    let filters = if filter.is_empty() { Vec::new() } else { vec![filter.to_owned()] };
    plan(&Request { caches, ..Request::new(filters, Profile::Standard) }).expect("a plan")
}

#[test]
fn each_case_with_a_ceiling_is_hot_cold_or_both_and_ceilings_are_hot() {
    let texts = |caches, is_cold: bool| -> BTreeSet<String> {
        let cases = planned("softmax", caches).into_iter().filter(|case| !case.benchmark.sets_ceiling);
        let own = cases.filter(|case| case.shape.is_cold() == is_cold);
        own.map(|mut case| {
            case.shape.params.remove(COLD);
            case.to_string()
        })
        .collect()
    };
    let hot = texts(Caches::Hot, false);
    assert!(hot.len() > 10 && texts(Caches::Hot, true).is_empty());
    assert!(texts(Caches::Cold, true) == hot && texts(Caches::Cold, false).is_empty());
    assert!(texts(Caches::Both, true) == hot && texts(Caches::Both, false) == hot);
    for case in planned("", Caches::Cold) {
        let may = case.benchmark.ceiling.is_some() && !case.benchmark.sets_ceiling && !case.benchmark.is_latency;
        assert_eq!(case.shape.is_cold(), may && case.benchmark.host_part.is_none(), "{case}");
    }
}

#[test]
fn a_cold_case_of_any_size_is_compared_with_memory_beyond_caches() {
    let cases = planned("softmax/online", Caches::Cold);
    let most = cases.iter().filter(|case| case.benchmark.name == "copy").map(|case| case.work().bytes).max();
    assert!(most >= Some(512 << 20), "{most:?}");
    for case in cases.iter().filter(|case| case.shape.is_cold()) {
        assert!(case.working_set() >= 512 << 20 && case.working_set() >= case.work().bytes, "{case}");
    }
}

#[test]
fn caches_are_emptied_right_before_the_first_kernel() {
    for case in &planned("histogram", Caches::Cold) {
        if !case.shape.is_cold() {
            continue;
        }
        let Ok(job) = Job::new(case) else { continue };
        let first = job.steps.iter().position(Step::is_timed).expect("a kernel");
        let [.., Step::Clear(flush), Step::Clear(too)] = job.steps[..first] else {
            panic!("{case}: {:?}", job.steps);
        };
        assert_eq!([flush, too], [job.buffers.len() - 2, job.buffers.len() - 1], "{case}");
        assert!(job.buffers[flush].bytes + job.buffers[too].bytes == 256 << 20 && job.has_untimed_steps());
    }
}

#[test]
fn cold_launches_compute_what_hot_ones_do() {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    for name in ["softmax/online", "histogram", "transpose/tiled"] {
        let cases = planned(name, Caches::Cold);
        let smallest = cases.iter().filter(|case| case.shape.is_cold()).min_by_key(|case| case.work().bytes);
        let case = smallest.expect("a cold case");
        let mut job = Job::new(case).expect("valid");
        assert_eq!(fault(&mut backend, &mut job).expect("it runs"), None, "{case}");
    }
}
