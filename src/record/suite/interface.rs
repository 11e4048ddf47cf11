use std::collections::{BTreeMap, BTreeSet};

/// How a kernel uses a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// `var<storage, read>`.
    Read,
    /// `var<storage, read_write>`.
    ReadWrite,
    /// `var<uniform>`.
    Uniform,
    /// `texture_2d`.
    Texture,
    /// `texture_storage_2d`.
    StorageTexture,
}

/// One binding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The variable's name.
    pub name: String,
    /// The number of its bind group.
    pub group: u32,
    /// Its number in the group.
    pub index: u32,
    /// How it is declared.
    pub access: Access,
    /// Whether the kernel may store to it.
    pub is_stored: bool,
}

/// A sampler that a kernel binds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplerBinding {
    /// The variable's name.
    pub name: String,
    /// The number of its bind group.
    pub group: u32,
    /// Its number in the group.
    pub index: u32,
}

/// A compute entry point of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Indices of the [`Interface::bindings`] that it uses.
    pub bindings: Vec<usize>,
    /// Indices of the [`Interface::samplers`] that it uses.
    pub samplers: Vec<usize>,
    /// Invocations of a workgroup along x, y and z.
    pub workgroup_size: [u32; 3],
    /// Bytes of its immediates; 0 if it has none.
    pub immediate_bytes: u32,
}

/// The value of an override, of the override's type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// `bool`.
    Bool(bool),
    /// `u32`.
    U32(u32),
    /// `i32`.
    I32(i32),
    /// `f32`.
    F32(f32),
    /// `f64`.
    F64(f64),
}

/// What a kernel needs from its host, with its overrides resolved.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Interface {
    /// The bindings of all entry points except samplers, in the order of their groups and numbers.
    pub bindings: Vec<Binding>,
    /// The samplers of all entry points.
    pub samplers: Vec<SamplerBinding>,
    /// The entry points, in the order in which steps number them.
    pub entries: Vec<Entry>,
    /// Invocations of a workgroup along x, y and z, for the first entry point.
    pub workgroup_size: [u32; 3],
    /// Bytes of workgroup memory: the maximum over the entry points.
    pub workgroup_bytes: u32,
    /// Features that the device must have.
    pub features: BTreeSet<Feature>,
    /// Whether it divides integers by values known only at run time.
    pub divides: bool,
    /// Every override that is used, by name, whether set by the host or left at its default.
    pub overrides: Vec<(String, Value)>,
}

impl Interface {
    /// Invocations of a workgroup.
    #[must_use]
    pub fn invocations(&self) -> u64 {
        self.workgroup_size.into_iter().map(u64::from).product()
    }

    /// Whether its only entry point is `main`, with bindings in group 0 only and no immediates, as every tool expects.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let is_main = matches!(&self.entries[..], [only] if only.name == "main" && only.immediate_bytes == 0);
        is_main
            && self.bindings.iter().all(|binding| binding.group == 0)
            && self.samplers.iter().all(|sampler| sampler.group == 0)
    }

    /// Joins the interfaces of several entry points.
    #[must_use]
    pub fn joined(all: Vec<Self>) -> Self {
        let mut joined = Self::default();
        if let Some(first) = all.first() {
            joined.workgroup_size = first.workgroup_size;
        }
        for own in &all {
            for binding in &own.bindings {
                match joined.bindings.iter_mut().find(|known| known.name == binding.name) {
                    Some(known) => known.is_stored |= binding.is_stored,
                    None => joined.bindings.push(binding.clone()),
                }
            }
            let is_new = |sampler: &&SamplerBinding| !joined.samplers.contains(sampler);
            let samplers: Vec<_> = own.samplers.iter().filter(is_new).cloned().collect();
            joined.samplers.extend(samplers);
            joined.workgroup_bytes = joined.workgroup_bytes.max(own.workgroup_bytes);
            joined.features.extend(&own.features);
            joined.divides |= own.divides;
            let is_new = |(name, _): &&(String, Value)| joined.overrides.iter().all(|(known, _)| known != name);
            let overrides: Vec<_> = own.overrides.iter().filter(is_new).cloned().collect();
            joined.overrides.extend(overrides);
        }
        joined.bindings.sort_by_key(|binding| (binding.group, binding.index));
        for own in all {
            let place = |name: &str| joined.bindings.iter().position(|known| known.name == name);
            let of_samplers = |sampler: &SamplerBinding| joined.samplers.iter().position(|known| known == sampler);
            let entries = own.entries.iter().map(|entry| Entry {
                bindings: entry.bindings.iter().filter_map(|at| place(&own.bindings[*at].name)).collect(),
                samplers: entry.samplers.iter().filter_map(|at| of_samplers(&own.samplers[*at])).collect(),
                ..entry.clone()
            });
            let entries: Vec<Entry> = entries.collect();
            joined.entries.extend(entries);
        }
        joined
    }

    /// The value of an override of type u32; 0 if the kernel has none of this name.
    #[must_use]
    pub fn parameter(&self, name: &str) -> u64 {
        let value = self.overrides.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
        if let Some(Value::U32(value)) = value { value.into() } else { 0 }
    }
}

/// Values of a kernel's overrides, by name.
pub type Constants = BTreeMap<String, f64>;

impl Value {
    /// The name of its type in WGSL.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Bool(_) => "bool",
            Self::U32(_) => "u32",
            Self::I32(_) => "i32",
            Self::F32(_) => "f32",
            Self::F64(_) => "f64",
        }
    }

    /// Its value as a number; `true` is 1.
    #[must_use]
    pub fn number(self) -> f64 {
        match self {
            Self::Bool(value) => f64::from(u8::from(value)),
            Self::U32(value) => value.into(),
            Self::I32(value) => value.into(),
            Self::F32(value) => value.into(),
            Self::F64(value) => value,
        }
    }

    /// A WGSL literal of the same type.
    #[must_use]
    pub fn wgsl(self) -> String {
        match self {
            Self::Bool(value) => value.to_string(),
            Self::U32(value) => format!("{value}u"),
            Self::I32(value) => format!("{value}i"),
            Self::F32(value) => format!("{value:?}f"),
            Self::F64(value) => format!("{value:?}lf"),
        }
    }
}

/// A feature of the shading language that not every device has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Feature {
    /// Subgroup operations.
    Subgroups,
    /// 64-bit floats.
    F64,
    /// 16-bit floats.
    F16,
    /// 64-bit integers.
    I64,
    /// Products of 16×16 by 16×16 f16, summed in f32, by a whole subgroup: tensor cores.
    CooperativeMatrix,
    /// The index and number of subgroups in a workgroup: WGSL's language feature `subgroup_id`.
    SubgroupId,
    /// Dot products of four bytes packed into a word: WGSL's language feature `packed_4x8_integer_dot_product`.
    PackedProduct,
    /// Linear filtering of textures of 32-bit floats.
    FilteredF32,
    /// Products of 16×32 by 32×16 signed 8-bit integers, summed in 32-bit integers, by a whole subgroup. WGSL has none.
    Int8Matrix,
    /// Products of 16×16 by 16×16 bf16, summed in f32, by a whole subgroup. WGSL has none.
    Bf16Matrix,
    /// Push constants: a few bytes passed with a dispatch.
    Immediates,
    /// 16-bit integers.
    I16,
    /// Division and remainder of 64-bit integers, for which naga's Metal output does not compile.
    I64Division,
    /// Every atomic operation on 64-bit integers.
    I64Atomics,
    /// Atomic additions of f32 in buffers.
    F32Atomics,
}

impl Feature {
    /// Every feature.
    pub const ALL: [Self; 15] = [
        Self::Subgroups,
        Self::F64,
        Self::F16,
        Self::I64,
        Self::CooperativeMatrix,
        Self::SubgroupId,
        Self::PackedProduct,
        Self::FilteredF32,
        Self::Int8Matrix,
        Self::Bf16Matrix,
        Self::Immediates,
        Self::I16,
        Self::I64Division,
        Self::I64Atomics,
        Self::F32Atomics,
    ];

    /// Its name in the reason of a skipped row.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Subgroups => "subgroup operations",
            Self::F64 => "f64 in shaders",
            Self::F16 => "f16 in shaders",
            Self::I64 => "64-bit integers in shaders",
            Self::CooperativeMatrix => "cooperative matrices",
            Self::SubgroupId => "subgroup_id in shaders",
            Self::PackedProduct => "packed dot products",
            Self::FilteredF32 => "linear filtering of f32 textures",
            Self::Int8Matrix => "cooperative matrices of 8-bit integers (16x16x32)",
            Self::Bf16Matrix => "cooperative matrices of bf16 (16x16x16)",
            Self::Immediates => "immediates (push constants)",
            Self::I16 => "16-bit integers in shaders",
            Self::I64Division => "division of 64-bit integers in shaders",
            Self::I64Atomics => "atomic operations on 64-bit integers",
            Self::F32Atomics => "atomic additions of f32",
        }
    }

    /// Its name as a WGSL language feature that a browser may lack. Elsewhere, naga translates it for every device.
    #[must_use]
    pub const fn of_language(self) -> Option<&'static str> {
        match self {
            Self::SubgroupId => Some("subgroup_id"),
            Self::PackedProduct => Some("packed_4x8_integer_dot_product"),
            Self::Subgroups
            | Self::F64
            | Self::F16
            | Self::I64
            | Self::CooperativeMatrix
            | Self::FilteredF32
            | Self::Int8Matrix
            | Self::Bf16Matrix
            | Self::Immediates
            | Self::I16
            | Self::I64Division
            | Self::I64Atomics
            | Self::F32Atomics => None,
        }
    }
}

/// Run-time checks that an API may add: off, as in CUDA, except in `safety_tax` and `workgroup_memory/zero_init`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
pub struct Checks {
    /// Every index is clamped to its array.
    pub bounds: bool,
    /// Every loop is guaranteed to end.
    pub loops: bool,
    /// Workgroup memory is zero when a workgroup starts.
    pub zero_init: bool,
    /// No integer division is by 0. No API can switch this check alone; [`Checks::ALL`] includes it.
    pub division: bool,
}

impl Checks {
    /// All checks, as in a browser.
    pub const ALL: Self = Self { bounds: true, loops: true, zero_init: true, division: true };

    /// Parses a [`Checks::name`].
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let is_on = |bit: u32, from: u32| from >> bit & 1 == 1;
        let all = (0..16).map(|from| Self {
            bounds: is_on(0, from),
            loops: is_on(1, from),
            zero_init: is_on(2, from),
            division: is_on(3, from),
        });
        all.into_iter().find(|checks| checks.name() == name)
    }

    /// Sets `division`, which has no parameter, exactly if all others are on.
    #[must_use]
    pub const fn switchable(self) -> Self {
        Self { division: self.bounds && self.loops && self.zero_init, ..self }
    }

    /// Their text in the column `checks`: `off`, `on`, or the names of those that are on, joined by `+`.
    #[must_use]
    pub fn name(self) -> String {
        let named = [
            (self.bounds, "bounds"),
            (self.loops, "loops"),
            (self.zero_init, "zero-init"),
            (self.division, "division"),
        ];
        let on: Vec<_> = named.iter().filter(|(is_on, _)| *is_on).map(|(_, name)| *name).collect();
        match on.len() {
            0 => "off".to_owned(),
            4 => "on".to_owned(),
            _ => on.join("+"),
        }
    }
}
