//! Rhai expressions and programs of a declaration: numbers, `let`, `if`, loops, functions and buffer elements.
//! Operations, memory and time are limited, so every text ends.

use std::cell::Cell;
use std::sync::{Arc, LazyLock};

use rhai::{AST, Dynamic, Engine, EvalAltResult, Position, Scope};

use record::suite::budget::Budget;

/// The output's name in programs.
pub(super) const RIGHT: &str = "right";

/// The names whose values change from one evaluation to the next.
const CHANGING: [&str; 5] = ["i", "x", "y", "z", "channel"];

/// Most operations of one evaluation, against endless loops.
const MOST_OPERATIONS: u64 = 10_000_000;

/// The same for a program that sets a whole output: about a minute.
const MOST_OPERATIONS_OF_A_PROGRAM: u64 = 1_000_000_000;

/// Operations between two checks of the time.
const OPERATIONS_BETWEEN_LOOKS: u64 = 1 << 14;

/// The longest string, array or map, against doubling in a loop.
const LARGEST: usize = 1 << 16;

/// The deepest nesting of parentheses, blocks and calls: each level uses stack.
const MOST_DEPTH: usize = 64;

type Failed = Box<EvalAltResult>;

/// A value. Comparisons give 1 or 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    Whole(i64),
    Real(f64),
}

impl Value {
    pub(super) const fn real(self) -> f64 {
        match self {
            Self::Whole(value) => value as f64,
            Self::Real(value) => value,
        }
    }

    fn dynamic(self) -> Dynamic {
        match self {
            Self::Whole(value) => value.into(),
            Self::Real(value) => value.into(),
        }
    }
}

/// The elements of a buffer in expressions: `input[i]`.
#[derive(Clone)]
pub(super) struct Data {
    pub at: Arc<dyn Fn(u64) -> Value + Send + Sync>,
    pub count: u64,
    pub is_integer: bool,
}

impl Data {
    fn get(&mut self, index: i64) -> Result<Dynamic, Failed> {
        Ok((self.at)(index_of(index, self.count)?).dynamic())
    }

    fn set(&mut self, _: i64, _: Dynamic) -> Result<(), Failed> {
        Err("a statement can set only right[i]".into())
    }
}

#[derive(Clone)]
struct Output {
    values: Vec<f64>,
    is_integer: bool,
}

impl Output {
    fn get(&mut self, index: i64) -> Result<Dynamic, Failed> {
        let value = self.values[index_of(index, self.values.len() as u64)? as usize];
        Ok(if self.is_integer { Value::Whole(value as i64) } else { Value::Real(value) }.dynamic())
    }

    fn set(&mut self, index: i64, value: Dynamic) -> Result<(), Failed> {
        let index = index_of(index, self.values.len() as u64)?;
        self.values[index as usize] = number(&value)?.real();
        Ok(())
    }
}

fn index_of(index: i64, count: u64) -> Result<u64, Failed> {
    let known = u64::try_from(index).ok().filter(|index| *index < count);
    known.ok_or_else(|| format!("index {index} is out of range for {count} elements").into())
}

fn number(value: &Dynamic) -> Result<Value, Failed> {
    let whole = value.as_int().or_else(|_| value.as_bool().map(i64::from)).map(Value::Whole);
    whole.or_else(|_| value.as_float().map(Value::Real)).map_err(|kind| match kind {
        "()" => "the expression has no value".into(),
        kind => format!("the value is a {kind}, not a number").into(),
    })
}

/// The meaning of a name from outside the expression.
#[derive(Clone)]
pub(super) enum Meaning {
    Value(Value),
    Buffer(Data),
    /// The output that a program sets: its length, and whether its elements are integers.
    Output(u64, bool),
}

thread_local! {
    /// The operation limit and the time limit of the evaluation that runs in this thread.
    static LIMITS: Cell<Option<(u64, Budget)>> = const { Cell::new(None) };
}

/// Registers functions of a real number for integers, too.
macro_rules! real {
    ($engine:ident: $($name:ident)+) => {
        $($engine.register_fn(stringify!($name), f64::$name);
        $engine.register_fn(stringify!($name), |x: i64| (x as f64).$name());)+
    };
}

/// Rhai without modules or output. Bitwise operators bind as in Rust and WGSL, not as in C.
fn engine(is_strict: bool) -> Engine {
    let mut engine = Engine::new();
    engine.set_strict_variables(is_strict).set_max_expr_depths(MOST_DEPTH, MOST_DEPTH);
    engine.set_max_string_size(LARGEST).set_max_array_size(LARGEST).set_max_map_size(LARGEST);
    engine.on_print(|_| {}).on_debug(|_, _, _| {}).disable_symbol("eval");
    engine.on_progress(|count| {
        let (most, budget) = LIMITS.get().filter(|_| count % OPERATIONS_BETWEEN_LOOKS == 0)?;
        if count > most { Some("too many operations".into()) } else { budget.check().err().map(Dynamic::from) }
    });
    engine.register_type_with_name::<Data>("buffer").register_indexer_get_set(Data::get, Data::set);
    engine.register_type_with_name::<Output>("buffer").register_indexer_get_set(Output::get, Output::set);
    let shift = |of: fn(i64, u32) -> Option<i64>| {
        move |a: i64, b: i64| -> Result<i64, Failed> {
            let shifted = u32::try_from(b).ok().and_then(|b| of(a, b));
            shifted.ok_or_else(|| format!("{a} cannot be shifted by {b} bits").into())
        }
    };
    // Logic of `#if`, on numbers as in C.
    let is_true = |value: &Dynamic| number(value).is_ok_and(|value| value.real() != 0.0);
    engine.register_fn("!", |x: i64| x == 0);
    for (name, precedence, is_or) in [("or", 30, true), ("and", 60, false)] {
        engine.register_custom_operator(name, precedence).expect("not a keyword");
        let of = move |a: Dynamic, b: Dynamic| if is_true(&a) == is_or { is_or } else { is_true(&b) };
        engine.register_fn(name, of);
    }
    for (name, precedence) in [("|", 141), ("^", 143), ("&", 145), ("<<", 147), (">>", 147)] {
        engine.disable_symbol(name);
        engine.register_custom_operator(name, precedence).expect("a disabled symbol");
    }
    engine.register_fn("|", |a: i64, b: i64| a | b).register_fn("^", |a: i64, b: i64| a ^ b);
    engine.register_fn("&", |a: i64, b: i64| a & b);
    engine.register_fn("<<", shift(i64::checked_shl)).register_fn(">>", shift(i64::checked_shr));
    real!(engine: sqrt exp ln exp2 log2 sin cos tan tanh floor ceil round);
    engine.register_fn("pow", f64::powf).register_fn("pow", |x: i64, y: i64| (x as f64).powf(y as f64));
    engine
        .register_fn("pow", |x: f64, y: i64| x.powf(y as f64))
        .register_fn("pow", |x: i64, y: f64| (x as f64).powf(y));
    for (name, select) in [("min", f64::min as fn(f64, f64) -> f64), ("max", f64::max)] {
        engine.register_fn(name, move |a: i64, b: f64| select(a as f64, b));
        engine.register_fn(name, move |a: f64, b: i64| select(a, b as f64));
    }
    engine.register_fn("int", |x: f64| x as i64).register_fn("int", |x: i64| x);
    engine.register_fn("float", |x: f64| x).register_fn("float", |x: i64| x as f64);
    engine.register_fn("f32", |x: f64| f64::from(x as f32)).register_fn("f32", |x: i64| f64::from(x as f32));
    let bits = |x: f64| i64::from((x as f32).to_bits());
    engine.register_fn("bits", bits).register_fn("bits", move |x: i64| bits(x as f64));
    engine.register_fn("wrap", |x: i64| i64::from(x as u32));
    engine.register_fn("wrapping_mul", |x: i64, y: i64| i64::from((x as u32).wrapping_mul(y as u32)));
    engine.register_fn("ceil_div", |x: i64, y: i64| -> Result<i64, Failed> {
        if y <= 0 {
            Err("the divisor of ceil_div must be positive".into())
        } else {
            Ok(x.div_euclid(y) + (x.rem_euclid(y) > 0) as i64)
        }
    });
    engine
}

/// Rejects undefined names.
static STRICT: LazyLock<Engine> = LazyLock::new(|| engine(true));

/// The source of an expression or program that is known to parse.
pub(super) struct Expression(String);

impl Expression {
    /// Parses an expression or a program: statements that set elements of an output.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        static LENIENT: LazyLock<Engine> = LazyLock::new(|| engine(false));
        LENIENT.compile(text).map_err(|error| lowered(&error.to_string()))?;
        Ok(Self(text.to_owned()))
    }

    /// An evaluation with these meanings of names. Names that the text does not contain are left out.
    pub(super) fn frame<'a>(&self, names: impl Iterator<Item = (&'a String, &'a Meaning)>) -> Result<Frame, String> {
        let mut scope = Scope::new();
        for (name, meaning) in names.filter(|(name, _)| self.0.contains(name.as_str())) {
            match meaning {
                Meaning::Value(value) if CHANGING.contains(&name.as_str()) => {
                    scope.push_dynamic(name.clone(), value.dynamic())
                }
                Meaning::Value(value) => scope.push_constant_dynamic(name.clone(), value.dynamic()),
                Meaning::Buffer(data) => scope.push(name.clone(), data.clone()),
                Meaning::Output(count, is_integer) => scope
                    .push(name.clone(), Output { values: vec![f64::NAN; *count as usize], is_integer: *is_integer }),
            };
        }
        let ast = STRICT.compile_with_scope(&scope, &self.0).map_err(|error| lowered(&error.to_string()))?;
        Ok(Frame { ast, scope, budget: Budget::start() })
    }
}

pub(super) struct Frame {
    ast: AST,
    scope: Scope<'static>,
    /// The time limit of all evaluations with this frame.
    budget: Budget,
}

impl Frame {
    /// The same frame with a time limit that other frames share.
    pub(super) fn within(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        if let Some(known) = self.scope.get_mut(name) {
            *known = value.dynamic();
        }
    }

    pub(super) fn value(&mut self) -> Result<Value, String> {
        let found = self.evaluate(MOST_OPERATIONS)?;
        number(&found).map_err(|error| error.to_string())
    }

    /// Runs a program and returns its output. Elements that the program does not set are NaN.
    pub(super) fn run(&mut self) -> Result<Vec<f64>, String> {
        let _ = self.evaluate(MOST_OPERATIONS_OF_A_PROGRAM)?;
        let output = self.scope.remove::<Output>(RIGHT);
        Ok(output.map_or_else(Vec::new, |output| output.values))
    }

    fn evaluate(&mut self, most: u64) -> Result<Dynamic, String> {
        LIMITS.set(Some((most, self.budget)));
        let variables = self.scope.len();
        let found = STRICT.eval_ast_with_scope(&mut self.scope, &self.ast);
        self.scope.rewind(variables);
        found.map_err(|error| match *error {
            EvalAltResult::ErrorTerminated(why, at) => with_place(&why.to_string(), at),
            error => lowered(&error.to_string()),
        })
    }
}

fn with_place(sentence: &str, at: Position) -> String {
    if at.is_none() { sentence.to_owned() } else { format!("{sentence} ({at})") }
}

/// Rhai's message as the end of a sentence.
fn lowered(message: &str) -> String {
    let message = message.strip_prefix("Runtime error: ").unwrap_or(message);
    let mut letters = message.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
