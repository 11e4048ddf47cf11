//! Every family has tags, and `--tag` selects by them.

use crate::command::shaderbench_in_empty_folder;
use gpu::engine::plan::{Request, plan, select_tagged};
use kernels::FAMILIES;
use kernels::articles::shown_by;
use record::suite::{Profile, Tag};

const ALL: &str = "the tags are peak, article, llm, primitive, memory, cost";

#[test]
fn every_family_has_a_tag_and_those_with_workloads_of_articles_say_so() {
    for family in FAMILIES {
        assert!(!family.tags.is_empty(), "{} has no tag", family.name);
        let has_claims = family.benchmarks.iter().any(|own| !shown_by(family.name, own.name).is_empty());
        assert_eq!(family.tags.contains(&Tag::Article), has_claims, "{}", family.name);
    }
    for tag in Tag::ALL {
        assert!(FAMILIES.iter().any(|family| family.tags.contains(&tag)), "no family has the tag {}", tag.name());
    }
}

#[test]
fn a_plan_by_tag_has_the_families_of_the_tag_and_their_ceilings() {
    let request = Request { tags: vec![Tag::Llm], ..Request::new(Vec::new(), Profile::Quick) };
    let cases = plan(&request).expect("a plan");
    for family in FAMILIES.iter().filter(|family| family.name != "ceiling") {
        let is_planned = cases.iter().any(|case| case.family.name == family.name);
        assert_eq!(is_planned, family.tags.contains(&Tag::Llm), "{}", family.name);
    }
    assert!(cases.iter().any(|case| case.name() == "ceiling/copy"));
    // Filters and tags select what both match.
    let selected = select_tagged(&["*/naive".to_owned()], &[Tag::Llm, Tag::Cost]).expect("some");
    let names: Vec<_> = selected.iter().map(|(family, benchmark)| (family.name, benchmark.name)).collect();
    assert_eq!(names, [("matmul", "naive"), ("gemv", "naive"), ("attention", "naive")]);
}

#[test]
fn list_shows_the_families_of_a_tag() {
    let listed = shaderbench_in_empty_folder(&["list", "--tag", "llm,peak", "--format", "json"]).succeeds();
    let listed: Vec<serde_json::Value> = serde_json::from_str(&listed.stdout).expect("JSON");
    assert!(listed.iter().any(|one| one["family"] == "softmax") && listed.iter().any(|one| one["family"] == "ceiling"));
    for one in listed {
        let tags = one["tags"].as_array().expect("a list");
        assert!(tags.iter().any(|tag| tag == "llm" || tag == "peak"), "{one}");
    }
}

#[test]
fn a_wrong_tag_is_one_sentence_and_exit_code_2() {
    for command in [&["run", "--tag", "lm"][..], &["--tag", "lm"], &["list", "--tag", "llm,lm"]] {
        let output = shaderbench_in_empty_folder(command).exits_with(2);
        let sentence = format!("there is no tag 'lm'; {ALL}");
        assert!(output.stderr.contains(&sentence), "{output}");
    }
    let none = "no benchmark of 'transpose' has one of these tags: llm, cost";
    shaderbench_in_empty_folder(&["run", "transpose", "--tag", "llm,cost", "--dry-run"]).fails_with(2, none);
}
