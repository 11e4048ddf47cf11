//! The tour: what five articles on CUDA memory claim, in their order, and what rows of a device say of each claim.
//!
//! A chapter is an article. A claim compares rows of one device through one API. A kernel is faster than another if the
//! whole 95 % interval of the ratio of their speeds is above 1.1; they are as fast if the whole interval is within 10 %;
//! else the claim cannot be judged.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::given::without_given;
use super::{CLAIMS, device_articles};
use crate::claim::{ArticleClaim, Claim, Judgement, Picture, Sheet};
use crate::record::Record;

/// The articles by the letter of their claims' numbers.
pub const ARTICLES: &[(char, &str)] = &[
    ('A', "reduction in shared memory (article 000)"),
    ('B', "memory spaces (article 001)"),
    ('C', "sum of cubes with synchronisation (article 002)"),
    ('D', "coalescing and transpose (article 003)"),
    ('E', "shared-memory banks (article 004)"),
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
    steps().into_iter().filter(|step| step.id == name || step.chapter().to_string() == name).collect()
}

/// Every chapter with its ids: `A1–A5, B1–B10`.
#[must_use]
pub fn ids() -> String {
    let range = |letter: &char| match named(&letter.to_string()).as_slice() {
        [first, .., last] => format!("{}–{}", first.id, last.id),
        steps => steps.iter().map(|step| step.id).collect(),
    };
    ARTICLES.iter().map(|(letter, _)| range(letter)).collect::<Vec<_>>().join(", ")
}

/// The verdict that `rows`, of one device through one API, support.
#[must_use]
pub fn judged(step: &ArticleClaim, rows: &[&Record]) -> Judgement {
    let (rows, given) = bare(step, rows);
    let judged = step.judged(&Sheet::new(&rows.iter().map(AsRef::as_ref).collect::<Vec<_>>()));
    let is_told = judged.verdict != crate::claim::Verdict::Unknown;
    if is_told { Judgement { text: given + &judged.text, ..judged } } else { judged }
}

/// What `rows`, of one device through one API, show at a glance; `None` on a software device and without rows.
#[must_use]
pub fn pictured(step: &ArticleClaim, rows: &[&Record]) -> Option<Picture> {
    let (rows, _) = bare(step, rows);
    step.pictured(&Sheet::new(&rows.iter().map(AsRef::as_ref).collect::<Vec<_>>()))
}

/// The rows without the parameters that a run was given, and those of the claim's families: `With HEIGHT=8: `, or
/// nothing.
fn bare<'a>(step: &ArticleClaim, rows: &[&'a Record]) -> (Vec<Cow<'a, Record>>, String) {
    let mut families: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for row in rows {
        families.entry(&row.family).or_default().push(row);
    }
    let own = |family: &str| step.kernels.iter().any(|kernel| kernel.split('/').next() == Some(family));
    let (mut all, mut given) = (Vec::new(), Vec::new());
    for (family, rows) in families {
        let (bare, text) = without_given(&rows);
        all.extend(bare);
        given.extend(Some(text).filter(|text| !text.is_empty() && own(family)));
    }
    let with = if given.is_empty() { String::new() } else { format!("With {}: ", given.join(", ")) };
    (all, with)
}
