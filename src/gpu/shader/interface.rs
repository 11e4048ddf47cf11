//! A kernel's interface, read from its module.

use naga::valid::{GlobalUse, ModuleInfo};
use naga::{
    AddressSpace, Arena, BinaryOperator, Expression, Handle, ImageClass, Literal, Module, ScalarKind, StorageAccess,
    TypeInner,
};

use super::parse::Shader;
use record::error::{Error, Result};
use record::suite::{Access, Binding, Constants, Entry, Interface, SamplerBinding, Value};

impl Shader {
    /// The interface with `constants` in place of the overrides that they name.
    ///
    /// # Errors
    /// [`Error::Shader`] if a constant names no override, or an override has no value.
    pub fn interface(&self, constants: &Constants) -> Result<Interface> {
        self.interface_of(&[self.entry()], constants)
    }

    /// The interface of these entry points together, numbered in this order.
    ///
    /// # Errors
    /// As for [`Shader::interface`], and if there is no such entry point.
    pub fn interface_of(&self, entries: &[&str], constants: &Constants) -> Result<Interface> {
        let all = entries.iter().map(|entry| self.interface_of_one(entry, constants)).collect::<Result<_>>()?;
        Ok(Interface::joined(all))
    }

    fn interface_of_one(&self, entry: &str, constants: &Constants) -> Result<Interface> {
        let (module, info) = self.resolve(entry, constants)?;
        let used = info.get_entry_point(0);
        // naga's uses do not include stores through a function's argument.
        let is_pointer = |argument: &naga::FunctionArgument| {
            let inner = &module.types[argument.ty].inner;
            matches!(inner.pointer_space(), Some(AddressSpace::Storage { .. }))
        };
        let has_pointers = module.functions.iter().any(|(_, function)| function.arguments.iter().any(is_pointer));
        let (mut bindings, mut samplers) = (Vec::new(), Vec::new());
        let (mut workgroup_bytes, mut immediate_bytes) = (0, 0);
        for (handle, variable) in module.global_variables.iter() {
            if used[handle].is_empty() {
                continue;
            }
            let kind = &module.types[variable.ty].inner;
            let access = match variable.space {
                AddressSpace::WorkGroup => {
                    workgroup_bytes += kind.size(module.to_ctx());
                    continue;
                }
                AddressSpace::Immediate => {
                    immediate_bytes += kind.size(module.to_ctx());
                    continue;
                }
                AddressSpace::Uniform => Access::Uniform,
                AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => Access::ReadWrite,
                AddressSpace::Storage { .. } => Access::Read,
                AddressSpace::Handle => match kind {
                    TypeInner::Sampler { .. } => {
                        if let (Some(name), Some(at)) = (&variable.name, &variable.binding) {
                            samplers.push(SamplerBinding { name: name.clone(), group: at.group, index: at.binding });
                        }
                        continue;
                    }
                    TypeInner::Image { class: ImageClass::Storage { .. }, .. } => Access::StorageTexture,
                    _ => Access::Texture,
                },
                _ => continue,
            };
            let (Some(name), Some(at)) = (&variable.name, &variable.binding) else { continue };
            let is_buffer = matches!(variable.space, AddressSpace::Storage { .. });
            let is_stored = is_buffer && has_pointers || used[handle].intersects(GlobalUse::WRITE | GlobalUse::ATOMIC);
            bindings.push(Binding { name: name.clone(), group: at.group, index: at.binding, access, is_stored });
        }
        bindings.sort_by_key(|binding| (binding.group, binding.index));
        let workgroup_size = module.entry_points[0].workgroup_size;
        let entry = Entry {
            name: entry.to_owned(),
            bindings: (0..bindings.len()).collect(),
            samplers: (0..samplers.len()).collect(),
            workgroup_size,
            immediate_bytes,
        };
        Ok(Interface {
            overrides: self.values(&module)?,
            divides: divides(&module, &info),
            bindings,
            samplers,
            entries: vec![entry],
            workgroup_size,
            workgroup_bytes,
            features: self.features.clone(),
        })
    }

    /// The overrides' values in the resolved `module`: naga turns each used override into a constant of the same name.
    fn values(&self, module: &Module) -> Result<Vec<(String, Value)>> {
        let mut values = Vec::new();
        for name in self.overrides() {
            let is_named = |constant: &&naga::Constant| constant.name.as_deref() == Some(name);
            let Some(constant) = module.constants.iter().map(|(_, constant)| constant).find(is_named) else { continue };
            let value = match module.global_expressions[constant.init] {
                Expression::Literal(Literal::Bool(value)) => Value::Bool(value),
                Expression::Literal(Literal::U32(value)) => Value::U32(value),
                Expression::Literal(Literal::I32(value)) => Value::I32(value),
                Expression::Literal(Literal::F32(value)) => Value::F32(value),
                Expression::Literal(Literal::F64(value)) => Value::F64(value),
                _ => return Err(Error::Shader(format!("override '{name}' has an unsupported type"))),
            };
            values.push((name.to_owned(), value));
        }
        Ok(values)
    }

    /// The source with `constants` as the defaults of the overrides that they name.
    ///
    /// # Errors
    /// As for [`Shader::interface`].
    pub fn source_with(&self, constants: &Constants) -> Result<String> {
        let values = self.interface(constants)?.overrides;
        let line = |line: &str| {
            let name = overridden(line).filter(|name| constants.contains_key(*name))?;
            let (_, value) = values.iter().find(|(known, _)| known == name)?;
            let head = line.split(['=', ';']).next()?.trim_end();
            Some(format!("{head} = {};", value.wgsl()))
        };
        let lines = self.source().lines().map(|text| line(text).unwrap_or_else(|| text.to_owned()) + "\n");
        Ok(lines.collect())
    }
}

fn overridden(line: &str) -> Option<&str> {
    line.strip_prefix("override ")?.split([':', '=', ' ', ';']).next()
}

/// Whether the module divides integers (or takes a remainder) by a value that is not constant. naga guards divisions in
/// HLSL, with and without checks; compilers remove the guards of constants.
fn divides(module: &Module, info: &ModuleInfo) -> bool {
    let functions = module.functions.iter().map(|(handle, function)| (function, &info[handle]));
    let entry = module.entry_points.iter().map(|entry| (&entry.function, info.get_entry_point(0)));
    functions.chain(entry).any(|(function, own)| {
        let is_integer = |value: Handle<Expression>| {
            let kind = own[value].ty.inner_with(&module.types).scalar_kind();
            matches!(kind, Some(ScalarKind::Sint | ScalarKind::Uint))
        };
        function.expressions.iter().any(|(_, expression)| match expression {
            Expression::Binary { op: BinaryOperator::Divide | BinaryOperator::Modulo, right, .. } => {
                is_integer(*right) && !is_constant(&function.expressions, *right)
            }
            _ => false,
        })
    })
}

fn is_constant(all: &Arena<Expression>, value: Handle<Expression>) -> bool {
    match &all[value] {
        Expression::Literal(_) | Expression::Constant(_) | Expression::ZeroValue(_) => true,
        Expression::Splat { value, .. } => is_constant(all, *value),
        Expression::Compose { components, .. } => components.iter().all(|part| is_constant(all, *part)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_integers_are_divided_by_values_and_constants_are_no_values() {
        let divides = |expression: &str| {
            let kernel = format!(
                "override WG: u32 = 8u;
@group(0) @binding(0) var<storage, read_write> output: array<u32, 64>;
@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) i: u32) {{ output[i] = {expression}; }}"
            );
            Shader::parse(&kernel, "f32").and_then(|shader| shader.interface(&Constants::new())).expect("valid").divides
        };
        for run_time in ["i / output[0]", "i % output[0]", "u32(3i / i32(i))", "(vec2(i) / vec2(4u, i)).x"] {
            assert!(divides(run_time), "{run_time}");
        }
        for constant in ["i / 4u", "i % WG", "i / (2u * WG)", "u32(f32(i) / f32(output[0]))", "(vec2(i) % vec2(4u)).x"]
        {
            assert!(!divides(constant), "{constant}");
        }
    }

    #[test]
    fn constants_replace_defaults() {
        let kernel = "\
override WG: u32 = 8u; // as many as there are words
override HALF: u32 = WG / 2u;
override SCALE: f32;
override BACK: i32 = 3;
override IDLE: u32 = 7u;
@group(0) @binding(0) var<storage, read_write> output: array<f32, 64>;
@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) i: u32) { output[i + HALF] = SCALE * f32(BACK); }";
        let shader = Shader::parse(kernel, "f32").expect("valid");
        let constants = [("WG", 16.0), ("SCALE", 1.0), ("BACK", -2.0), ("IDLE", 1.0)];
        let constants: Constants = constants.map(|(name, value)| (name.to_owned(), value)).into();
        let text = shader.source_with(&constants).expect("resolved");
        let head: Vec<_> = text.lines().take(5).collect();
        assert_eq!(
            head,
            [
                "override WG: u32 = 16u;",
                "override HALF: u32 = WG / 2u;",
                "override SCALE: f32 = 1.0f;",
                "override BACK: i32 = -2i;",
                "override IDLE: u32 = 7u;",
            ]
        );
        let again = Shader::parse(&text, "f32").and_then(|shader| shader.interface(&Constants::new())).expect("valid");
        assert_eq!(again, shader.interface(&constants).expect("resolved"));
    }
}
