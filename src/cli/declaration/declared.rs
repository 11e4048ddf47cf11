//! A user's kernel as a benchmark.

use std::sync::{Arc, OnceLock};

use super::answers::{self, By, Verify, Wanted, allowed, by_expression, decode, reordered, with_floats};
use super::buffers::Bound;
use super::expression::{Meaning, Value};
use super::launch::{Declared, Launch, version};
use super::script::{Scope, Script, variables};
use super::stored::{Rule, words_each};
use gpu::shader::Layout;
use record::error::Result;
use record::suite::kept::{kept_items, kept_name};
use record::suite::{
    Access, Answer, Buffer, Contents, Declaration, HOST_PARAMS, Interface, Reference, Sampling, Scalar, Shape, Step,
    Work,
};

/// Approximate cost of evaluating an expression once, relative to copying one value.
const COST: u64 = 64;

/// Most values to check with a costly expression. Larger outputs are checked only in part.
const MOST_VALUES: u64 = 1 << 19;

struct Place {
    name: String,
    is_written: bool,
    /// Bytes of an element.
    stride: u64,
    /// See [`Layout::element`].
    element: Vec<Option<Scalar>>,
    bound: Bound,
}

impl Declared {
    /// The variables of expressions, with the specialization constants that are fixed in the kernel's text.
    fn scope(&self, shape: &Shape, interface: Option<&Interface>) -> Scope {
        let mut scope = variables(shape, interface);
        let fixed = self.kernel.text.spirv.map_or(&[][..], |module| &module.fixed);
        for (name, value) in fixed {
            let value = if value.fract() == 0.0 { Value::Whole(*value as i64) } else { Value::Real(*value) };
            scope.entry(name.clone()).or_insert(Meaning::Value(value));
        }
        scope
    }

    fn layouts(&self, shape: &Shape) -> Result<Vec<Layout>> {
        let mut constants = shape.params.clone();
        constants.retain(|name, _| !HOST_PARAMS.contains(&name.as_str()));
        self.kernel.text.layouts(shape.dtype, &constants)
    }

    fn plan(&self, shape: &Shape, interface: &Interface) -> Result<(Launch, Vec<Place>)> {
        let layouts = self.layouts(shape)?;
        let scope = self.scope(shape, Some(interface));
        let launch = Launch::of(self, shape, (interface, &layouts), &scope)?;
        let mut places = Vec::new();
        // In binding order.
        let mut bound: Vec<_> = launch.bound.iter().collect();
        bound.sort_by_key(|(_, bindings)| bindings.first());
        for (name, bindings) in bound {
            let mut bound_to = bindings.iter().map(|place| &interface.bindings[*place]);
            // A storage texture declares its format and needs its own usage.
            let storage = bound_to.clone().find(|binding| binding.access == Access::StorageTexture);
            let Some(binding) = storage.or_else(|| bound_to.next()) else { continue };
            let layout = self.layout_of(&layouts, &binding.name)?;
            if binding.access == Access::Uniform && !self.shared.buffers.contains_key(name) {
                return Err(self.lacks(name, layout));
            }
            let number = self.shared.numbers.get(name).copied().unwrap_or(0);
            let is_written = launch.written.contains(name);
            let buffer = self.shared.buffers.get(name).cloned().unwrap_or_default();
            let is_output = is_written && !launch.inputs.contains(name);
            let bound = buffer.bound((layout, number, is_output), &scope, shape.count(), &self.shared.file)?;
            let element = layout.element();
            let (name, stride) = (name.clone(), layout.stride);
            places.push(Place { name, is_written, stride, element, bound });
        }
        let is_bound = |name: &str| launch.bound.contains_key(name);
        if let Some(unknown) = launch.written.iter().find(|name| !is_bound(name)) {
            return Err(self.fault(format!("steps: no dispatch binds a buffer '{unknown}'")));
        }
        Ok((launch, places))
    }
}

/// The name of the copy from which a written buffer is restored.
fn before(name: &str) -> &'static str {
    kept_name(&format!("{name} before"))
}

impl Declaration for Declared {
    fn buffers(&self, shape: &Shape, interface: &Interface) -> Result<Vec<Buffer>> {
        let (launch, places) = self.plan(shape, interface)?;
        let mut buffers: Vec<Buffer> = Vec::new();
        let mut add = |name, scalars, contents| buffers.push(Buffer { name, scalars, contents });
        for (name, versions) in launch.uniforms {
            for (number, words) in versions.into_iter().enumerate() {
                let scalars = (words.len() as u64).next_multiple_of(4);
                add(version(&name, number), scalars, Contents::Words(words));
            }
        }
        for Place { name, is_written, bound, .. } in places {
            if is_written && !bound.is_output() {
                // Every launch starts with the same contents.
                let (scalars, contents) = bound.poisoned();
                add(kept_name(&name), scalars, contents);
                add(before(&name), bound.scalars, bound.contents);
            } else {
                add(kept_name(&name), bound.scalars, bound.contents);
            }
        }
        Ok(buffers)
    }

    fn steps(&self, shape: &Shape, interface: &Interface) -> Result<Vec<Step>> {
        let items = self.shared.items.as_ref().map(|(script, _)| script);
        for script in [self.shared.bytes.as_ref(), self.shared.flops.as_ref(), items].into_iter().flatten() {
            script.whole(&self.scope(shape, None), 0)?;
        }
        let (launch, places) = self.plan(shape, interface)?;
        let is_restored = |place: &&Place| place.is_written && !place.bound.is_output();
        let restore = |place: &Place| Step::Restore { from: before(&place.name), to: kept_name(&place.name) };
        Ok(places.iter().filter(is_restored).map(restore).chain(launch.steps).collect())
    }

    fn work(&self, shape: &Shape) -> Work {
        if self.only.is_some() {
            return Work::default();
        }
        // `steps` reports a script without a value.
        let value = |script: &Option<Script>| {
            script.as_ref().and_then(|script| script.whole(&self.scope(shape, None), 0).ok()).unwrap_or(0)
        };
        Work { bytes: value(&self.shared.bytes), flops: value(&self.shared.flops) }
    }

    fn items(&self, shape: &Shape) -> Option<(u64, &str)> {
        let (script, unit) = self.shared.items.as_ref().filter(|_| self.only.is_none())?;
        Some((script.whole(&self.scope(shape, None), 1).ok()?, unit))
    }

    fn guesses(&self) -> &[String] {
        &self.shared.guesses
    }

    fn is_reordered(&self) -> bool {
        self.is_verified && self.shared.verify.iter().any(|verify| verify.is_reordered)
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

    fn strides(&self, shape: &Shape, interface: &Interface) -> Result<Vec<(&'static str, u64)>> {
        let (_, places) = self.plan(shape, interface)?;
        Ok(places.iter().map(|place| (kept_name(&place.name), place.stride)).collect())
    }

    fn hint(&self, shape: &Shape, interface: &Interface) -> String {
        let (Ok(layouts), n) = (self.layouts(shape), shape.count()) else { return String::new() };
        let is_usual = self.kernel.steps.written().iter().any(|step| step.groups.is_empty());
        let elements = |layout: &Layout| {
            let is_stored = interface.bindings.iter().any(|own| own.name == layout.name && own.is_stored);
            let width = layout.stride / layout.scalar.bytes() as u64;
            (is_usual && is_stored && layout.bytes.is_none() && width > 1).then_some((layout.name.clone(), width))
        };
        let Some((name, own)) = layouts.iter().find_map(elements) else { return String::new() };
        let count = n.div_ceil(own);
        format!(
            "`groups` is not set, so {n} invocations run, one per scalar, but '{name}' has {count} elements of {own} \
             scalars; set `groups`"
        )
    }

    fn workgroup(&self, shape: &Shape) -> Option<[u32; 3]> {
        let mut sides = [1; 3];
        for (side, script) in sides.iter_mut().zip(&self.kernel.workgroup) {
            *side = u32::try_from(script.whole(&self.scope(shape, None), 1).ok()?).ok()?;
        }
        (!self.kernel.workgroup.is_empty()).then_some(sides)
    }

    fn sampling(&self, name: &str) -> Sampling {
        let usual = Sampling { is_linear: true, repeats: false };
        let declared = self.kernel.table.names.get(name).map_or(name, String::as_str);
        self.shared.samplers.get(declared).copied().unwrap_or(usual)
    }

    fn answers(&self, shape: &Shape, interface: &Interface) -> Result<Vec<Answer>> {
        if !self.is_verified {
            return Ok(Vec::new());
        }
        let (launch, places) = self.plan(shape, interface)?;
        if self.shared.verify.is_empty() {
            // Without `[verify]`, only which buffers are written is known.
            let outputs = places.iter().filter(|place| place.is_written);
            return Ok(outputs.map(|place| Answer::unknown(kept_name(&place.name), place.element.clone())).collect());
        }
        self.shared.verify.iter().map(|verify| self.answer(verify, shape, (interface, &launch, &places))).collect()
    }
}

impl Declared {
    fn answer(
        &self,
        verify: &Verify,
        shape: &Shape,
        (interface, launch, places): (&Interface, &Launch, &[Place]),
    ) -> Result<Answer> {
        let written: Vec<&str> =
            places.iter().filter(|place| place.is_written).map(|place| place.name.as_str()).collect();
        let name = match (&verify.buffer, &written[..]) {
            (Some(name), _) => launch.places.get(name).unwrap_or(name).as_str(),
            (None, [only]) => only,
            (None, []) => {
                return Err(self.fault("the kernel writes no buffer, so no result can be verified".to_owned()));
            }
            (None, several) => {
                let several = several.join(", ");
                return Err(self.fault(format!("[verify] must name a buffer, since the kernel writes {several}")));
            }
        };
        let known = places.iter().find(|place| place.name == name && place.is_written);
        let Place { bound, element, .. } = known.ok_or_else(|| {
            self.fault(format!("[verify]: the kernel does not write '{name}', only {}", written.join(", ")))
        })?;
        let mut scope = self.scope(shape, Some(interface));
        let (own, scalar) = (bound.length(), bound.scalar);
        let scalars = verify.length.as_ref().map_or(Ok(own), |length| length.whole(&scope, 1))?;
        if scalars > own {
            return Err(self.fault(format!("[verify]: `length` is {scalars}, but '{name}' has only {own} scalars")));
        }
        let is_exact = verify.tolerance == 0.0 && verify.relative == 0.0 && verify.tolerance_at.is_none();
        let words = words_each(scalar);
        if words > 1 && !is_exact {
            return Err(self.fault("[verify]: 64-bit integers cannot have a tolerance".to_owned()));
        }
        // A struct that mixes floats and integers is compared as words.
        let is_mixed = scalar == Scalar::U32 && element.contains(&Some(Scalar::F32));
        let fields: &'static [Option<Scalar>] = if is_mixed { kept_items(element.clone()) } else { &[] };
        let rule = Rule { scalar, is_exact, wraps: verify.wraps, fields };
        // The type in which values are compared.
        let unit = if words > 1 { Scalar::U32 } else { scalar };
        let (mut reference, fault): (_, Arc<OnceLock<String>>) = (None, Arc::default());
        self.add_inputs(&mut scope, shape, launch, places);
        let want: Wanted = match &verify.by {
            By::Expression(script) => by_expression(script, scope, rule, scalars, fault.clone())?,
            By::File(bytes) => {
                let wanted = scalars * scalar.bytes() as u64;
                if (bytes.len() as u64) < wanted {
                    let count = bytes.len();
                    return Err(self.fault(format!("[verify]: the file has {count} B, but '{name}' has {wanted} B")));
                }
                let bytes = bytes.clone();
                with_floats(Arc::new(move |first, slots: &mut [f64]| decode(unit, &bytes, first, slots)), fields)
            }
            By::Whole(whole) => answers::whole(whole, name, shape, scope, rule, scalars, fault.clone())?,
            By::Kernel(benchmark) => {
                let output = Arc::new(OnceLock::new());
                reference = Some(Reference { benchmark, output: output.clone() });
                let decoded = move |first, slots: &mut [f64]| match output.get() {
                    Some(bytes) => decode(unit, bytes, first, slots),
                    None => slots.fill(f64::NAN),
                };
                with_floats(Arc::new(decoded), fields)
            }
        };
        let is_costly = matches!(verify.by, By::Expression(_)) || verify.tolerance_at.is_some();
        let tolerance = match verify.is_reordered && scalar.is_float() {
            true => {
                let inputs = places.iter().filter(|place| !place.is_written).map(|place| place.bound.length());
                // As in a product of square matrices. A kernel that reads each input once has no more terms.
                let terms = inputs.max().unwrap_or(1) as f64 / (scalars as f64).sqrt();
                Some(reordered(want.clone(), scalar, scalars, terms))
            }
            false if is_exact => None,
            false => {
                let constant = verify.tolerance;
                let tolerance: Wanted = match &verify.tolerance_at {
                    Some(script) => {
                        let rule = Rule { scalar: Scalar::F64, is_exact: false, wraps: false, fields: &[] };
                        by_expression(script, self.scope(shape, Some(interface)), rule, scalars, fault.clone())?
                    }
                    None => Arc::new(move |_, slots: &mut [f64]| slots.fill(constant)),
                };
                Some(allowed(want.clone(), tolerance, verify.relative, fields, fault.clone()))
            }
        };
        Ok(Answer {
            buffer: kept_name(name),
            scalars: words * scalars,
            oracle: Box::new(move |first, slots| want(first, slots)),
            tolerance,
            cost: if is_costly { COST } else { 1 },
            is_sampled: is_costly && scalars > MOST_VALUES,
            element: element.iter().flat_map(|own| std::iter::repeat_n(*own, words as usize)).collect(),
            outliers: verify.outliers,
            words_each: words,
            reference,
            fault,
        })
    }

    /// Adds the buffers as they are before a launch.
    fn add_inputs(&self, scope: &mut Scope, shape: &Shape, launch: &Launch, places: &[Place]) {
        for Place { name, bound, .. } in places {
            scope.insert(name.clone(), Meaning::Buffer(bound.data(shape.stream)));
        }
        for (name, versions) in &launch.uniforms {
            let contents = Contents::Words(versions[0].clone());
            let (scalars, scalar) = (versions[0].len() as u64, Scalar::U32);
            let bound = Bound { scalars, contents, scalar };
            scope.entry(name.clone()).or_insert_with(|| Meaning::Buffer(bound.data(0)));
        }
    }
}
