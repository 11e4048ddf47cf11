//! Text to tree.

use super::tree::{Expression, Fault, Node};
use super::value::{Function, OPERATORS, Operator, Value};

/// Levels of parentheses, blocks and calls inside each other: each needs a part of the stack.
const MOST_DEPTH: usize = 64;

/// Method calls on one value, for the same reason.
const MOST_METHODS: usize = 8;

/// What programs call the output that they set.
pub(in super::super) const RIGHT: &str = "right";

const KEYWORDS: [&str; 5] = ["let", "for", "in", "if", "else"];

pub(super) fn parse(text: &str, is_program: bool) -> Result<Expression, Fault> {
    let mut parser =
        Parser { text, at: 0, locals: Vec::new(), most_locals: 0, names: Vec::new(), depth: 0, is_program };
    let (body, has_value) = parser.statements("")?;
    if !is_program && !has_value {
        return Err(parser.fault("a value"));
    }
    let names = parser.names.into_iter().map(|(name, at)| (name.to_owned(), at)).collect();
    Ok(Expression { text: text.to_owned(), body, names, locals: parser.most_locals })
}

struct Parser<'a> {
    text: &'a str,
    /// The next byte.
    at: usize,
    /// Variables that are declared here.
    locals: Vec<&'a str>,
    most_locals: usize,
    names: Vec<(&'a str, usize)>,
    depth: usize,
    /// Whether it may change elements of an output, and needs no value.
    is_program: bool,
}

impl<'a> Parser<'a> {
    /// The text behind blanks and comments.
    fn rest(&mut self) -> &'a str {
        loop {
            let rest = self.text[self.at..].trim_start();
            self.at = self.text.len() - rest.len();
            if !rest.starts_with("//") {
                return rest;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// Whether this sign is next; it is then stepped over.
    fn is_next(&mut self, sign: &str) -> bool {
        let is_next = self.rest().starts_with(sign);
        self.at += if is_next { sign.len() } else { 0 };
        is_next
    }

    /// Whether this word is next; it is then stepped over.
    fn is_word(&mut self, word: &str) -> bool {
        let is_next = leading(self.rest()) == word;
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    fn expect(&mut self, sign: &str) -> Result<(), Fault> {
        if self.is_next(sign) { Ok(()) } else { Err(self.fault(&format!("'{sign}'"))) }
    }

    /// The fault of a text that lacks `wanted`.
    fn fault(&mut self, wanted: &str) -> Fault {
        let found = match (leading(self.rest()), self.rest().chars().next()) {
            (_, None) => "the end".to_owned(),
            ("", Some(sign)) => format!("'{}'", sign.escape_default()),
            (word, _) => format!("'{word}'"),
        };
        (format!("expecting {wanted}, found {found}"), self.at)
    }

    /// What `parse` makes of the text inside of something.
    fn inside<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth == MOST_DEPTH {
            return Err((format!("more than {MOST_DEPTH} levels inside each other"), self.at));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn name(&mut self) -> Result<&'a str, Fault> {
        let name = leading(self.rest());
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || KEYWORDS.contains(&name) {
            return Err(self.fault("a name"));
        }
        self.at += name.len();
        Ok(name)
    }

    fn declare(&mut self, name: &'a str) -> usize {
        self.locals.push(name);
        self.most_locals = self.most_locals.max(self.locals.len());
        self.locals.len() - 1
    }

    fn is_end(&mut self, end: &str) -> bool {
        if end.is_empty() { self.rest().is_empty() } else { self.rest().starts_with(end) }
    }

    /// Statements up to `end`, which is stepped over, and whether the last one has a value.
    fn statements(&mut self, end: &str) -> Result<(Node, bool), Fault> {
        let outer = self.locals.len();
        let (mut nodes, mut has_value) = (Vec::new(), false);
        while !self.is_end(end) {
            let (node, is_closed, is_value) = self.statement()?;
            nodes.push(node);
            let is_divided = self.is_next(";");
            has_value = is_value && !is_divided;
            if !is_closed && !is_divided && !self.is_end(end) {
                return Err(self.fault("';' or an operator"));
            }
        }
        if !has_value {
            nodes.push(Node::Value(Value::NONE));
        }
        self.at += end.len();
        self.locals.truncate(outer);
        Ok((Node::Block(nodes), has_value))
    }

    /// A statement; whether it ends without a semicolon, and whether it has a value.
    fn statement(&mut self) -> Result<(Node, bool, bool), Fault> {
        if self.is_word("let") {
            let name = self.name()?;
            self.expect("=")?;
            let value = self.expression()?;
            return Ok((Node::Set(self.declare(name), Box::new(value)), false, false));
        }
        let is_if = leading(self.rest()) == "if";
        let start = self.at;
        if self.is_word("for") {
            let name = self.name()?;
            if !self.is_word("in") {
                return Err(self.fault("'in'"));
            }
            let first = self.expression()?;
            self.expect("..")?;
            let end = self.expression()?;
            let slot = self.declare(name);
            let body = self.block()?;
            self.locals.pop();
            return Ok((Node::For(start, slot, Box::new([first, end, body])), true, false));
        }
        let node = self.expression()?;
        self.rest();
        let at = self.at;
        let Some(sign) = ["=", "+=", "-=", "*=", "/=", "%="].into_iter().find(|sign| self.is_next(sign)) else {
            return Ok((node, is_if, true));
        };
        let operator = OPERATORS.iter().find(|operator| operator.sign == sign.trim_end_matches('='));
        let (slot, element) = match node {
            Node::Local(slot) => (slot, None),
            Node::Element(name, place, index) if self.is_program && self.names[name].0 == RIGHT => {
                (name, Some((place, *index)))
            }
            _ if self.is_program => {
                return Err(("only a variable of 'let' and right[i] can be changed".to_owned(), start));
            }
            _ => return Err(("only a variable of 'let' can be changed".to_owned(), start)),
        };
        let mut value = self.expression()?;
        if let Some((place, index)) = element {
            return Ok((Node::SetElement(slot, place, operator, Box::new([index, value])), false, false));
        }
        if let Some(operator) = operator {
            let node = Node::Local(slot);
            value = Node::Chain(Box::new(node), vec![(operator, at, value)]);
        }
        Ok((Node::Set(slot, Box::new(value)), false, false))
    }

    fn block(&mut self) -> Result<Node, Fault> {
        self.expect("{")?;
        self.inside(|parser| Ok(parser.statements("}")?.0))
    }

    fn expression(&mut self) -> Result<Node, Fault> {
        self.inside(|parser| parser.chain(0))
    }

    /// Operands and operators of a precedence above `least`.
    fn chain(&mut self, least: u8) -> Result<Node, Fault> {
        let mut node = self.operand()?;
        while let Some(precedence) = self.operator().map(|operator| operator.precedence).filter(|own| *own > least) {
            let mut rest = Vec::new();
            while let Some(operator) = self.operator().filter(|operator| operator.precedence == precedence) {
                let at = self.at;
                self.at += operator.sign.len();
                rest.push((operator, at, self.chain(precedence)?));
            }
            node = Node::Chain(Box::new(node), rest);
        }
        Ok(node)
    }

    /// The operator that is next.
    fn operator(&mut self) -> Option<&'static Operator> {
        let rest = self.rest();
        let found = OPERATORS.iter().filter(|operator| rest.starts_with(operator.sign));
        let found = found.max_by_key(|operator| operator.sign.len())?;
        let is_assignment = rest[found.sign.len()..].starts_with('=') && "+-*/%".contains(found.sign);
        (!is_assignment).then_some(found)
    }

    /// What stands between operators.
    fn operand(&mut self) -> Result<Node, Fault> {
        self.rest();
        let at = self.at;
        if self.is_next("-") {
            return Ok(Node::Negative(at, Box::new(self.inside(Self::operand)?)));
        }
        if self.is_next("!") {
            return Ok(Node::Not(Box::new(self.inside(Self::operand)?)));
        }
        let mut node = self.primary()?;
        let mut count = 0;
        while !self.rest().starts_with("..") && self.is_next(".") {
            if count == MOST_METHODS {
                return Err((format!("more than {MOST_METHODS} calls in a row"), self.at));
            }
            count += 1;
            let (name, at) = (self.name()?, self.at);
            self.expect("(")?;
            node = self.call(name, at - name.len(), vec![node])?;
        }
        Ok(node)
    }

    fn primary(&mut self) -> Result<Node, Fault> {
        if self.is_next("(") {
            let node = self.expression()?;
            self.expect(")")?;
            return Ok(node);
        }
        if self.is_word("if") {
            return self.inside(Self::branches);
        }
        if self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            return self.number().map(Node::Value);
        }
        let (name, end) = (self.name().map_err(|_| self.fault("a value"))?, self.at);
        let at = end - name.len();
        if self.is_next("(") { self.call(name, at, Vec::new()) } else { self.variable(name, at) }
    }

    /// `1`, `0xff`, `1.5`, `1e-3`; the `0` of `0..4` and the `2` of `2.sqrt()`.
    fn number(&mut self) -> Result<Value, Fault> {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let is_hex = rest.starts_with("0x");
        let goes_on = |at: usize| match bytes[at] {
            b'.' => bytes.get(at + 1).is_none_or(|next| !next.is_ascii_alphabetic() && *next != b'.'),
            b'+' | b'-' => !is_hex && matches!(bytes[at - 1], b'e' | b'E'),
            byte => byte.is_ascii_alphanumeric() || byte == b'_',
        };
        let written = &rest[..(1..bytes.len()).find(|at| !goes_on(*at)).unwrap_or(bytes.len())];
        let digits = written.replace('_', "");
        let value = match digits.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16).ok().map(Value::Whole),
            None if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok().map(Value::Whole),
            None => digits.parse().ok().map(Value::Real),
        };
        let value = value.ok_or_else(|| (format!("{written} is not a number"), self.at))?;
        self.at += written.len();
        Ok(value)
    }

    /// What follows `if`.
    fn branches(&mut self) -> Result<Node, Fault> {
        let condition = self.expression()?;
        let then = self.block()?;
        let other = if !self.is_word("else") {
            Node::Value(Value::NONE)
        } else if self.is_word("if") {
            self.inside(Self::branches)?
        } else {
            self.block()?
        };
        Ok(Node::If(Box::new([condition, then, other])))
    }

    fn variable(&mut self, name: &'a str, at: usize) -> Result<Node, Fault> {
        if let Some(slot) = self.locals.iter().rposition(|known| *known == name) {
            return Ok(Node::Local(slot));
        }
        if name == "true" || name == "false" {
            return Ok(Node::Value(Value::Whole((name == "true").into())));
        }
        let index = self.names.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            self.names.push((name, at));
            self.names.len() - 1
        });
        if !self.is_next("[") {
            return Ok(Node::Outer(index, at));
        }
        let element = self.expression()?;
        self.expect("]")?;
        Ok(Node::Element(index, at, Box::new(element)))
    }

    /// A call whose parenthesis is open.
    fn call(&mut self, name: &str, at: usize, mut arguments: Vec<Node>) -> Result<Node, Fault> {
        let function = Function::with(name).ok_or_else(|| (format!("function not found: {name}"), at))?;
        while !self.is_next(")") {
            arguments.push(self.expression()?);
            if !self.is_next(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(Node::Call(function, at, arguments))
    }
}

/// The letters, digits and underscores that the text begins with.
fn leading(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())]
}
