//! Graphs of operations on tensors, and the library's plan for a graph.

use std::ffi::c_void;
use std::rc::Rc;

use super::api::Dnn;
use super::descriptor::{Descriptor, Value};
use super::names::{self, Attribute, DataType, HEURISTICS_A, Pointwise, Reduction};
use record::error::{Error, Result};

/// Alignment of tensor addresses in bytes, as the tensor-core engines require.
const ALIGNMENT: i64 = 16;

/// Lengths of a tensor, and its strides in elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    lengths: Vec<i64>,
    strides: Vec<i64>,
}

impl Layout {
    /// Without gaps, the last dimension innermost.
    pub(super) fn packed(lengths: &[u64]) -> Result<Self> {
        let fault = || Error::Unsupported(format!("a cuDNN tensor of {lengths:?} would have 2^63 elements or more"));
        let mut strides = vec![1_i64; lengths.len()];
        let mut product = 1_i64;
        for (stride, length) in strides.iter_mut().zip(lengths).rev() {
            *stride = product;
            product = i64::try_from(*length).ok().and_then(|length| product.checked_mul(length)).ok_or_else(fault)?;
        }
        Ok(Self { lengths: lengths.iter().map(|length| *length as i64).collect(), strides })
    }

    /// The same memory with the last two dimensions exchanged.
    pub(super) fn transposed(mut self) -> Self {
        let last = self.lengths.len().saturating_sub(1);
        self.lengths.swap(last.saturating_sub(1), last);
        self.strides.swap(last.saturating_sub(1), last);
        self
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Device,
    /// Within the plan's kernel.
    Kernel,
    /// A single number in host memory.
    Host,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Tensor(usize);

pub(super) struct Graph {
    dnn: Rc<Dnn>,
    operations: Vec<Descriptor>,
    tensors: Vec<Descriptor>,
    /// IDs of the tensors that are not within the kernel, in the order of [`Graph::tensor`] calls.
    pub(super) ids: Vec<i64>,
}

impl Graph {
    pub(super) fn new(dnn: &Rc<Dnn>) -> Self {
        Self { dnn: Rc::clone(dnn), operations: vec![], tensors: vec![], ids: vec![] }
    }

    pub(super) fn tensor(&mut self, name: &'static str, of: DataType, layout: &Layout, place: Place) -> Result<Tensor> {
        let id = self.tensors.len() as i64 + 1;
        let mut attributes = vec![
            (names::TENSOR_TYPE, Value::DataType(of)),
            (names::TENSOR_DIMENSIONS, Value::Int64(&layout.lengths)),
            (names::TENSOR_STRIDES, Value::Int64(&layout.strides)),
            (names::TENSOR_ID, Value::Int64(std::slice::from_ref(&id))),
            (names::TENSOR_ALIGNMENT, Value::Int64(&[ALIGNMENT])),
        ];
        match place {
            Place::Device => {}
            Place::Kernel => attributes.push((names::TENSOR_IS_VIRTUAL, Value::Boolean(true))),
            Place::Host => attributes.push((names::TENSOR_IS_BY_VALUE, Value::Boolean(true))),
        }
        self.tensors.push(Descriptor::with(&self.dnn, names::TENSOR, name, &attributes)?);
        if place != Place::Kernel {
            self.ids.push(id);
        }
        Ok(Tensor(self.tensors.len() - 1))
    }

    /// c = a·b with sums in f32.
    pub(super) fn multiply(&mut self, name: &'static str, [a, b, c]: [Tensor; 3]) -> Result<()> {
        let attributes = [(names::MATMUL_TYPE, Value::DataType(DataType::Float))];
        let part = Descriptor::with(&self.dnn, names::MATMUL, name, &attributes)?;
        let tensors = [(names::MATMUL_A, a), (names::MATMUL_B, b), (names::MATMUL_C, c)];
        self.operation(names::MATMUL_OPERATION, name, (names::MATMUL_OPERATION_DESCRIPTOR, part), &tensors, &[])
    }

    /// The sum or maximum of each row of `x`, in f32.
    pub(super) fn reduce(&mut self, name: &'static str, by: Reduction, [x, y]: [Tensor; 2]) -> Result<()> {
        let attributes = [
            (names::REDUCTION_TYPE, Value::DataType(DataType::Float)),
            (names::REDUCTION_OPERATOR, Value::Reduction(by)),
        ];
        let part = Descriptor::with(&self.dnn, names::REDUCTION, name, &attributes)?;
        let tensors = [(names::REDUCTION_X, x), (names::REDUCTION_Y, y)];
        self.operation(names::REDUCTION_OPERATION, name, (names::REDUCTION_OPERATION_DESCRIPTOR, part), &tensors, &[])
    }

    /// y from the inputs x, b and t, or fewer, computed in type `of`. `axis` is for [`Pointwise::Index`].
    pub(super) fn pointwise(
        &mut self,
        name: &'static str,
        (by, axis, of): (Pointwise, Option<i64>, DataType),
        inputs: &[Tensor],
        y: Tensor,
    ) -> Result<()> {
        let mut attributes =
            vec![(names::POINTWISE_MODE, Value::Pointwise(by)), (names::POINTWISE_PRECISION, Value::DataType(of))];
        if let Some(axis) = &axis {
            attributes.push((names::POINTWISE_AXIS, Value::Int64(std::slice::from_ref(axis))));
        }
        let part = Descriptor::with(&self.dnn, names::POINTWISE, name, &attributes)?;
        let roles = [names::POINTWISE_X, names::POINTWISE_B, names::POINTWISE_T];
        let mut tensors: Vec<(Attribute, Tensor)> = roles.into_iter().zip(inputs.iter().copied()).collect();
        tensors.push((names::POINTWISE_Y, y));
        let factors = [(names::POINTWISE_ALPHA_1, Value::Float(1.0)), (names::POINTWISE_ALPHA_2, Value::Float(1.0))];
        let part = (names::POINTWISE_OPERATION_DESCRIPTOR, part);
        self.operation(names::POINTWISE_OPERATION, name, part, &tensors, &factors)
    }

    /// Adds an operation with the settings in `part`.
    fn operation(
        &mut self,
        kind: names::Kind,
        name: &'static str,
        (role, part): (Attribute, Descriptor),
        tensors: &[(Attribute, Tensor)],
        others: &[(Attribute, Value)],
    ) -> Result<()> {
        let part = [&part];
        let bound: Vec<(Attribute, [&Descriptor; 1])> =
            tensors.iter().map(|(role, tensor)| (*role, [&self.tensors[tensor.0]])).collect();
        let mut attributes = vec![(role, Value::Descriptors(&part))];
        attributes.extend(bound.iter().map(|(role, tensor)| (*role, Value::Descriptors(tensor))));
        attributes.extend_from_slice(others);
        let operation = Descriptor::with(&self.dnn, kind, name, &attributes)?;
        self.operations.push(operation);
        Ok(())
    }

    /// The library's preferred plan that works on this device. Fails with [`Error::Unsupported`] if there is none.
    pub(super) fn planned(self) -> Result<Planned> {
        let dnn = &self.dnn;
        let operations: Vec<&Descriptor> = self.operations.iter().collect();
        let graph = [(names::GRAPH_OPERATIONS, Value::Descriptors(&operations)), (names::GRAPH_HANDLE, Value::Handle)];
        let graph = Descriptor::with(dnn, names::GRAPH, "the graph", &graph)?;
        let heuristics = [
            (names::HEURISTICS_GRAPH, Value::Descriptors(&[&graph])),
            (names::HEURISTICS_MODE, Value::HeuristicsMode(HEURISTICS_A)),
        ];
        let heuristics = Descriptor::with(dnn, names::HEURISTICS, "the graph", &heuristics)?;
        let configs = heuristics.results(names::HEURISTICS_RESULTS, names::ENGINE_CONFIG, "the graph")?;
        let mut last = Error::Unsupported(format!("cuDNN {} has no engine for this graph on this device", dnn.version));
        for config in configs {
            let plan = [(names::PLAN_HANDLE, Value::Handle), (names::PLAN_CONFIG, Value::Descriptors(&[&config]))];
            match Descriptor::with(dnn, names::PLAN, "the graph", &plan) {
                Ok(plan) => {
                    let workspace = plan.number(names::PLAN_WORKSPACE)?;
                    let bytes = u64::try_from(workspace)
                        .map_err(|_| Error::Validation(format!("cuDNN requests a workspace of {workspace} bytes")))?;
                    return Ok(Planned { plan, bytes, _config: config, _operations: graph, graph: self });
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

/// A graph with a plan. The field order matters: each field is dropped before those that it uses.
pub(super) struct Planned {
    plan: Descriptor,
    /// Size of the workspace.
    pub(super) bytes: u64,
    _config: Descriptor,
    _operations: Descriptor,
    graph: Graph,
}

impl Planned {
    /// Binds the addresses of the workspace and of the tensors outside the kernel, in order of [`Graph::tensor`] calls.
    pub(super) fn bind(&self, tensors: &[*mut c_void], workspace: *mut c_void) -> Result<Descriptor> {
        let attributes = [
            (names::PACK_IDS, Value::Int64(&self.graph.ids)),
            (names::PACK_POINTERS, Value::Pointers(tensors)),
            (names::PACK_WORKSPACE, Value::Pointers(&[workspace])),
        ];
        Descriptor::with(&self.graph.dnn, names::VARIANT_PACK, "the graph", &attributes)
    }

    /// Adds the plan's work on the bound memory to the stream.
    ///
    /// # Safety
    /// The pack came from [`Planned::bind`] with a valid address for each tensor, of the tensor's length, and for the
    /// workspace of [`Planned::bytes`] bytes. All stay valid until the work is done.
    pub(super) unsafe fn run(&self, pack: &Descriptor) -> Result<()> {
        // SAFETY: the caller guarantees the memory.
        unsafe { self.plan.execute(pack) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_tensor_has_no_gaps_and_transposing_moves_nothing() {
        let layout = Layout::packed(&[1, 16, 100, 64]).expect("a small tensor");
        assert_eq!(
            (layout.lengths.clone(), layout.strides.clone()),
            (vec![1, 16, 100, 64], vec![102_400, 6400, 64, 1])
        );
        let transposed = layout.transposed();
        assert_eq!((transposed.lengths, transposed.strides), (vec![1, 16, 64, 100], vec![102_400, 6400, 1, 64]));
        assert!(Layout::packed(&[1, 1 << 32, 1 << 32, 1]).is_err());
    }
}
