//! Values of uniforms, structs and immediates, by field name.

use super::script::{Scope, Script};
use super::spec::ValueSpec;
use super::stored::EXACT;
use gpu::shader::module::words;
use gpu::shader::{Field, Layout};
use record::error::{Result, usage};
use record::format::plural;
use record::suite::Scalar;

#[derive(Clone)]
pub(super) struct Fields {
    /// Prefix of messages: `k.toml: [uniforms.params]`.
    what: String,
    values: Vec<(String, Vec<Word>)>,
}

/// A scalar, and whether it is the bits of a float, written `bits(x)`.
pub(super) type Word = (Script, bool);

impl Fields {
    pub(super) fn new(what: String, spec: &ValueSpec) -> Result<Self> {
        let mut values = Vec::new();
        collect(&what, String::new(), spec, &mut values)?;
        Ok(Self { what, values })
    }

    /// These values, replaced by `other`'s where the names match.
    pub(super) fn with(&self, other: &Self) -> Self {
        let is_kept = |(name, _): &&(String, Vec<Word>)| other.values.iter().all(|(own, _)| own != name);
        let values = self.values.iter().filter(is_kept).chain(&other.values).cloned().collect();
        Self { what: other.what.clone(), values }
    }

    /// Packs the values into words of this layout.
    pub(super) fn words(&self, layout: &Layout, scope: &Scope) -> Result<Vec<u32>> {
        let fault = |message: String| Err(usage!("{}: {message}", self.what));
        let mut bytes = vec![0; layout.bytes.unwrap_or(layout.stride).next_multiple_of(4) as usize];
        let mut set = vec![false; layout.fields.len()];
        for (name, values) in &self.values {
            let parts: Vec<usize> = (0..set.len()).filter(|at| is_part_of(&layout.fields[*at], name)).collect();
            if layout.fields.is_empty() {
                return fault(format!(
                    "the type of '{}' is unknown; the kernel's file must declare it as a struct of scalars and vectors",
                    layout.name
                ));
            }
            if parts.is_empty() {
                return fault(format!("there is no field '{name}'; the fields are {}", names(&layout.fields)));
            }
            let fields = parts.iter().map(|at| &layout.fields[*at]);
            let count: u64 = fields.clone().map(|field| field.count).sum();
            if count != values.len() as u64 {
                let name = if name.is_empty() { &layout.name } else { name };
                let scalars = plural(count as usize, "scalar", "scalars");
                return fault(format!("'{name}' has {scalars}, but its value has {}", values.len()));
            }
            let mut values = values.iter();
            for field in fields {
                let size = field.scalar.bytes();
                for (place, word) in (0..field.count as usize).zip(&mut values) {
                    let at = field.offset as usize + place * size;
                    scalar(word, field.scalar, scope, &mut bytes[at..at + size])?;
                }
            }
            parts.into_iter().for_each(|at| set[at] = true);
        }
        // Padding needs no values.
        let is_padding = |field: &Field| field.name.trim_start_matches('_').to_lowercase().starts_with("pad");
        let missing = set.iter().zip(&layout.fields).find(|(is_set, field)| !**is_set && !is_padding(field));
        if let Some((_, field)) = missing {
            let name = if field.name.is_empty() { &layout.name } else { &field.name };
            return fault(format!("'{name}' has no value; the fields are {}", names(&layout.fields)));
        }
        Ok(words(&bytes))
    }
}

/// A line of `[uniforms]` for a variable without values, guessed from the names of its fields.
pub(super) fn proposed(name: &str, layout: &Layout) -> String {
    let value = |field: &Field| {
        let last = field.name.rsplit('.').next().unwrap_or_default().to_lowercase();
        let has = |parts: &[&str]| parts.iter().any(|part| last.contains(part));
        // With zeros, most kernels would do nothing.
        let one = match last.as_str() {
            _ if field.scalar.is_float() => "1.0",
            _ if has(&["offset", "start", "base", "first", "seed", "index", "mode", "frame"]) => "0",
            "h" | "rows" => "\"rows\"",
            "w" | "columns" => "\"columns\"",
            "n" => "\"n\"",
            _ if has(&["height", "row"]) => "\"rows\"",
            _ if has(&["width", "col"]) => "\"columns\"",
            _ if field.count == 2 && has(&["size", "dim", "resolution", "extent"]) => {
                return "[\"columns\", \"rows\"]".to_owned();
            }
            _ if has(&["count", "size", "len", "num", "total", "particles", "elements"]) => "\"n\"",
            _ => "1",
        };
        if field.count == 1 { one.to_owned() } else { format!("[{}]", vec![one; field.count as usize].join(", ")) }
    };
    match &layout.fields[..] {
        [only] if only.name.is_empty() => format!("{name} = {}", value(only)),
        fields => {
            let quoted = |field: &Field| {
                let is_plain = field.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                let key = if is_plain { field.name.clone() } else { format!("\"{}\"", field.name) };
                format!("{key} = {}", value(field))
            };
            format!("{name} = {{ {} }}", fields.iter().map(quoted).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Whether a field has this name or is a part of it.
fn is_part_of(field: &Field, name: &str) -> bool {
    field.name.strip_prefix(name).is_some_and(|rest| name.is_empty() || rest.is_empty() || rest.starts_with(['[', '.']))
}

/// `dt (f32), size (2 u32)`.
fn names(fields: &[Field]) -> String {
    let name = |field: &Field| {
        let scalar = field.scalar.name();
        let count = if field.count == 1 { String::new() } else { format!("{} ", field.count) };
        format!("{} ({count}{scalar})", field.name)
    };
    fields.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn collect(what: &str, name: String, spec: &ValueSpec, values: &mut Vec<(String, Vec<Word>)>) -> Result<()> {
    match spec {
        ValueSpec::Values(own) => {
            let what = if name.is_empty() { what.to_owned() } else { format!("{what}: {name}") };
            let words = own.texts().iter().map(|text| word(&what, text)).collect::<Result<_>>()?;
            values.push((name, words));
        }
        ValueSpec::Fields(fields) => {
            for (own, spec) in fields {
                let name = if name.is_empty() { own.clone() } else { format!("{name}.{own}") };
                collect(what, name, spec, values)?;
            }
        }
    }
    Ok(())
}

pub(super) fn word(what: &str, text: &str) -> Result<Word> {
    Ok((Script::new(what, text)?, text.contains("bits(")))
}

pub(super) fn scalar((script, is_bits): &Word, of: Scalar, scope: &Scope, bytes: &mut [u8]) -> Result<()> {
    let value = script.value(scope)?;
    if of.is_float() && !is_bits {
        of.encode(&[value], bytes);
        return Ok(());
    }
    let range = if of.bytes() == 8 { -EXACT..=EXACT } else { f64::from(i32::MIN)..=f64::from(u32::MAX) };
    if value.fract() != 0.0 || !range.contains(&value) {
        return Err(usage!(
            "{}: {value} is not an integer or is out of range; for the bits of a float, write bits(x)",
            script.what()
        ));
    }
    bytes.copy_from_slice(&(value as i64).to_le_bytes()[..bytes.len()]);
    Ok(())
}
