//! NVRTC, NVIDIA's run-time compiler for CUDA C++. It needs neither a GPU nor a driver.

use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use cudarc::nvrtc::result;
use cudarc::nvrtc::sys::{self, nvrtcResult};

use super::toolkit::usual_folders;
use record::error::{Error, Result, one_line};

const MISSING: &str = "NVRTC, CUDA's compiler, was not found (libnvrtc.so): install the CUDA toolkit, or `pip install \
    nvidia-cuda-nvrtc` and add the folder of libnvrtc.so to LD_LIBRARY_PATH";

/// File names, newest first.
const NAMES: [&str; 3] = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];

pub(super) const OPTIONS: [&str; 2] = ["--std=c++17", "--fmad=true"];

/// The installed compiler.
#[derive(Debug, Clone)]
pub struct Compiler {
    version: (u32, u32),
    /// Compute capabilities that it compiles for, as 10 × major + minor, ascending.
    capabilities: Vec<u32>,
}

/// A compiled program.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// Machine code (cubin), or PTX that ends with a zero byte.
    pub image: Vec<u8>,
    /// The compiler's log: warnings.
    pub log: String,
    /// The requested kernels' names in the image, in the order of the request.
    pub names: Vec<String>,
}

impl Compiler {
    /// Finds the library: on the system's search path, then in `folders`, then in the usual folders of the toolkit. The
    /// first call in a process decides which library is used.
    ///
    /// # Errors
    /// [`Error::NoDevice`] with what to install.
    pub fn find(folders: &[PathBuf]) -> Result<Self> {
        if !is_installed() {
            // A loaded library is found by its name, whatever its folder.
            let usual = usual_folders();
            let mut paths = folders.iter().chain(&usual).flat_map(|folder| NAMES.map(|name| folder.join(name)));
            if !paths.any(|path| load(&path)) || !is_installed() {
                return Err(Error::NoDevice(MISSING.to_owned()));
            }
        }
        // cudarc panics if a library lacks a symbol.
        let found = catch_unwind(|| Some(Self { version: version()?, capabilities: capabilities()? }));
        let broken = "the installed NVRTC does not work: install the CUDA toolkit, or `pip install nvidia-cuda-nvrtc`";
        found.ok().flatten().ok_or_else(|| Error::NoDevice(broken.to_owned()))
    }

    /// Major and minor version, equal to those of its CUDA toolkit.
    #[must_use]
    pub const fn version(&self) -> (u32, u32) {
        self.version
    }

    /// Compute capabilities that it compiles for, as 10 × major + minor, ascending.
    #[must_use]
    pub fn capabilities(&self) -> &[u32] {
        &self.capabilities
    }

    /// The target for a device of this compute capability (10 × major + minor): `sm_90` if the compiler supports it,
    /// else PTX for the next lower one, which the driver compiles.
    ///
    /// # Errors
    /// [`Error::NoDevice`] if the device is too old for the compiler.
    pub fn target(&self, capability: u32) -> Result<String> {
        match self.capabilities.iter().rfind(|known| **known <= capability) {
            Some(known) if *known == capability => Ok(format!("sm_{known}")),
            Some(known) => Ok(format!("compute_{known}")),
            None => {
                let oldest = self.capabilities.first().copied().unwrap_or_default();
                Err(Error::NoDevice(format!(
                    "NVRTC {}.{} compiles only for compute capability {}.{} or higher, but the device has {}.{}: \
                     install an older CUDA toolkit",
                    self.version.0,
                    self.version.1,
                    oldest / 10,
                    oldest % 10,
                    capability / 10,
                    capability % 10
                )))
            }
        }
    }

    /// Compiles `program` for `target` (`sm_90`: machine code; `compute_90`: PTX).
    ///
    /// # Errors
    /// [`Error::Shader`] with the compiler's log.
    pub fn compile(&self, program: &str, target: &str) -> Result<Compiled> {
        self.compile_named(program, target, &[])
    }

    /// Like [`Compiler::compile`], for kernels with C++ names: instances of templates (`scan<256>`), and all that is
    /// not `extern "C"`.
    ///
    /// # Errors
    /// As for [`Compiler::compile`].
    pub fn compile_named(&self, program: &str, target: &str, names: &[String]) -> Result<Compiled> {
        let text =
            CString::new(program).map_err(|_| Error::Shader("the CUDA source contains a NUL byte".to_owned()))?;
        let options: Vec<String> =
            std::iter::once(format!("--gpu-architecture={target}")).chain(OPTIONS.map(str::to_owned)).collect();
        let named = |name: &String| {
            CString::new(name.as_str()).map_err(|_| Error::Shader("a kernel name contains a zero byte".to_owned()))
        };
        let names = names.iter().map(named).collect::<Result<Vec<CString>>>()?;
        catch_unwind(|| compile(&text, &options, target.starts_with("sm_"), &names))
            .unwrap_or_else(|_| Err(Error::Shader("this NVRTC lacks a required function".to_owned())))
    }
}

/// Destroyed when dropped.
struct Program(sys::nvrtcProgram);

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the handle came from `create_program`, and no other code destroys it.
        let _ = unsafe { result::destroy_program(self.0) };
    }
}

fn compile(text: &CString, options: &[String], is_machine_code: bool, names: &[CString]) -> Result<Compiled> {
    let program = result::create_program(text, None)
        .map(Program)
        .map_err(|error| Error::Shader(format!("NVRTC cannot create a program: {error}")))?;
    for name in names {
        // SAFETY: `program` is alive and not compiled yet; `name` ends with a zero.
        let status = unsafe { sys::nvrtcAddNameExpression(program.0, name.as_ptr()) };
        if status != nvrtcResult::NVRTC_SUCCESS {
            return Err(Error::Shader(format!("'{}' is not a valid kernel name", name.to_string_lossy())));
        }
    }
    // SAFETY: `program` and its text are alive; the options have no zero bytes.
    let compiled = unsafe { result::compile_program(program.0, options) };
    // SAFETY: `program` is alive; NVRTC has a log after every compilation.
    let log = unsafe { result::get_program_log(program.0) }.unwrap_or_default();
    let log = String::from_utf8_lossy(&bytes(&log)).trim_matches(['\0', '\n', ' ']).to_owned();
    if let Err(error) = compiled {
        let message = if log.is_empty() { error.to_string() } else { log };
        return Err(Error::Shader(one_line(&message)));
    }
    let image = if is_machine_code {
        machine_code(&program)
    } else {
        // SAFETY: `program` is alive, and was compiled.
        unsafe { result::get_ptx(program.0) }.map(|ptx| bytes(&ptx)).ok()
    };
    let image = image.ok_or_else(|| Error::Shader("NVRTC compiled the program but returned no code".to_owned()))?;
    let names = names.iter().map(|name| lowered(&program, name)).collect::<Result<_>>()?;
    Ok(Compiled { image, log, names })
}

/// The name of a requested kernel in a compiled program.
fn lowered(program: &Program, name: &CString) -> Result<String> {
    let mut found = std::ptr::null();
    // SAFETY: `program` is alive and compiled, `name` was added to it before, and `found` is a valid place.
    let status = unsafe { sys::nvrtcGetLoweredName(program.0, name.as_ptr(), &raw mut found) };
    if status != nvrtcResult::NVRTC_SUCCESS || found.is_null() {
        return Err(Error::Shader(format!("the compiled program has no kernel '{}'", name.to_string_lossy())));
    }
    // SAFETY: NVRTC returned a text that ends with a zero and lives as long as the program.
    Ok(unsafe { CStr::from_ptr(found) }.to_string_lossy().into_owned())
}

fn machine_code(program: &Program) -> Option<Vec<u8>> {
    let mut length = 0;
    // SAFETY: `program` is alive, and was compiled; `length` is a valid place.
    let status = unsafe { sys::nvrtcGetCUBINSize(program.0, &raw mut length) };
    let mut code: Vec<c_char> = vec![0; length];
    if status != nvrtcResult::NVRTC_SUCCESS || length == 0 {
        return None;
    }
    // SAFETY: `code` has the length that NVRTC returned.
    let status = unsafe { sys::nvrtcGetCUBIN(program.0, code.as_mut_ptr()) };
    (status == nvrtcResult::NVRTC_SUCCESS).then(|| bytes(&code))
}

/// `c_char` is signed on some platforms.
fn bytes(text: &[c_char]) -> Vec<u8> {
    bytemuck::cast_slice(text).to_vec()
}

fn version() -> Option<(u32, u32)> {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both numbers are valid places.
    let status = unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) };
    let version = (u32::try_from(major).ok()?, u32::try_from(minor).ok()?);
    (status == nvrtcResult::NVRTC_SUCCESS).then_some(version)
}

fn capabilities() -> Option<Vec<u32>> {
    let mut count = 0;
    // SAFETY: `count` is a valid place.
    let status = unsafe { sys::nvrtcGetNumSupportedArchs(&raw mut count) };
    if status != nvrtcResult::NVRTC_SUCCESS {
        return None;
    }
    let mut known: Vec<c_int> = vec![0; usize::try_from(count).ok()?];
    // SAFETY: `known` has the length that NVRTC returned.
    let status = unsafe { sys::nvrtcGetSupportedArchs(known.as_mut_ptr()) };
    let mut known: Vec<u32> = known.into_iter().filter_map(|capability| u32::try_from(capability).ok()).collect();
    known.sort_unstable();
    (status == nvrtcResult::NVRTC_SUCCESS).then_some(known)
}

fn is_installed() -> bool {
    // SAFETY: loading NVRTC runs its initialisers, which have no preconditions.
    unsafe { sys::is_culib_present() }
}

/// Loads a library for the rest of the process. Returns whether that succeeded.
fn load(path: &Path) -> bool {
    // SAFETY: loading NVRTC runs its initialisers, which have no preconditions.
    unsafe { libloading::Library::new(path) }.map(std::mem::forget).is_ok()
}
