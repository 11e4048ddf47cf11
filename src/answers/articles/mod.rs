//! The tour on a terminal and in Markdown: the list of steps, one step with verdicts and pictures, and the glossary.

mod data;
mod glossary;
mod pages;
mod picture;
mod side;
mod terms;

pub use data::{StepData, Value, data, values};
pub use glossary::glossary;
pub use pages::{chapter, overview, step};
pub use side::{Side, sides};
pub use terms::{GLOSSARY, Term, term, terms_named};
