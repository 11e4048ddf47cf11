//! Unrolls the steps of a declared kernel for a size: loops, swapped buffers, values of uniforms.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::answers::Verify;
use super::buffers::Own;
use super::expression::{Meaning, Value};
use super::fields::{Fields, proposed};
use super::kernel::{Kernel, declared_name};
use super::script::{Scope, Script};
use super::steps::{Dispatch as Written, Step as Declaration};
use gpu::shader::Layout;
use record::error::{Error, Result, usage};
use record::suite::budget::{self, Budget};
use record::suite::kept::kept_name;
use record::suite::{Access, Dispatch, Entry, Extent, Interface, Sampling, Shape, Step};

/// Most steps of one launch, against endless runs.
const MOST_STEPS: usize = 100_000;

pub(super) struct Shared {
    /// The declaration or kernel file, for messages.
    pub file: String,
    /// By declared name.
    pub buffers: BTreeMap<String, Own>,
    pub uniforms: BTreeMap<String, Fields>,
    pub samplers: BTreeMap<String, Sampling>,
    /// The numbers of all buffers, which select their random streams. A reference has those of its kernel.
    pub numbers: BTreeMap<String, u64>,
    pub bytes: Option<Script>,
    pub flops: Option<Script>,
    /// Which of these are guesses.
    pub guesses: Vec<String>,
    /// Items that a launch processes, and their unit.
    pub items: Option<(Script, String)>,
    /// One entry per verified output.
    pub verify: Vec<Verify>,
}

pub(super) struct Declared {
    pub shared: Arc<Shared>,
    pub kernel: Kernel,
    /// The number of the only dispatch that is timed; `None` times all.
    pub only: Option<usize>,
    /// Whether outputs are compared with expected values; `false` for the reference kernel itself.
    pub is_verified: bool,
    /// Self-contained files that declare this kernel alone: names and bytes.
    pub files: Vec<(String, Vec<u8>)>,
    /// See [`identity`](super::portable::identity).
    pub hash: String,
}

#[derive(Default)]
pub(super) struct Launch {
    /// Without those that restore buffers.
    pub steps: Vec<Step>,
    /// The words of each version of a uniform, by name.
    pub uniforms: BTreeMap<String, Vec<Vec<u32>>>,
    /// The buffers that stand in for others after all swaps.
    pub places: BTreeMap<String, String>,
    pub written: Vec<String>,
    /// The buffers that are read before a step writes them, as far as the bindings show.
    pub inputs: BTreeSet<String>,
    /// The bindings that each buffer is bound to.
    pub bound: BTreeMap<String, BTreeSet<usize>>,
}

pub(super) fn version(name: &str, number: usize) -> &'static str {
    if number == 0 { kept_name(name) } else { kept_name(&format!("{name} {}", number + 1)) }
}

impl Declared {
    pub(super) fn fault(&self, message: String) -> Error {
        usage!("{}: {message}", self.shared.file)
    }

    /// The error for a variable without values, with the lines to add.
    pub(super) fn lacks(&self, name: &str, layout: &Layout) -> Error {
        let kind = if layout.is_immediate { "immediates" } else { "uniform" };
        let toml = if self.shared.file.ends_with(".toml") { "" } else { " in a .toml file next to the kernel" };
        let line = proposed(name, layout);
        self.fault(format!("no values for the {kind} '{name}'; set them{toml}, for example\n[uniforms]\n{line}"))
    }

    pub(super) fn layout_of<'a>(&self, layouts: &'a [Layout], name: &str) -> Result<&'a Layout> {
        let found = layouts.iter().find(|layout| layout.name == name);
        found.ok_or_else(|| self.fault(format!("'{name}' has no layout")))
    }
}

struct Unrolling<'a> {
    of: &'a Declared,
    shape: &'a Shape,
    interface: &'a Interface,
    layouts: &'a [Layout],
    /// Loop iterations so far.
    rounds: usize,
    launch: Launch,
}

impl Launch {
    /// Unrolls a kernel at a shape. With `only`, other dispatches are not timed.
    pub(super) fn of(
        of: &Declared,
        shape: &Shape,
        (interface, layouts): (&Interface, &[Layout]),
        scope: &Scope,
    ) -> Result<Self> {
        let _shared = budget::Shared::start();
        Budget::start().check().map_err(|why| of.fault(why))?;
        let mut unrolling = Unrolling { of, shape, interface, layouts, rounds: 0, launch: Self::default() };
        let mut scope = scope.clone();
        scope.insert("step".to_owned(), Meaning::Value(Value::Whole(0)));
        unrolling.all(&of.kernel.steps.steps, &mut scope)?;
        Ok(unrolling.launch)
    }
}

impl Unrolling<'_> {
    fn all(&mut self, steps: &[Declaration], scope: &mut Scope) -> Result<()> {
        for step in steps {
            if self.launch.steps.len() > MOST_STEPS {
                return Err(self.of.fault(format!("a launch has more than {MOST_STEPS} steps")));
            }
            match step {
                Declaration::Dispatch(own) => self.dispatch(own, scope)?,
                Declaration::Clear(buffer) => {
                    let buffer = self.place(buffer);
                    self.write(&buffer);
                    self.launch.steps.push(Step::Clear(kept_name(&buffer)));
                }
                Declaration::Copy([from, to]) => {
                    let (from, to) = (self.place(from), self.place(to));
                    self.write(&to);
                    self.launch.steps.push(Step::Restore { from: kept_name(&from), to: kept_name(&to) });
                }
                Declaration::Swap([one, other]) => {
                    let (first, second) = (self.place(one), self.place(other));
                    self.launch.places.insert(one.clone(), second);
                    self.launch.places.insert(other.clone(), first);
                }
                Declaration::Repeat { times, index, steps } => {
                    let before = scope.get(index).cloned();
                    if before.is_some() && index != "step" {
                        return Err(self.of.fault(format!("index = \"{index}\" uses a name that is already defined")));
                    }
                    for number in 0..times.whole(scope, 0)? {
                        self.rounds += 1;
                        if self.rounds > MOST_STEPS {
                            return Err(self.of.fault(format!("a launch repeats steps more than {MOST_STEPS} times")));
                        }
                        scope.insert(index.clone(), Meaning::Value(Value::Whole(number as i64)));
                        self.all(steps, scope)?;
                    }
                    match before {
                        Some(before) => scope.insert(index.clone(), before),
                        None => scope.remove(index),
                    };
                }
            }
        }
        Ok(())
    }

    /// The buffer that now stands in for this one.
    fn place(&self, name: &str) -> String {
        self.launch.places.get(name).cloned().unwrap_or_else(|| name.to_owned())
    }

    fn write(&mut self, name: &str) {
        if !self.launch.written.iter().any(|known| known == name) {
            self.launch.written.push(name.to_owned());
        }
    }

    fn dispatch(&mut self, own: &Written, scope: &Scope) -> Result<()> {
        let interface = self.interface;
        let fault = || self.of.fault(format!("the kernel has no entry point '{}'", own.label));
        let entry = interface.entries.get(own.entry).ok_or_else(fault)?;
        let scope = &of_entry(scope, entry);
        let unknown = own.bind.keys().find(|name| !interface.bindings.iter().any(|known| known.name == **name));
        if let Some(unknown) = unknown {
            return Err(self.of.fault(format!("`bind` names '{unknown}', but the kernel has no such binding")));
        }
        let mut buffers = Vec::new();
        for (place, binding) in interface.bindings.iter().enumerate() {
            let usual = declared_name(&self.of.kernel.table.names, binding);
            let layout = self.of.layout_of(self.layouts, &binding.name)?;
            let is_used = entry.bindings.contains(&place);
            let fields = self.fields(usual, own).filter(|_| is_used);
            if let Some(words) = self.words(usual, layout, fields.as_ref(), scope)? {
                let versions = self.launch.uniforms.entry(usual.to_owned()).or_default();
                let number = versions.iter().position(|known| *known == words).unwrap_or_else(|| {
                    versions.push(words);
                    versions.len() - 1
                });
                buffers.push(version(usual, number));
                continue;
            }
            let name = own.bind.get(&binding.name).map_or(usual, String::as_str);
            let name = self.place(name);
            if is_used {
                self.launch.bound.entry(name.clone()).or_default().insert(place);
                let writes = matches!(binding.access, Access::ReadWrite | Access::StorageTexture);
                if writes && binding.is_stored {
                    self.write(&name);
                } else if !self.launch.written.contains(&name) {
                    self.launch.inputs.insert(name.clone());
                }
            }
            buffers.push(kept_name(&name));
        }
        let immediates = self.immediates(own, entry, scope)?;
        let groups = self.groups(own, entry, scope)?;
        let indirect = match &own.indirect {
            Some((buffer, offset)) => {
                let at = offset.as_ref().map_or(Ok(0), |offset| offset.whole(scope, 0))?;
                Some((kept_name(&self.place(buffer)), 4 * at))
            }
            None => None,
        };
        let is_timed = self.of.only.is_none_or(|only| only == own.number);
        let entry = own.entry;
        self.launch.steps.push(Step::Dispatch(Dispatch { entry, groups, indirect, buffers, immediates, is_timed }));
        Ok(())
    }

    /// The field values of a variable for this dispatch.
    fn fields(&self, name: &str, own: &Written) -> Option<Fields> {
        match (self.of.shared.uniforms.get(name), own.uniforms.get(name)) {
            (Some(all), Some(own)) => Some(all.with(own)),
            (all, own) => own.or(all).cloned(),
        }
    }

    /// The words of a variable with values; `None` for an ordinary buffer.
    fn words(&self, name: &str, layout: &Layout, fields: Option<&Fields>, scope: &Scope) -> Result<Option<Vec<u32>>> {
        if let Some(fields) = fields {
            return fields.words(layout, scope).map(Some);
        }
        let listed = self.of.shared.buffers.get(name).filter(|buffer| !buffer.words.is_empty());
        listed.map(|buffer| buffer.words(&format!("[buffers.{name}]"), layout, scope, &self.of.shared.file)).transpose()
    }

    fn immediates(&self, own: &Written, entry: &Entry, scope: &Scope) -> Result<Vec<u32>> {
        if entry.immediate_bytes == 0 {
            return Ok(Vec::new());
        }
        let layout = self.layouts.iter().find(|layout| layout.is_immediate);
        let layout =
            layout.ok_or_else(|| self.of.fault("the immediates have no layout; use a uniform buffer".to_owned()))?;
        let fields = self.fields(&layout.name, own);
        fields.ok_or_else(|| self.of.lacks(&layout.name, layout))?.words(layout, scope)
    }

    fn groups(&self, own: &Written, entry: &Entry, scope: &Scope) -> Result<[u32; 3]> {
        let mut groups = [1_u32; 3];
        if own.groups.is_empty() {
            let [x, y, _] = entry.workgroup_size.map(|side| u64::from(side).max(1));
            let threads = u64::from(entry.workgroup_size.iter().product::<u32>()).max(1);
            let usual = match self.shape.extent {
                // A workgroup with several rows covers a tile of the matrix or product.
                Extent::Matrix(rows, columns) | Extent::Product(rows, columns, _) if y > 1 => {
                    [columns.div_ceil(x), rows.div_ceil(y)]
                }
                _ => [self.shape.count().div_ceil(threads), 1],
            };
            for (slot, count) in groups.iter_mut().zip(usual) {
                *slot = u32::try_from(count).unwrap_or(u32::MAX);
            }
        }
        for (slot, script) in groups.iter_mut().zip(&own.groups) {
            *slot = u32::try_from(script.whole(scope, 1)?).unwrap_or(u32::MAX);
        }
        if let Some(most) = groups.iter().find(|side| **side > 65_535) {
            return Err(self
                .of
                .fault(format!("{most} workgroups in one dimension exceed the limit of 65535; set groups = [x, y]")));
        }
        Ok(groups)
    }
}

/// The scope with the workgroup size of an entry point.
fn of_entry(scope: &Scope, entry: &Entry) -> Scope {
    let mut scope = scope.clone();
    let whole = |value: u32| Meaning::Value(Value::Whole(value.into()));
    for (name, side) in ["workgroup_x", "workgroup_y", "workgroup_z"].into_iter().zip(entry.workgroup_size) {
        scope.insert(name.to_owned(), whole(side));
    }
    scope.insert("workgroup".to_owned(), whole(entry.workgroup_size.iter().product()));
    scope
}
