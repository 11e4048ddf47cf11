//! The kernels of `bench`: WGSL, SPIR-V, CUDA C++.

use std::path::{Path, PathBuf};

use super::script::Script;
use crate::cli::compiler::spirv;
use crate::cli::inputs;
use crate::cli::shaders;
use crate::error::{Error, Result, shown};
use crate::shader::{Layout, Shader, SpirvKernel, twin};
use crate::suite::kept::{kept, kept_text};
use crate::suite::{Accepted, Access, Constants, Dtype};

/// The endings of the files that `bench` runs.
const ENDS: &str = ".wgsl, .spv, .cu";

/// A kernel before it is a benchmark.
pub(super) struct Kernel {
    /// Its file.
    pub path: PathBuf,
    pub text: Text,
    /// Workgroups along x, y and z; empty for one invocation per element.
    pub groups: Vec<Script>,
    /// The same as they are written.
    pub written_groups: Vec<String>,
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
}

impl Text {
    /// Reads a file, and the CUDA twin of the same name beside one of WGSL.
    ///
    /// # Errors
    /// [`Error::Usage`] where it is no kernel that `bench` can run.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let end = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let fault = |why: String| Error::Usage(format!("{}: {why}", shown(path)));
        match end.as_str() {
            "wgsl" => {
                let beside = path.with_extension("cu");
                let cuda = if beside.exists() { text(&beside)? } else { "" };
                let wgsl = text(path)?;
                // What is wrong with it is said when its types are known.
                caught(|| drop(Shader::parse(wgsl, Dtype::F32.name()))).map_err(fault)?;
                Ok(Self { wgsl, cuda, spirv: None })
            }
            "cu" => {
                let cuda = text(path)?;
                if twin::layouts(cuda, Dtype::F32).is_none() {
                    return Err(fault(
                        "there is no entry point: write extern \"C\" __global__ void __launch_bounds__(THREADS) kernel(…)"
                            .to_owned(),
                    ));
                }
                Ok(Self { wgsl: "", cuda, spirv: None })
            }
            "spv" => {
                std::fs::metadata(path).map_err(|source| unreadable(path, source))?;
                let words = spirv(path).map_err(fault)?;
                let module = read_spirv(&words).map_err(fault)?;
                let module = kept(module);
                Ok(Self { wgsl: &module.wgsl, cuda: "", spirv: Some(module) })
            }
            _ => Err(fault(format!("bench runs {ENDS} files"))),
        }
    }

    /// Why only CUDA has it, where that is so.
    pub(super) const fn only_cuda(&self) -> Option<&'static str> {
        if self.wgsl.is_empty() { Some("it is a CUDA kernel") } else { None }
    }

    /// The layouts of its bindings, in their order.
    pub(super) fn layouts(&self, dtype: Dtype, constants: &Constants) -> Result<Vec<Layout>> {
        if self.wgsl.is_empty() {
            return Ok(twin::layouts(self.cuda, dtype).unwrap_or_default());
        }
        Shader::parse(self.wgsl, dtype.name())?.layouts(constants)
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
        let names: Vec<String> = shader.overrides().into_iter().map(str::to_owned).collect();
        let accepted = |name: String| shader.accepted(&name).map(|accepted| (kept_text(name), accepted));
        Ok(names.into_iter().filter_map(accepted).collect())
    }

    /// The layouts of its bindings.
    pub(super) fn layouts(&self, dtype: Dtype) -> Result<Vec<Layout>> {
        self.text.layouts(dtype, &self.constants(dtype)?).map_err(|error| named(error, &self.path))
    }

    /// The file's parameters that are its overrides.
    fn constants(&self, dtype: Dtype) -> Result<Constants> {
        let own = self.overrides(dtype)?;
        let is_own = |name: &String| own.as_ref().is_none_or(|own| own.contains(name));
        Ok(self.params.iter().filter(|(name, _)| is_own(name)).map(|(name, value)| (name.clone(), *value)).collect())
    }

    /// The name of the first buffer that it writes.
    pub(super) fn written(&self, dtype: Dtype) -> Result<Option<String>> {
        if self.text.wgsl.is_empty() {
            return Ok(twin::written(self.text.cuda));
        }
        let constants = self.constants(dtype)?;
        let interface = self.parsed(dtype)?.interface(&constants).map_err(|error| named(error, &self.path))?;
        let written =
            interface.bindings.into_iter().find(|binding| binding.access == Access::ReadWrite && binding.is_stored);
        Ok(written.map(|binding| binding.name))
    }

    /// Its WGSL, parsed, with its file in any fault.
    fn parsed(&self, dtype: Dtype) -> Result<Shader> {
        Shader::parse(self.text.wgsl, dtype.name()).map_err(|error| named(error, &self.path))
    }
}

/// Reads a module.
fn read_spirv(words: &[u32]) -> Result<SpirvKernel, String> {
    match caught(|| SpirvKernel::read(words))? {
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
    let why = "naga, which reads it, ended with a panic: the kernel is probably invalid (tint or spirv-val says why)";
    read.map_err(|_| why.to_owned())
}

fn named(error: Error, path: &Path) -> Error {
    match error {
        Error::Shader(message) => {
            let message = message.strip_prefix("error: ").unwrap_or(&message);
            Error::Usage(format!("{}: {message}", shown(path)))
        }
        other => other,
    }
}

fn unreadable(path: &Path, source: std::io::Error) -> Error {
    Error::Io { action: "read", path: path.to_owned(), source }
}

fn text(path: &Path) -> Result<&'static str> {
    let text = shaders::text(inputs::contents(path, inputs::KERNEL)?);
    let text = text.map_err(|why| Error::Usage(format!("{}: {why}", shown(path))))?;
    Ok(kept_text(text))
}
