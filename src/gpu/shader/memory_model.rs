//! Adds the operands of Vulkan's memory model. naga declares the model for cooperative matrices, but leaves accesses
//! private and barriers without availability and visibility (gfx-rs/wgpu#8805): by the specification, no invocation
//! then has to see what another one stored before a barrier.

use std::collections::{HashMap, HashSet};

use spirv::{Decoration, MemoryAccess, MemoryModel, MemorySemantics, Op, Scope, StorageClass};

use super::module::{HEADER, instructions, op};

/// The module with the operands that it needs to share memory between invocations, if it declares the model: loads and
/// stores of workgroup memory and of writable storage buffers are non-private, barriers make stores available and
/// visible, and no scope is wider than a queue family's, which needs a capability. Textures stay as they are: no kernel
/// with matrices shares storage textures within a dispatch.
pub(super) fn with_operands(words: Vec<u32>) -> Vec<u32> {
    let is_vulkan = |own: &[u32]| op(own) == Some(Op::MemoryModel) && own.get(2) == Some(&(MemoryModel::Vulkan as u32));
    if !instructions(&words).any(is_vulkan) {
        return words;
    }
    let known = Known::of(&words);
    let mut constants = Constants { next: words[3], made: Vec::new(), by_value: HashMap::new() };
    let (mut head, mut body) = (words[..HEADER].to_vec(), Vec::new());
    for instruction in instructions(&words) {
        let mut words = instruction.to_vec();
        match (op(instruction), instruction.len()) {
            (Some(Op::Load), 4..) if known.shared.contains(&words[3]) => set_access(&mut words, 4),
            (Some(Op::Store), 3..) if known.shared.contains(&words[1]) => set_access(&mut words, 3),
            (Some(Op::CooperativeMatrixLoadKHR), 6..) if known.shared.contains(&words[3]) => set_access(&mut words, 6),
            (Some(Op::CooperativeMatrixStoreKHR), 5..) if known.shared.contains(&words[1]) => set_access(&mut words, 5),
            (Some(Op::ControlBarrier), 4) => known.set_barrier(&mut words[2..], &mut constants),
            (Some(Op::MemoryBarrier), 3) => known.set_barrier(&mut words[1..], &mut constants),
            (Some(Op::AtomicStore), 5) => known.set_scope(&mut words[2], &mut constants),
            (Some(other), 6..) if format!("{other:?}").starts_with("Atomic") => {
                known.set_scope(&mut words[4], &mut constants);
            }
            _ => {}
        }
        let is_of_functions = !body.is_empty() || op(instruction) == Some(Op::Function);
        (if is_of_functions { &mut body } else { &mut head }).extend(words);
    }
    for (id, value) in constants.made {
        head.extend([4 << 16 | Op::Constant as u32, known.u32_type, id, value]);
    }
    head[3] = constants.next;
    head.extend(body);
    head
}

/// Makes an access non-private. Its mask, if it has one, is word `at`.
fn set_access(instruction: &mut Vec<u32>, at: usize) {
    match instruction.get_mut(at) {
        Some(mask) => *mask |= MemoryAccess::NON_PRIVATE_POINTER.bits(),
        None => {
            instruction.push(MemoryAccess::NON_PRIVATE_POINTER.bits());
            instruction[0] += 1 << 16;
        }
    }
}

/// Constants to add to a module.
struct Constants {
    next: u32,
    made: Vec<(u32, u32)>,
    by_value: HashMap<u32, u32>,
}

impl Constants {
    fn id(&mut self, value: u32) -> u32 {
        *self.by_value.entry(value).or_insert_with(|| {
            self.made.push((self.next, value));
            self.next += 1;
            self.next - 1
        })
    }
}

#[derive(Default)]
struct Known {
    u32_type: u32,
    values: HashMap<u32, u32>,
    /// Pointers to memory that an invocation may write and another one read.
    shared: HashSet<u32>,
}

impl Known {
    fn of(words: &[u32]) -> Self {
        let mut known = Self::default();
        let (mut read_only, mut types) = (HashSet::new(), HashSet::new());
        for own in instructions(words) {
            match (op(own), &own[1..]) {
                (Some(Op::TypeInt), [id, 32, 0]) => known.u32_type = *id,
                (Some(Op::Constant), [_, id, value]) => _ = known.values.insert(*id, *value),
                (Some(Op::Decorate), [id, decoration]) if *decoration == Decoration::NonWritable as u32 => {
                    read_only.insert(*id);
                }
                (Some(Op::TypePointer), [id, class, _])
                    if [StorageClass::Workgroup, StorageClass::StorageBuffer].map(|own| own as u32).contains(class) =>
                {
                    types.insert(*id);
                }
                (Some(Op::Variable), [of, id, ..]) if types.contains(of) && !read_only.contains(id) => {
                    known.shared.insert(*id);
                }
                (Some(Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject), [of, id, base, ..])
                    if types.contains(of) && known.shared.contains(base) =>
                {
                    known.shared.insert(*id);
                }
                (Some(Op::FunctionParameter), [of, id]) if types.contains(of) => _ = known.shared.insert(*id),
                _ => {}
            }
        }
        known
    }

    fn set_scope(&self, scope: &mut u32, constants: &mut Constants) {
        if self.values.get(scope) == Some(&(Scope::Device as u32)) {
            *scope = constants.id(Scope::QueueFamily as u32);
        }
    }

    fn set_barrier(&self, operands: &mut [u32], constants: &mut Constants) {
        let [scope, semantics] = operands else { return };
        self.set_scope(scope, constants);
        if let Some(value) = self.values.get(semantics) {
            let both = MemorySemantics::MAKE_AVAILABLE | MemorySemantics::MAKE_VISIBLE;
            *semantics = constants.id(value | both.bits());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan::{Request, plan};
    use crate::job::Job;
    use crate::shader::Shader;
    use record::suite::{Checks, Feature, Profile};

    /// Numbers of instructions that share memory, and of those among them with the operands of the model.
    fn counted(words: &[u32]) -> [(usize, usize); 3] {
        let known = Known::of(words);
        let bit = MemoryAccess::NON_PRIVATE_POINTER.bits();
        let both = (MemorySemantics::MAKE_AVAILABLE | MemorySemantics::MAKE_VISIBLE).bits();
        let [mut plain, mut matrices, mut barriers] = [(0, 0); 3];
        let count = |own: &mut (usize, usize), is_right: bool| *own = (own.0 + 1, own.1 + usize::from(is_right));
        let has = |word: Option<&u32>| word.is_some_and(|mask| mask & bit != 0);
        for own in instructions(words) {
            match op(own) {
                Some(Op::Load) if known.shared.contains(&own[3]) => count(&mut plain, has(own.get(4))),
                Some(Op::Store) if known.shared.contains(&own[1]) => count(&mut plain, has(own.get(3))),
                Some(Op::CooperativeMatrixLoadKHR) if known.shared.contains(&own[3]) => {
                    count(&mut matrices, has(own.get(6)))
                }
                Some(Op::CooperativeMatrixStoreKHR) if known.shared.contains(&own[1]) => {
                    count(&mut matrices, has(own.get(5)))
                }
                Some(Op::ControlBarrier) => {
                    count(&mut barriers, known.values.get(&own[3]).is_some_and(|value| value & both == both));
                }
                // A pointer to shared memory that nothing here follows would be missed.
                Some(Op::PtrAccessChain | Op::Select | Op::Phi) => {
                    assert!(!Known::of(words).shared.contains(&own[3]), "a pointer is chosen");
                }
                _ => {}
            }
        }
        [plain, matrices, barriers]
    }

    #[test]
    fn every_kernel_with_matrices_shares_memory_as_the_model_asks() {
        let mut kernels = HashSet::new();
        for case in plan(&Request::new(Vec::new(), Profile::Thorough)).expect("a plan of everything") {
            let Ok(Job { kernel, .. }) = Job::new(&case) else { continue };
            if !kernel.interface.features.contains(&Feature::CooperativeMatrix)
                || !kernels.insert(kernel.source.clone())
            {
                continue;
            }
            let all = counted(&kernel.spirv().expect("expressible"));
            assert!(all.iter().all(|(count, right)| count == right), "{case}: {all:?}");
            assert!(all[0].0 > 0 && all[2].0 > 0 || case.name().starts_with("ceiling"), "{case}: {all:?}");
        }
        assert!(kernels.len() >= 3, "{}", kernels.len());
    }

    #[test]
    fn a_barrier_of_storage_and_atomics_need_no_capability() {
        let kernel = "enable f16;
enable wgpu_cooperative_matrix;
@group(0) @binding(0) var<storage, read_write> output: array<f32>;
@group(0) @binding(1) var<storage, read> input: array<f16>;
@group(0) @binding(2) var<storage, read_write> count: atomic<u32>;
var<workgroup> tile: array<f32, 256>;
@compute @workgroup_size(32) fn main() {
    let a = coopLoad<coop_mat16x16<f16, A>>(&input[0], 16u);
    let b = coopLoad<coop_mat16x16<f16, B>>(&input[0], 16u);
    let c = coopMultiplyAdd(a, b, coop_mat16x16<f32, C>());
    coopStore(c, &tile[0], 16u);
    atomicAdd(&count, 1u);
    storageBarrier();
    workgroupBarrier();
    output[0] = tile[0];
}";
        let shader = Shader::read(kernel).expect("valid");
        let words = shader.spirv(&record::suite::Constants::new(), Checks::default()).expect("expressible");
        assert_eq!(counted(&words), [(2, 2), (1, 1), (2, 2)]);
        let known = Known::of(&words);
        let scopes = instructions(&words).filter_map(|own| match op(own) {
            Some(Op::AtomicIAdd) => Some(own[4]),
            Some(Op::ControlBarrier) => Some(own[2]),
            _ => None,
        });
        let scopes: Vec<u32> = scopes.map(|id| known.values[&id]).collect();
        let family = Scope::QueueFamily as u32;
        assert_eq!(scopes, [family, family, Scope::Workgroup as u32]);
    }

    #[test]
    fn other_modules_stay_as_they_are() {
        let source = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@compute @workgroup_size(1) fn main() { a[0] = 1u; }";
        let shader = Shader::read(source).expect("valid");
        let words = shader.spirv(&record::suite::Constants::new(), Checks::default()).expect("expressible");
        assert_eq!(counted(&words), [(1, 0), (0, 0), (0, 0)]);
        assert_eq!(with_operands(words.clone()), words);
        assert_eq!(with_operands(Vec::new()), Vec::<u32>::new());
    }
}
