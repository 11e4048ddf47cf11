//! How entry points use their buffers, from which a declaration can be proposed.

use naga::valid::GlobalUse;
use naga::{
    AddressSpace, Binding, BuiltIn, Expression, Function, GlobalVariable, Handle, Literal, Module, Type, TypeInner,
};

use super::parse::Shader;
use record::error::Result;
use record::suite::{Constants, Value};

/// How an entry point uses a storage buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferUse {
    /// The variable's name.
    pub name: String,
    /// Whether it is read.
    pub is_read: bool,
    /// Whether it is stored to.
    pub is_written: bool,
    /// Whether it is changed by atomic operations.
    pub is_atomic: bool,
    /// The elements that it accesses.
    pub reach: Reach,
}

/// The elements of an array that a kernel accesses, as far as its indices show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// This many, starting with the first.
    Constant(u64),
    /// One for each workgroup.
    Workgroups,
    /// One for each invocation along x.
    Invocations,
    /// Indices are computed.
    Unknown,
}

impl Shader {
    /// The storage buffers that an entry point uses, in the order of their declaration.
    ///
    /// # Errors
    /// As for [`Shader::interface`].
    pub fn buffer_uses(&self, entry: &str, constants: &Constants) -> Result<Vec<BufferUse>> {
        let (module, info) = self.resolve(entry, constants)?;
        let used = info.get_entry_point(0);
        let of = |(handle, variable): (Handle<GlobalVariable>, &GlobalVariable)| {
            let is_buffer = matches!(variable.space, AddressSpace::Storage { .. });
            let is_atomic = is_atomic(&module, variable.ty);
            (is_buffer && !used[handle].is_empty()).then(|| BufferUse {
                name: variable.name.clone().unwrap_or_default(),
                is_read: used[handle].contains(GlobalUse::READ) && !is_atomic,
                is_written: used[handle].intersects(GlobalUse::WRITE | GlobalUse::ATOMIC),
                is_atomic,
                reach: reach(&module, handle),
            })
        };
        Ok(module.global_variables.iter().filter_map(of).collect())
    }

    /// The overrides, each with its default: `None` if it has none, or computes it from others.
    #[must_use]
    pub fn defaults(&self) -> Vec<(&str, Option<Value>)> {
        let module = self.module();
        let default = |over: &naga::Override| match module.global_expressions[over.init?] {
            Expression::Literal(Literal::Bool(value)) => Some(Value::Bool(value)),
            Expression::Literal(Literal::U32(value)) => Some(Value::U32(value)),
            Expression::Literal(Literal::I32(value)) => Some(Value::I32(value)),
            Expression::Literal(Literal::F32(value)) => Some(Value::F32(value)),
            Expression::Literal(Literal::F64(value)) => Some(Value::F64(value)),
            _ => None,
        };
        module.overrides.iter().filter_map(|(_, over)| Some((over.name.as_deref()?, default(over)))).collect()
    }

    /// Whether an override must be given a value.
    #[must_use]
    pub fn needs_value(&self, name: &str) -> bool {
        self.module().overrides.iter().any(|(_, over)| over.name.as_deref() == Some(name) && over.init.is_none())
    }
}

fn is_atomic(module: &Module, kind: Handle<Type>) -> bool {
    match &module.types[kind].inner {
        TypeInner::Atomic(_) => true,
        TypeInner::Array { base, .. } => is_atomic(module, *base),
        TypeInner::Struct { members, .. } => members.iter().any(|member| is_atomic(module, member.ty)),
        _ => false,
    }
}

/// The furthest element of a buffer's last array that any function of a module accesses.
fn reach(module: &Module, buffer: Handle<GlobalVariable>) -> Reach {
    let entry = &module.entry_points[0];
    let size = entry.workgroup_size.iter().map(|side| u64::from(*side)).product();
    let functions = module.functions.iter().map(|(_, function)| function).chain([&entry.function]);
    let of_function = |function: &Function| {
        let is_array = |base: Handle<Expression>| match function.expressions[base] {
            Expression::GlobalVariable(own) => own == buffer,
            Expression::AccessIndex { base, .. } => {
                matches!(function.expressions[base], Expression::GlobalVariable(own) if own == buffer)
            }
            _ => false,
        };
        let of = |expression: &Expression| match *expression {
            Expression::Access { base, index } if is_array(base) => Some(of_index(function, index, size)),
            // A member of a struct, or an element of an array: both are within a constant.
            Expression::AccessIndex { base, index } if is_array(base) => Some(Reach::Constant(u64::from(index) + 1)),
            _ => None,
        };
        function.expressions.iter().filter_map(|(_, expression)| of(expression)).max()
    };
    functions.filter_map(of_function).max().unwrap_or(Reach::Unknown)
}

fn of_index(function: &Function, index: Handle<Expression>, size: u64) -> Reach {
    let built_in = |argument: u32| match function.arguments.get(argument as usize)?.binding {
        Some(Binding::BuiltIn(own)) => Some(own),
        _ => None,
    };
    match function.expressions[index] {
        Expression::Literal(Literal::U32(value)) => Reach::Constant(u64::from(value) + 1),
        Expression::Literal(Literal::I32(value)) => Reach::Constant(u64::from(value.unsigned_abs()) + 1),
        Expression::As { expr, .. } => of_index(function, expr, size),
        Expression::FunctionArgument(own) if built_in(own) == Some(BuiltIn::LocalInvocationIndex) => {
            Reach::Constant(size)
        }
        Expression::AccessIndex { base, index: 0 } => match function.expressions[base] {
            Expression::FunctionArgument(own) => match built_in(own) {
                Some(BuiltIn::GlobalInvocationId) => Reach::Invocations,
                Some(BuiltIn::WorkGroupId) => Reach::Workgroups,
                Some(BuiltIn::LocalInvocationId) => Reach::Constant(size),
                _ => Reach::Unknown,
            },
            _ => Reach::Unknown,
        },
        _ => Reach::Unknown,
    }
}
