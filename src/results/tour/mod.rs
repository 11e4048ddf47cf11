//! The tour: what five articles on CUDA memory claim, and what rows of a device say of each claim.
//!
//! A chapter is an article, a step one of its workloads ([`crate::suite::source::SOURCES`]). A step compares rows of
//! one device through one API. A kernel is faster than another if the whole 95 % interval of the ratio of their speeds is
//! above 1.1; they are as fast if the whole interval is within 10 %; else the step cannot tell.

mod a;
mod b;
mod c;
mod d;
mod e;
mod glossary;
mod judges;
mod rows;
mod step;

pub use glossary::{GLOSSARY, Term, term};
pub use step::{Bar, Graph, Judgement, Picture, Step, Verdict};

/// The steps of each chapter, in the order of [`crate::suite::source::ARTICLES`].
const CHAPTERS: [&[Step]; 5] = [a::STEPS, b::STEPS, c::STEPS, d::STEPS, e::STEPS];

/// Every step, in the order of the articles.
pub fn steps() -> impl Iterator<Item = &'static Step> {
    CHAPTERS.into_iter().flatten()
}

/// The steps of a name: an id (`D5`), a chapter (`D`), in capitals or not. Empty if there are none.
#[must_use]
pub fn named(name: &str) -> Vec<&'static Step> {
    let name = name.to_ascii_uppercase();
    // Chapters are the articles in their order: 000 to 004.
    let article = name.parse::<u8>().ok().filter(|_| name.len() == 3).map(|number| char::from(b'A' + number % 26));
    let name = article.map_or(name, String::from);
    steps().filter(|step| step.id == name || step.chapter().to_string() == name).collect()
}

/// Every chapter with its ids: `A1–A5, B1–B10`.
#[must_use]
pub fn ids() -> String {
    let range = |steps: &&[Step]| match steps {
        [first, .., last] => format!("{}–{}", first.id, last.id),
        steps => steps.iter().map(|step| step.id).collect(),
    };
    CHAPTERS.iter().map(range).collect::<Vec<_>>().join(", ")
}
