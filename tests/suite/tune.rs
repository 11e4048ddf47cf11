//! The search for parameters, on a fake device.

use crate::common::{Behaviour, Fake, Seen, Stage, cases, fake, fake_through, settings};
use shaderbench::backend::Api;
use shaderbench::backend::Backend;
use shaderbench::engine::plan::{Request, plan};
use shaderbench::engine::{EarlierRows, End, Outcome, Settings, recall_params, resume};
use shaderbench::results::{Record, Status};
use shaderbench::suite::{Case, Profile};

const SUBJECT: &str = "atomics/same_address";

fn tuned() -> Settings {
    Settings { is_tuned: true, ..settings() }
}

fn run_on(backends: &mut [&mut Fake], cases: &[Case], kept: EarlierRows, seen: &mut Seen) -> Outcome {
    let mut backends: Vec<&mut dyn Backend> = backends.iter_mut().map(|b| &mut **b as &mut dyn Backend).collect();
    pollster::block_on(resume(&mut backends, cases, kept, &tuned(), seen)).expect("the observer does not fail")
}

/// The rows of a tuned run of one kernel, and what was prepared for it.
fn tune(backend: &mut Fake) -> (Vec<Record>, Vec<String>) {
    let outcome =
        run_on(&mut [&mut *backend], &cases(&[SUBJECT], &["2^18"]), EarlierRows::default(), &mut Seen::default());
    assert!(matches!(outcome.end, End::Complete));
    let prepared = backend.log.lock().expect("one thread").prepared.clone();
    (outcome.records, prepared)
}

fn is_any(label: &str, sizes: &[u32]) -> bool {
    sizes.iter().any(|size| label.ends_with(&format!(";WG={size}")))
}

#[test]
fn the_fastest_candidate_wins_and_the_verified_row_says_so() {
    let (rows, prepared) = tune(&mut fake(|label| match label {
        label if is_any(label, &[512]) => Behaviour::Slow(0.5),
        label if is_any(label, &[64, 1024]) => Behaviour::Slow(0.8),
        _ => Behaviour::Right,
    }));
    assert_eq!(
        (rows[0].params_text().as_str(), rows[0].cell("workgroup_size").as_str()),
        ("ROUNDS=8;WG=512", "512x1x1")
    );
    assert_eq!(rows[0].status, Status::Ok, "{}", rows[0].reason);
    // The kernel's own size is tried as the case that it is.
    assert!(prepared.iter().all(|label| !is_any(label, &[256])), "{prepared:?}");
}

#[test]
fn a_wrong_answer_of_what_was_chosen_shows() {
    let (rows, _) = tune(&mut fake(|label| match label {
        label if label.starts_with("ceiling") => Behaviour::Right,
        label if is_any(label, &[32]) => Behaviour::Wrong(0),
        _ => Behaviour::Slow(2.0),
    }));
    assert_eq!((rows[0].params_text().as_str(), rows[0].status), ("ROUNDS=8;WG=32", Status::Wrong));
}

#[test]
fn noise_and_small_gains_change_nothing() {
    for behaviour in [
        (|_| Behaviour::Noisy(0.2)) as fn(&str) -> Behaviour,
        |label| if is_any(label, &[32, 64, 128, 512, 1024]) { Behaviour::Slow(0.985) } else { Behaviour::Right },
        |label| if is_any(label, &[32, 64, 128, 512, 1024]) { Behaviour::Noisy(1.9) } else { Behaviour::Slow(0.95) },
    ] {
        let (rows, _) = tune(&mut fake(behaviour));
        assert_eq!(rows[0].params_text(), "ROUNDS=8");
    }
}

#[test]
fn what_does_not_fit_the_device_or_does_not_compile_is_passed_over() {
    let mut backend = fake(|label| match label {
        label if is_any(label, &[32]) => Behaviour::Uncompilable,
        label if is_any(label, &[64]) => Behaviour::OutOfMemory,
        label if is_any(label, &[128]) => Behaviour::Slow(0.5),
        label if is_any(label, &[512, 1024]) => Behaviour::Slow(0.1),
        _ => Behaviour::Right,
    });
    backend.device.max_invocations = 256;
    let (rows, prepared) = tune(&mut backend);
    assert_eq!((rows[0].params_text().as_str(), rows[0].status), ("ROUNDS=8;WG=128", Status::Ok));
    assert!(prepared.iter().all(|label| !is_any(label, &[512, 1024])), "{prepared:?}");
}

#[test]
fn a_candidate_that_would_run_too_long_is_not_launched() {
    let mut backend = fake(|label| match label {
        label if is_any(label, &[32]) => Behaviour::Slow(1e6),
        _ => Behaviour::Right,
    });
    let cases = cases(&[SUBJECT], &["2^22"]);
    let outcome = run_on(&mut [&mut backend], &cases, EarlierRows::default(), &mut Seen::default());
    assert_eq!(outcome.records[0].params_text(), "ROUNDS=8");
    let prepared = backend.log.lock().expect("one thread").prepared.clone();
    let of = |label: &str| prepared.iter().any(|known| known == label);
    assert!(of("atomics/same_address u32 262144 ROUNDS=8;WG=32"), "{prepared:?}");
    assert!(!of("atomics/same_address u32 4194304 ROUNDS=8;WG=32"), "{prepared:?}");
}

#[test]
fn a_kernel_whose_own_size_the_device_lacks_runs_with_one_that_it_has() {
    let mut backend = fake(|label| if is_any(label, &[64]) { Behaviour::Slow(0.9) } else { Behaviour::Right });
    backend.device.max_invocations = 128;
    let (rows, _) = tune(&mut backend);
    assert_eq!((rows[0].params_text().as_str(), rows[0].status), ("ROUNDS=8;WG=64", Status::Ok), "{}", rows[0].reason);
}

#[test]
fn a_candidate_that_loses_the_device_leaves_the_case_as_it_is() {
    for behaviour in [
        (|label| if is_any(label, &[64]) { Behaviour::Lost } else { Behaviour::Right }) as fn(&str) -> Behaviour,
        |label| if is_any(label, &[64]) { Behaviour::Hanging } else { Behaviour::Right },
        |label| if is_any(label, &[64]) { Behaviour::LostIn(Stage::Prepare) } else { Behaviour::Right },
    ] {
        let mut backend = fake(behaviour);
        let (rows, prepared) = tune(&mut backend);
        assert_eq!((rows[0].params_text().as_str(), rows[0].status), ("ROUNDS=8", Status::Ok), "{}", rows[0].reason);
        assert!(!prepared.iter().any(|label| is_any(label, &[128])), "{prepared:?}");
        let log = backend.log.lock().expect("one thread");
        assert_eq!((log.reopened, log.dropped_lost), (1, 0));
    }
}

#[test]
fn what_is_set_and_what_a_family_is_about_is_not_tuned() {
    let set =
        Request { params: vec![("WG".to_owned(), 128.0)], ..Request::new(vec![SUBJECT.to_owned()], Profile::Quick) };
    for cases in [
        plan(&set).expect("a plan"),
        cases(&["coalescing/stride", "bank_conflict/stride", "barrier"], &["2^12"]),
        cases(&["scan/single_pass_subgroup", "transpose/tiled"], &["2^12"]),
    ] {
        let mut seen = Seen::default();
        let outcome = run_on(&mut [&mut fake(|_| Behaviour::Right)], &cases, EarlierRows::default(), &mut seen);
        assert_eq!(seen.tuned, []);
        let ran: Vec<_> = outcome.records.iter().map(Record::params_text).collect();
        assert_eq!(ran, cases.iter().map(Case::params_text).collect::<Vec<_>>());
    }
}

#[test]
fn all_apis_run_what_the_first_one_chose() {
    let mut first = fake(|label| if is_any(label, &[64]) { Behaviour::Slow(0.5) } else { Behaviour::Right });
    let mut second =
        fake_through(Api::Cuda, |label| if is_any(label, &[32]) { Behaviour::Slow(0.5) } else { Behaviour::Right });
    let cases = cases(&[SUBJECT], &["2^18"]);
    let outcome = run_on(&mut [&mut first, &mut second], &cases, EarlierRows::default(), &mut Seen::default());
    let ran: Vec<_> = outcome.records.iter().map(|row| (row.api_name(), row.params_text())).collect();
    assert_eq!(ran, ["vulkan", "cuda"].map(|api| (api, "ROUNDS=8;WG=64".to_owned())));
}

#[test]
fn a_run_that_is_to_end_tries_nothing_more() {
    let mut seen = Seen { stop_after: Some(0), ..Seen::default() };
    let mut backend = fake(|_| Behaviour::Right);
    let outcome = run_on(&mut [&mut backend], &cases(&["atomics"], &["2^12"]), EarlierRows::default(), &mut seen);
    assert!(matches!(outcome.end, End::Interrupted));
    assert_eq!((seen.tuned.len(), outcome.records.len()), (1, 0));
}

#[test]
fn a_tuned_run_that_was_broken_off_keeps_what_it_chose() {
    let behaviour = |label: &str| match label {
        label if label.contains("spread") && is_any(label, &[64]) => Behaviour::Slow(0.5),
        label if label.contains("workgroup") && is_any(label, &[512]) => Behaviour::Slow(0.5),
        _ => Behaviour::Right,
    };
    let mut plan = cases(&["atomics"], &["2^12"]);
    let mut backend = fake(behaviour);
    let whole = run_on(&mut [&mut backend], &plan, EarlierRows::default(), &mut Seen::default()).records;
    let chosen = |rows: &[Record]| rows.iter().map(Record::params_text).collect::<Vec<_>>();
    assert!(chosen(&whole).contains(&"ROUNDS=8;SLOTS=64;WG=64".to_owned()), "{:?}", chosen(&whole));
    // Another day nothing would be chosen.
    let mut backend = fake(|_| Behaviour::Right);
    recall_params(&mut plan, &whole[..2]);
    let kept = EarlierRows::new(whole[..2].to_vec(), &plan, std::slice::from_ref(backend.device()), &tuned());
    let mut seen = Seen { last: whole[..2].to_vec(), ..Seen::default() };
    let resumed = run_on(&mut [&mut backend], &plan, kept.expect("it fits"), &mut seen).records;
    assert_eq!(chosen(&resumed)[..2], chosen(&whole)[..2]);
    assert!(chosen(&resumed)[2..].iter().all(|params| !params.contains("WG")), "{:?}", chosen(&resumed));
    assert_eq!(seen.tuned.len(), whole.len() - 2);
}
