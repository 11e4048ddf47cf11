//! The kernels of `bench`: WGSL, SPIR-V, CUDA C++.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::script::Script;
use super::spec::KernelTable;
use super::steps::Steps;
use crate::cli::compiler::{printed, spirv};
use crate::cli::inputs;
use crate::cli::messages::first_of;
use crate::cli::shaders;
use gpu::shader::module::words;
use gpu::shader::{Layout, Shader, SpirvKernel, twin};
use record::error::{Error, Result, shown, usage, visible};
use record::suite::kept::{kept, kept_name, kept_text};
use record::suite::{Accepted, Access, Binding, Constants, Dtype, Feature, Interface, Limit};

/// The first bytes of SPIR-V.
const SPIRV: [u8; 4] = 0x0723_0203_u32.to_le_bytes();

/// The endings of the files that `bench` runs.
const ENDS: &str = ".wgsl, .spv, .cu";

/// A kernel before it is a benchmark.
#[derive(Clone)]
pub(super) struct Kernel {
    /// Its file.
    pub path: PathBuf,
    /// Its name in tables.
    pub name: String,
    pub text: Text,
    /// What the file says of it.
    pub table: KernelTable,
    pub steps: Steps,
    /// Threads of a block along x, y and z, where CUDA C++ does not say.
    pub workgroup: Vec<Script>,
    /// The first value of each parameter of the file.
    pub params: Constants,
}

/// The texts of a kernel. They live as long as the program, like the suite's.
#[derive(Clone, Copy)]
pub(in crate::cli) struct Text {
    /// WGSL, of SPIR-V too; empty for a kernel in CUDA C++ alone.
    pub wgsl: &'static str,
    /// CUDA C++; empty where there is none.
    pub cuda: &'static str,
    /// The SPIR-V that the WGSL was made of.
    pub(in crate::cli) spirv: Option<&'static SpirvKernel>,
    /// Its entry points, in the order in which steps number them.
    pub(super) entries: &'static [&'static str],
}

/// A command that writes a kernel, with what it finds in its environment, and the folder that it runs in.
pub(super) struct Preprocess<'a> {
    pub command: &'a str,
    pub variables: Vec<(String, String)>,
    pub folder: &'a Path,
}

impl Text {
    /// Reads a file, and the CUDA twin of the same name beside one of WGSL. Its entry points are not known yet. `values` are
    /// those of parameters, for SPIR-V whose specialization constants must have one.
    pub(super) fn read(path: &Path, preprocess: Option<&Preprocess<'_>>, values: &Constants) -> Result<Self> {
        let end = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let fault = |why: String| usage!("{}: {why}", shown(path));
        let of_cuda = |cuda: &'static str| Self { wgsl: "", cuda, spirv: None, entries: &[] };
        let of_wgsl = |wgsl: &'static str, cuda: &'static str| {
            if let Some((number, line)) = (1..).zip(wgsl.lines()).find(|(_, line)| is_directive(line)) {
                let word: String = line.trim_start().chars().take_while(|c| !c.is_whitespace()).collect();
                return Err(fault(format!(
                    "line {number}: '{word}' is not WGSL: expand it first, by preprocess = \"COMMAND {{in}}\" in a .toml"
                )));
            }
            // What is wrong with it is said when its types are known.
            caught(|| drop(Shader::parse(wgsl, Dtype::F32.name()))).map_err(fault)?;
            Ok(Self { wgsl, ..of_cuda(cuda) })
        };
        let of_spirv = |words: Vec<u32>| {
            let module = kept(read_spirv(&words, values).map_err(fault)?);
            Ok(Self { wgsl: &module.wgsl, spirv: Some(module), ..of_cuda("") })
        };
        if let Some(own) = preprocess {
            std::fs::metadata(path).map_err(Error::io("read", path))?;
            let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            let output = printed(own.command, &[("{in}", &path)], &own.variables, own.folder);
            let output = output.map_err(|why| fault(format!("preprocess: {why}")))?;
            if output.starts_with(&SPIRV) {
                return of_spirv(words(&output));
            }
            let text = shaders::text(output).map_err(|why| fault(format!("preprocess: its output: {why}")))?;
            let text = kept_text(text);
            return if end == "cu" { Ok(of_cuda(text)) } else { of_wgsl(text, "") };
        }
        match end.as_str() {
            "wgsl" => {
                let beside = path.with_extension("cu");
                let cuda = if beside.exists() { text(&beside)? } else { "" };
                of_wgsl(text(path)?, cuda)
            }
            "cu" => Ok(of_cuda(text(path)?)),
            "spv" => {
                std::fs::metadata(path).map_err(Error::io("read", path))?;
                of_spirv(spirv(path).map_err(fault)?)
            }
            _ => Err(fault(format!("bench runs {ENDS} files, and others through preprocess = \"COMMAND {{in}}\""))),
        }
    }

    /// The peak of its operations: that of tensor cores if it has matrices of a subgroup, in WGSL or in CUDA. Parameters have
    /// `values`.
    pub(super) fn arithmetic(&self, dtype: Dtype, values: &Constants) -> Limit {
        let interface = || Shader::parse(self.wgsl, dtype.name())?.interface_of(self.entries, values);
        let has_matrices = || interface().is_ok_and(|own| own.features.contains(&Feature::CooperativeMatrix));
        let of_wgsl = (!self.wgsl.is_empty() && has_matrices()).then_some(Limit::Tensor);
        of_wgsl.or_else(|| matrix_instruction(self.cuda)).unwrap_or(Limit::Fma)
    }

    /// The entry point that is meant where none is named.
    pub(super) fn usual_entry(&self, path: &Path) -> Result<String> {
        if self.wgsl.is_empty() {
            return Ok(twin::ENTRY_POINT.to_owned());
        }
        // What is wrong with it is said when its types are known.
        let Ok(shader) = Shader::parse(self.wgsl, Dtype::F32.name()) else { return Ok("main".to_owned()) };
        match &shader.entries()[..] {
            several @ [_, _, ..] if shader.entry() != "main" => {
                let names = first_of(several);
                let steps: Vec<String> = several.iter().map(|name| format!("{{ entry = \"{name}\" }}")).collect();
                let steps = first_of(&steps);
                Err(usage!(
                    "{}: it has the entry points {names}: give entry = \"{}\" for one, or steps = [{steps}] for all",
                    shown(path),
                    several[0]
                ))
            }
            _ => Ok(shader.entry().to_owned()),
        }
    }

    /// Whether it has the entry points that it is to run.
    pub(super) fn check_entries(&self, path: &Path) -> Result<()> {
        let mut entries = self.entries.iter();
        let (name, instead) = if self.wgsl.is_empty() {
            let Some(name) = entries.find(|name| !twin::has_entry(self.cuda, name)) else { return Ok(()) };
            (name, format!(": write extern \"C\" __global__ void __launch_bounds__(THREADS) {name}(…)"))
        } else {
            // What is wrong with the text is said when its types are known.
            let Ok(shader) = Shader::parse(self.wgsl, Dtype::F32.name()) else { return Ok(()) };
            let known = shader.entries();
            let Some(name) = entries.find(|name| !known.contains(name)) else { return Ok(()) };
            (name, format!(", only {}", first_of(&known)))
        };
        Err(usage!("{}: there is no entry point '{name}'{instead}", shown(path)))
    }

    /// Whether CUDA C++ beside the WGSL has every entry point.
    pub(super) fn has_twin(&self) -> bool {
        let name = |entry: &&'static str| if *entry == "main" { twin::ENTRY_POINT } else { *entry };
        !self.cuda.is_empty() && self.entries.iter().all(|entry| twin::has_entry(self.cuda, name(entry)))
    }

    /// Why only CUDA has it, where that is so.
    pub(super) const fn only_cuda(&self) -> Option<&'static str> {
        if self.wgsl.is_empty() { Some("it is a CUDA kernel") } else { None }
    }

    /// The layouts of its bindings and immediates.
    pub(super) fn layouts(&self, dtype: Dtype, constants: &Constants) -> Result<Vec<Layout>> {
        if self.wgsl.is_empty() {
            return Ok(twin::layouts(self.cuda, self.entries, dtype));
        }
        Shader::parse(self.wgsl, dtype.name())?.layouts(self.entries, constants)
    }
}

impl Kernel {
    /// Its names of overrides; `None` where every name is one, as in CUDA, which gets them as definitions.
    pub(super) fn overrides(&self, dtype: Dtype) -> Result<Option<Vec<String>>> {
        if self.text.wgsl.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.parsed(dtype)?.overrides().into_iter().map(str::to_owned).collect()))
    }

    /// The values that its overrides accept: all of their types.
    pub(super) fn accepts(&self, dtype: Dtype) -> Result<Vec<(&'static str, Accepted)>> {
        if self.text.wgsl.is_empty() {
            return Ok(Vec::new());
        }
        let shader = self.parsed(dtype)?;
        let accepted = |name: &str| shader.accepted(name).map(|accepted| (kept_name(name), accepted));
        Ok(shader.overrides().into_iter().filter_map(accepted).collect())
    }

    /// The layouts of its bindings.
    pub(super) fn layouts(&self, dtype: Dtype) -> Result<Vec<Layout>> {
        self.text.layouts(dtype, &self.constants(dtype)?).map_err(|error| named(error, &self.path))
    }

    /// The file's parameters that are its overrides.
    fn constants(&self, dtype: Dtype) -> Result<Constants> {
        let overrides = self.overrides(dtype)?;
        let mut constants = self.params.clone();
        constants.retain(|name, _| overrides.as_ref().is_none_or(|known| known.contains(name)));
        Ok(constants)
    }

    /// The interface of its WGSL.
    fn interface(&self, dtype: Dtype) -> Result<Interface> {
        let (constants, shader) = (self.constants(dtype)?, self.parsed(dtype)?);
        shader.interface_of(self.text.entries, &constants).map_err(|error| named(error, &self.path))
    }

    pub(super) fn bindings(&self, dtype: Dtype) -> Result<Vec<Binding>> {
        if self.text.wgsl.is_empty() {
            return Ok(twin::bindings(self.text.cuda, self.text.entries));
        }
        Ok(self.interface(dtype)?.bindings)
    }

    /// What the declaration calls its samplers.
    pub(super) fn samplers(&self, dtype: Dtype) -> Result<Vec<String>> {
        if self.text.wgsl.is_empty() {
            return Ok(Vec::new());
        }
        let name = |own: String| self.table.names.get(&own).cloned().unwrap_or(own);
        Ok(self.interface(dtype)?.samplers.into_iter().map(|sampler| name(sampler.name)).collect())
    }

    /// What the declaration calls its bindings and immediates.
    pub(super) fn declared_names(&self, dtype: Dtype) -> Result<Vec<String>> {
        let bindings = self.bindings(dtype)?;
        let names = bindings.iter().map(|binding| declared_name(&self.table.names, binding).to_owned());
        let immediates =
            self.layouts(dtype)?.into_iter().filter(|layout| layout.is_immediate).map(|layout| layout.name);
        Ok(names.chain(immediates).collect())
    }

    /// The name of the first buffer that it writes.
    pub(super) fn written(&self, dtype: Dtype) -> Result<Option<String>> {
        let is_written = |binding: &Binding| binding.access == Access::ReadWrite && binding.is_stored;
        Ok(self.bindings(dtype)?.into_iter().find(is_written).map(|binding| binding.name))
    }

    /// Its WGSL, parsed, with its file in any fault.
    fn parsed(&self, dtype: Dtype) -> Result<Shader> {
        Shader::parse(self.text.wgsl, dtype.name()).map_err(|error| named(error, &self.path))
    }
}

/// What a declaration with these `names` calls a binding.
pub(super) fn declared_name<'a>(names: &'a BTreeMap<String, String>, binding: &'a Binding) -> &'a str {
    let number =
        if binding.group == 0 { binding.index.to_string() } else { format!("{}.{}", binding.group, binding.index) };
    names.get(&binding.name).or_else(|| names.get(&number)).unwrap_or(&binding.name)
}

/// The peak of the instructions of tensor cores in CUDA C++ or PTX, by the type of the factors; `None` without any.
fn matrix_instruction(cuda: &str) -> Option<Limit> {
    const NAMES: [&str; 4] = ["mma.sync", "wmma", "wgmma", "tcgen05.mma"];
    const FACTORS: [(&str, Limit); 6] = [
        (".e4m3", Limit::TensorFp8),
        (".e5m2", Limit::TensorFp8),
        (".s8", Limit::TensorInt8),
        (".u8", Limit::TensorInt8),
        (".tf32", Limit::TensorTf32),
        (".bf16", Limit::TensorBf16),
    ];
    let code = cuda.lines().map(|line| line.split("//").next().unwrap_or_default());
    let lines: Vec<&str> = code.filter(|line| NAMES.iter().any(|name| line.contains(name))).collect();
    let factors = FACTORS.into_iter().find(|(suffix, _)| lines.iter().any(|line| line.contains(suffix)));
    (!lines.is_empty()).then(|| factors.map_or(Limit::Tensor, |(_, limit)| limit))
}

/// Whether a line is for a preprocessor or a template engine.
fn is_directive(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('#') || line.starts_with("{{") || line.starts_with("{%")
}

/// The name of a file without its endings.
pub(super) fn stem(path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    visible(name.trim_end_matches(".wgsl").trim_end_matches(".cu")).into_owned()
}

/// Reads a module.
fn read_spirv(words: &[u32], values: &Constants) -> Result<SpirvKernel, String> {
    match caught(|| SpirvKernel::read(words, values))? {
        Err(Error::Shader(why)) => Err(why),
        read => read.map_err(|error| error.chain()),
    }
}

/// What naga reads. It panics on some invalid kernels.
fn caught<T>(read: impl FnOnce() -> T + std::panic::UnwindSafe) -> Result<T, String> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let read = std::panic::catch_unwind(read);
    std::panic::set_hook(hook);
    let why = "naga panicked while reading the kernel, which is probably invalid (tint or spirv-val may say why)";
    read.map_err(|_| why.to_owned())
}

fn named(error: Error, path: &Path) -> Error {
    match error {
        Error::Shader(message) => {
            let message = message.strip_prefix("error: ").unwrap_or(&message);
            usage!("{}: {message}", shown(path))
        }
        other => other,
    }
}

fn text(path: &Path) -> Result<&'static str> {
    let text = shaders::text(inputs::contents(path, inputs::KERNEL)?);
    let text = text.map_err(|why| usage!("{}: {why}", shown(path)))?;
    Ok(kept_text(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_matrix_instructions_have_the_peak_of_tensor_cores() {
        let of_cuda = |cuda: &'static str| Text { wgsl: "", cuda, spirv: None, entries: &[] };
        let of_wgsl = |wgsl: &'static str| Text { wgsl, cuda: "", spirv: None, entries: &["main"] };
        let arithmetic = |text: Text| text.arithmetic(Dtype::F16, &Constants::default());
        let kernel = |family, name| kernels::benchmark(family, name).expect("a benchmark");
        for (name, limit) in [
            ("tensor", Limit::Tensor),
            ("tensor_bf16", Limit::TensorBf16),
            ("tensor_tf32", Limit::TensorTf32),
            ("tensor_fp8", Limit::TensorFp8),
            ("tensor_int8", Limit::TensorInt8),
        ] {
            assert_eq!(arithmetic(of_cuda(kernel("ceiling", name).cuda)), limit, "{name}");
        }
        for (name, limit) in [("cooperative", Limit::Tensor), ("wgmma", Limit::Tensor), ("tiled", Limit::Fma)] {
            assert_eq!(arithmetic(of_cuda(kernel("matmul", name).cuda)), limit, "{name}");
        }
        assert_eq!(arithmetic(of_cuda("wmma::mma_sync(sums, a, b, sums);")), Limit::Tensor);
        assert_eq!(arithmetic(of_cuda("// as wmma does")), Limit::Fma);
        assert_eq!(arithmetic(of_wgsl(kernel("matmul", "cooperative").wgsl)), Limit::Tensor);
        assert_eq!(arithmetic(of_wgsl(kernel("matmul", "tiled").wgsl)), Limit::Fma);
    }
}
