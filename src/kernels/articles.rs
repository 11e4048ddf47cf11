//! The tour: what five articles on CUDA memory claim, in their order, and what rows of a device say of each claim.
//!
//! A chapter is an article. A step compares rows of one device through one API. A verdict is given only on what the
//! article claims; a step of which the article says nothing that rows can decide reports them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::given::without_given;
use super::{CLAIMS, device_articles};
use record::Record;
use record::claim::{ArticleClaim, Claim, DeviceRows, Judgement, Picture, Verdict};

/// The articles by the letter of their claims' numbers.
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

/// The claims that a kernel (`family/benchmark`) shows.
#[must_use]
pub fn shown_by(family: &str, benchmark: &str) -> Vec<&'static ArticleClaim> {
    steps().into_iter().filter(|step| step.shows(family, benchmark)).collect()
}

/// The claims of a name: an id (`D5`), a chapter (`D`), in capitals or not. Empty if there are none.
#[must_use]
pub fn named(name: &str) -> Vec<&'static ArticleClaim> {
    let name = name.to_ascii_uppercase();
    // Chapters are the articles in their order: 000 to 004.
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

/// What `rows`, of one device through one API, show at a glance; `None` on a software device and without rows.
#[must_use]
pub fn pictured(step: &ArticleClaim, rows: &[&Record]) -> Option<Picture> {
    let (rows, _) = without_given_params(step, rows);
    step.pictured(&DeviceRows::new(&rows.iter().map(AsRef::as_ref).collect::<Vec<_>>()))
}

/// The rows without the parameters that a run was given, and those of the claim's families: `With HEIGHT=8: `, or
/// nothing.
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
