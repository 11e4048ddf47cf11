//! A kernel of the user's as a benchmark.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::answers::{Wanted, allowed, by_expression, decode, decoded};
use super::expression::{Data, Meaning};
use super::kernel::Text;
use super::script::{Scope, Script, variables};
use crate::error::{Error, Result};
use crate::shader::Layout;
use crate::suite::input::Values;
use crate::suite::{
    Access, Answer, Benchmark, Buffer, Constants, Contents, Declaration, HOST_PARAMS, Interface, Reference, Scalar,
    Shape, Step, Work,
};

/// What the kernels of a file share.
pub(super) struct Shared {
    /// The file of the declaration, or of the kernel, for messages.
    pub file: String,
    /// By binding.
    pub buffers: BTreeMap<String, Own>,
    /// The names of all bindings, and of the buffers that their contents are restored from.
    pub names: BTreeMap<String, [&'static str; 2]>,
    /// The numbers of all bindings, by which their random contents differ: those of a reference are its kernel's.
    pub numbers: BTreeMap<String, u64>,
    pub bytes: Option<Script>,
    pub flops: Option<Script>,
    pub verify: Option<Verify>,
}

/// A buffer as the file declares it.
#[derive(Default, Clone)]
pub(super) struct Own {
    pub length: Option<Script>,
    pub contents: Option<Filling>,
    /// Each with whether it is the bits of a float, by `bits(x)`.
    pub words: Vec<(Script, bool)>,
}

/// What a buffer contains before a launch.
#[derive(Clone)]
pub(super) enum Filling {
    /// Random values, different for each buffer.
    Random(Values),
    /// The bytes of a file, in words.
    Words(Arc<Vec<u32>>),
    /// Nothing: the kernel writes it.
    Output,
}

/// How an output is verified.
pub(super) struct Verify {
    pub buffer: Option<String>,
    pub length: Option<Script>,
    pub by: By,
    pub tolerance: f64,
    pub relative: f64,
}

/// What an output is compared with.
pub(super) enum By {
    /// An expression of the index `i`.
    Expression(Script),
    /// The bytes of a file.
    File(Arc<Vec<u8>>),
    /// The output of another kernel.
    Kernel(&'static Benchmark),
}

/// One kernel.
pub(super) struct Declared {
    pub shared: Arc<Shared>,
    pub text: Text,
    /// Workgroups along x, y and z; empty for one invocation per element.
    pub groups: Vec<Script>,
    /// Whether its output is compared: that of a reference is not.
    pub is_verified: bool,
    /// The files that declare it alone: their names and bytes.
    pub files: Vec<(String, Vec<u8>)>,
    /// See [`identity`](super::portable::identity).
    pub hash: String,
}

/// Operations of the host for a value by an expression, of the order of a copy of one value.
const COST: u64 = 64;

/// Values that are compared by an expression before parts of the output must do.
const MOST_VALUES: u64 = 1 << 19;

/// Distance between the random streams of two buffers, in elements: more than a buffer has.
const APART: u64 = 1 << 34;

impl Declared {
    fn fault(&self, message: String) -> Error {
        Error::Usage(format!("{}: {message}", self.shared.file))
    }

    fn layouts(&self, shape: &Shape) -> Result<Vec<Layout>> {
        let is_override = |name: &&String| !HOST_PARAMS.contains(&name.as_str());
        let constants: Constants =
            shape.params.iter().filter(|(name, _)| is_override(name)).map(|(k, v)| (k.clone(), *v)).collect();
        self.text.layouts(shape.dtype, &constants)
    }

    /// The buffer of a binding.
    fn bound(&self, number: u64, layout: &Layout, access: Access, scope: &Scope, n: u64) -> Result<Bound> {
        let own = self.shared.buffers.get(&layout.name).cloned().unwrap_or_default();
        let size = layout.scalar.bytes() as u64;
        if access == Access::Uniform || !own.words.is_empty() {
            if own.words.is_empty() && own.contents.is_none() {
                return Err(self.fault(format!(
                    "[buffers.{0}]: give the words of the uniform buffer '{0}' in a .toml",
                    layout.name
                )));
            }
            let words = own
                .words
                .iter()
                .map(|(word, is_bits)| self.word(word, *is_bits, layout, scope))
                .collect::<Result<Vec<u32>>>()?;
            let wanted = layout.bytes.unwrap_or(0).div_ceil(4);
            if !own.words.is_empty() && (words.len() as u64) < wanted {
                return Err(self.fault(format!(
                    "[buffers.{}]: there are {} words, and the kernel's type has {wanted}",
                    layout.name,
                    words.len()
                )));
            }
            if !words.is_empty() {
                return Ok(Bound {
                    scalars: (words.len() as u64).next_multiple_of(4),
                    contents: Contents::Words(words),
                });
            }
        }
        let length = match (&own.length, layout.bytes) {
            (Some(length), _) => length.whole(scope, 1)?.saturating_mul(size),
            (None, Some(bytes)) => bytes,
            (None, None) => n.saturating_mul(size),
        };
        let filling = own.contents.unwrap_or(match access {
            Access::ReadWrite => Filling::Output,
            _ => Filling::Random(Values::Wide),
        });
        let first = number * APART;
        let contents = match filling {
            Filling::Random(Values::Wide) if number > 0 => Contents::Input(Values::WideFrom(first)),
            Filling::Random(Values::Summable) if number > 0 => Contents::Input(Values::SummableFrom(first)),
            Filling::Random(Values::Signs) if number > 0 => Contents::Input(Values::SignsFrom(first)),
            Filling::Random(Values::Digits) if number > 0 => Contents::Input(Values::DigitsFrom(first)),
            Filling::Random(values) => Contents::Input(values),
            Filling::Output => Contents::Poison,
            Filling::Words(words) => {
                let scalars = (words.len() as u64).max(length.div_ceil(4));
                return Ok(Bound { scalars, contents: Contents::Words(words.to_vec()) });
            }
        };
        Ok(Bound { scalars: length.div_ceil(size), contents: Contents::Of(layout.scalar, Box::new(contents)) })
    }

    /// The bits of a word of a uniform buffer.
    fn word(&self, word: &Script, is_bits: bool, layout: &Layout, scope: &Scope) -> Result<u32> {
        let value = word.value(scope)?;
        if layout.scalar == Scalar::F32 && !is_bits {
            return Ok((value as f32).to_bits());
        }
        let is_word = value.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(u32::MAX)).contains(&value);
        let fault = || Error::Usage(format!("{}: {value} is no word: write bits(x) for a float", word.what()));
        is_word.then_some(value as i64 as u32).ok_or_else(fault)
    }

    /// The buffers of the bindings, with their layouts.
    fn all(&self, shape: &Shape, interface: &Interface) -> Result<Vec<(Layout, Access, Bound)>> {
        let layouts = self.layouts(shape)?;
        let scope = variables(shape, Some(interface));
        let mut found = Vec::new();
        for binding in &interface.bindings {
            if binding.access == Access::Texture {
                return Err(self.fault(format!("'{}' is a texture, which bench does not fill", binding.name)));
            }
            let layout = layouts.iter().find(|layout| layout.name == binding.name);
            let layout = layout.ok_or_else(|| self.fault(format!("'{}' has no layout", binding.name)))?.clone();
            let number = self.shared.numbers.get(&binding.name).copied().unwrap_or(0);
            // What is only read is an input, however it is declared.
            let is_input = binding.access == Access::ReadWrite && !binding.is_stored;
            let access = if is_input { Access::Read } else { binding.access };
            let bound = self.bound(number, &layout, access, &scope, shape.count())?;
            found.push((layout, access, bound));
        }
        if !interface.samplers.is_empty() {
            return Err(self.fault("the kernel has a sampler, which bench does not bind".to_owned()));
        }
        Ok(found)
    }

    fn names(&self, name: &str) -> [&'static str; 2] {
        self.shared.names.get(name).copied().unwrap_or(["", ""])
    }
}

/// The scalars and contents of a buffer.
struct Bound {
    scalars: u64,
    contents: Contents,
}

impl Bound {
    /// Whether the kernel finds it garbage.
    fn is_output(&self) -> bool {
        matches!(&self.contents, Contents::Of(_, contents) if **contents == Contents::Poison)
    }

    /// Its elements for expressions.
    fn data(&self, layout: &Layout, stream: u64) -> Data {
        let (scalar, is_signed) = (layout.scalar, layout.is_signed);
        let at: Arc<dyn Fn(u64) -> f64 + Send + Sync> = match &self.contents {
            Contents::Words(words) => {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                let mut values = vec![0.0; bytes.len() / scalar.bytes()];
                scalar.decode(&bytes[..values.len() * scalar.bytes()], &mut values);
                Arc::new(move |index| values.get(index as usize).copied().unwrap_or(f64::NAN))
            }
            Contents::Of(_, contents) => match **contents {
                Contents::Input(values) => Arc::new(move |index| values.of(stream).at(scalar, index)),
                _ => Arc::new(|_| f64::NAN),
            },
            _ => Arc::new(|_| f64::NAN),
        };
        let at: Arc<dyn Fn(u64) -> f64 + Send + Sync> =
            if is_signed { Arc::new(move |index| f64::from(at(index) as u32 as i32)) } else { at };
        Data { at, count: self.scalars, is_integer: scalar == Scalar::U32 }
    }
}

impl Declaration for Declared {
    fn buffers(&self, shape: &Shape, interface: &Interface) -> Result<Vec<Buffer>> {
        let mut buffers = Vec::new();
        for (layout, access, bound) in self.all(shape, interface)? {
            let [name, source] = self.names(&layout.name);
            if access == Access::ReadWrite && !bound.is_output() {
                // Each launch finds the same contents.
                let poison = Contents::Of(layout.scalar, Box::new(Contents::Poison));
                let scalars = match bound.contents {
                    Contents::Words(_) => bound.scalars * 4 / layout.scalar.bytes() as u64,
                    _ => bound.scalars,
                };
                buffers.push(Buffer { name, scalars, contents: poison });
                buffers.push(Buffer { name: source, scalars: bound.scalars, contents: bound.contents });
            } else {
                buffers.push(Buffer { name, scalars: bound.scalars, contents: bound.contents });
            }
        }
        Ok(buffers)
    }

    fn steps(&self, shape: &Shape, interface: &Interface) -> Result<Vec<Step>> {
        for script in [&self.shared.bytes, &self.shared.flops].into_iter().flatten() {
            script.whole(&variables(shape, None), 0)?;
        }
        let scope = variables(shape, Some(interface));
        let mut groups = [1_u32; 3];
        if self.groups.is_empty() {
            let needed = shape.count().div_ceil(u64::from(interface.invocations()).max(1));
            groups[0] = u32::try_from(needed).unwrap_or(u32::MAX);
        }
        for (slot, script) in groups.iter_mut().zip(&self.groups) {
            *slot = u32::try_from(script.whole(&scope, 1)?).unwrap_or(u32::MAX);
        }
        if let Some(most) = groups.iter().find(|side| **side > 65_535) {
            return Err(self.fault(format!(
                "{most} workgroups along a side are more than 65535: give groups = [x, y], and a size that fits"
            )));
        }
        let mut steps = Vec::new();
        for (layout, access, bound) in self.all(shape, interface)? {
            let [name, source] = self.names(&layout.name);
            if access == Access::ReadWrite && !bound.is_output() {
                steps.push(Step::Restore { from: source, to: name });
            }
        }
        steps.push(Step::Dispatch { groups, buffers: Vec::new() });
        Ok(steps)
    }

    fn work(&self, shape: &Shape) -> Work {
        // `steps` refuses a script without a value.
        let value = |script: &Option<Script>| {
            script.as_ref().and_then(|script| script.whole(&variables(shape, None), 0).ok()).unwrap_or(0)
        };
        Work { bytes: value(&self.shared.bytes), flops: value(&self.shared.flops) }
    }

    fn is_verified(&self) -> bool {
        self.is_verified
    }

    fn files(&self) -> &[(String, Vec<u8>)] {
        &self.files
    }

    fn hash(&self) -> &str {
        &self.hash
    }

    fn answer(&self, shape: &Shape, interface: &Interface) -> Result<Option<Answer>> {
        let Some(verify) = self.shared.verify.as_ref().filter(|_| self.is_verified) else { return Ok(None) };
        let all = self.all(shape, interface)?;
        let written: Vec<&str> = all
            .iter()
            .filter(|(_, access, _)| *access == Access::ReadWrite)
            .map(|(layout, ..)| layout.name.as_str())
            .collect();
        let name = match (&verify.buffer, &written[..]) {
            (Some(name), _) => name.as_str(),
            (None, [only]) => only,
            (None, []) => {
                return Err(self.fault("the kernel writes no buffer, so that nothing can be verified".to_owned()));
            }
            (None, several) => {
                return Err(self.fault(format!("[verify]: name the buffer: the kernel writes {}", several.join(", "))));
            }
        };
        let known = all.iter().find(|(layout, access, _)| layout.name == name && *access == Access::ReadWrite);
        let (layout, _, bound) = known
            .ok_or_else(|| self.fault(format!("[verify]: the kernel writes no '{name}' but {}", written.join(", "))))?;
        let scope = variables(shape, Some(interface));
        let words = matches!(bound.contents, Contents::Words(_));
        let own = if words { bound.scalars * 4 / layout.scalar.bytes() as u64 } else { bound.scalars };
        let scalars = verify.length.as_ref().map_or(Ok(own), |length| length.whole(&scope, 1))?;
        if scalars > own {
            return Err(self.fault(format!("[verify]: length is {scalars}, and '{name}' has {own} scalars")));
        }
        let is_exact = verify.tolerance == 0.0 && verify.relative == 0.0;
        let (mut reference, fault): (_, Arc<OnceLock<String>>) = (None, Arc::default());
        let want: Wanted = match &verify.by {
            By::Expression(script) => {
                let mut scope = scope;
                for (of, _, bound) in &all {
                    scope.insert(of.name.clone(), Meaning::Buffer(bound.data(of, shape.stream)));
                }
                by_expression(script, scope, layout, is_exact, scalars, fault.clone())?
            }
            By::File(bytes) => {
                let wanted = scalars * layout.scalar.bytes() as u64;
                if (bytes.len() as u64) < wanted {
                    return Err(
                        self.fault(format!("[verify]: the file has {} B, and '{name}' {wanted} B", bytes.len()))
                    );
                }
                decoded(layout.scalar, bytes.clone())
            }
            By::Kernel(benchmark) => {
                let output = Arc::new(OnceLock::new());
                reference = Some(Reference { benchmark, output: output.clone() });
                let scalar = layout.scalar;
                Arc::new(move |first, slots| match output.get() {
                    Some(bytes) => decode(scalar, bytes, first, slots),
                    None => slots.fill(f64::NAN),
                })
            }
        };
        let is_costly = matches!(verify.by, By::Expression(_));
        let tolerance = (!is_exact).then(|| allowed(want.clone(), verify.tolerance, verify.relative));
        Ok(Some(Answer {
            buffer: self.names(name)[0],
            scalars,
            oracle: Box::new(move |first, slots| want(first, slots)),
            tolerance,
            cost: if is_costly { COST } else { 1 },
            is_sampled: is_costly && scalars > MOST_VALUES,
            reference,
            fault,
        }))
    }
}
