//! The tour: the claims of five articles on CUDA memory, in their order, and the verdicts that a device's rows support.
//!
//! A chapter is one article. A step compares rows of one device through one API. It gives a verdict if the article
//! makes a testable claim, and otherwise only reports the rows.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::given::without_given;
use super::{CLAIMS, device_articles};
use record::Record;
use record::claim::{ArticleClaim, Claim, DeviceRows, Judgement, Picture, Verdict};

/// The articles, by the letter with which their claims' ids start.
pub const ARTICLES: &[(char, &str)] = &[
    ('A', "reduction in shared memory"),
    ('B', "memory spaces"),
    ('C', "sum of cubes with synchronisation"),
    ('D', "coalescing and transpose"),
    ('E', "shared-memory banks"),
];

/// Every claim, in the order of the articles.
#[must_use]
pub fn steps() -> Vec<&'static ArticleClaim> {
    let families = CLAIMS.iter().copied().flatten();
    let of_articles = families.chain(device_articles::CLAIMS);
    let mut steps: Vec<&ArticleClaim> =
        of_articles.filter_map(|claim| if let Claim::Article(own) = claim { Some(own) } else { None }).collect();
    steps.sort_by_key(|step| (step.chapter(), step.number()));
    steps
}

/// The claims that rows of a kernel (`family/benchmark`) help to judge.
#[must_use]
pub fn shown_by(family: &str, benchmark: &str) -> Vec<&'static ArticleClaim> {
    steps().into_iter().filter(|step| step.shows(family, benchmark)).collect()
}

/// The claims with this id (`D5`) or of this chapter (`D` or `003`), in capitals or not. Empty if there are none.
#[must_use]
pub fn named(name: &str) -> Vec<&'static ArticleClaim> {
    let name = name.to_ascii_uppercase();
    // The articles are also numbered: 000 to 004.
    let article = name.parse::<u8>().ok().filter(|_| name.len() == 3).map(|number| char::from(b'A' + number % 26));
    let name = article.map_or(name, String::from);
    let is_own = |step: &&ArticleClaim| step.id == name || step.also.contains(&name.as_str());
    steps().into_iter().filter(|step| is_own(step) || step.chapter().to_string() == name).collect()
}

/// Every chapter with its ids: `A1–A6, B1–B12`.
#[must_use]
pub fn ids() -> String {
    let range = |letter: &char| {
        let last = named(&letter.to_string()).iter().map(|step| step.number()).max().unwrap_or_default();
        format!("{letter}1–{letter}{last}")
    };
    ARTICLES.iter().map(|(letter, _)| range(letter)).collect::<Vec<_>>().join(", ")
}

/// The verdict that `rows`, of one device through one API, support.
#[must_use]
pub fn judged(step: &ArticleClaim, rows: &[&Record]) -> Judgement {
    let (rows, given) = without_given_params(step, rows);
    let judged = step.judged(&DeviceRows::new(&rows.iter().map(AsRef::as_ref).collect::<Vec<_>>()));
    let is_told = !matches!(judged.verdict, Verdict::Unknown | Verdict::Unmeasured);
    if is_told { Judgement { text: given + &judged.text, ..judged } } else { judged }
}

/// A chart of `rows`, of one device through one API; `None` on a software device or without rows.
#[must_use]
pub fn pictured(step: &ArticleClaim, rows: &[&Record]) -> Option<Picture> {
    let (rows, _) = without_given_params(step, rows);
    step.pictured(&DeviceRows::new(&rows.iter().map(AsRef::as_ref).collect::<Vec<_>>()))
}

/// The rows without parameters set for the whole run, and those of the claim's families: `With HEIGHT=8: ` or empty.
fn without_given_params<'a>(step: &ArticleClaim, rows: &[&'a Record]) -> (Vec<Cow<'a, Record>>, String) {
    let mut families: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for row in rows {
        families.entry(&row.family).or_default().push(row);
    }
    let is_of_step = |family: &str| step.kernels.iter().any(|kernel| kernel.split('/').next() == Some(family));
    let (mut all, mut given) = (Vec::new(), Vec::new());
    for (family, rows) in families {
        let (stripped, text) = without_given(&rows);
        all.extend(stripped);
        given.extend(Some(text).filter(|text| !text.is_empty() && is_of_step(family)));
    }
    let with = if given.is_empty() { String::new() } else { format!("With {}: ", given.join(", ")) };
    (all, with)
}
