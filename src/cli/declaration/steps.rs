//! The steps of one launch, as the file declares them.

use std::collections::BTreeMap;

use super::fields::Fields;
use super::script::Script;
use super::spec::{KernelTable, OneOrMany, StepSpec, Text, ValueSpec};
use record::error::{Result, usage};

#[derive(Clone)]
pub(super) enum Step {
    Dispatch(Dispatch),
    Clear(String),
    /// Source and destination.
    Copy([String; 2]),
    /// From here on, each of two buffers stands in for the other.
    Swap([String; 2]),
    Repeat {
        times: Script,
        /// Name of the loop index in expressions.
        index: String,
        steps: Vec<Step>,
    },
}

#[derive(Clone)]
pub(super) struct Dispatch {
    /// Index into the kernel's entry points.
    pub entry: usize,
    /// Its number among the dispatches as written, from 0.
    pub number: usize,
    pub label: String,
    /// Workgroups along x, y and z; empty for one invocation per element.
    pub groups: Vec<Script>,
    /// The buffer with its workgroup counts, and the index of the first one.
    pub indirect: Option<(String, Option<Script>)>,
    /// Buffers that replace the usual ones, by binding name.
    pub bind: BTreeMap<String, String>,
    /// Field values for this dispatch only.
    pub uniforms: BTreeMap<String, Fields>,
}

#[derive(Clone)]
pub(super) struct Steps {
    pub steps: Vec<Step>,
    /// In the order in which the steps number them.
    pub entries: Vec<String>,
    /// Number of dispatches as written: repeated ones count once.
    pub dispatches: usize,
}

impl Steps {
    /// The steps in a kernel's table; `usual` is the entry point if none is named.
    pub(super) fn of(table: &KernelTable, usual: &str, file: &str) -> Result<Self> {
        let mut all = Self { steps: Vec::new(), entries: Vec::new(), dispatches: 0 };
        let entry = table.entry.as_deref().unwrap_or(usual);
        all.steps = match &table.steps {
            None => {
                let only = StepSpec { entry: Some(entry.to_owned()), ..StepSpec::default() };
                vec![all.dispatch(&only, table, entry, file)?]
            }
            Some(steps) => all.list(steps, table, entry, &format!("{file}: steps"))?,
        };
        if all.dispatches == 0 {
            return Err(usage!("{file}: no step runs an entry point; set entry = \"NAME\""));
        }
        Ok(all)
    }

    fn list(&mut self, steps: &[StepSpec], table: &KernelTable, usual: &str, what: &str) -> Result<Vec<Step>> {
        let numbered = steps.iter().enumerate();
        numbered.map(|(place, step)| self.step(step, table, usual, &format!("{what}, {}", place + 1))).collect()
    }

    fn step(&mut self, spec: &StepSpec, table: &KernelTable, usual: &str, what: &str) -> Result<Step> {
        let StepSpec { clear, copy, swap, repeat, steps, .. } = spec;
        let is_dispatch = spec.entry.is_some() || spec.groups.is_some() || spec.indirect.is_some();
        match (is_dispatch, clear, copy, swap, repeat) {
            (true, None, None, None, None) => self.dispatch(spec, table, usual, what),
            (false, Some(buffer), None, None, None) => Ok(Step::Clear(buffer.clone())),
            (false, None, Some(buffers), None, None) => Ok(Step::Copy(buffers.clone())),
            (false, None, None, Some(buffers), None) => Ok(Step::Swap(buffers.clone())),
            (false, None, None, None, Some(times)) => Ok(Step::Repeat {
                times: Script::new(&format!("{what}: repeat"), &times.text())?,
                index: spec.index.clone().unwrap_or_else(|| "step".to_owned()),
                steps: self.list(steps.as_deref().unwrap_or_default(), table, usual, what)?,
            }),
            _ => Err(usage!("{what}: set exactly one of `entry` (or `groups`), `clear`, `copy`, `swap` and `repeat`")),
        }
    }

    fn dispatch(&mut self, spec: &StepSpec, table: &KernelTable, usual: &str, what: &str) -> Result<Step> {
        let name = spec.entry.as_deref().unwrap_or(usual);
        let entry = self.entries.iter().position(|known| known == name).unwrap_or_else(|| {
            self.entries.push(name.to_owned());
            self.entries.len() - 1
        });
        self.dispatches += 1;
        let groups = spec.groups.as_ref().or(table.groups.as_ref()).map(OneOrMany::texts).unwrap_or_default();
        let offset = |text: &Text| Script::new(&format!("{what}: offset"), &text.text());
        let offset = spec.offset.as_ref().map(offset).transpose()?;
        Ok(Step::Dispatch(Dispatch {
            entry,
            number: self.dispatches - 1,
            label: spec.name.clone().unwrap_or_else(|| name.to_owned()),
            groups: scripts(&format!("{what}: groups"), &groups)?,
            indirect: spec.indirect.clone().map(|buffer| (buffer, offset)),
            bind: spec.bind.clone(),
            uniforms: uniforms(&spec.uniforms, what)?,
        }))
    }

    pub(super) fn written(&self) -> Vec<&Dispatch> {
        let mut found = Vec::new();
        each(&self.steps, &mut |step| {
            if let Step::Dispatch(own) = step {
                found.push(own);
            }
        });
        found
    }

    /// The buffers that steps clear, copy, swap, or read indirect workgroup counts from. With `has_bound`, also the
    /// buffers that dispatches bind.
    pub(super) fn buffers(&self, has_bound: bool) -> Vec<&str> {
        let mut found = Vec::new();
        each(&self.steps, &mut |step| match step {
            Step::Dispatch(Dispatch { bind, indirect, .. }) => {
                found.extend(bind.values().filter(|_| has_bound).map(String::as_str));
                found.extend(indirect.iter().map(|(buffer, _)| buffer.as_str()));
            }
            Step::Clear(buffer) => found.push(buffer),
            Step::Copy(pair) | Step::Swap(pair) => found.extend(pair.iter().map(String::as_str)),
            Step::Repeat { .. } => {}
        });
        found
    }
}

/// Passes every step to `see`, repeated ones once.
fn each<'a>(steps: &'a [Step], see: &mut impl FnMut(&'a Step)) {
    for step in steps {
        see(step);
        if let Step::Repeat { steps, .. } = step {
            each(steps, see);
        }
    }
}

pub(super) fn uniforms(specs: &BTreeMap<String, ValueSpec>, what: &str) -> Result<BTreeMap<String, Fields>> {
    let fields = |(name, spec): (&String, &ValueSpec)| {
        Ok((name.clone(), Fields::new(format!("{what}: [uniforms.{name}]"), spec)?))
    };
    specs.iter().map(fields).collect()
}

pub(super) fn scripts(what: &str, texts: &[String]) -> Result<Vec<Script>> {
    if texts.len() > 3 {
        return Err(usage!("{what}: give at most three values: x, y and z"));
    }
    texts.iter().map(|text| Script::new(what, text)).collect()
}
