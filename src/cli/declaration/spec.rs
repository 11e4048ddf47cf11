//! The TOML file beside a kernel.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize};

use super::options::Own as Options;
use crate::cli::inputs;
use record::error::{Result, usage};

/// What the interface of a kernel does not define.
#[derive(Debug, Default, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spec {
    /// Name of the table and of the rows' family.
    pub name: Option<String>,
    /// One sentence for the reader.
    pub summary: Option<String>,
    /// The kernels; the first is the baseline.
    pub kernels: Option<Vec<KernelSpec>>,
    /// Element type, for `alias T`.
    pub dtype: Option<String>,
    /// Sizes: `1048576`, `"2^20"`, `"1024x1024"`.
    pub sizes: Option<OneOrMany<Text>>,
    /// A command that writes the kernel to its standard output: `COMMAND {in}`.
    pub preprocess: Option<String>,
    /// Values of names in the kernels' source.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defines: BTreeMap<String, Text>,
    /// Files in front of each WGSL kernel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prepend: Vec<PathBuf>,
    /// The entry point, if there are several.
    pub entry: Option<String>,
    /// Workgroups along x, y and z.
    pub groups: Option<OneOrMany<Text>>,
    /// Threads per block along x, y and z, for CUDA C++ that does not declare them.
    pub workgroup: Option<OneOrMany<Text>>,
    /// The steps of one launch, if not a single dispatch.
    pub steps: Option<Vec<StepSpec>>,
    /// Items of one launch, for rates.
    pub items: Option<Text>,
    /// Unit of `items`.
    pub unit: Option<String>,
    /// Bytes that one launch must move.
    pub bytes: Option<Text>,
    /// Which of `bytes`, `flops` and `items` are unconfirmed guesses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guesses: Vec<String>,
    /// Operations of one launch.
    pub flops: Option<Text>,
    /// The measured peak to compare rates with.
    pub limit: Option<String>,
    /// Overrides, each with one or more values.
    #[serde(default)]
    pub params: BTreeMap<String, OneOrMany<f64>>,
    /// By binding name.
    #[serde(default)]
    pub buffers: BTreeMap<String, BufferSpec>,
    /// Values of uniforms, structs and immediates, by field name.
    #[serde(default)]
    pub uniforms: BTreeMap<String, ValueSpec>,
    /// By binding name.
    #[serde(default)]
    pub samplers: BTreeMap<String, SamplerSpec>,
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub verify: Vec<VerifySpec>,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged, expecting = "a kernel must be a file name, or a table that sets `file`")]
pub(super) enum KernelSpec {
    File(String),
    Table(KernelTable),
}

/// A kernel's settings that differ from the shared ones.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KernelTable {
    pub file: String,
    /// The kernel's name in results; by default that of the file.
    pub name: Option<String>,
    pub entry: Option<String>,
    pub groups: Option<OneOrMany<Text>>,
    pub workgroup: Option<OneOrMany<Text>>,
    pub steps: Option<Vec<StepSpec>>,
    #[serde(default)]
    pub params: BTreeMap<String, OneOrMany<f64>>,
    /// The declaration's names for its bindings, by their own names or numbers.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
}

/// A step of a launch: a dispatch, `clear`, `copy`, `swap` or `repeat`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "a table, for example { entry = \"main\" }")]
pub(super) struct StepSpec {
    pub entry: Option<String>,
    /// Label of its row.
    pub name: Option<String>,
    pub groups: Option<OneOrMany<Text>>,
    /// The buffer with its workgroup counts.
    pub indirect: Option<String>,
    /// Index, in scalars, of the first workgroup count in the `indirect` buffer.
    pub offset: Option<Text>,
    /// Buffers that replace the usual ones, by binding name.
    #[serde(default)]
    pub bind: BTreeMap<String, String>,
    /// Field values for this dispatch only.
    #[serde(default)]
    pub uniforms: BTreeMap<String, ValueSpec>,
    pub clear: Option<String>,
    /// Source and destination.
    pub copy: Option<[String; 2]>,
    pub swap: Option<[String; 2]>,
    /// How often `steps` run.
    pub repeat: Option<Text>,
    /// Name of the loop index in expressions, which starts at 0 [default: step].
    pub index: Option<String>,
    pub steps: Option<Vec<StepSpec>>,
}

/// The values of a uniform or of one of its fields.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged, expecting = "a uniform must be a value, a list of values, or a table of fields")]
pub(super) enum ValueSpec {
    /// A scalar, or the components of a vector.
    Values(OneOrMany<Text>),
    Fields(BTreeMap<String, ValueSpec>),
}

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

    pub(super) fn table(&self) -> KernelTable {
        match self {
            Self::File(file) => KernelTable { file: file.clone(), ..KernelTable::default() },
            Self::Table(table) => table.clone(),
        }
    }
}

#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "a table, for example { contents = \"small\" }")]
pub(super) struct BufferSpec {
    /// Number of scalars in the buffer.
    pub length: Option<Text>,
    pub contents: Option<Contents>,
    /// Words of a uniform buffer.
    pub words: Option<Vec<Text>>,
    /// File with the buffer's contents: `.npy`, `.png` for a texture, or raw bytes.
    pub file: Option<PathBuf>,
    /// Width, height and layers of a texture, in texels.
    pub size: Option<Vec<Text>>,
    pub format: Option<String>,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged, expecting = "`contents` must be a number or a string")]
pub(super) enum Contents {
    Number(f64),
    /// `random`, `positive`, `small`, `signs`, `digits`, `ramp`, `zero`, `output`, `gradient`, or an expression.
    Named(String),
}

#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VerifySpec {
    /// The output; required if the kernel writes several buffers.
    pub buffer: Option<String>,
    /// Scalars to compare; all by default.
    pub length: Option<Text>,
    /// The expected value of scalar `i`.
    pub expect: Option<String>,
    /// Statements that set the expected values `right[i]`.
    pub compute: Option<String>,
    /// A program that reads the inputs NAME.npy in `{folder}` and writes the expected values to right.npy there.
    pub command: Option<String>,
    /// A kernel that computes the expected output.
    pub reference: Option<PathBuf>,
    /// Workgroups of the reference, if different.
    pub reference_groups: Option<OneOrMany<Text>>,
    pub reference_entry: Option<String>,
    pub reference_steps: Option<Vec<StepSpec>>,
    /// The declaration's names for the reference's bindings.
    #[serde(default)]
    pub reference_names: BTreeMap<String, String>,
    pub file: Option<PathBuf>,
    /// Allowed absolute error: a number, or an expression of the scalar's index `i`.
    pub tolerance: Option<Text>,
    /// Allowed error as a fraction of the expected value, added to `tolerance`.
    #[serde(default)]
    pub relative: f64,
    /// The share of values that may exceed the tolerance.
    #[serde(default)]
    pub outliers: f64,
    /// Whether expected integers are taken modulo the range of their type.
    #[serde(default)]
    pub wrap: bool,
}

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

    /// Applies the command line's options, and resolves file paths against `folder`.
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
            self.verify.iter_mut().for_each(|own| own.tolerance = Some(Text::Float(tolerance)));
        }
        if !options.groups.is_empty() {
            self.groups = Some(OneOrMany::Many(options.groups.iter().cloned().map(Text::Written).collect()));
        }
        let written = |text: &String| Text::Written(text.clone());
        self.bytes = options.bytes.as_ref().map(written).or(self.bytes);
        self.flops = options.flops.as_ref().map(written).or(self.flops);
        self
    }

    /// Fills in what the kernel's own table leaves out from the declaration's shared settings.
    pub(super) fn kernel(&self, own: KernelTable) -> KernelTable {
        let params = self.params.iter().chain(&own.params);
        let params = params.map(|(name, values)| (name.clone(), values.clone())).collect();
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
