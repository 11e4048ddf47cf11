//! The TOML file beside a kernel.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::error::{Error, Result};

/// What the interface of a kernel does not say.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spec {
    /// Name of the table and of the rows' family.
    pub name: Option<String>,
    /// One sentence for the reader.
    pub summary: Option<String>,
    /// The kernels, the first of which the others are compared with.
    pub kernels: Option<Vec<KernelSpec>>,
    /// Element type: what `alias T` becomes.
    pub dtype: Option<String>,
    /// Sizes: `1048576`, `"2^20"`, `"1024x1024"`.
    pub sizes: Option<OneOrMany<Text>>,
    /// Workgroups along x, y and z.
    pub groups: Option<OneOrMany<Text>>,
    /// Bytes that one launch must move.
    pub bytes: Option<Text>,
    /// Operations of one launch.
    pub flops: Option<Text>,
    /// The measured peak that limits it.
    pub limit: Option<String>,
    /// Overrides, each with one or more values.
    #[serde(default)]
    pub params: BTreeMap<String, OneOrMany<f64>>,
    /// Buffers by the names of their bindings.
    #[serde(default)]
    pub buffers: BTreeMap<String, BufferSpec>,
    /// How the output is verified.
    pub verify: Option<VerifySpec>,
}

/// A kernel of several.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum KernelSpec {
    /// Its file.
    File(String),
    /// Its file, and what differs from the others.
    Table {
        /// The file.
        file: String,
        /// Its own workgroups.
        groups: Option<OneOrMany<Text>>,
    },
}

/// The length and the contents of a buffer.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BufferSpec {
    /// Its scalars.
    pub length: Option<Text>,
    /// What it contains before a launch.
    pub contents: Option<Contents>,
    /// Its words, of a uniform buffer.
    pub words: Option<Vec<Text>>,
    /// A file with its bytes.
    pub file: Option<String>,
}

/// Contents of a buffer.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Contents {
    /// One number everywhere.
    Number(f64),
    /// `random`, `small`, `signs`, `digits`, `ramp`, `zero`, `output`.
    Named(String),
}

/// How the output is verified.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VerifySpec {
    /// The output; needed where the kernel writes several buffers.
    pub buffer: Option<String>,
    /// Scalars that are compared; all by default.
    pub length: Option<Text>,
    /// The right value of scalar `i`.
    pub expect: Option<String>,
    /// A kernel whose output is the right one.
    pub reference: Option<String>,
    /// Workgroups of the reference, where they differ.
    pub reference_groups: Option<OneOrMany<Text>>,
    /// A file with the right output.
    pub file: Option<String>,
    /// Allowed error.
    #[serde(default)]
    pub tolerance: f64,
    /// Allowed error as a fraction of the right value, in addition.
    #[serde(default)]
    pub relative: f64,
}

/// A value or a list of values.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMany<T> {
    /// One.
    One(T),
    /// Several.
    Many(Vec<T>),
}

impl<T: Clone> OneOrMany<T> {
    pub(super) fn list(&self) -> Vec<T> {
        match self {
            Self::One(one) => vec![one.clone()],
            Self::Many(many) => many.clone(),
        }
    }
}

/// An expression: text, or a number.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Text {
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// An expression.
    Written(String),
}

impl Text {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Integer(value) => value.to_string(),
            Self::Float(value) => format!("{value:?}"),
            Self::Written(text) => text.clone(),
        }
    }
}

impl Spec {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or is no such TOML.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::Io {
            action: "read",
            path: path.to_owned(),
            source,
        })?;
        toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].lines().count().max(1));
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            Error::Usage(format!("{}, line {line}: {message}", crate::error::shown(path)))
        })
    }
}
