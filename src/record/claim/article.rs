use super::device_rows::{DeviceRows, Why};
use super::facts::{Facts, Quantity};

/// What rows show about a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The rows support the article's claim.
    Holds,
    /// The rows contradict the article's claim.
    Fails,
    /// The rows support neither, or there are none.
    Unknown,
    /// There are no rows for a step without a testable claim.
    Unmeasured,
    /// The article makes no testable claim: the rows are reported.
    Reported,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 5] = [Self::Holds, Self::Fails, Self::Unknown, Self::Unmeasured, Self::Reported];

    /// The verdict in words.
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

/// What rows show about a step, in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// What was measured, or why there is no answer.
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

/// What rows show, in sentences and figures.
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

/// How rows answer a step. Without a testable claim the step has a `Report`, so it cannot give a verdict.
pub enum Judge {
    /// Decides whether the article's claim holds.
    Claim(fn(&DeviceRows, &mut Facts) -> Result<Answer, Why>),
    /// Reports what rows show.
    Report(fn(&DeviceRows, &mut Facts) -> Result<Report, Why>),
}

/// Values over a parameter: `None` where there is no row.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// The values and their parameter.
    pub title: &'static str,
    /// The parameter of the first value; it rises by one per value.
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

/// What rows show, as a picture.
#[derive(Debug, Clone, PartialEq)]
pub enum Picture {
    /// A graph.
    Graph(Graph),
    /// A title, and rates with one bar each.
    Bars(String, Vec<Bar>),
}

/// A step of the tour: an article's claim, or what the article shows.
pub struct ArticleClaim {
    /// The number of the workload: `D5`.
    pub id: &'static str,
    /// At most [`ArticleClaim::TITLE`] characters.
    pub title: &'static str,
    /// Ids of other workloads that the step answers too.
    pub also: &'static [&'static str],
    /// The article's claim in one sentence; if it is not testable, what the article shows.
    pub claim: &'static str,
    /// The benchmarks that show it, as `family/benchmark`.
    pub kernels: &'static [&'static str],
    /// CUDA names of the glossary that the kernels use: `answers::articles::GLOSSARY`.
    pub terms: &'static [&'static str],
    /// What to expect; empty if `computed_prediction` says it.
    pub prediction: &'static str,
    /// What to expect, with numbers from a model.
    pub computed_prediction: fn() -> String,
    /// Whether the verdict depends on times, which on a software device do not represent a GPU.
    pub is_timing: bool,
    /// A table of facts, at most 80 columns wide; empty if there is none.
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

    /// The chapter's letter.
    #[must_use]
    pub fn chapter(&self) -> char {
        self.id.chars().next().unwrap_or_default()
    }

    /// Whether a kernel is one of [`Self::kernels`].
    #[must_use]
    pub fn shows(&self, family: &str, benchmark: &str) -> bool {
        self.kernels.iter().any(|kernel| kernel.split_once('/') == Some((family, benchmark)))
    }

    /// What to expect.
    #[must_use]
    pub fn expected(&self) -> String {
        if self.prediction.is_empty() { (self.computed_prediction)() } else { self.prediction.to_owned() }
    }

    /// The number within the chapter.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.id[1..].parse().unwrap_or_default()
    }

    /// Whether the article makes a testable claim.
    #[must_use]
    pub const fn is_judged(&self) -> bool {
        matches!(self.judge, Judge::Claim(_))
    }

    /// Answers the step from the rows.
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

    /// What the rows show, as a picture; `None` on a software device or without rows.
    pub fn pictured(&self, rows: &DeviceRows) -> Option<Picture> {
        if rows.is_software() { None } else { (self.picture)(rows) }
    }
}
