//! Claims: statements that the rows of one device through one API can support. They are the suite's own (a sentence or
//! a [`Ratio`]) or an article's, whose [`Judge`] gives a verdict only on a testable claim. Families declare them.

mod article;
mod device_rows;
mod facts;
mod judges;
mod margin;
mod measured;
mod pair;
mod pick;
mod ratio;

pub use article::{Answer, Judge, Report};
pub use article::{ArticleClaim, Bar, Graph, Judgement, Picture, Verdict};
pub use device_rows::{DeviceRows, NONE, Named, Why, joined};
pub use facts::Facts;
pub use facts::{Finding, Quantity, Stated};
pub use judges::*;
pub use margin::*;
pub use measured::{Measured, Own};
pub use pair::*;
pub use pick::*;
pub use ratio::{By, Ratio};

pub use crate::{byte_rate, flop_rate, has_several_epochs, is_software, share, time};

/// A statement that the rows of one device through one API may support.
pub enum Claim {
    /// The suite's own: a sentence with figures if the rows support it. Nobody claimed it before, so it has no verdict.
    Measured(Measured),
    /// The suite's own: how one kernel compares with another.
    Ratio(Ratio),
    /// An article's: judged by rows, or only reported.
    Article(ArticleClaim),
}

/// How many of `claims` are the suite's own.
pub const fn own_count(claims: &[Claim]) -> usize {
    let (mut count, mut index) = (0, 0);
    while index < claims.len() {
        count += !matches!(claims[index], Claim::Article(_)) as usize;
        index += 1;
    }
    count
}

/// The suite's own claims, selected at compile time: a program that judges no article contains none of their texts.
pub const fn own_of<const COUNT: usize>(claims: &[Claim]) -> [Own; COUNT] {
    let mut found = [Own::BLANK; COUNT];
    let (mut count, mut index) = (0, 0);
    while index < claims.len() {
        index += 1;
        found[count] = match &claims[index - 1] {
            Claim::Article(_) => continue,
            Claim::Ratio(own) => Own::Ratio(*own),
            Claim::Measured(own) => Own::Measured(*own),
        };
        count += 1;
    }
    found
}
