//! What an article claims, which kernels show it, and what rows say of it.

use super::device_rows::{DeviceRows, Why};
use super::facts::{Facts, Quantity};

/// What rows say of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The rows support the article's claim.
    Holds,
    /// The rows contradict the article's claim.
    Fails,
    /// The rows support neither, or there are none.
    Unknown,
    /// There are no rows of a step that claims nothing.
    Unmeasured,
    /// The article claims nothing that rows can decide: they are reported.
    Reported,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 5] = [Self::Holds, Self::Fails, Self::Unknown, Self::Unmeasured, Self::Reported];

    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds here",
            Self::Fails => "not on this GPU",
            Self::Unknown => "cannot tell",
            Self::Unmeasured => "not measured",
            Self::Reported => "measured",
        }
    }
}

/// What rows say of a step, in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Sentences: what was measured, or why nothing can be said.
    pub text: String,
    /// Further measured figures, each with its name: `coalesced reads 484 GB/s`.
    pub figures: Vec<String>,
    /// The values in the sentences and figures, each with its name.
    pub values: Vec<(String, Quantity)>,
}

impl Judgement {
    /// What was measured, without the verdict: `The sum … Measured: in place 158 GB/s.`
    #[must_use]
    pub fn sentences(&self) -> String {
        let figures = self.figures.join(", ");
        if figures.is_empty() { self.text.clone() } else { format!("{} Measured: {figures}.", self.text) }
    }

    /// The verdict and what was measured: `not on this GPU. The sum …`.
    #[must_use]
    pub fn whole(&self) -> String {
        match self.verdict {
            Verdict::Reported => self.sentences(),
            verdict => format!("{}. {}", verdict.name(), self.sentences()),
        }
    }
}

/// What rows show: sentences and figures.
pub struct Report {
    text: String,
    figures: Vec<String>,
}

impl Report {
    /// A report of one sentence.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), figures: Vec::new() }
    }

    /// Adds a sentence.
    pub fn and(mut self, sentence: Option<String>) -> Self {
        if let Some(sentence) = sentence {
            self.text = format!("{} {sentence}", self.text);
        }
        self
    }

    /// Adds the figures that are not too noisy to quote.
    pub fn with(mut self, figures: impl IntoIterator<Item = Option<String>>) -> Self {
        self.figures.extend(figures.into_iter().flatten());
        self
    }

    /// The sentences.
    pub fn into_text(self) -> String {
        self.text
    }
}

/// Whether a claim holds, and what shows it.
pub struct Answer {
    holds: bool,
    report: Report,
}

impl Answer {
    /// An answer of one sentence.
    pub fn new(holds: bool, text: impl Into<String>) -> Self {
        Self { holds, report: Report::new(text) }
    }

    /// Whether the claim holds.
    pub const fn holds(&self) -> bool {
        self.holds
    }

    /// Adds a sentence.
    pub fn and(self, sentence: Option<String>) -> Self {
        Self { report: self.report.and(sentence), ..self }
    }

    /// Adds the figures that are not too noisy to quote.
    pub fn with(self, figures: impl IntoIterator<Item = Option<String>>) -> Self {
        Self { report: self.report.with(figures), ..self }
    }
}

/// How rows answer a step. The type tells whether its article claims something that rows can decide: where it does not,
/// no verdict can be given.
pub enum Judge {
    /// Decides whether the article's claim holds.
    Claim(fn(&DeviceRows, &mut Facts) -> Result<Answer, Why>),
    /// Says what rows show.
    Report(fn(&DeviceRows, &mut Facts) -> Result<Report, Why>),
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

/// A claim of an article, or what it shows: a step of the tour.
pub struct ArticleClaim {
    /// The number of the workload: `D5`.
    pub id: &'static str,
    /// At most [`ArticleClaim::TITLE`] characters.
    pub title: &'static str,
    /// Ids of other workloads that the step answers too.
    pub also: &'static [&'static str],
    /// What the article claims, in one sentence; where it claims nothing that rows can decide, what it shows.
    pub claim: &'static str,
    /// The benchmarks that show it, as `family/benchmark`.
    pub kernels: &'static [&'static str],
    /// CUDA names of the glossary that the kernels use: `answers::articles::GLOSSARY`.
    pub terms: &'static [&'static str],
    /// What to expect; empty where it has numbers of a model.
    pub prediction: &'static str,
    /// What to expect, with the model's numbers.
    pub computed_prediction: fn() -> String,
    /// Whether the verdict depends on times, which on a software device say nothing about a GPU.
    pub is_timing: bool,
    /// A table of facts, at most 80 columns wide; empty where there is none.
    pub table: &'static str,
    /// Answers from rows of one device through one API.
    pub judge: Judge,
    /// What the model predicts, as graphs.
    pub model: fn() -> Vec<Graph>,
    /// What the rows show, as a picture.
    pub picture: fn(&DeviceRows) -> Option<Picture>,
}

impl ArticleClaim {
    /// The width of the longest title.
    pub const TITLE: usize = 40;

    /// Defaults for the fields that a literal leaves out.
    pub const BLANK: Self = Self {
        id: "",
        title: "",
        also: &[],
        claim: "",
        kernels: &[],
        terms: &[],
        prediction: "",
        computed_prediction: String::new,
        is_timing: true,
        table: "",
        judge: Judge::Report(|_, _| Err(Why::new("no experiment"))),
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

    /// What to expect.
    #[must_use]
    pub fn expected(&self) -> String {
        if self.prediction.is_empty() { (self.computed_prediction)() } else { self.prediction.to_owned() }
    }

    /// Its number in the chapter.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.id[1..].parse().unwrap_or_default()
    }

    /// Whether the article claims something that rows can decide.
    #[must_use]
    pub const fn is_judged(&self) -> bool {
        matches!(self.judge, Judge::Claim(_))
    }

    /// What the rows say.
    pub fn judged(&self, rows: &DeviceRows) -> Judgement {
        let mut facts = Facts::default();
        let answered = if self.is_timing && rows.is_software() {
            Err(Why::new("times of a software device do not represent a GPU"))
        } else {
            match self.judge {
                Judge::Claim(judge) => judge(rows, &mut facts)
                    .map(|Answer { holds, report }| (if holds { Verdict::Holds } else { Verdict::Fails }, report)),
                Judge::Report(report) => report(rows, &mut facts).map(|report| (Verdict::Reported, report)),
            }
        };
        match answered {
            Ok((verdict, Report { text, figures })) => {
                Judgement { verdict, text, figures, values: facts.into_values() }
            }
            Err(why) => {
                let verdict = if self.is_judged() { Verdict::Unknown } else { Verdict::Unmeasured };
                Judgement { verdict, text: why.text(), figures: Vec::new(), values: Vec::new() }
            }
        }
    }

    /// What the rows show at a glance; `None` on a software device and without rows.
    pub fn pictured(&self, rows: &DeviceRows) -> Option<Picture> {
        if rows.is_software() { None } else { (self.picture)(rows) }
    }
}
