//! `bench init`: a whole declaration for a kernel, from its interface.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::fields::proposed;
use super::kernel::{Kernel, Text};
use super::load::{dtype, kernel};
use super::options::Own as Options;
use super::shared::Origin;
use super::source::Reading;
use super::spec::{KernelTable, OneOrMany, Spec, StepSpec};
use gpu::shader::{BufferUse, Layout, Reach, Shader, twin};
use record::error::{Result, shown, usage};
use record::suite::{Access, Constants, Dtype, Extent, Value};

pub(in crate::cli) struct Proposal {
    pub(in crate::cli) text: String,
    /// What the kernel needs that neither its interface nor the command line defines.
    lacks: Vec<String>,
}

/// Workgroups in one dimension: WebGPU's limit.
const MOST_GROUPS: u64 = 65_535;

/// Most bytes of all buffers at the proposed size.
const MOST_BYTES: u64 = 1 << 26;

/// Refuses a first kernel that needs a declaration but has none.
pub(in crate::cli) fn check_declared(files: &[PathBuf], options: &Options) -> Result<()> {
    match files.first() {
        Some(first) if first.exists() && !first.with_extension("toml").exists() => {
            proposal(first, options)?.check(first)
        }
        _ => Ok(()),
    }
}

/// The declaration of the kernel in this file. It runs as is; comments mark its guesses.
pub(in crate::cli) fn proposal(path: &Path, options: &Options) -> Result<Proposal> {
    let (file, folder) = (shown(path), path.parent().unwrap_or(Path::new("")));
    let (blank, origin) = (Spec::default(), Origin { file: &file, folder });
    let text = Text::read(path, &Reading::new(&blank, folder))?;
    let mut lacks = Vec::new();
    let overrides = overrides(&text)?;
    let is_given = |name: &str| options.params.iter().any(|(own, _)| own == name);
    lacks.extend(overrides.iter().filter(|own| own.is_needed && !is_given(&own.name)).map(|own| own.name.clone()));
    let entries = text.entry_names();
    let names: Vec<&str> = entries.iter().map(String::as_str).collect();
    let usual = if text.is_cuda() { twin::ENTRY_POINT } else { "main" };
    let (entry, steps) = match &names[..] {
        [only] if text.is_cuda() && *only != usual => {
            lacks.push("entry".to_owned());
            (Some((*only).to_owned()), None)
        }
        [_] | [] => (None, None),
        several if several.contains(&usual) => (Some(usual.to_owned()), None),
        several => {
            lacks.push("entry".to_owned());
            let step = |name: &&str| StepSpec { entry: Some((*name).to_owned()), ..StepSpec::default() };
            (None, Some(several.iter().map(step).collect()))
        }
    };
    let values = overrides.iter().filter_map(|own| Some((own.name.clone(), OneOrMany::One(own.value?))));
    let table = KernelTable { entry: entry.clone(), steps, params: values.collect(), ..KernelTable::default() };
    let kernel = kernel(path.to_owned(), table, &blank, &origin)?;
    let dtype = dtype(&blank, &kernel, &file)?;
    let known = Known::of(&kernel, dtype)?;
    lacks.extend(known.uniforms.iter().map(|layout| layout.name.clone()));
    let is_matrix = |extent: &Extent| !matches!(extent, Extent::Linear(_));
    if !options.sizes.iter().any(is_matrix) {
        lacks.extend(known.textures.iter().map(|(name, _)| name.clone()));
    }
    Ok(Proposal { text: known.written(&kernel, &entries, &overrides), lacks })
}

impl Proposal {
    /// Refuses a kernel that needs a declaration; the error contains a whole one.
    fn check(&self, path: &Path) -> Result<()> {
        if self.lacks.is_empty() {
            return Ok(());
        }
        let (file, toml, lacks) = (shown(path), shown(&path.with_extension("toml")), self.lacks.join(", "));
        Err(usage!(
            "{file} needs a declaration that defines {lacks}; `shaderbench bench init {file}` writes this \
             {toml}:\n\n{}",
            self.text
        ))
    }
}

struct Override {
    name: String,
    /// Its default, or a guess.
    value: Option<f64>,
    is_needed: bool,
    /// Whether one run can measure several values.
    is_varied: bool,
}

fn overrides(text: &Text) -> Result<Vec<Override>> {
    if let Some(module) = text.unread(&Constants::new()) {
        let own = |(name, default): (&str, Value)| Override {
            name: name.to_owned(),
            value: Some(default.number()),
            is_needed: false,
            is_varied: true,
        };
        return Ok(module?.defaults().into_iter().map(own).collect());
    }
    if text.is_cuda() {
        return Ok(Vec::new());
    }
    let shader = Shader::parse(text.wgsl, Dtype::F32.name())?;
    let own = |(name, default): (&str, Option<Value>)| {
        let is_needed = shader.needs_value(name);
        let is_size =
            ["wg", "size", "block", "threads", "group", "local"].iter().any(|part| name.to_lowercase().contains(part));
        let guess = is_needed.then_some(if is_size { 64.0 } else { 1.0 });
        Override { name: name.to_owned(), value: default.map(Value::number).or(guess), is_needed, is_varied: true }
    };
    let fixed = text.spirv.map_or(&[][..], |module| &module.fixed).iter();
    let fixed = fixed.map(|(name, value)| Override {
        name: name.clone(),
        value: Some(*value),
        is_needed: false,
        is_varied: false,
    });
    Ok(shader.defaults().into_iter().map(own).chain(fixed).collect())
}

struct Known {
    uniforms: Vec<Layout>,
    buffers: Vec<(Layout, BufferUse)>,
    /// Textures, and whether the kernel writes them.
    textures: Vec<(String, bool)>,
    samplers: Vec<String>,
    /// Workgroup size of the first entry point.
    workgroup: [u32; 3],
}

impl Known {
    fn of(kernel: &Kernel, dtype: Dtype) -> Result<Self> {
        let (layouts, bindings) = (kernel.layouts(dtype)?, kernel.bindings(dtype)?);
        let uses = kernel.buffer_uses(dtype)?;
        let mut known = Self {
            uniforms: layouts.iter().filter(|layout| layout.is_immediate).cloned().collect(),
            buffers: Vec::new(),
            textures: Vec::new(),
            samplers: kernel.samplers(dtype)?,
            workgroup: kernel.workgroup_size(dtype).unwrap_or([256, 1, 1]),
        };
        for binding in bindings {
            let Some(layout) = layouts.iter().find(|layout| layout.name == binding.name) else { continue };
            let of_cuda = || BufferUse {
                name: binding.name.clone(),
                is_read: !binding.is_stored,
                is_written: binding.is_stored,
                is_atomic: false,
                reach: Reach::Unknown,
            };
            match binding.access {
                Access::Uniform => known.uniforms.push(layout.clone()),
                Access::Texture | Access::StorageTexture => known.textures.push((binding.name, binding.is_stored)),
                Access::Read | Access::ReadWrite => {
                    let used = uses.iter().find(|own| own.name == binding.name).cloned().unwrap_or_else(of_cuda);
                    known.buffers.push((layout.clone(), used));
                }
            }
        }
        Ok(known)
    }

    fn written(&self, kernel: &Kernel, entries: &[String], overrides: &[Override]) -> String {
        let is_2d = self.workgroup[1] > 1 || !self.textures.is_empty();
        let lengths: Vec<(String, u64, &str)> =
            self.buffers.iter().map(|(layout, own)| self.length(layout, own, is_2d)).collect();
        // Bytes of all buffers per element.
        let per_n = lengths.iter().filter(|(length, ..)| length.ends_with('n')).map(|(_, bytes, _)| bytes).sum::<u64>();
        let threads: u64 = self.workgroup.iter().map(|side| u64::from(*side)).product();
        let of_groups = (threads * MOST_GROUPS).ilog2();
        let most = (MOST_BYTES / per_n.max(1)).max(1).ilog2().clamp(10, 20.min(of_groups));
        let side = 1_u64 << (most / 2);
        let size = if is_2d { format!("{side}x{side}") } else { format!("2^{most}") };
        let mut text = format!(
            "# Declares what the interface of {} does not define. Check the lines marked `guess`.\nsizes = \
             [\"{size}\"]\n",
            shown(kernel.path.file_name().unwrap_or_default().as_ref())
        );
        match (&kernel.table.steps, &kernel.table.entry) {
            (Some(_), _) => {
                let steps: Vec<String> = entries.iter().map(|name| format!("{{ entry = \"{name}\" }}")).collect();
                text += &format!(
                    "steps = [{}]    # guess: all entry points in turn; to run one, entry = \"{}\"\n",
                    steps.join(", "),
                    entries[0]
                );
            }
            (None, Some(entry)) => {
                let others: Vec<&str> = entries.iter().filter(|name| *name != entry).map(String::as_str).collect();
                let note = if others.is_empty() { String::new() } else { format!("    # or {}", others.join(", ")) };
                text += &format!("entry = \"{entry}\"{note}\n");
            }
            (None, None) => {}
        }
        text += match (is_2d && self.workgroup[1] > 1, self.workgroup[2] > 1) {
            (true, false) => {
                "groups = [\"ceil_div(columns, workgroup_x)\", \"ceil_div(rows, workgroup_y)\"]    # guess: one \
                 invocation per element\n"
            }
            (true, true) => {
                "groups = [\"ceil_div(columns, workgroup_x)\", \"ceil_div(rows, workgroup_y)\", 1]    # guess: one \
                 invocation per row and column, one workgroup along z\n"
            }
            _ => "groups = \"ceil_div(n, workgroup)\"    # guess: one invocation per element\n",
        };
        if kernel.text.is_cuda() && !kernel.text.cuda.contains("__launch_bounds__") {
            text += "workgroup = 256    # guess: threads per block\n";
        }
        text += &self.work(&lengths);
        if !overrides.is_empty() {
            text += "\n[params]\n";
        }
        for Override { name, value, is_needed, is_varied } in overrides {
            text += &match value {
                Some(value) if *is_needed => format!("{name} = {value}    # guess: the kernel defines no default\n"),
                Some(value) if !is_varied => format!("{name} = {value}    # the default\n"),
                Some(value) => format!("{name} = {value}    # the default; [a, b] measures both values\n"),
                None => format!("# {name} is computed from other overrides\n"),
            };
        }
        if !self.uniforms.is_empty() {
            text += "\n[uniforms]    # guess: numbers, or expressions in quotes\n";
            text.extend(self.uniforms.iter().map(|layout| proposed(&layout.name, layout) + "\n"));
        }
        if !self.buffers.is_empty() || !self.textures.is_empty() {
            text += "\n[buffers]    # length in scalars; contents: random, positive, small, ramp, zero, a number, an expression \
                     in i; or set file\n";
        }
        for ((layout, own), (length, _, note)) in self.buffers.iter().zip(&lengths) {
            let contents = match own {
                BufferUse { is_atomic: true, .. } => Some("zero"),
                BufferUse { is_read: true, .. } => Some("random"),
                _ => None,
            };
            let length = (layout.bytes.is_none()).then(|| format!("length = \"{length}\""));
            let contents = contents.map(|own| format!("contents = \"{own}\""));
            let parts: Vec<String> = length.into_iter().chain(contents).collect();
            let kind = match own {
                BufferUse { is_written: true, is_read: true, .. } | BufferUse { is_atomic: true, .. } => {
                    "in and out; its contents are restored before every launch"
                }
                BufferUse { is_written: true, .. } => "out",
                _ => "in",
            };
            text +=
                &format!("{} = {{ {} }}    # {}, {kind}{note}\n", layout.name, parts.join(", "), layout.scalar.name());
        }
        for (name, is_written) in &self.textures {
            text += &match is_written {
                true => format!("# {name} = {{}}    # out: a texture of columns x rows texels\n"),
                false => format!(
                    "{name} = {{ contents = \"random\" }}    # in; also: file = \"photo.png\", format = \"r32float\"\n"
                ),
            };
        }
        if !self.samplers.is_empty() {
            text += "\n[samplers]\n";
        }
        text.extend(
            self.samplers.iter().map(|name| format!("{name} = {{ filter = \"linear\", address = \"clamp\" }}\n")),
        );
        let outputs = self.buffers.iter().filter(|(_, own)| own.is_written).map(|(layout, _)| &layout.name);
        let outputs: Vec<&String> = outputs.chain(self.textures.iter().filter(|own| own.1).map(|own| &own.0)).collect();
        text + verify(&outputs).as_str()
    }

    /// A buffer's length in scalars, its bytes (per element if the length depends on the size), and a note.
    fn length(&self, layout: &Layout, own: &BufferUse, is_2d: bool) -> (String, u64, &'static str) {
        let threads: u64 = self.workgroup.iter().map(|side| u64::from(*side)).product();
        let width = (layout.stride / layout.scalar.bytes() as u64).max(1);
        let times = |of: &str| if width == 1 { of.to_owned() } else { format!("{width} * {of}") };
        if let Some(bytes) = layout.bytes {
            return (String::new(), bytes, "");
        }
        match own.reach {
            Reach::Constant(count) => ((count * width).to_string(), count * layout.stride, ""),
            Reach::Workgroups if !is_2d => {
                (times("ceil_div(n, workgroup)"), (layout.stride / threads.max(1)).max(1), "; one per workgroup")
            }
            Reach::Invocations if !is_2d => (times("n"), layout.stride, ""),
            _ => (times("n"), layout.stride, "; length is a guess, because indices are computed"),
        }
    }

    /// The `bytes` line, and the line that marks it as a guess.
    fn work(&self, lengths: &[(String, u64, &str)]) -> String {
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        for ((layout, own), (length, ..)) in self.buffers.iter().zip(lengths) {
            let times = u64::from(own.is_read || own.is_atomic) + u64::from(own.is_written);
            let bytes = layout.scalar.bytes() as u64 * times;
            let (width, of) = length.split_once(" * ").unwrap_or(("1", length.as_str()));
            if of.contains('n') {
                *sums.entry(of.to_owned()).or_default() += bytes * width.parse().unwrap_or(1);
            }
        }
        if !self.textures.is_empty() {
            *sums.entry("n".to_owned()).or_default() += 4 * self.textures.len() as u64;
        }
        let threads: u32 = self.workgroup.iter().product();
        let term = |(of, bytes): (String, u64)| format!("{bytes} * {}", of.replace("workgroup", &threads.to_string()));
        let sums: Vec<String> = sums.into_iter().map(term).collect();
        if sums.is_empty() {
            return String::new();
        }
        format!(
            "bytes = \"{}\"    # guess: one read per input, one write per output\nguesses = [\"bytes\"]    # delete \
             this line once bytes is right\n",
            sums.join(" + ")
        )
    }
}

/// The commented-out `[[verify]]` table.
fn verify(outputs: &[&String]) -> String {
    let Some(first) = outputs.first() else { return String::new() };
    let others: Vec<&str> = outputs[1..].iter().map(|name| name.as_str()).collect();
    let others =
        if others.is_empty() { String::new() } else { format!("; add a [[verify]] for each of {}", others.join(", ")) };
    format!(
        "\n# Without [[verify]] the kernel is timed, but its result is not checked. Uncomment these lines and keep one \
         of expect, reference and command{others}:\n# [[verify]]\n# buffer = \"{first}\"\n# expect = \"2.0 * i\"    \
         # the expected value of scalar i, from i and the buffers\n# reference = \"simple.wgsl\"    # a kernel that \
         computes the correct output\n# command = \"python3 gold.py {{folder}}\"    # a program that reads NAME.npy \
         and writes right.npy in that folder\n# tolerance = 1e-5    # allowed error; relative = 1e-5 allows a fraction \
         of the value\n"
    )
}
