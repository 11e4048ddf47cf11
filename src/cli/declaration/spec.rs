//! The TOML file beside a kernel.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::options::Own as Options;
use crate::cli::inputs;
use crate::error::{Error, Result};

/// What the interface of a kernel does not say.
#[derive(Debug, Default, Clone, Deserialize, Serialize)]
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
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged, expecting = "a kernel is a file, or a table of file and groups")]
pub(super) enum KernelSpec {
    /// Its file.
    File(String),
    /// Its file, and what differs from the others.
    Table(KernelTable),
}

/// A kernel with its own workgroups.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KernelTable {
    /// The file.
    pub file: String,
    /// Its own workgroups.
    pub groups: Option<OneOrMany<Text>>,
}

impl KernelSpec {
    pub(super) fn file(&self) -> &str {
        match self {
            Self::File(file) | Self::Table(KernelTable { file, .. }) => file,
        }
    }
}

/// The length and the contents of a buffer.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BufferSpec {
    /// Its scalars.
    pub length: Option<Text>,
    /// What it contains before a launch.
    pub contents: Option<Contents>,
    /// Its words, of a uniform buffer.
    pub words: Option<Vec<Text>>,
    /// A file with its bytes.
    pub file: Option<PathBuf>,
}

/// Contents of a buffer.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum Contents {
    /// One number everywhere.
    Number(f64),
    /// `random`, `small`, `signs`, `digits`, `ramp`, `zero`, `output`.
    Named(String),
}

/// How the output is verified.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VerifySpec {
    /// The output; needed where the kernel writes several buffers.
    pub buffer: Option<String>,
    /// Scalars that are compared; all by default.
    pub length: Option<Text>,
    /// The right value of scalar `i`.
    pub expect: Option<String>,
    /// A kernel whose output is the right one.
    pub reference: Option<PathBuf>,
    /// Workgroups of the reference, where they differ.
    pub reference_groups: Option<OneOrMany<Text>>,
    /// A file with the right output.
    pub file: Option<PathBuf>,
    /// Allowed error.
    #[serde(default)]
    pub tolerance: f64,
    /// Allowed error as a fraction of the right value, in addition.
    #[serde(default)]
    pub relative: f64,
}

/// A value or a list of values.
#[derive(Debug, Clone, Deserialize, Serialize)]
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
#[derive(Debug, Clone, Deserialize, Serialize)]
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
        let text = String::from_utf8(inputs::contents(path, inputs::KERNEL)?)
            .map_err(|_| Error::Usage(format!("{} is no text in UTF-8", crate::error::shown(path))))?;
        toml::from_str(&text).map_err(|error| {
            let before = |span: std::ops::Range<usize>| text[..span.start.min(text.len())].matches('\n').count();
            let line = 1 + error.span().map_or(0, before);
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            Error::Usage(format!("{}, line {line}: {message}", crate::error::shown(path)))
        })
    }

    /// The same with what the command line says instead, and with its files' paths from this folder.
    pub(super) fn resolved(mut self, options: &Options, folder: &Path) -> Self {
        for buffer in self.buffers.values_mut() {
            buffer.file = buffer.file.take().map(|file| folder.join(file));
        }
        if let Some(own) = &mut self.verify {
            own.reference = own.reference.take().map(|file| folder.join(file));
            own.file = own.file.take().map(|file| folder.join(file));
        }
        if options.expect.is_some() || options.reference.is_some() {
            let own = self.verify.get_or_insert_default();
            own.file = None;
            own.expect.clone_from(&options.expect);
            own.reference.clone_from(&options.reference);
        }
        if let (Some(own), Some(tolerance)) = (&mut self.verify, options.tolerance) {
            own.tolerance = tolerance;
        }
        if !options.groups.is_empty() {
            self.groups = Some(OneOrMany::Many(options.groups.iter().cloned().map(Text::Written).collect()));
        }
        let written = |text: &String| Text::Written(text.clone());
        self.bytes = options.bytes.as_ref().map(written).or(self.bytes);
        self.flops = options.flops.as_ref().map(written).or(self.flops);
        self
    }

    /// The workgroups of a kernel: its own, or those of every kernel without its own.
    pub(super) fn groups_of(&self, folder: &Path, path: &Path) -> Vec<String> {
        let own = self.kernels.iter().flatten().find_map(|kernel| match kernel {
            KernelSpec::Table(KernelTable { file, groups: Some(groups) }) if folder.join(file) == path => Some(groups),
            _ => None,
        });
        own.or(self.groups.as_ref()).map(OneOrMany::texts).unwrap_or_default()
    }
}

impl OneOrMany<Text> {
    /// The texts of all.
    pub(super) fn texts(&self) -> Vec<String> {
        self.list().iter().map(Text::text).collect()
    }
}
