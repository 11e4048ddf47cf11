//! Attention as a graph that cuDNN's fused engines recognise: the operations that NVIDIA's cudnn-frontend generates for
//! `sdpa` without statistics.

use std::rc::Rc;

use super::api::Dnn;
use super::graph::{Graph, Layout, Place, Tensor};
use super::names::{DataType, Pointwise, Reduction};
use record::error::Result;

/// softmax(scale · q kᵀ) v per head, in f16, each matrix `length` × `width`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attention {
    pub(super) heads: u64,
    pub(super) length: u64,
    pub(super) width: u64,
    pub(super) is_causal: bool,
}

/// The graph. Its tensors outside the kernel are q, k, v and the output on the device, and in f32 on the host the scale
/// and, if causal, the score of a masked key.
pub(super) fn graph(dnn: &Rc<Dnn>, of: Attention) -> Result<Graph> {
    use DataType::{Boolean, Float, Half, Int32};
    let Attention { heads, length, width, is_causal } = of;
    let each = Layout::packed(&[1, heads, length, width])?;
    let scores = Layout::packed(&[1, heads, length, length])?;
    let rows = Layout::packed(&[1, heads, length, 1])?;
    let one = Layout::packed(&[1, 1, 1, 1])?;
    let mut graph = Graph::new(dnn);

    let q = graph.tensor("q", Half, &each, Place::Device)?;
    let k = graph.tensor("k, transposed", Half, &each.clone().transposed(), Place::Device)?;
    let v = graph.tensor("v", Half, &each, Place::Device)?;
    let output = graph.tensor("the output", Half, &each, Place::Device)?;
    let scale = graph.tensor("the scale", Float, &one, Place::Host)?;

    let products = graph.tensor("q times k", Float, &scores, Place::Kernel)?;
    graph.multiply("q times k", [q, k, products])?;
    let mut scaled = graph.tensor("the scores", Float, &scores, Place::Kernel)?;
    graph.pointwise("the scores", (Pointwise::Multiply, None, Float), &[products, scale], scaled)?;
    if is_causal {
        let hidden = graph.tensor("the score of a masked key", Float, &one, Place::Host)?;
        let mut index = |name, axis| -> Result<Tensor> {
            let index = graph.tensor(name, Int32, &scores, Place::Kernel)?;
            graph.pointwise(name, (Pointwise::Index, Some(axis), Float), &[scaled], index)?;
            Ok(index)
        };
        let (query, key) = (index("the query's index", 2)?, index("the key's index", 3)?);
        let counts = graph.tensor("the key mask", Boolean, &scores, Place::Kernel)?;
        graph.pointwise("the key mask", (Pointwise::IsNotLess, None, Boolean), &[query, key], counts)?;
        let masked = graph.tensor("the masked scores", Float, &scores, Place::Kernel)?;
        graph.pointwise("the masked scores", (Pointwise::Select, None, Float), &[scaled, hidden, counts], masked)?;
        scaled = masked;
    }

    let top = graph.tensor("the maximum", Float, &rows, Place::Kernel)?;
    graph.reduce("the maximum", Reduction::Max, [scaled, top])?;
    let below = graph.tensor("scores minus the maximum", Float, &scores, Place::Kernel)?;
    graph.pointwise("scores minus the maximum", (Pointwise::Subtract, None, Float), &[scaled, top], below)?;
    let exponentials = graph.tensor("the exponentials", Float, &scores, Place::Kernel)?;
    graph.pointwise("the exponentials", (Pointwise::Exponential, None, Float), &[below], exponentials)?;
    let sum = graph.tensor("the sum", Float, &rows, Place::Kernel)?;
    graph.reduce("the sum", Reduction::Add, [exponentials, sum])?;
    // For a backward pass. Nothing stores the statistics, but without them only an engine for short sequences matches.
    let logarithm = graph.tensor("the logarithm", Float, &rows, Place::Kernel)?;
    graph.pointwise("the logarithm", (Pointwise::Logarithm, None, Float), &[sum], logarithm)?;
    let statistics = graph.tensor("the statistics", Float, &rows, Place::Kernel)?;
    graph.pointwise("the statistics", (Pointwise::Add, None, Float), &[top, logarithm], statistics)?;
    // The engines require the weights in the type of v.
    let weights = graph.tensor("the weights", Half, &scores, Place::Kernel)?;
    graph.pointwise("the weights", (Pointwise::Divide, None, Float), &[exponentials, sum], weights)?;
    graph.multiply("weights times v", [weights, v, output])?;
    Ok(graph)
}
