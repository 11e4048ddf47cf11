//! The TOML file beside a kernel.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize};

use super::options::Own as Options;
use crate::cli::inputs;
use record::error::{Result, usage};

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
    /// A command that writes the kernel to its standard output: `COMMAND {in}`.
    pub preprocess: Option<String>,
    /// Values of names in the source of kernels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defines: BTreeMap<String, Text>,
    /// Files in front of each kernel in WGSL.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prepend: Vec<PathBuf>,
    /// The entry point, where there are several.
    pub entry: Option<String>,
    /// Workgroups along x, y and z.
    pub groups: Option<OneOrMany<Text>>,
    /// Threads of a block along x, y and z, of CUDA C++ that does not say.
    pub workgroup: Option<OneOrMany<Text>>,
    /// One launch, where it is not one dispatch.
    pub steps: Option<Vec<StepSpec>>,
    /// Items of one launch, which rates count.
    pub items: Option<Text>,
    /// What an item is called.
    pub unit: Option<String>,
    /// Bytes that one launch must move.
    pub bytes: Option<Text>,
    /// Those of `bytes`, `flops` and `items` that nobody has confirmed yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guesses: Vec<String>,
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
    /// Values of uniforms, structs and immediates by the names of their fields.
    #[serde(default)]
    pub uniforms: BTreeMap<String, ValueSpec>,
    /// Samplers by the names of their bindings.
    #[serde(default)]
    pub samplers: BTreeMap<String, SamplerSpec>,
    /// How the outputs are verified.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub verify: Vec<VerifySpec>,
}

/// A kernel of several.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged, expecting = "a kernel must be a file name, or a table that sets file")]
pub(super) enum KernelSpec {
    File(String),
    Table(KernelTable),
}

/// A kernel with what differs from the others.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KernelTable {
    pub file: String,
    /// Its name in tables, where it is not the file's.
    pub name: Option<String>,
    pub entry: Option<String>,
    pub groups: Option<OneOrMany<Text>>,
    pub workgroup: Option<OneOrMany<Text>>,
    pub steps: Option<Vec<StepSpec>>,
    #[serde(default)]
    pub params: BTreeMap<String, OneOrMany<f64>>,
    /// What the declaration calls its bindings, by their own names or numbers.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
}

/// A step of a launch: one of a dispatch, `clear`, `copy`, `swap` and `repeat`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "a table, for example { entry = \"main\" }")]
pub(super) struct StepSpec {
    /// The entry point of a dispatch.
    pub entry: Option<String>,
    /// What its row is called.
    pub name: Option<String>,
    /// Its workgroups along x, y and z.
    pub groups: Option<OneOrMany<Text>>,
    /// The buffer with its workgroups.
    pub indirect: Option<String>,
    /// The scalar of that buffer where they begin.
    pub offset: Option<Text>,
    /// Other buffers than the usual ones, by the names of the bindings.
    #[serde(default)]
    pub bind: BTreeMap<String, String>,
    /// Values of fields that only this dispatch has.
    #[serde(default)]
    pub uniforms: BTreeMap<String, ValueSpec>,
    /// A buffer that becomes zero.
    pub clear: Option<String>,
    /// A buffer, and the one that it is copied over.
    pub copy: Option<[String; 2]>,
    /// Two buffers that change places.
    pub swap: Option<[String; 2]>,
    /// How often `steps` run.
    pub repeat: Option<Text>,
    /// The number of the repetition in expressions, from 0 on [default: step].
    pub index: Option<String>,
    /// What is repeated.
    pub steps: Option<Vec<StepSpec>>,
}

/// The values of a uniform, or of a field of one.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged, expecting = "a uniform must be a value, a list of values, or a table of fields")]
pub(super) enum ValueSpec {
    /// A scalar, or the components of a vector.
    Values(OneOrMany<Text>),
    /// Fields by name.
    Fields(BTreeMap<String, ValueSpec>),
}

/// How a sampler reads.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SamplerSpec {
    /// `linear` or `nearest`.
    pub filter: Option<String>,
    /// `clamp` or `repeat`.
    pub address: Option<String>,
}

impl KernelSpec {
    pub(super) fn file(&self) -> &str {
        match self {
            Self::File(file) | Self::Table(KernelTable { file, .. }) => file,
        }
    }

    /// The same as a table.
    pub(super) fn table(&self) -> KernelTable {
        match self {
            Self::File(file) => KernelTable { file: file.clone(), ..KernelTable::default() },
            Self::Table(table) => table.clone(),
        }
    }
}

/// The length and the contents of a buffer.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "a table, for example { contents = \"small\" }")]
pub(super) struct BufferSpec {
    /// Its scalars.
    pub length: Option<Text>,
    /// What it contains before a launch.
    pub contents: Option<Contents>,
    /// Its words, of a uniform buffer.
    pub words: Option<Vec<Text>>,
    /// A file with its bytes: any, `.npy`, or `.png` for a texture.
    pub file: Option<PathBuf>,
    /// Width and height of a texture in texels, and its layers.
    pub size: Option<Vec<Text>>,
    /// Format of a texture's texels.
    pub format: Option<String>,
}

/// Contents of a buffer.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged, expecting = "contents must be a number or a string")]
pub(super) enum Contents {
    /// One number everywhere.
    Number(f64),
    /// `random`, `positive`, `small`, `signs`, `digits`, `ramp`, `zero`, `output`, `gradient`, or an expression.
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
    /// The right values of all scalars: statements that set `right[i]`.
    pub compute: Option<String>,
    /// A program that computes them: it finds the inputs as NAME.npy in `{folder}`, and writes right.npy there.
    pub command: Option<String>,
    /// A kernel whose output is the right one.
    pub reference: Option<PathBuf>,
    /// Workgroups of the reference, where they differ.
    pub reference_groups: Option<OneOrMany<Text>>,
    pub reference_entry: Option<String>,
    pub reference_steps: Option<Vec<StepSpec>>,
    /// What the declaration calls its bindings.
    #[serde(default)]
    pub reference_names: BTreeMap<String, String>,
    /// A file with the right output.
    pub file: Option<PathBuf>,
    /// Allowed error.
    #[serde(default)]
    pub tolerance: Option<f64>,
    /// Allowed error as a fraction of the right value, in addition.
    #[serde(default)]
    pub relative: f64,
    /// The share of values that may be further off.
    #[serde(default)]
    pub outliers: f64,
    /// Whether right values of integers are taken modulo the range of their type.
    #[serde(default)]
    pub wrap: bool,
}

/// A value or a list of values.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged, expecting = "a value or list in this table has the wrong type")]
pub(super) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    pub(super) fn list(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

fn one_or_many<'d, T: Clone + Deserialize<'d>, D: Deserializer<'d>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(OneOrMany::deserialize(deserializer)?.list().to_vec())
}

/// An expression: text, or a number.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged, expecting = "expected a number or an expression in quotes")]
pub(super) enum Text {
    Integer(i64),
    Float(f64),
    Switch(bool),
    Written(String),
}

impl Text {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Integer(value) => value.to_string(),
            Self::Float(value) => format!("{value:?}"),
            Self::Switch(value) => i32::from(*value).to_string(),
            Self::Written(text) => text.clone(),
        }
    }
}

impl Spec {
    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = String::from_utf8(inputs::contents(path, inputs::KERNEL)?)
            .map_err(|_| usage!("{} is not UTF-8 text", record::error::shown(path)))?;
        toml::from_str(&text).map_err(|error| {
            let before = |span: std::ops::Range<usize>| text[..span.start.min(text.len())].matches('\n').count();
            let line = 1 + error.span().map_or(0, before);
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            usage!("{}, line {line}: {message}", record::error::shown(path))
        })
    }

    /// The same with what the command line says instead, and with its files' paths from this folder.
    pub(super) fn resolved(mut self, options: &Options, folder: &Path) -> Self {
        for buffer in self.buffers.values_mut() {
            buffer.file = buffer.file.take().map(|file| folder.join(file));
        }
        for own in &mut self.verify {
            own.reference = own.reference.take().map(|file| folder.join(file));
            own.file = own.file.take().map(|file| folder.join(file));
        }
        if options.expect.is_some() || options.reference.is_some() {
            let first = self.verify.into_iter().next().unwrap_or_default();
            let VerifySpec { buffer, length, tolerance, relative, outliers, wrap, .. } = first;
            let (expect, reference) = (options.expect.clone(), options.reference.clone());
            self.verify = vec![VerifySpec {
                buffer,
                length,
                tolerance,
                relative,
                outliers,
                wrap,
                expect,
                reference,
                ..Default::default()
            }];
        }
        if let Some(tolerance) = options.tolerance {
            self.verify.iter_mut().for_each(|own| own.tolerance = Some(tolerance));
        }
        if !options.groups.is_empty() {
            self.groups = Some(OneOrMany::Many(options.groups.iter().cloned().map(Text::Written).collect()));
        }
        let written = |text: &String| Text::Written(text.clone());
        self.bytes = options.bytes.as_ref().map(written).or(self.bytes);
        self.flops = options.flops.as_ref().map(written).or(self.flops);
        self
    }

    /// A kernel with what every kernel has where it says nothing itself.
    pub(super) fn kernel(&self, own: KernelTable) -> KernelTable {
        let params = self.params.iter().chain(&own.params);
        let params = params.map(|(name, values)| (name.clone(), values.clone())).collect();
        // A kernel with steps of its own has the groups of its steps alone.
        let groups = own.groups.or_else(|| self.groups.clone());
        let (steps, entry) = match (own.steps, own.entry) {
            (None, None) => (self.steps.clone(), self.entry.clone()),
            of_kernel => of_kernel,
        };
        let workgroup = own.workgroup.or_else(|| self.workgroup.clone());
        KernelTable { groups, steps, entry, workgroup, params, ..own }
    }
}

impl OneOrMany<Text> {
    pub(super) fn texts(&self) -> Vec<String> {
        self.list().iter().map(Text::text).collect()
    }
}
