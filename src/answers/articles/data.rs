//! Steps with their verdicts, as JSON.

use serde::Serialize;

use super::side::Side;
use super::terms::term;
use kernels::articles::judged;
use record::claim::{ArticleClaim, Quantity};
use record::suite::Api;

/// A step and the verdict on its claim for each API.
#[derive(Debug, Serialize)]
pub struct StepData {
    step: &'static str,
    title: &'static str,
    claim: &'static str,
    /// Whether the article makes a claim that rows can test.
    is_judged: bool,
    kernels: &'static [&'static str],
    names: Vec<Name>,
    expected: String,
    verdicts: Vec<VerdictData>,
}

#[derive(Debug, Serialize)]
struct Name {
    cuda: &'static str,
    wgsl: &'static str,
}

#[derive(Debug, Serialize)]
struct VerdictData {
    api: &'static str,
    verdict: &'static str,
    text: String,
    values: Vec<Value>,
}

/// A value in a sentence.
#[derive(Debug, Serialize)]
pub struct Value {
    name: String,
    #[serde(flatten)]
    quantity: Quantity,
}

/// The values of a sentence, each with its name.
#[must_use]
pub fn values(values: Vec<(String, Quantity)>) -> Vec<Value> {
    values.into_iter().map(|(name, quantity)| Value { name, quantity }).collect()
}

/// A step with its verdicts.
#[must_use]
pub fn data(step: &ArticleClaim, sides: &[Side]) -> StepData {
    let verdict = |side: &Side| {
        let found = judged(step, &side.rows);
        VerdictData {
            api: side.rows.first().and_then(|row| row.backend).map_or("", Api::name),
            verdict: found.verdict.name(),
            text: found.whole(),
            values: values(found.values),
        }
    };
    StepData {
        step: step.id,
        title: step.title,
        claim: step.claim,
        is_judged: step.is_judged(),
        kernels: step.kernels,
        names: step
            .terms
            .iter()
            .filter_map(|cuda| term(cuda))
            .map(|term| Name { cuda: term.cuda, wgsl: term.wgsl })
            .collect(),
        expected: step.expected(),
        verdicts: sides.iter().map(verdict).collect(),
    }
}
