//! What an article claims, which kernels show it, and what rows say of it.

use super::facts::{Facts, Quantity};
use super::sheet::{Sheet, Why};

/// What rows say of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The rows support the claim.
    Holds,
    /// The rows contradict the claim.
    Fails,
    /// The rows support neither.
    Unknown,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 3] = [Self::Holds, Self::Fails, Self::Unknown];

    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "no longer holds",
            Self::Unknown => "cannot tell",
        }
    }
}

/// The verdict on a claim, with its reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Why the claim no longer holds, where an experiment of the suite shows it.
    pub cause: Option<String>,
    /// Sentences: what was measured, or why nothing can be said.
    pub text: String,
    /// Further measured figures, each with its name: `coalesced reads 484 GB/s`.
    pub figures: Vec<String>,
    /// The values in the sentences and figures, each with its name.
    pub values: Vec<(String, Quantity)>,
}

impl Judgement {
    /// `no longer holds, because …. The sum … Measured: in place 158 GB/s.`
    #[must_use]
    pub fn sentences(&self) -> String {
        let cause = self.cause.as_ref().map_or_else(String::new, |cause| format!(", because {cause}"));
        let figures =
            if self.figures.is_empty() { String::new() } else { format!(" Measured: {}.", self.figures.join(", ")) };
        format!("{}{cause}. {}{figures}", self.verdict.name(), self.text)
    }
}

/// What a judge answers if the rows support an answer.
pub(crate) struct Answer {
    holds: bool,
    cause: Option<String>,
    text: String,
    figures: Vec<String>,
}

impl Answer {
    pub(crate) const fn new(holds: bool, text: String) -> Self {
        Self { holds, cause: None, text, figures: Vec::new() }
    }

    /// Whether the claim holds.
    pub(crate) const fn holds(&self) -> bool {
        self.holds
    }

    /// Adds a cause that an experiment of the suite shows.
    pub(crate) fn because(mut self, cause: &str) -> Self {
        self.cause = Some(cause.to_owned());
        self
    }

    /// Adds a sentence.
    pub(crate) fn and(mut self, sentence: Option<String>) -> Self {
        if let Some(sentence) = sentence {
            self.text = format!("{} {sentence}", self.text);
        }
        self
    }

    /// Adds the figures that are not too noisy to quote.
    pub(crate) fn with(mut self, figures: impl IntoIterator<Item = Option<String>>) -> Self {
        self.figures.extend(figures.into_iter().flatten());
        self
    }
}

/// Values over a parameter: `None` where there is no row.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// What the values are, over which parameter.
    pub title: &'static str,
    /// The parameter of the first value; the others follow by ones.
    pub first: u64,
    /// Values from 0 to 1.
    pub values: Vec<Option<f64>>,
}

/// A rate of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The kernel with its parameters.
    pub name: String,
    /// Its rate in GB/s.
    pub gb_per_s: f64,
}

/// What rows show at a glance.
#[derive(Debug, Clone, PartialEq)]
pub enum Picture {
    /// A graph.
    Graph(Graph),
    /// Rates, one bar each, and what they are rates of.
    Bars(String, Vec<Bar>),
}

/// A claim of an article: a step of the tour.
pub struct ArticleClaim {
    /// The number of the workload: `D5`.
    pub id: &'static str,
    /// At most [`ArticleClaim::TITLE`] characters.
    pub title: &'static str,
    /// What the article claims, in one sentence.
    pub claim: &'static str,
    /// The benchmarks that show it, as `family/benchmark`.
    pub kernels: &'static [&'static str],
    /// CUDA names of the glossary that the kernels use: `answers::articles::GLOSSARY`.
    pub terms: &'static [&'static str],
    /// What to expect, with the model's number where there is a model.
    pub prediction: fn() -> String,
    /// Whether the verdict depends on times, which on a software device say nothing about a GPU.
    pub is_timing: bool,
    /// A table of facts, at most 80 columns wide; empty where there is none.
    pub table: &'static str,
    /// Answers from rows of one device through one API.
    pub(crate) judge: fn(&Sheet, &mut Facts) -> Result<Answer, Why>,
    /// What the model predicts, as graphs.
    pub model: fn() -> Vec<Graph>,
    /// What the rows show, as a picture.
    pub(crate) picture: fn(&Sheet) -> Option<Picture>,
}

impl ArticleClaim {
    /// The width of the longest title.
    pub const TITLE: usize = 40;

    /// Defaults for the fields that a literal leaves out.
    pub(crate) const BLANK: Self = Self {
        id: "",
        title: "",
        claim: "",
        kernels: &[],
        terms: &[],
        prediction: String::new,
        is_timing: true,
        table: "",
        judge: |_, _| Err(Why::new("no experiment")),
        model: Vec::new,
        picture: |_| None,
    };

    /// The letter of its chapter.
    #[must_use]
    pub fn chapter(&self) -> char {
        self.id.chars().next().unwrap_or_default()
    }

    /// Whether a kernel is one of those that show it.
    #[must_use]
    pub fn shows(&self, family: &str, benchmark: &str) -> bool {
        self.kernels.iter().any(|kernel| kernel.split_once('/') == Some((family, benchmark)))
    }

    /// Its number in the chapter.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.id[1..].parse().unwrap_or_default()
    }

    /// The verdict that the rows support.
    pub(crate) fn judged(&self, rows: &Sheet) -> Judgement {
        let mut facts = Facts::default();
        let told = if self.is_timing && rows.is_software() {
            Err(Why::new("this is a software device: its times do not represent a GPU"))
        } else {
            (self.judge)(rows, &mut facts)
        };
        match told {
            Ok(Answer { holds, cause, text, figures }) => {
                let verdict = if holds { Verdict::Holds } else { Verdict::Fails };
                Judgement { verdict, cause, text, figures, values: facts.into_values() }
            }
            Err(why) => Judgement {
                verdict: Verdict::Unknown,
                cause: None,
                text: why.text(),
                figures: Vec::new(),
                values: Vec::new(),
            },
        }
    }

    /// What the rows show at a glance; `None` on a software device and without rows.
    pub(crate) fn pictured(&self, rows: &Sheet) -> Option<Picture> {
        if rows.is_software() { None } else { (self.picture)(rows) }
    }
}
