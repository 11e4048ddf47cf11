//! Expressions in a kernel's declaration: lengths, grids, work and expected values.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::expression::{Expression, Frame, Meaning, Value};
use record::error::{Error, Result, usage};
use record::suite::{Extent, Interface, Shape, Value as Constant};

pub(super) type Scope = BTreeMap<String, Meaning>;

#[derive(Clone)]
pub(super) struct Script {
    /// Prefix of messages: `stencil.toml: groups`.
    what: String,
    expression: Arc<Expression>,
}

impl Script {
    /// Parses an expression or a program; `what` is the prefix of its errors.
    pub(super) fn new(what: &str, text: &str) -> Result<Self> {
        let expression = Expression::parse(text).map_err(|fault| usage!("{what}: {fault}"))?;
        Ok(Self { what: what.to_owned(), expression: Arc::new(expression) })
    }

    pub(super) fn run(&self, scope: &Scope) -> Result<Vec<f64>> {
        self.frame(scope)?.run().map_err(|fault| self.fault(&fault))
    }

    pub(super) fn frame(&self, scope: &Scope) -> Result<Frame> {
        self.expression.frame(scope.iter()).map_err(|fault| self.fault(&fault))
    }

    pub(super) fn value_in(&self, frame: &mut Frame) -> Result<Value> {
        frame.value().map_err(|fault| self.fault(&fault))
    }

    pub(super) fn value(&self, scope: &Scope) -> Result<f64> {
        self.value_in(&mut self.frame(scope)?).map(Value::real)
    }

    /// Evaluates the expression, whose result must be an integer of at least `least`.
    pub(super) fn whole(&self, scope: &Scope, least: u64) -> Result<u64> {
        let value = self.value(scope)?;
        let is_whole = value.fract() == 0.0 && value >= least as f64 && value < 9e15;
        let fault = || self.fault(&format!("the value must be an integer of at least {least}, but is {value}"));
        is_whole.then_some(value as u64).ok_or_else(fault)
    }

    pub(super) fn what(&self) -> &str {
        &self.what
    }

    fn fault(&self, message: &str) -> Error {
        usage!("{}: {message}", self.what)
    }
}

/// The variables of expressions: the size, the parameters, and a kernel's overrides and workgroup size.
pub(super) fn variables(shape: &Shape, interface: Option<&Interface>) -> Scope {
    let mut scope = Scope::new();
    let mut known = |name: &str, value| scope.insert(name.to_owned(), Meaning::Value(value));
    let whole = |value: u64| Value::Whole(i64::try_from(value).unwrap_or(i64::MAX));
    known("n", whole(shape.count()));
    known("size", whole(shape.dtype.scalar().bytes() as u64));
    match shape.extent {
        Extent::Linear(_) => {}
        Extent::Matrix(rows, columns) => {
            known("rows", whole(rows));
            known("columns", whole(columns));
        }
        Extent::Product(m, n, k) => {
            known("M", whole(m));
            known("N", whole(n));
            known("K", whole(k));
        }
    }
    if let Some(interface) = interface {
        for (name, value) in ["workgroup_x", "workgroup_y", "workgroup_z"].iter().zip(interface.workgroup_size) {
            known(name, whole(value.into()));
        }
        known("workgroup", whole(interface.invocations()));
    }
    for (name, value) in &shape.params {
        known(name, if value.fract() == 0.0 { Value::Whole(*value as i64) } else { Value::Real(*value) });
    }
    for (name, value) in interface.map_or(&[][..], |interface| &interface.overrides) {
        let value = match *value {
            Constant::Bool(value) => Value::Whole(value.into()),
            Constant::U32(value) => Value::Whole(value.into()),
            Constant::I32(value) => Value::Whole(value.into()),
            Constant::F32(value) => Value::Real(value.into()),
            Constant::F64(value) => Value::Real(value),
        };
        known(name, value);
    }
    scope
}

#[cfg(test)]
mod tests {
    use super::super::expression::Data;
    use super::*;

    fn value(text: &str) -> Result<f64, String> {
        let data = Data { at: Arc::new(|index| Value::Real(index as f64 / 2.0)), count: 10, is_integer: false };
        let keys = Data { at: Arc::new(|index| Value::Whole(index as i64 * 3)), count: 10, is_integer: true };
        let scope = Scope::from([
            ("n".to_owned(), Meaning::Value(Value::Whole(1000))),
            ("input".to_owned(), Meaning::Buffer(data)),
            ("keys".to_owned(), Meaning::Buffer(keys)),
        ]);
        let script = Script::new("x.toml: groups", text);
        script.and_then(|script| script.value(&scope)).map_err(|error| error.to_string())
    }

    #[test]
    fn an_expression_has_the_value_that_it_has_in_rust() {
        for (text, wanted) in [
            ("n / 256", 3.0),
            ("-7 / 2 * 2 + -7 % 2", -7.0),
            ("ceil_div(n, 256) + ceil_div(-3, 2)", 3.0),
            ("2.5 * n", 2500.0),
            ("7 / 2.0 - 0x10 - 1_000 + 2.0e-1", -1012.3),
            ("1 << 3 + 1 | 6 & 3 ^ 1", 19.0),
            ("1 < 2 && !(3 <= 2) || 1 / 0 == 1", 1.0),
            ("n == 1000.0 && n != 1 && 0 > -1 && 1 | 2 == 3", 1.0),
            ("input[3] + keys[2] / 4", 2.5),
            ("let s = 0.0; for k in 0..4 { s += input[k]; } s", 3.0),
            ("let a = 1; if a == 1 { let a = 5; a = 6; } a", 1.0),
            ("if n > 10 { min(n, 0.5) } else { 2 }", 0.5),
            ("f32(0.1)", f64::from(0.1_f32)),
            ("bits(1.0)", f64::from(1.0_f32.to_bits())),
            ("wrap(3000000000 + 3000000000) + wrapping_mul(65536, 65537)", 1705032704.0 + 65536.0),
            ("(n - 984).sqrt().max(3) + abs(-2) + int(2.9) + floor(1.5) + pow(2, 10) + float(1) / 2", 1033.5),
        ] {
            let found = value(text).expect(text);
            assert!((found - wanted).abs() <= 1e-12 * wanted.abs(), "{text}: {found}");
        }
    }

    #[test]
    fn a_fault_is_one_sentence_with_its_place() {
        for (text, part) in [
            ("rows / 2", "x.toml: groups: undefined variable: rows (line 1, position 1)"),
            ("n / ", "x.toml: groups: script is incomplete (line 1, position 5)"),
            ("n +\n  nosuch(1)", "function not found: nosuch (i64) (line 2, position 3)"),
            ("input[10]", "index 10 is out of range for 10 elements"),
            ("input[0 - 1]", "index -1 is out of range for 10 elements"),
            ("input + 1", "buffer"),
            ("n = 2", "cannot modify constant n"),
            ("input[0] = 1; 1", "a statement can set only right[i] (line 1, position 6)"),
            ("for k in 0..n { 1 }", "the expression has no value"),
            ("let s = 0; for k in 0..1000000000 { s += 1 } s", "too many operations (line 1, position"),
            ("let s = \"ab\"; loop { s += s }", "length of string too large"),
            ("let a = [1]; loop { a += a }", "size of array"),
            ("\"n\"", "the value is a string, not a number"),
            ("n / 0", "division by zero"),
            ("n * 9223372036854775807", "overflow"),
            ("1 << 64", "1 cannot be shifted by 64 bits"),
            ("1.5 & 1", "& (f64, i64)"),
            ("eval(\"1\")", "eval"),
            ("import \"x\"", "import"),
        ] {
            let fault = value(text).expect_err(text);
            assert!(fault.to_lowercase().contains(part) && !fault.contains('\n'), "{text}: {fault}");
        }
    }

    /// On a stack like that of a rayon worker, the smallest that expressions get.
    #[test]
    fn no_text_overflows_the_stack() {
        let deep = |open: &str, middle: &str, close: &str| {
            [60, 100_000].map(|levels| [open.repeat(levels), middle.to_owned(), close.repeat(levels)].concat())
        };
        let texts = [
            deep("(1 || 1 && 1 == 1 | 1 ^ 1 & 1 << 1 + 1 * ", "1", ")"),
            deep("-", "1", ""),
            deep("input[", "1", "]"),
            deep("sqrt(", "1", ")"),
            deep("if 1 { ", "1", " }"),
            deep("if 0 { 1 } else ", "{ 1 }", ""),
            deep("for k in 0..1 { ", "1", " }"),
            deep("", "1", ".abs()"),
        ];
        let long = ["1 + ".repeat(100_000) + "1", "let a = 1; ".repeat(100_000) + "a"];
        let check = move || {
            let faults = texts.iter().flatten().filter(|text| value(text).is_err()).count();
            assert!(faults >= texts.len(), "{faults}");
            long.iter().for_each(|text| _ = value(text));
        };
        std::thread::Builder::new()
            .stack_size(2 << 20)
            .spawn(check)
            .expect("a thread")
            .join()
            .expect("values and faults");
    }

    /// Every text ends with a value or an error.
    #[test]
    fn any_text_is_evaluated_or_refused() {
        const PARTS: &str =
            "let a = |for k in 0..3 |if |else |{|}|(|)|input[|]|a|k|n|1|2.5| + | - | / | && |;|.sqrt()|min(|,|é";
        let parts: Vec<&str> = PARTS.split('|').collect();
        arbtest::arbtest(|u| {
            let text: String =
                (0..u.int_in_range(0..=20)?).map(|_| u.choose(&parts).copied()).collect::<Result<_, _>>()?;
            let _ = value(&text);
            Ok(())
        });
    }
}
