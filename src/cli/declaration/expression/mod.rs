//! A small language of expressions: numbers, `let`, `if`, `for` over a range, buffers and functions.
//!
//! A tree has a limited height, and an evaluation a limited number of operations and a limited time, so that text of any
//! kind ends with a value or a fault.

mod parse;
mod tree;
mod value;

use std::sync::Arc;

pub(super) use parse::RIGHT;
pub(super) use tree::Expression;
use tree::{Fault, Node};
use value::Arity;
pub(super) use value::Value;

use record::suite::budget::Budget;

/// Operations of one evaluation, against loops that nobody waits for.
const MOST_OPERATIONS: u64 = 10_000_000;

/// The same of a program that sets a whole output: about a minute.
const MOST_OPERATIONS_OF_A_PROGRAM: u64 = 1_000_000_000;

/// Operations between two looks at the clock.
const OPERATIONS_BETWEEN_LOOKS: u32 = 1 << 14;

/// The elements of a buffer, for the expression of an answer: `input[i]`.
#[derive(Clone)]
pub(super) struct Data {
    /// Element by index.
    pub at: Arc<dyn Fn(u64) -> Value + Send + Sync>,
    /// Number of elements.
    pub count: u64,
    /// Whether they are integers.
    pub is_integer: bool,
}

/// An index into `count` elements.
fn index_of(value: Value, count: u64) -> Result<u64, String> {
    let Value::Whole(index) = value else { return Err("an index must be a whole number".to_owned()) };
    let known = u64::try_from(index).ok().filter(|index| *index < count);
    known.ok_or_else(|| format!("there is no element {index} of {count}"))
}

/// What a name from outside of the expression means.
#[derive(Clone)]
pub(super) enum Meaning {
    Value(Value),
    Buffer(Data),
    /// The output that a program sets: its length, and whether its elements are integers.
    Output(u64, bool),
}

impl Expression {
    /// Parses an expression, or a program: statements that set elements of an output.
    pub(super) fn parse(text: &str, is_program: bool) -> Result<Self, String> {
        parse::parse(text, is_program).map_err(|fault| placed(text, fault))
    }

    /// An evaluation with these meanings of names.
    pub(super) fn frame(&self, meaning: impl Fn(&str) -> Option<Meaning>) -> Result<Frame<'_>, String> {
        let known = |(name, at): &(String, usize)| {
            meaning(name).ok_or_else(|| placed(&self.text, (format!("variable not found: {name}"), *at)))
        };
        let outer = self.names.iter().map(known).collect::<Result<_, _>>()?;
        let (locals, output) = (vec![Value::NONE; self.locals], Vec::new());
        let (budget, until_look) = (Budget::start(), 0);
        Ok(Frame { of: self, outer, locals, left: 0, budget, until_look, output })
    }
}

/// `sentence (line 2, position 7)`.
fn placed(text: &str, (sentence, at): Fault) -> String {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let position = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("{sentence} (line {line}, position {position})")
}

/// An expression with the values of its variables.
pub(super) struct Frame<'a> {
    of: &'a Expression,
    outer: Vec<Meaning>,
    locals: Vec<Value>,
    left: u64,
    /// The time of all evaluations with this frame.
    budget: Budget,
    until_look: u32,
    /// The elements of [`Meaning::Output`].
    output: Vec<f64>,
}

impl Frame<'_> {
    /// The same within a time that is shared with other frames.
    pub(super) fn within(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// Changes the value of a name from outside.
    pub(super) fn set(&mut self, name: &str, value: Value) {
        if let Some(index) = self.of.names.iter().position(|(known, _)| known == name) {
            self.outer[index] = Meaning::Value(value);
        }
    }

    /// The value of the expression.
    pub(super) fn value(&mut self) -> Result<Value, String> {
        self.left = MOST_OPERATIONS;
        let of = self.of;
        self.count(0).and_then(|()| self.of(&of.body)).map_err(|fault| placed(&of.text, fault))
    }

    /// Runs a program, and returns its output. Elements that it does not set are NaN.
    pub(super) fn run(&mut self) -> Result<Vec<f64>, String> {
        self.left = MOST_OPERATIONS_OF_A_PROGRAM;
        let count = self.outer.iter().find_map(|meaning| match meaning {
            Meaning::Output(count, _) => Some(*count),
            _ => None,
        });
        self.output = vec![f64::NAN; count.unwrap_or(0) as usize];
        let of = self.of;
        self.of(&of.body).map_err(|fault| placed(&of.text, fault))?;
        Ok(std::mem::take(&mut self.output))
    }

    /// An element of the output.
    fn output(&self, index: u64, is_integer: bool) -> Value {
        let value = self.output[index as usize];
        if is_integer { Value::Whole(value as i64) } else { Value::Real(value) }
    }

    fn of(&mut self, node: &Node) -> Result<Value, Fault> {
        match node {
            Node::Value(value) => Ok(*value),
            Node::Local(slot) => Ok(self.locals[*slot]),
            Node::Outer(index, at) => match &self.outer[*index] {
                Meaning::Value(value) => Ok(*value),
                Meaning::Buffer(_) | Meaning::Output(..) => {
                    Err((format!("{0} is a buffer: write {0}[i]", self.of.names[*index].0), *at))
                }
            },
            Node::Element(index, at, element) => {
                let element = self.of(element)?;
                let found = match &self.outer[*index] {
                    Meaning::Buffer(data) => index_of(element, data.count).map(|element| (data.at)(element)),
                    Meaning::Value(_) => Err(format!("{} is not a buffer", self.of.names[*index].0)),
                    Meaning::Output(count, is_integer) => {
                        index_of(element, *count).map(|element| self.output(element, *is_integer))
                    }
                };
                found.map_err(|sentence| (sentence, *at))
            }
            Node::SetElement(index, at, operator, parts) => {
                let [element, value] = &**parts;
                let (element, mut value) = (self.of(element)?, self.of(value)?);
                self.count(*at)?;
                let Meaning::Output(count, is_integer) = self.outer[*index] else {
                    return Err((format!("{} is not the output", self.of.names[*index].0), *at));
                };
                let element = index_of(element, count).map_err(|sentence| (sentence, *at))?;
                if let Some(operator) = operator {
                    let before = self.output(element, is_integer);
                    value = operator.apply(before, value).map_err(|sentence| (sentence, *at))?;
                }
                self.output[element as usize] = value.real();
                Ok(Value::NONE)
            }
            Node::Negative(at, node) => match self.of(node)? {
                Value::Real(value) => Ok(Value::Real(-value)),
                Value::Whole(value) => {
                    let negative = value.checked_neg().map(Value::Whole);
                    negative.ok_or_else(|| (format!("-{value} overflows 64 bits"), *at))
                }
            },
            Node::Not(node) => Ok(Value::Whole((!self.of(node)?.is_true()).into())),
            Node::Chain(first, rest) => {
                let mut value = self.of(first)?;
                for (operator, at, right) in rest {
                    value = match operator.decided(value) {
                        Some(value) => value,
                        None => {
                            let right = self.of(right)?;
                            self.count(*at)?;
                            operator.apply(value, right).map_err(|sentence| (sentence, *at))?
                        }
                    };
                }
                Ok(value)
            }
            Node::Call(function, at, arguments) => {
                self.count(*at)?;
                match (&function.of, &arguments[..]) {
                    (Arity::One(of), [x]) => Ok(of(self.of(x)?)),
                    (Arity::Two(of), [x, y]) => {
                        of(self.of(x)?, self.of(y)?).map_err(|sentence| (sentence.to_owned(), *at))
                    }
                    (Arity::One(_), _) => Err((format!("{} takes one argument", function.name), *at)),
                    (Arity::Two(_), _) => Err((format!("{} takes two arguments", function.name), *at)),
                }
            }
            Node::If(parts) => {
                let [condition, then, other] = &**parts;
                if self.of(condition)?.is_true() { self.of(then) } else { self.of(other) }
            }
            Node::Set(slot, node) => {
                self.locals[*slot] = self.of(node)?;
                Ok(Value::NONE)
            }
            Node::For(at, slot, parts) => {
                let [first, end, body] = &**parts;
                let (Value::Whole(first), Value::Whole(end)) = (self.of(first)?, self.of(end)?) else {
                    return Err(("a range needs whole numbers".to_owned(), *at));
                };
                for index in first..end {
                    self.count(*at)?;
                    self.locals[*slot] = Value::Whole(index);
                    self.of(body)?;
                }
                Ok(Value::NONE)
            }
            Node::Block(nodes) => nodes.iter().try_fold(Value::NONE, |_, node| self.of(node)),
        }
    }

    fn count(&mut self, at: usize) -> Result<(), Fault> {
        self.left = self.left.checked_sub(1).ok_or_else(|| ("too many operations".to_owned(), at))?;
        let Some(until_look) = self.until_look.checked_sub(1) else {
            self.until_look = OPERATIONS_BETWEEN_LOOKS;
            return self.budget.check().map_err(|sentence| (sentence, at));
        };
        self.until_look = until_look;
        Ok(())
    }
}
