//! The interface of a SPIR-V module that naga cannot read, from its types and decorations. Vulkan gets it unchanged.

use std::collections::BTreeSet;

use naga::{AddressSpace, ImageClass, Module, TypeInner};

use super::layout::{Layout, layout};
use super::module::{constants, features};
use super::spirv_reader::{Declarations, EntryPoint, Variable};
use record::error::{Error, Result};
use record::suite::{Accepted, Access, Binding, Constants, Entry, Feature, Interface, SamplerBinding, Value};

struct Constant {
    name: String,
    default: Value,
}

/// The interface that a module declares.
pub struct ModuleInterface {
    types: Module,
    variables: Vec<Variable>,
    entries: Vec<EntryPoint>,
    constants: Vec<Constant>,
    features: BTreeSet<Feature>,
}

impl ModuleInterface {
    /// Reads a module, with these values of its specialization constants.
    ///
    /// # Errors
    /// [`Error::Shader`] with what wgpu cannot bind.
    pub fn read(words: &[u32], values: &Constants) -> Result<Self> {
        let Declarations { types, variables, entries } = Declarations::of(words, values).map_err(Error::Shader)?;
        let constants = constants(words).into_iter().map(|(name, _, default)| Constant { name, default }).collect();
        Ok(Self { types, variables, entries, constants, features: features(words) })
    }

    /// Names of the entry points.
    #[must_use]
    pub fn entries(&self) -> Vec<&str> {
        self.entries.iter().map(|entry| entry.name.as_str()).collect()
    }

    /// Names of the specialization constants, with their defaults.
    #[must_use]
    pub fn defaults(&self) -> Vec<(&str, Value)> {
        self.constants.iter().map(|own| (own.name.as_str(), own.default)).collect()
    }

    /// The values of a specialization constant's type.
    #[must_use]
    pub fn accepted(&self, name: &str) -> Option<Accepted> {
        let own = self.constants.iter().find(|own| own.name == name)?;
        Some(match own.default {
            Value::Bool(_) => Accepted::SWITCH,
            Value::U32(_) => Accepted::U32,
            Value::I32(_) => Accepted::Integer,
            Value::F32(_) => Accepted::Number(f32::MAX.into()),
            Value::F64(_) => Accepted::Number(f64::MAX),
        })
    }

    /// The interface of these entry points together.
    ///
    /// # Errors
    /// [`Error::Shader`] if there is no entry point of such a name.
    pub fn interface_of(&self, names: &[&str], values: &Constants) -> Result<Interface> {
        let all = names.iter().map(|name| self.interface_of_one(name, values)).collect::<Result<_>>()?;
        Ok(Interface::joined(all))
    }

    fn used(&self, name: &str) -> Result<(&EntryPoint, impl Iterator<Item = &Variable>)> {
        let entry = self.entries.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| {
            let known = self.entries().join(", ");
            Error::Shader(format!("there is no compute entry point '{name}': choose from {known}"))
        })?;
        Ok((entry, self.variables.iter().filter(|own| entry.uses.contains(&own.id))))
    }

    fn interface_of_one(&self, name: &str, values: &Constants) -> Result<Interface> {
        let (of, used) = self.used(name)?;
        let (mut bindings, mut samplers, mut immediate_bytes) = (Vec::new(), Vec::new(), 0);
        for own in used {
            let inner = &self.types.types[own.kind].inner;
            let Some((group, index)) = own.binding else {
                immediate_bytes = inner.size(self.types.to_ctx()).saturating_add(immediate_bytes);
                continue;
            };
            let access = match (own.space, inner) {
                (_, TypeInner::Sampler { .. }) => {
                    samplers.push(SamplerBinding { name: own.name.clone(), group, index });
                    continue;
                }
                (_, TypeInner::Image { class: ImageClass::Storage { .. }, .. }) => Access::StorageTexture,
                (_, TypeInner::Image { .. }) => Access::Texture,
                (AddressSpace::Uniform, _) => Access::Uniform,
                _ if own.is_written => Access::ReadWrite,
                _ => Access::Read,
            };
            bindings.push(Binding { name: own.name.clone(), group, index, access, is_stored: own.is_written });
        }
        bindings.sort_by_key(|binding| (binding.group, binding.index));
        let value = |own: &Constant| (own.name.clone(), own.value(values));
        let entry = Entry {
            name: name.to_owned(),
            bindings: (0..bindings.len()).collect(),
            samplers: (0..samplers.len()).collect(),
            workgroup_size: of.workgroup_size,
            immediate_bytes,
        };
        Ok(Interface {
            bindings,
            samplers,
            entries: vec![entry],
            workgroup_size: of.workgroup_size,
            workgroup_bytes: of.workgroup_bytes,
            features: self
                .features
                .iter()
                .copied()
                .chain((immediate_bytes > 0).then_some(Feature::Immediates))
                .collect(),
            divides: false,
            overrides: self.constants.iter().map(value).collect(),
        })
    }

    /// The layouts of these entry points' bindings, as [`super::Shader::layouts`] returns them.
    ///
    /// # Errors
    /// Those of [`Self::interface_of`].
    pub fn layouts(&self, names: &[&str]) -> Result<Vec<Layout>> {
        let mut found: Vec<Layout> = Vec::new();
        for name in names {
            for own in self.used(name)?.1 {
                let is_sampler = matches!(self.types.types[own.kind].inner, TypeInner::Sampler { .. });
                if !is_sampler && found.iter().all(|known| known.name != own.name) {
                    found.push(layout(&self.types, own.kind, own.name.clone(), own.binding.is_none()));
                }
            }
        }
        Ok(found)
    }
}

impl Constant {
    /// The constant's value in `values`, or its default.
    fn value(&self, values: &Constants) -> Value {
        let Some(value) = values.get(&self.name).copied() else { return self.default };
        match self.default {
            Value::Bool(_) => Value::Bool(value != 0.0),
            Value::U32(_) => Value::U32(value as u32),
            Value::I32(_) => Value::I32(value as i32),
            Value::F32(_) => Value::F32(value as f32),
            Value::F64(_) => Value::F64(value),
        }
    }
}
