//! Expressions in a kernel's declaration: lengths, grids, work and right answers.

use std::sync::{Arc, OnceLock};

use rhai::{AST, Dynamic, Engine, EvalAltResult, Scope};

use crate::error::{Error, Result};
use crate::suite::{Extent, Interface, Shape, Value};

/// Operations of one evaluation, against loops without end.
const MOST_OPERATIONS: u64 = 10_000_000;

/// Largest string, array or map of an expression, against doubling in a loop.
const LARGEST: usize = 1 << 16;

/// A parsed expression.
#[derive(Clone)]
pub(super) struct Script {
    /// What it is for, with the file: `stencil.toml: groups`.
    what: String,
    ast: Arc<AST>,
}

/// The elements of a buffer, for the expression of an answer: `input[i]`.
#[derive(Clone)]
pub(super) struct Data {
    /// Element by index.
    pub at: Arc<dyn Fn(u64) -> f64 + Send + Sync>,
    /// Number of elements.
    pub count: u64,
    /// Whether they are integers.
    pub is_integer: bool,
}

impl Data {
    fn get(&mut self, index: i64) -> Result<Dynamic, Box<EvalAltResult>> {
        let known = u64::try_from(index).ok().filter(|index| *index < self.count);
        let index = known.ok_or_else(|| format!("there is no element {index} of {}", self.count))?;
        let value = (self.at)(index);
        Ok(if self.is_integer { Dynamic::from_int(value as i64) } else { Dynamic::from_float(value) })
    }
}

/// Rhai without modules, and without output.
fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let mut engine = Engine::new();
        engine.set_max_operations(MOST_OPERATIONS);
        engine.set_max_string_size(LARGEST).set_max_array_size(LARGEST).set_max_map_size(LARGEST);
        engine.on_print(|_| {}).on_debug(|_, _, _| {});
        engine.disable_symbol("eval");
        engine.register_type_with_name::<Data>("buffer").register_indexer_get(Data::get);
        engine.register_fn("ceil_div", |a: i64, b: i64| -> Result<i64, Box<EvalAltResult>> {
            if b <= 0 { Err("ceil_div divides by a positive number".into()) } else { Ok((a + b - 1).div_euclid(b)) }
        });
        for (name, select) in [("min", f64::min as fn(f64, f64) -> f64), ("max", f64::max)] {
            engine.register_fn(name, move |a: i64, b: f64| select(a as f64, b));
            engine.register_fn(name, move |a: f64, b: i64| select(a, b as f64));
        }
        engine.register_fn("f32", |x: f64| f64::from(x as f32));
        engine.register_fn("f32", |x: i64| f64::from(x as f32));
        engine.register_fn("bits", |x: f64| i64::from((x as f32).to_bits()));
        engine
    })
}

impl Script {
    /// Parses `text`, which is for `what`.
    ///
    /// # Errors
    /// [`Error::Usage`] with the fault and its place.
    pub(super) fn new(what: &str, text: &str) -> Result<Self> {
        let ast = engine().compile(text).map_err(|error| Error::Usage(format!("{what}: {}", sentence(&error))))?;
        Ok(Self { what: what.to_owned(), ast: Arc::new(ast) })
    }

    /// Its value with these variables.
    ///
    /// # Errors
    /// [`Error::Usage`] where it has none that is a number.
    pub(super) fn value(&self, scope: &mut Scope<'_>) -> Result<f64> {
        let fault = |message: String| Error::Usage(format!("{}: {message}", self.what));
        let found: Dynamic = engine().eval_ast_with_scope(scope, &self.ast).map_err(|error| fault(sentence(&error)))?;
        number(&found).ok_or_else(|| fault(format!("the value is no number but a {}", found.type_name())))
    }

    /// Its value, which must be a whole number from `least` on.
    ///
    /// # Errors
    /// [`Error::Usage`] if it is not.
    pub(super) fn whole(&self, scope: &mut Scope<'_>, least: u64) -> Result<u64> {
        let value = self.value(scope)?;
        let is_whole = value.fract() == 0.0 && value >= least as f64 && value < 9e15;
        let fault = || Error::Usage(format!("{}: {value} is no whole number from {least} on", self.what));
        is_whole.then_some(value as u64).ok_or_else(fault)
    }

    /// What it is for.
    pub(super) fn what(&self) -> &str {
        &self.what
    }
}

fn number(value: &Dynamic) -> Option<f64> {
    let of_bool = || value.as_bool().ok().map(|value| f64::from(u8::from(value)));
    value.as_float().ok().or_else(|| value.as_int().ok().map(|value| value as f64)).or_else(of_bool)
}

/// Rhai's message as part of a sentence.
fn sentence(error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().collect::<String>() + chars.as_str())
}

/// The variables of expressions: the size, the parameters, and the overrides and the workgroup of a kernel.
pub(super) fn variables(shape: &Shape, interface: Option<&Interface>) -> Scope<'static> {
    let mut scope = Scope::new();
    let mut whole = |name: &str, value: u64| {
        scope.push_constant(name.to_owned(), i64::try_from(value).unwrap_or(i64::MAX));
    };
    whole("n", shape.count());
    whole("size", shape.dtype.scalar().bytes() as u64);
    match shape.extent {
        Extent::Linear(_) => {}
        Extent::Matrix(rows, columns) => {
            whole("rows", rows);
            whole("columns", columns);
        }
        Extent::Product(m, n, k) => {
            whole("M", m);
            whole("N", n);
            whole("K", k);
        }
    }
    if let Some(interface) = interface {
        for (name, value) in ["workgroup_x", "workgroup_y", "workgroup_z"].iter().zip(interface.workgroup_size) {
            whole(name, value.into());
        }
        whole("workgroup", interface.invocations().into());
    }
    let overrides = interface.map_or(&[][..], |interface| &interface.overrides);
    for (name, value) in overrides {
        match *value {
            Value::Bool(value) => scope.push_constant(name.clone(), i64::from(value)),
            Value::U32(value) => scope.push_constant(name.clone(), i64::from(value)),
            Value::I32(value) => scope.push_constant(name.clone(), i64::from(value)),
            Value::F32(value) => scope.push_constant(name.clone(), f64::from(value)),
            Value::F64(value) => scope.push_constant(name.clone(), value),
        };
    }
    for (name, value) in shape.params.iter().filter(|(name, _)| !overrides.iter().any(|(known, _)| known == *name)) {
        if value.fract() == 0.0 {
            scope.push_constant(name.clone(), *value as i64);
        } else {
            scope.push_constant(name.clone(), *value);
        }
    }
    scope
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<f64, String> {
        let mut scope = Scope::new();
        scope.push("n", 1000_i64);
        let data = Data { at: Arc::new(|index| index as f64 / 2.0), count: 10, is_integer: false };
        scope.push("input", data);
        Script::new("x.toml: groups", text)
            .and_then(|script| script.value(&mut scope))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn integers_stay_integers_and_mix_with_floats() {
        assert_eq!(value("n / 256"), Ok(3.0));
        assert_eq!(value("ceil_div(n, 256)"), Ok(4.0));
        assert_eq!(value("2.5 * n"), Ok(2500.0));
        assert_eq!(value("input[3] + 1"), Ok(2.5));
        assert_eq!(value("let s = 0.0; for k in 0..4 { s += input[k]; } s"), Ok(3.0));
        assert_eq!(value("if n > 10 { min(n, 0.5) } else { 2 }"), Ok(0.5));
        assert_eq!(value("f32(0.1)"), Ok(f64::from(0.1_f32)));
        assert_eq!(value("bits(1.0)"), Ok(f64::from(1.0_f32.to_bits())));
    }

    #[test]
    fn a_fault_is_one_sentence_with_its_place() {
        for (text, part) in [
            ("rows / 2", "x.toml: groups: variable not found: rows (line 1, position 1)"),
            ("n / ", "x.toml: groups: script is incomplete (line 1, position 5)"),
            ("let s = \"ab\"; loop { s += s }", "length of string too large"),
            ("let a = [1]; loop { a += a }", "size of array"),
            ("input[10]", "there is no element 10 of 10"),
            ("loop {}", "too many operations"),
            ("\"n\"", "the value is no number but a string"),
            ("n / 0", "division by zero"),
            ("eval(\"1\")", "eval"),
            ("import \"x\"", "import"),
        ] {
            let fault = value(text).expect_err(text);
            assert!(fault.to_lowercase().contains(part) && !fault.contains('\n'), "{text}: {fault}");
        }
    }
}
