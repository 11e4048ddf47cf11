//! Loops that a comment marks to be unrolled, as `#pragma unroll` does in CUDA.
//!
//! Neither naga nor the drivers' compilers unroll every loop of constant bounds, and an array that a loop indexes then
//! stays in memory. A line `// unroll` (or `// unroll: why`) before `for (var i = 0u; i < 16u; i++) {` repeats the body
//! with each value of `i`, before anything compiles it. Bounds may name constants and overrides. To every other tool
//! the line is a comment, and the loop a loop.

use naga::{Expression, Literal};

use record::error::{Error, Result};
use record::suite::Constants;

const MARK: &str = "// unroll";

/// Maximum repetitions of a loop, and bytes of the unrolled source.
const MOST: usize = 256;
const LARGEST: usize = 1 << 20;

pub(super) fn is_marked(source: &str) -> bool {
    source.lines().any(is_mark)
}

fn is_mark(line: &str) -> bool {
    line.trim_start().strip_prefix(MARK).is_some_and(|rest| rest.trim_end().is_empty() || rest.starts_with(':'))
}

/// `source` with the bodies of marked loops repeated. Overrides have the values of `constants`, or their defaults. An
/// error, with the line, if a marked loop cannot be unrolled.
pub(super) fn unrolled(source: &str, constants: &Constants) -> Result<String> {
    expanded(source, (source, constants), 1)
}

/// A source, and the values of its overrides.
type Scope<'a> = (&'a str, &'a Constants);

/// Expands `text`, which starts at line `first` of the source.
fn expanded(text: &str, source: Scope, first: usize) -> Result<String> {
    let mut written = String::with_capacity(text.len());
    let (mut rest, mut line) = (text, first);
    while let Some(next) = rest.split_inclusive('\n').next() {
        rest = &rest[next.len()..];
        line += 1;
        if !is_mark(next) {
            written.push_str(next);
            continue;
        }
        let fault = |what: &str| Error::Shader(format!("line {}: {what}", line - 1));
        let counted = Counted::parse(rest, source).ok_or_else(|| {
            fault("a loop marked '// unroll' must begin like `for (var i = 0u; i < 8u; i++) {`, with constant bounds")
        })?;
        if counted.values.len() > MOST {
            return Err(fault(&format!("a loop marked '// unroll' may have at most {MOST} iterations")));
        }
        let length = body_length(counted.body).ok_or_else(|| fault("a loop marked '// unroll' is not closed"))?;
        let body = &counted.body[..length];
        let header = &rest[..rest.len() - counted.body.len()];
        let line_of_body = line + header.matches('\n').count();
        // An empty body has no text that would limit how often it is repeated.
        let repeated = if body.trim().is_empty() { &[] } else { counted.values.as_slice() };
        for value in repeated {
            let one = body_with(body, counted.name, value).map_err(|what| fault(&what))?;
            written.push_str(&expanded(&one, source, line_of_body)?);
            if written.len() > LARGEST {
                return Err(fault("loops marked '// unroll' expand to more than 1 MiB of text"));
            }
        }
        line = line_of_body + body.matches('\n').count();
        rest = &counted.body[length + 1..];
    }
    Ok(written)
}

/// The head of a loop: its variable, the variable's values as literals, and the text after the opening brace.
struct Counted<'a> {
    name: &'a str,
    values: Vec<String>,
    body: &'a str,
}

impl<'a> Counted<'a> {
    fn parse(text: &'a str, source: Scope) -> Option<Self> {
        let head = text.trim_start().strip_prefix("for")?.trim_start().strip_prefix('(')?;
        let (declared, head) = head.split_once(';')?;
        let (condition, head) = head.split_once(';')?;
        let (step, body) = head.split_once('{')?;
        let (name, start) = declared.trim().strip_prefix("var ")?.split_once('=')?;
        let name = name.split(':').next()?.trim();
        let of_name = |text: &'a str| Some(text.trim().strip_prefix(name)?.trim_start());
        let (goes_on, end) = operation(of_name(condition)?, &COMPARISONS)?;
        let step = of_name(step.trim_end().strip_suffix(')')?)?;
        let (next, by) = match step {
            "++" => operation("+=1", &STEPS)?,
            "--" => operation("-=1", &STEPS)?,
            step => operation(step, &STEPS)?,
        };
        let ((start, suffix), (end, _), (by, _)) =
            (constant(start, source)?, constant(end, source)?, constant(by, source)?);
        let is_within =
            |value: i64| if suffix == 'u' { u32::try_from(value).is_ok() } else { i32::try_from(value).is_ok() };
        let all = std::iter::successors(Some(start), |value| {
            next(*value, by).filter(|next| next != value && is_within(*next))
        });
        // One more than is allowed is enough to refuse it.
        let values: Vec<i64> = all.take_while(|value| goes_on(value, &end)).take(MOST + 1).collect();
        // A loop whose variable overflows after its last value might not end.
        let is_over = values
            .last()
            .is_none_or(|last| next(*last, by).is_some_and(|next| is_within(next) && !goes_on(&next, &end)));
        let is_known = values.len() > MOST || is_over;
        let values = values.into_iter().map(|value| format!("{value}{suffix}")).collect();
        is_known.then_some(Self { name, values, body })
    }
}

/// The operator that `text` starts with, and the rest.
fn operation<'a, F: Copy>(text: &'a str, known: &[(&str, F)]) -> Option<(F, &'a str)> {
    known.iter().find_map(|(operator, does)| Some((*does, text.strip_prefix(operator)?)))
}

type Comparison = fn(&i64, &i64) -> bool;
const COMPARISONS: [(&str, Comparison); 5] =
    [("<=", i64::le), (">=", i64::ge), ("!=", i64::ne), ("<", i64::lt), (">", i64::gt)];

type Step = fn(i64, i64) -> Option<i64>;
const STEPS: [(&str, Step); 6] = [
    ("+=", i64::checked_add),
    ("-=", i64::checked_sub),
    ("*=", i64::checked_mul),
    ("/=", i64::checked_div),
    ("<<=", |value, by| value.checked_shl(u32::try_from(by).ok()?)),
    (">>=", |value, by| value.checked_shr(u32::try_from(by).ok()?)),
];

/// The value of a constant expression that may name the source's constants and overrides, and the suffix of its type.
fn constant(expression: &str, source: Scope) -> Option<(i64, char)> {
    let number = expression.trim();
    let (digits, suffix) = number.strip_suffix('u').map_or((number, 'i'), |digits| (digits, 'u'));
    if let Ok(value) = digits.parse::<u32>() {
        return Some((value.into(), suffix));
    }
    let declarations = declarations_for(expression, source);
    [("i32", 'i'), ("u32", 'u')].into_iter().find_map(|(kind, suffix)| {
        let module =
            naga::front::wgsl::parse_str(&format!("{declarations}const unrolled: {kind} = {expression};")).ok()?;
        let (_, own) = module.constants.iter().find(|(_, own)| own.name.as_deref() == Some("unrolled"))?;
        match module.global_expressions[own.init] {
            Expression::Literal(Literal::I32(value)) => Some((value.into(), suffix)),
            Expression::Literal(Literal::U32(value)) => Some((value.into(), suffix)),
            _ => None,
        }
    })
}

/// Declarations of the constants and overrides that `expression` names, and of those that these name.
fn declarations_for(expression: &str, (source, constants): Scope) -> String {
    let mut needed: Vec<String> = Vec::new();
    let mut texts = vec![expression];
    while let Some(text) = texts.pop() {
        for name in words(text) {
            let declared = source.lines().find_map(|line| {
                let (kind, rest) = line.split_once(' ').filter(|(kind, _)| matches!(*kind, "const" | "override"))?;
                (rest.split([':', ' ', '=', ';']).next() == Some(name)).then_some((kind, rest))
            });
            let Some((kind, rest)) = declared else { continue };
            let given = constants.get(name).filter(|_| kind == "override");
            let declaration = match (given, rest.split([':', '=', ';']).nth(1)) {
                (Some(value), Some(of)) => format!("const {name} = {of}({value});\n"),
                _ => format!("const {rest}\n"),
            };
            if !needed.contains(&declaration) {
                needed.push(declaration);
                texts.extend(rest.split_once('=').map(|(_, value)| value).filter(|_| given.is_none()));
            }
        }
    }
    needed.concat()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    Tokens { rest: text }.filter(|token| token.starts_with(|first: char| first.is_alphabetic() || first == '_'))
}

/// Bytes up to the brace that closes a body.
fn body_length(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    for token in (Tokens { rest: text }) {
        match token {
            "{" => depth += 1,
            "}" if depth == 0 => return Some(at),
            "}" => depth -= 1,
            _ => {}
        }
        at += token.len();
    }
    None
}

/// The body of one repetition, in its own scope if it declares something; or why it cannot be repeated.
fn body_with(body: &str, name: &str, value: &str) -> Result<String, String> {
    let mut written = String::with_capacity(body.len());
    // The words that opened the blocks around a token, and the one that may open the next.
    let (mut blocks, mut opening) = (Vec::new(), "");
    let (mut declares, mut before) = (false, "");
    let mut tokens = Tokens { rest: body };
    while let Some(token) = tokens.next() {
        let is_inside = |words: &[&str]| blocks.iter().any(|block| words.contains(block));
        match token {
            "for" | "while" | "loop" | "switch" => opening = token,
            "{" => blocks.push(std::mem::take(&mut opening)),
            "}" => drop(blocks.pop()),
            "let" | "var" | "const" => declares |= blocks.is_empty() && opening.is_empty(),
            "break" if !is_inside(&["for", "while", "loop", "switch"]) => {
                return Err("a loop marked '// unroll' must not have a break".to_owned());
            }
            "continue" if !is_inside(&["for", "while", "loop"]) => {
                return Err("a loop marked '// unroll' must not have a continue".to_owned());
            }
            _ => {}
        }
        if token == name && before != "." {
            let after = tokens.rest.trim_start();
            let is_changed = ["++", "--", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="]
                .iter()
                .any(|operator| after.starts_with(operator))
                || after.starts_with('=') && !after.starts_with("==");
            if is_changed || matches!(before, "let" | "var" | "const") {
                return Err(format!(
                    "the body of a loop marked '// unroll' must neither change nor redeclare '{name}'"
                ));
            }
            written.push_str(value);
        } else {
            written.push_str(token);
        }
        if !token.starts_with(char::is_whitespace) {
            before = token;
        }
    }
    Ok(if declares { format!("{{{written}}}") } else { written })
}

/// Words and numbers, comments, runs of whitespace, and other characters one by one: together the whole text.
struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let first = self.rest.chars().next()?;
        let is_word = |part: char| part.is_alphanumeric() || part == '_';
        let length = if self.rest.starts_with("//") {
            self.rest.find('\n')
        } else if self.rest.starts_with("/*") {
            comment_length(self.rest)
        } else if is_word(first) {
            self.rest.find(|part| !is_word(part))
        } else if first.is_whitespace() {
            self.rest.find(|part: char| !part.is_whitespace())
        } else {
            Some(first.len_utf8())
        };
        let (token, rest) = self.rest.split_at(length.unwrap_or(self.rest.len()));
        self.rest = rest;
        Some(token)
    }
}

/// Bytes of the block comment that `text` starts with; they nest in WGSL.
fn comment_length(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find(['/', '*']) {
        at += found;
        if text[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if text[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += 1;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(source: &str) -> String {
        match unrolled(source, &Constants::new()) {
            Ok(text) => panic!("{text}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_marked_loop_becomes_its_bodies() {
        let source =
            "const N = 2u;\nfn f() {\n    // unroll: registers\n    for (var i = 0u; i < N; i++) { x[i] = p.i; }\n}\n";
        assert_eq!(
            unrolled(source, &Constants::new()).expect("text"),
            "const N = 2u;\nfn f() {\n x[0u] = p.i;  x[1u] = p.i; \n}\n"
        );
        assert!(is_marked(source) && !is_marked("// unroll the loop\n// unrolled: by hand\n"));
    }

    #[test]
    fn loops_nest_have_steps_and_scopes_of_their_own() {
        let source = "// unroll\nfor (var i: i32 = 0; i < 8; i += 4) {\n// unroll\nfor (var j = i; j < i + 2; j++) { f(i, j); }\nlet k = i; }";
        let text = unrolled(source, &Constants::new()).expect("text");
        let code: Vec<_> = text.split_whitespace().collect();
        assert_eq!(code.join(" "), "{ f(0i, 0i); f(0i, 1i); let k = 0i; }{ f(4i, 4i); f(4i, 5i); let k = 4i; }");
    }

    #[test]
    fn loops_count_down_and_double() {
        let values = |head: &str| {
            let text = unrolled(&format!("const HALF = 4u;\n// unroll\nfor ({head}) {{v(s);}}"), &Constants::new());
            text.expect("text").lines().nth(1).unwrap_or_default().replace("v(", "").replace(");", " ")
        };
        assert_eq!(values("var s = 1u; s < 8u; s *= 2u"), "1u 2u 4u ");
        assert_eq!(values("var s = HALF; s > 0u; s >>= 1u"), "4u 2u 1u ");
        assert_eq!(values("var s: i32 = 2; s >= -1; s--"), "2i 1i 0i -1i ");
        assert_eq!(values("var s = 0u; s != 6u; s += 3u"), "0u 3u ");
        assert_eq!(values("var s = 3u; s < 2u; s++"), "");
    }

    #[test]
    fn bounds_name_constants_and_overrides() {
        let source =
            "override D: u32 = 32u;\nconst PART = 16u;\n// unroll\nfor (var i = 0u; i < D / PART; i++) { f(i); }";
        let body = |constants| {
            let text = unrolled(source, &constants).expect("text");
            text.lines().last().expect("a line").trim().to_owned()
        };
        assert_eq!(body(Constants::new()), "f(0u);  f(1u);");
        assert_eq!(body([("D".to_owned(), 16.0)].into()), "f(0u);");
    }

    #[test]
    fn braces_and_names_in_comments_do_not_count() {
        let source = "// unroll\nfor (var i = 0u; i < 1u; i++) { /* } /* i */ */ // } i\n a(i); }b";
        assert_eq!(unrolled(source, &Constants::new()).expect("text"), " /* } /* i */ */ // } i\n a(0u); b");
    }

    #[test]
    fn what_cannot_be_unrolled_is_refused_with_its_line() {
        let loop_of = |head: &str, body: &str| format!("override WG: u32;\n// unroll\nfor ({head}) {{ {body} }}");
        let eight = "var i = 0u; i < 8u; i++";
        for head in ["var i = 0u; i < n; i++", "var i = 0u; i < 8u; i += 0u", "var i = 3u; i >= 0u; i--", "; ; "] {
            assert!(refusal(&loop_of(head, "")).contains("line 2: a loop marked '// unroll' must begin"), "{head}");
        }
        assert!(refusal(&loop_of("var i = 0u; i < 1000000000u; i++", "")).contains("at most 256 iterations"));
        assert!(refusal(&loop_of(eight, "if (i == 2u) { break; }")).contains("must not have a break"));
        assert!(refusal(&loop_of(eight, "switch (i) { default { continue; } }")).contains("must not have a continue"));
        for body in ["i += 2u;", "i = 3u;", "let i = 3u;"] {
            assert!(refusal(&loop_of(eight, body)).contains("must neither change nor redeclare 'i'"), "{body}");
        }
        assert!(
            unrolled(&loop_of(eight, "while (true) { if (i == 2u) { break; } continue; }"), &Constants::new()).is_ok()
        );
        assert!(refusal("// unroll\nfor (var i = 0u; i < 8u; i++) { f();").contains("is not closed"));
        assert!(refusal("\n// unroll\nlet a = 1;").contains("line 2:"));
    }
}
