//! Values, operators and functions.

use std::cmp::Ordering;

/// A value. Comparisons give 1 or 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) enum Value {
    Whole(i64),
    Real(f64),
}

impl Value {
    /// What a loop and an `if` without `else` give.
    pub(super) const NONE: Self = Self::Real(f64::NAN);

    pub(in super::super) const fn real(self) -> f64 {
        match self {
            Self::Whole(value) => value as f64,
            Self::Real(value) => value,
        }
    }

    pub(super) fn is_true(self) -> bool {
        self.real() != 0.0
    }
}

/// Whole numbers stay whole numbers, and divide as in C; `None` beyond 64 bits.
type Whole = fn(i64, i64) -> Option<i64>;

/// An operator between two values.
pub(super) struct Operator {
    pub sign: &'static str,
    /// Higher ones first; those of Rust.
    pub precedence: u8,
    of: Of,
}

enum Of {
    Numbers(Whole, fn(f64, f64) -> f64),
    WholeNumbers(Whole),
    Comparison(fn(Option<Ordering>) -> bool),
    /// Decided by the left value if that is true (`||`) or if it is not (`&&`).
    Truth(bool),
}

use Of::{Comparison, Numbers, Truth, WholeNumbers};
use Ordering::{Equal, Greater, Less};

#[rustfmt::skip]
pub(super) static OPERATORS: [Operator; 18] = [
    Operator { sign: "||", precedence: 1, of: Truth(true) },
    Operator { sign: "&&", precedence: 2, of: Truth(false) },
    Operator { sign: "==", precedence: 3, of: Comparison(|order| order == Some(Equal)) },
    Operator { sign: "!=", precedence: 3, of: Comparison(|order| order != Some(Equal)) },
    Operator { sign: "<", precedence: 3, of: Comparison(|order| order == Some(Less)) },
    Operator { sign: "<=", precedence: 3, of: Comparison(|order| matches!(order, Some(Less | Equal))) },
    Operator { sign: ">", precedence: 3, of: Comparison(|order| order == Some(Greater)) },
    Operator { sign: ">=", precedence: 3, of: Comparison(|order| matches!(order, Some(Greater | Equal))) },
    Operator { sign: "|", precedence: 4, of: WholeNumbers(|a, b| Some(a | b)) },
    Operator { sign: "^", precedence: 5, of: WholeNumbers(|a, b| Some(a ^ b)) },
    Operator { sign: "&", precedence: 6, of: WholeNumbers(|a, b| Some(a & b)) },
    Operator { sign: "<<", precedence: 7, of: WholeNumbers(|a, b| a.checked_shl(u32::try_from(b).ok()?)) },
    Operator { sign: ">>", precedence: 7, of: WholeNumbers(|a, b| a.checked_shr(u32::try_from(b).ok()?)) },
    Operator { sign: "+", precedence: 8, of: Numbers(i64::checked_add, |a, b| a + b) },
    Operator { sign: "-", precedence: 8, of: Numbers(i64::checked_sub, |a, b| a - b) },
    Operator { sign: "*", precedence: 9, of: Numbers(i64::checked_mul, |a, b| a * b) },
    Operator { sign: "/", precedence: 9, of: Numbers(i64::checked_div, |a, b| a / b) },
    Operator { sign: "%", precedence: 9, of: Numbers(i64::checked_rem, |a, b| a % b) },
];

impl Operator {
    /// The result, if the left value alone tells it.
    pub(super) fn decided(&self, left: Value) -> Option<Value> {
        match self.of {
            Truth(decides) if left.is_true() == decides => Some(Value::Whole(decides.into())),
            _ => None,
        }
    }

    pub(super) fn apply(&self, left: Value, right: Value) -> Result<Value, String> {
        match (&self.of, left, right) {
            (Numbers(whole, _) | WholeNumbers(whole), Value::Whole(a), Value::Whole(b)) => match whole(a, b) {
                Some(value) => Ok(Value::Whole(value)),
                None if b == 0 && matches!(self.sign, "/" | "%") => Err("division by zero".to_owned()),
                None => Err(format!("{a} {} {b} overflows 64 bits", self.sign)),
            },
            (Numbers(_, real), ..) => Ok(Value::Real(real(left.real(), right.real()))),
            (WholeNumbers(_), ..) => Err(format!("'{}' needs whole numbers", self.sign)),
            (Comparison(is), Value::Whole(a), Value::Whole(b)) => Ok(Value::Whole(is(Some(a.cmp(&b))).into())),
            (Comparison(is), ..) => Ok(Value::Whole(is(left.real().partial_cmp(&right.real())).into())),
            (Truth(_), ..) => Ok(Value::Whole(right.is_true().into())),
        }
    }
}

/// A function. `x.sqrt()` is `sqrt(x)`.
pub(super) struct Function {
    pub name: &'static str,
    pub of: Arity,
}

pub(super) enum Arity {
    One(fn(Value) -> Value),
    Two(fn(Value, Value) -> Result<Value, &'static str>),
}

/// A function of one real number.
macro_rules! real {
    ($($name:ident)+) => {
        [$(Function { name: stringify!($name), of: Arity::One(|x| Value::Real(x.real().$name())) }),+]
    };
}

static REAL: [Function; 12] = real!(sqrt exp ln exp2 log2 sin cos tan tanh floor ceil round);

static FUNCTIONS: [Function; 9] = [
    Function { name: "f32", of: Arity::One(|x| Value::Real(f64::from(x.real() as f32))) },
    Function { name: "float", of: Arity::One(|x| Value::Real(x.real())) },
    Function { name: "int", of: Arity::One(|x| if let Value::Real(x) = x { Value::Whole(x as i64) } else { x }) },
    Function { name: "bits", of: Arity::One(|x| Value::Whole((x.real() as f32).to_bits().into())) },
    Function {
        name: "abs",
        of: Arity::One(|x| match x {
            Value::Whole(x) => Value::Whole(x.saturating_abs()),
            Value::Real(x) => Value::Real(x.abs()),
        }),
    },
    Function { name: "pow", of: Arity::Two(|x, y| Ok(Value::Real(x.real().powf(y.real())))) },
    Function { name: "min", of: Arity::Two(|x, y| Ok(select(x, y, i64::min, f64::min))) },
    Function { name: "max", of: Arity::Two(|x, y| Ok(select(x, y, i64::max, f64::max))) },
    Function {
        name: "ceil_div",
        of: Arity::Two(|x, y| match (x, y) {
            (Value::Whole(x), Value::Whole(y)) if y > 0 => {
                Ok(Value::Whole(x.div_euclid(y) + (x.rem_euclid(y) > 0) as i64))
            }
            _ => Err("ceil_div takes two integers, and the divisor must be positive"),
        }),
    },
];

fn select(x: Value, y: Value, whole: fn(i64, i64) -> i64, real: fn(f64, f64) -> f64) -> Value {
    match (x, y) {
        (Value::Whole(x), Value::Whole(y)) => Value::Whole(whole(x, y)),
        _ => Value::Real(real(x.real(), y.real())),
    }
}

impl Function {
    pub(super) fn with(name: &str) -> Option<&'static Self> {
        FUNCTIONS.iter().chain(&REAL).find(|function| function.name == name)
    }
}
