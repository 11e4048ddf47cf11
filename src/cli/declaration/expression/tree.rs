//! A parsed expression.

use super::value::{Function, Operator, Value};

/// A sentence, and the byte of the text that it is about.
pub(super) type Fault = (String, usize);

/// A parsed expression.
pub(in super::super) struct Expression {
    pub(super) text: String,
    pub(super) body: Node,
    /// The names from outside, each with its first byte.
    pub(super) names: Vec<(String, usize)>,
    /// Number of its own variables, at most at the same time.
    pub(super) locals: usize,
}

/// A part of an expression. Numbers beside the parts are the first byte, for faults, or an index of a variable.
pub(super) enum Node {
    Value(Value),
    Local(usize),
    Outer(usize, usize),
    Element(usize, usize, Box<Node>),
    Negative(usize, Box<Node>),
    Not(Box<Node>),
    /// Operations of one precedence, from left to right.
    Chain(Box<Node>, Vec<(&'static Operator, usize, Node)>),
    Call(&'static Function, usize, Vec<Node>),
    If(Box<[Node; 3]>),
    Set(usize, Box<Node>),
    /// An element of an output: its name, its index, what it was changed by, and the value.
    SetElement(usize, usize, Option<&'static Operator>, Box<[Node; 2]>),
    /// The variable; the first value, the one after the last, and the body.
    For(usize, usize, Box<[Node; 3]>),
    Block(Vec<Node>),
}
