//! The kernels of `bench`: WGSL, SPIR-V and CUDA C++.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::script::Script;
use super::source::{Reading, check_there, compilers};
use super::spec::KernelTable;
use super::steps::Steps;
use crate::cli::compiler::spirv;
use crate::cli::inputs;
use crate::cli::messages::first_of;
use crate::cli::shaders;
use gpu::shader::module::words;
use gpu::shader::{BufferUse, Layout, ModuleInterface, Shader, SpirvKernel, cuda_declaration, twin};
use record::error::{Error, Result, shown, usage, visible};
use record::suite::kept::{kept, kept_name, kept_text};
use record::suite::{Accepted, Access, Binding, Constants, Dtype, Feature, Interface, Limit};

const SPIRV: [u8; 4] = 0x0723_0203_u32.to_le_bytes();

/// The extensions of files that `bench` runs.
const ENDS: &str = ".wgsl, .spv, .cu, .comp, .hlsl and .slang";

/// A kernel before it becomes a benchmark.
#[derive(Clone)]
pub(super) struct Kernel {
    pub path: PathBuf,
    pub name: String,
    pub text: Text,
    /// Its table in the TOML file.
    pub table: KernelTable,
    pub steps: Steps,
    /// Threads per block along x, y and z, for CUDA C++ that does not declare them.
    pub workgroup: Vec<Script>,
    /// The first value of each parameter of the file.
    pub params: Constants,
}

/// The sources of a kernel. They live as long as the program, like the suite's.
#[derive(Clone, Copy)]
pub(in crate::cli) struct Text {
    /// WGSL, also if translated from SPIR-V; empty for CUDA C++ alone and for SPIR-V that naga cannot read.
    pub wgsl: &'static str,
    /// Empty if there is no CUDA C++.
    pub cuda: &'static str,
    /// The SPIR-V that `wgsl` was translated from.
    pub(in crate::cli) spirv: Option<&'static SpirvKernel>,
    /// In the order in which steps number them.
    pub(super) entries: &'static [&'static str],
}

impl Text {
    /// Reads a file, and the CUDA port of the same name beside a WGSL file. The entry points are not known yet.
    pub(super) fn read(path: &Path, reading: &Reading<'_>) -> Result<Self> {
        let end = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let fault = |why: String| usage!("{}: {why}", shown(path));
        let of_cuda = |cuda: &'static str| Self { wgsl: "", cuda, spirv: None, entries: &[] };
        let of_wgsl = |text: &str, cuda: &'static str| {
            let wgsl = kept_text(reading.expanded(text, path)?);
            // Catches panics only: errors are reported once the types are known.
            caught(|| drop(Shader::parse(wgsl, Dtype::F32.name()))).map_err(fault)?;
            Ok(Self { wgsl, ..of_cuda(cuda) })
        };
        let of_spirv = |words: Vec<u32>| {
            let module = kept(read_spirv(&words, reading).map_err(fault)?);
            Ok(Self { wgsl: &module.wgsl, spirv: Some(module), ..of_cuda("") })
        };
        if reading.command.is_some() || end == "spv" || compilers(path).is_some() {
            check_there(path)?;
        }
        if let Some(output) = reading.by_command(path).map_err(fault)? {
            if output.starts_with(&SPIRV) {
                return of_spirv(words(&output));
            }
            let text = shaders::text(output).map_err(|why| fault(format!("the output of `preprocess`: {why}")))?;
            return if end == "cu" { Ok(of_cuda(kept_text(text))) } else { of_wgsl(&text, "") };
        }
        if let Some(output) = reading.compiled(path).map_err(fault)? {
            return of_spirv(words(&output));
        }
        match end.as_str() {
            "wgsl" => {
                let beside = path.with_extension("cu");
                let cuda = if beside.exists() { text(&beside)? } else { "" };
                of_wgsl(text(path)?, cuda)
            }
            "cu" => Ok(of_cuda(text(path)?)),
            "spv" => of_spirv(spirv(path).map_err(fault)?),
            _ => Err(fault(format!("bench runs {ENDS} files; for other files, set preprocess = \"COMMAND {{in}}\""))),
        }
    }

    /// Whether it is CUDA C++ alone.
    pub(super) const fn is_cuda(&self) -> bool {
        self.wgsl.is_empty() && self.spirv.is_none()
    }

    pub(super) fn is_half(&self) -> bool {
        let has_half = || Shader::parse(self.wgsl, Dtype::F16.name()).is_ok_and(|own| own.has_half_arithmetic());
        self.wgsl.contains("enable f16") && (self.wgsl.contains("alias T =") || has_half())
    }

    /// The interface of SPIR-V that naga cannot read.
    pub(super) fn unread(&self, values: &Constants) -> Option<Result<ModuleInterface>> {
        let module = self.spirv.filter(|module| module.unread.is_some())?;
        Some(ModuleInterface::read(&module.words, values))
    }

    /// The peak for its operations: tensor cores' if it uses subgroup matrices (WGSL or CUDA). `values`: its
    /// parameters.
    pub(super) fn arithmetic(&self, dtype: Dtype, values: &Constants) -> Limit {
        let interface = || Shader::parse(self.wgsl, dtype.name())?.interface_of(self.entries, values);
        let has_matrices = || interface().is_ok_and(|own| own.features.contains(&Feature::CooperativeMatrix));
        let of_wgsl = (!self.wgsl.is_empty() && has_matrices()).then_some(Limit::Tensor);
        of_wgsl.or_else(|| matrix_instruction(self.cuda)).unwrap_or(Limit::Fma)
    }

    pub(super) fn entry_names(&self) -> Vec<String> {
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        if self.is_cuda() {
            return cuda_declaration::names(self.cuda);
        }
        if let Some(Ok(module)) = self.unread(&Constants::new()) {
            return owned(module.entries());
        }
        // Errors are reported once the types are known.
        let shader = Shader::parse(self.wgsl, Dtype::F32.name());
        shader.map_or_else(|_| vec!["main".to_owned()], |own| owned(own.entries()))
    }

    /// The entry point if none is named.
    pub(super) fn usual_entry(&self, path: &Path) -> Result<String> {
        if self.is_cuda() {
            return Ok(twin::ENTRY_POINT.to_owned());
        }
        let names = self.entry_names();
        match &names[..] {
            [only] => Ok(only.clone()),
            several if several.iter().any(|name| name == "main") => Ok("main".to_owned()),
            several => {
                let steps: Vec<String> = several.iter().map(|name| format!("{{ entry = \"{name}\" }}")).collect();
                Err(usage!(
                    "{}: the kernel has the entry points {}; set entry = \"{}\" to run one, or steps = [{}] to run all",
                    shown(path),
                    first_of(several),
                    several[0],
                    first_of(&steps)
                ))
            }
        }
    }

    /// Checks that the chosen entry points exist.
    pub(super) fn check_entries(&self, path: &Path) -> Result<()> {
        let mut entries = self.entries.iter();
        let (name, instead) = if self.is_cuda() {
            let Some(name) = entries.find(|name| !cuda_declaration::has_entry(self.cuda, name)) else { return Ok(()) };
            (name, format!("; write extern \"C\" __global__ void __launch_bounds__(THREADS) {name}(…)"))
        } else {
            let known = self.entry_names();
            let Some(name) = entries.find(|name| !known.iter().any(|own| own == **name)) else { return Ok(()) };
            // Errors in the text are reported once the types are known.
            if self.unread(&Constants::new()).is_none() && Shader::parse(self.wgsl, Dtype::F32.name()).is_err() {
                return Ok(());
            }
            (name, format!(", only {}", first_of(&known)))
        };
        Err(usage!("{}: there is no entry point '{name}'{instead}", shown(path)))
    }

    /// Whether the CUDA C++ beside the WGSL has every entry point.
    pub(super) fn has_twin(&self) -> bool {
        let name = |entry: &&'static str| if *entry == "main" { twin::ENTRY_POINT } else { *entry };
        !self.cuda.is_empty() && self.entries.iter().all(|entry| cuda_declaration::has_entry(self.cuda, name(entry)))
    }

    /// Why the kernel runs only through CUDA, if so.
    pub(super) fn only_cuda(&self) -> Option<&'static str> {
        let unread = self.spirv.and_then(|module| module.unread.as_deref());
        unread.or_else(|| self.is_cuda().then_some("the kernel is written in CUDA C++"))
    }

    pub(super) fn layouts(&self, dtype: Dtype, constants: &Constants) -> Result<Vec<Layout>> {
        if self.is_cuda() {
            return Ok(cuda_declaration::layouts(self.cuda, self.entries, dtype));
        }
        if let Some(module) = self.unread(constants) {
            return module?.layouts(self.entries);
        }
        Shader::parse(self.wgsl, dtype.name())?.layouts(self.entries, constants)
    }
}

impl Kernel {
    /// The names of its overrides; `None` if any name is one, as in CUDA, which gets them as macro definitions.
    pub(super) fn overrides(&self, dtype: Dtype) -> Result<Option<Vec<String>>> {
        if self.text.is_cuda() {
            return Ok(None);
        }
        if let Some(module) = self.text.unread(&self.params) {
            return Ok(Some(module?.defaults().into_iter().map(|(name, _)| name.to_owned()).collect()));
        }
        Ok(Some(self.parsed(dtype)?.overrides().into_iter().map(str::to_owned).collect()))
    }

    pub(super) fn accepts(&self, dtype: Dtype) -> Result<Vec<(&'static str, Accepted)>> {
        let Some(names) = self.overrides(dtype)? else { return Ok(Vec::new()) };
        let module = self.text.unread(&self.params).transpose()?;
        let shader = if module.is_none() { Some(self.parsed(dtype)?) } else { None };
        let accepted = |name: &String| match (&module, &shader) {
            (Some(module), _) => module.accepted(name),
            (_, shader) => shader.as_ref()?.accepted(name),
        };
        Ok(names.iter().filter_map(|name| Some((kept_name(name), accepted(name)?))).collect())
    }

    pub(super) fn layouts(&self, dtype: Dtype) -> Result<Vec<Layout>> {
        self.text.layouts(dtype, &self.constants(dtype)?).map_err(|error| named(error, &self.path))
    }

    /// The file's parameters that are overrides of this kernel.
    fn constants(&self, dtype: Dtype) -> Result<Constants> {
        let overrides = self.overrides(dtype)?;
        let mut constants = self.params.clone();
        constants.retain(|name, _| overrides.as_ref().is_none_or(|known| known.contains(name)));
        Ok(constants)
    }

    /// The interface of its WGSL, or of SPIR-V that naga cannot read.
    fn interface(&self, dtype: Dtype) -> Result<Interface> {
        let constants = self.constants(dtype)?;
        if let Some(module) = self.text.unread(&constants) {
            return module?.interface_of(self.text.entries, &constants).map_err(|error| named(error, &self.path));
        }
        let shader = self.parsed(dtype)?;
        shader.interface_of(self.text.entries, &constants).map_err(|error| named(error, &self.path))
    }

    /// How its entry points use buffers, in step order. A buffer that one writes before any reads it counts as unread.
    pub(super) fn buffer_uses(&self, dtype: Dtype) -> Result<Vec<BufferUse>> {
        let mut found: Vec<BufferUse> = Vec::new();
        if self.text.wgsl.is_empty() {
            // Without WGSL, the indices are unknown.
            return Ok(found);
        }
        let (constants, shader) = (self.constants(dtype)?, self.parsed(dtype)?);
        for entry in self.text.entries {
            for own in shader.buffer_uses(entry, &constants).map_err(|error| named(error, &self.path))? {
                match found.iter_mut().find(|known| known.name == own.name) {
                    Some(known) => {
                        known.is_read |= own.is_read && !known.is_written;
                        known.is_written |= own.is_written;
                        known.is_atomic |= own.is_atomic;
                        known.reach = known.reach.max(own.reach);
                    }
                    None => found.push(own),
                }
            }
        }
        Ok(found)
    }

    /// Workgroup size of the first entry point; `None` for CUDA C++, which may not declare one.
    pub(super) fn workgroup_size(&self, dtype: Dtype) -> Option<[u32; 3]> {
        if self.text.is_cuda() { None } else { Some(self.interface(dtype).ok()?.workgroup_size) }
    }

    pub(super) fn bindings(&self, dtype: Dtype) -> Result<Vec<Binding>> {
        if self.text.is_cuda() {
            return Ok(cuda_declaration::bindings(self.text.cuda, self.text.entries));
        }
        Ok(self.interface(dtype)?.bindings)
    }

    pub(super) fn samplers(&self, dtype: Dtype) -> Result<Vec<String>> {
        if self.text.is_cuda() {
            return Ok(Vec::new());
        }
        let name = |own: String| self.table.names.get(&own).cloned().unwrap_or(own);
        Ok(self.interface(dtype)?.samplers.into_iter().map(|sampler| name(sampler.name)).collect())
    }

    /// The declaration's names for its bindings and immediates.
    pub(super) fn declared_names(&self, dtype: Dtype) -> Result<Vec<String>> {
        let bindings = self.bindings(dtype)?;
        let names = bindings.iter().map(|binding| declared_name(&self.table.names, binding).to_owned());
        let immediates =
            self.layouts(dtype)?.into_iter().filter(|layout| layout.is_immediate).map(|layout| layout.name);
        Ok(names.chain(immediates).collect())
    }

    pub(super) fn written(&self, dtype: Dtype) -> Result<Option<String>> {
        let is_written = |binding: &Binding| binding.access == Access::ReadWrite && binding.is_stored;
        Ok(self.bindings(dtype)?.into_iter().find(is_written).map(|binding| binding.name))
    }

    /// Its WGSL, parsed; errors name the file.
    fn parsed(&self, dtype: Dtype) -> Result<Shader> {
        Shader::parse(self.text.wgsl, dtype.name()).map_err(|error| named(error, &self.path))
    }
}

/// The name of a binding in a declaration with these `names`.
pub(super) fn declared_name<'a>(names: &'a BTreeMap<String, String>, binding: &'a Binding) -> &'a str {
    let number =
        if binding.group == 0 { binding.index.to_string() } else { format!("{}.{}", binding.group, binding.index) };
    names.get(&binding.name).or_else(|| names.get(&number)).unwrap_or(&binding.name)
}

/// The tensor-core peak for the matrix instructions in CUDA C++ or PTX, by the inputs' type; `None` without any.
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

/// A file name without its extensions.
pub(super) fn stem(path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    visible(name.trim_end_matches(".wgsl").trim_end_matches(".cu")).into_owned()
}

/// Reads a module, from its decorations alone if naga cannot read it.
fn read_spirv(words: &[u32], Reading { values, formats, .. }: &Reading<'_>) -> Result<SpirvKernel, String> {
    let why = match caught(|| SpirvKernel::read(words, values, formats)) {
        Ok(Ok(read)) => return Ok(read),
        Ok(Err(Error::Shader(why))) | Err(why) => why,
        Ok(Err(error)) => return Err(error.chain()),
    };
    SpirvKernel::unread(words, values, formats, &why).map_err(|error| match error {
        Error::Shader(why) => why,
        other => other.chain(),
    })
}

/// Runs naga, which panics on some invalid kernels.
fn caught<T>(read: impl FnOnce() -> T + std::panic::UnwindSafe) -> Result<T, String> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let read = std::panic::catch_unwind(read);
    std::panic::set_hook(hook);
    let why = "naga panicked while reading the kernel, which is probably invalid (check with tint or spirv-val)";
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
