//! Tuning, the search for the fastest parameters, on a fake device.

use crate::common::{self, Behaviour, Fake, Recorder, Stage, cases, fake, fake_on, right, settings};
use shaderbench::backend::{Api, Backend};
use shaderbench::engine::plan::{Request, plan};
use shaderbench::engine::{EarlierRows, End, Outcome, Settings, recall_params};
use shaderbench::results::{Record, Status};
use shaderbench::suite::{Case, Profile};

const SUBJECT: &str = "atomics/same_address";

fn tuned() -> Settings {
    Settings { is_tuned: true, ..settings() }
}

fn run_tuned(backends: &mut [&mut Fake], cases: &[Case], kept: EarlierRows, recorder: &mut Recorder) -> Outcome {
    let mut backends: Vec<&mut dyn Backend> = backends.iter_mut().map(|b| &mut **b as &mut dyn Backend).collect();
    common::resume(&mut backends, cases, kept, &tuned(), recorder)
}

/// The rows of a tuned run of one kernel, and the labels of all prepared jobs.
fn tune(backend: &mut Fake) -> (Vec<Record>, Vec<String>) {
    let outcome = run_tuned(
        &mut [&mut *backend],
        &cases(&[SUBJECT], &["2^18"]),
        EarlierRows::default(),
        &mut Recorder::default(),
    );
    assert!(matches!(outcome.end, End::Complete));
    let prepared = backend.log().prepared.clone();
    (outcome.records, prepared)
}

/// The behaviour of the jobs with this workgroup size; all others are right.
fn with_size(size: u32, behaviour: Behaviour) -> impl Fn(&str) -> Behaviour {
    move |label| if has_size(label, &[size]) { behaviour } else { Behaviour::Right }
}

/// Whether a job has one of these workgroup sizes.
fn has_size(label: &str, sizes: &[u32]) -> bool {
    sizes.iter().any(|size| label.ends_with(&format!(";WG={size}")))
}

#[test]
fn the_fastest_candidate_is_selected_and_verified() {
    let (rows, prepared) = tune(&mut fake(|label| match label {
        label if has_size(label, &[512]) => Behaviour::Slow(0.5),
        label if has_size(label, &[64, 1024]) => Behaviour::Slow(0.8),
        _ => Behaviour::Right,
    }));
    assert_eq!(
        (rows[0].params_text().as_str(), rows[0].cell("workgroup_size").as_str()),
        ("ROUNDS=8;WG=512", "512x1x1")
    );
    assert_eq!(rows[0].status, Status::Ok, "{}", rows[0].reason);
    // The kernel's own size is measured without a parameter.
    assert!(prepared.iter().all(|label| !has_size(label, &[256])), "{prepared:?}");
}

#[test]
fn a_wrong_answer_of_the_selected_candidate_is_reported() {
    let (rows, _) = tune(&mut fake(|label| match label {
        label if label.starts_with("ceiling") => Behaviour::Right,
        label if has_size(label, &[32]) => Behaviour::Wrong(0),
        _ => Behaviour::Slow(2.0),
    }));
    assert_eq!((rows[0].params_text().as_str(), rows[0].status), ("ROUNDS=8;WG=32", Status::Wrong));
}

#[test]
fn noise_and_small_gains_select_nothing() {
    for behaviour in [
        (|_| Behaviour::Noisy(0.2)) as fn(&str) -> Behaviour,
        |label| if has_size(label, &[32, 64, 128, 512, 1024]) { Behaviour::Slow(0.985) } else { Behaviour::Right },
        |label| if has_size(label, &[32, 64, 128, 512, 1024]) { Behaviour::Noisy(1.9) } else { Behaviour::Slow(0.95) },
    ] {
        let (rows, _) = tune(&mut fake(behaviour));
        assert_eq!(rows[0].params_text(), "ROUNDS=8");
    }
}

#[test]
fn candidates_that_exceed_a_limit_or_do_not_compile_are_not_selected() {
    let mut backend = fake(|label| match label {
        label if has_size(label, &[32]) => Behaviour::Uncompilable,
        label if has_size(label, &[64]) => Behaviour::OutOfMemory,
        label if has_size(label, &[128]) => Behaviour::Slow(0.5),
        label if has_size(label, &[512, 1024]) => Behaviour::Slow(0.1),
        _ => Behaviour::Right,
    });
    backend.device.max_invocations = 256;
    let (rows, prepared) = tune(&mut backend);
    assert_eq!((rows[0].params_text().as_str(), rows[0].status), ("ROUNDS=8;WG=128", Status::Ok));
    assert!(prepared.iter().all(|label| !has_size(label, &[512, 1024])), "{prepared:?}");
}

#[test]
fn a_candidate_longer_than_the_launch_limit_is_not_launched() {
    let mut backend = fake(|label| match label {
        label if has_size(label, &[32]) => Behaviour::Slow(1e6),
        _ => Behaviour::Right,
    });
    let cases = cases(&[SUBJECT], &["2^22"]);
    let outcome = run_tuned(&mut [&mut backend], &cases, EarlierRows::default(), &mut Recorder::default());
    assert_eq!(outcome.records[0].params_text(), "ROUNDS=8");
    let prepared = backend.log().prepared.clone();
    let is_prepared = |label: &str| prepared.iter().any(|known| known == label);
    assert!(is_prepared("atomics/same_address u32 262144 ROUNDS=8;WG=32"), "{prepared:?}");
    assert!(!is_prepared("atomics/same_address u32 4194304 ROUNDS=8;WG=32"), "{prepared:?}");
}

#[test]
fn a_kernel_with_an_unsupported_size_runs_with_a_supported_one() {
    let mut backend = fake(with_size(64, Behaviour::Slow(0.9)));
    backend.device.max_invocations = 128;
    let (rows, _) = tune(&mut backend);
    assert_eq!((rows[0].params_text().as_str(), rows[0].status), ("ROUNDS=8;WG=64", Status::Ok), "{}", rows[0].reason);
}

#[test]
fn a_candidate_that_loses_the_device_does_not_change_the_case() {
    for behaviour in [Behaviour::Lost, Behaviour::Hanging, Behaviour::LostIn(Stage::Prepare)] {
        let mut backend = fake(with_size(64, behaviour));
        let (rows, prepared) = tune(&mut backend);
        assert_eq!((rows[0].params_text().as_str(), rows[0].status), ("ROUNDS=8", Status::Ok), "{}", rows[0].reason);
        assert!(!prepared.iter().any(|label| has_size(label, &[128])), "{prepared:?}");
        let log = backend.log();
        assert_eq!((log.reopened, log.dropped_lost), (1, 0));
    }
}

#[test]
fn parameters_that_the_user_sets_or_the_family_varies_are_not_tuned() {
    let set =
        Request { params: vec![("WG".to_owned(), 128.0)], ..Request::new(vec![SUBJECT.to_owned()], Profile::Quick) };
    for cases in [
        plan(&set).expect("a plan"),
        cases(&["coalescing/stride", "bank_conflict/stride", "barrier"], &["2^12"]),
        cases(&["scan/single_pass_subgroup", "transpose/tiled"], &["2^12"]),
    ] {
        let mut recorder = Recorder::default();
        let outcome = run_tuned(&mut [&mut right()], &cases, EarlierRows::default(), &mut recorder);
        assert_eq!(recorder.tuned, []);
        let ran: Vec<_> = outcome.records.iter().map(Record::params_text).collect();
        assert_eq!(ran, cases.iter().map(Case::params_text).collect::<Vec<_>>());
    }
}

#[test]
fn all_apis_run_the_parameters_that_the_first_one_selects() {
    let mut first = fake(with_size(64, Behaviour::Slow(0.5)));
    let mut second = fake_on(Api::Cuda, with_size(32, Behaviour::Slow(0.5)));
    let cases = cases(&[SUBJECT], &["2^18"]);
    let outcome = run_tuned(&mut [&mut first, &mut second], &cases, EarlierRows::default(), &mut Recorder::default());
    let ran: Vec<_> = outcome.records.iter().map(|row| (row.api_name(), row.params_text())).collect();
    assert_eq!(ran, ["vulkan", "cuda"].map(|api| (api, "ROUNDS=8;WG=64".to_owned())));
}

#[test]
fn a_run_that_is_to_end_tries_nothing_more() {
    let mut recorder = Recorder { stop_after: Some(0), ..Recorder::default() };
    let mut backend = right();
    let outcome =
        run_tuned(&mut [&mut backend], &cases(&["atomics"], &["2^12"]), EarlierRows::default(), &mut recorder);
    assert!(matches!(outcome.end, End::Interrupted));
    assert_eq!((recorder.tuned.len(), outcome.records.len()), (1, 0));
}

#[test]
fn a_tuned_run_that_was_broken_off_keeps_what_it_chose() {
    let behaviour = |label: &str| match label {
        label if label.contains("spread") && has_size(label, &[64]) => Behaviour::Slow(0.5),
        label if label.contains("workgroup") && has_size(label, &[512]) => Behaviour::Slow(0.5),
        _ => Behaviour::Right,
    };
    let mut plan = cases(&["atomics"], &["2^12"]);
    let mut backend = fake(behaviour);
    let whole = run_tuned(&mut [&mut backend], &plan, EarlierRows::default(), &mut Recorder::default()).records;
    let chosen = |rows: &[Record]| rows.iter().map(Record::params_text).collect::<Vec<_>>();
    assert!(chosen(&whole).contains(&"ROUNDS=8;SLOTS=64;WG=64".to_owned()), "{:?}", chosen(&whole));
    // Another day nothing would be chosen.
    let mut backend = right();
    recall_params(&mut plan, &whole[..2]);
    let kept = EarlierRows::new(whole[..2].to_vec(), &plan, std::slice::from_ref(backend.device()), &tuned());
    let mut recorder = Recorder { records: whole[..2].to_vec(), ..Recorder::default() };
    let resumed = run_tuned(&mut [&mut backend], &plan, kept.expect("it fits"), &mut recorder).records;
    assert_eq!(chosen(&resumed)[..2], chosen(&whole)[..2]);
    assert!(chosen(&resumed)[2..].iter().all(|params| !params.contains("WG")), "{:?}", chosen(&resumed));
    assert_eq!(recorder.tuned.len(), whole.len() - 2);
}
