//! NVRTC, CUDA's compiler as a library. It needs no GPU and no driver.

use std::ffi::{CString, c_char, c_int};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use cudarc::nvrtc::result;
use cudarc::nvrtc::sys::{self, nvrtcResult};

use crate::error::{Error, Result};

/// What to do where there is none.
const MISSING: &str = "NVRTC, CUDA's compiler, was not found (libnvrtc.so): install the CUDA toolkit, or `pip install \
    nvidia-cuda-nvrtc`, and put the folder with libnvrtc.so on LD_LIBRARY_PATH";

/// Names of the library, the newest first.
const NAMES: [&str; 3] = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];

/// The compiler that was found.
#[derive(Debug, Clone)]
pub struct Compiler {
    version: (u32, u32),
    /// Compute capabilities that it compiles for, as 10 × major + minor, the lowest first.
    capabilities: Vec<u32>,
}

/// A compiled program.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// Machine code for the very device, or PTX, ending with a zero, for the driver to finish.
    pub image: Vec<u8>,
    /// What the compiler said: warnings.
    pub log: String,
}

impl Compiler {
    /// Looks where the system looks for libraries, then in `folders`, then where the toolkit is installed by default. Which library is
    /// used is settled by the first call in a process.
    ///
    /// # Errors
    /// [`Error::NoDevice`] with what to install.
    pub fn find(folders: &[PathBuf]) -> Result<Self> {
        if !is_installed() {
            // A library that is loaded answers to its name from then on, wherever it lies.
            let usual = usual_folders();
            let mut places = folders.iter().chain(&usual).flat_map(|folder| NAMES.map(|name| folder.join(name)));
            if !places.any(|place| keep_loaded(&place)) || !is_installed() {
                return Err(Error::NoDevice(MISSING.to_owned()));
            }
        }
        // cudarc panics where a library lacks a symbol: that is an answer, not a crash.
        let found = catch_unwind(|| Some(Self { version: version()?, capabilities: capabilities()? }));
        found
            .ok()
            .flatten()
            .ok_or_else(|| Error::NoDevice(format!("the NVRTC that is installed does not answer; {MISSING}")))
    }

    /// Major and minor version, which are those of its CUDA toolkit.
    #[must_use]
    pub const fn version(&self) -> (u32, u32) {
        self.version
    }

    /// Compute capabilities that it compiles for, as 10 × major + minor, the lowest first.
    #[must_use]
    pub fn capabilities(&self) -> &[u32] {
        &self.capabilities
    }

    /// What to compile for on a device of this compute capability (10 × major + minor): `sm_90` where the compiler knows it, else PTX
    /// for the nearest below, which the driver finishes.
    ///
    /// # Errors
    /// [`Error::NoDevice`] where the compiler no longer knows so old a device.
    pub fn target(&self, capability: u32) -> Result<String> {
        match self.capabilities.iter().rfind(|known| **known <= capability) {
            Some(known) if *known == capability => Ok(format!("sm_{known}")),
            Some(known) => Ok(format!("compute_{known}")),
            None => {
                let oldest = self.capabilities.first().copied().unwrap_or_default();
                Err(Error::NoDevice(format!(
                    "NVRTC {}.{} compiles for compute capability {}.{} and newer, the device has {}.{}: install an older CUDA toolkit",
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

    /// Compiles `program`, the whole text, for `target` (`sm_90`: machine code; `compute_90`: PTX).
    ///
    /// # Errors
    /// [`Error::Shader`] with the compiler's log.
    pub fn compile(&self, program: &str, target: &str) -> Result<Compiled> {
        let text = CString::new(program).map_err(|_| Error::Shader("a twin contains a zero byte".to_owned()))?;
        let options = [format!("--gpu-architecture={target}"), "--std=c++17".to_owned(), "--fmad=true".to_owned()];
        catch_unwind(|| compile(&text, &options, target.starts_with("sm_")))
            .unwrap_or_else(|_| Err(Error::Shader("NVRTC lacks what cudarc expects of it".to_owned())))
    }
}

/// A program of NVRTC, which destroys itself.
struct Program(sys::nvrtcProgram);

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the handle came from `create_program`, and nobody else has it.
        let _ = unsafe { result::destroy_program(self.0) };
    }
}

fn compile(text: &CString, options: &[String], is_machine_code: bool) -> Result<Compiled> {
    let program = result::create_program(text, None)
        .map(Program)
        .map_err(|error| Error::Shader(format!("NVRTC takes no program: {error}")))?;
    // SAFETY: the handle is alive, and so is the text that it refers to; options contain no zeros.
    let compiled = unsafe { result::compile_program(program.0, options) };
    // SAFETY: as above; there is a log after every attempt.
    let log = unsafe { result::get_program_log(program.0) }.unwrap_or_default();
    let log = String::from_utf8_lossy(&bytes(&log)).trim_matches(['\0', '\n', ' ']).to_owned();
    if let Err(error) = compiled {
        let said = if log.is_empty() { error.to_string() } else { log };
        return Err(Error::Shader(super::one_line(&said)));
    }
    let image = if is_machine_code {
        machine_code(&program)
    } else {
        // SAFETY: the program was compiled.
        unsafe { result::get_ptx(program.0) }.map(|ptx| bytes(&ptx)).ok()
    };
    let image = image.ok_or_else(|| Error::Shader("NVRTC compiled a program and does not hand it over".to_owned()))?;
    Ok(Compiled { image, log })
}

fn machine_code(program: &Program) -> Option<Vec<u8>> {
    let mut length = 0;
    // SAFETY: the program was compiled for a device; the number has a place.
    let status = unsafe { sys::nvrtcGetCUBINSize(program.0, &raw mut length) };
    let mut code: Vec<c_char> = vec![0; length];
    if status != nvrtcResult::NVRTC_SUCCESS || length == 0 {
        return None;
    }
    // SAFETY: the code has a place of the length that the program gave.
    let status = unsafe { sys::nvrtcGetCUBIN(program.0, code.as_mut_ptr()) };
    (status == nvrtcResult::NVRTC_SUCCESS).then(|| bytes(&code))
}

/// C's characters are signed on some platforms.
fn bytes(text: &[c_char]) -> Vec<u8> {
    text.iter().map(|c| *c as u8).collect()
}

fn version() -> Option<(u32, u32)> {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both numbers have a place.
    let status = unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) };
    let version = (u32::try_from(major).ok()?, u32::try_from(minor).ok()?);
    (status == nvrtcResult::NVRTC_SUCCESS).then_some(version)
}

fn capabilities() -> Option<Vec<u32>> {
    let mut count = 0;
    // SAFETY: the number has a place.
    let status = unsafe { sys::nvrtcGetNumSupportedArchs(&raw mut count) };
    if status != nvrtcResult::NVRTC_SUCCESS {
        return None;
    }
    let mut known: Vec<c_int> = vec![0; usize::try_from(count).ok()?];
    // SAFETY: the list has a place of the length that was told.
    let status = unsafe { sys::nvrtcGetSupportedArchs(known.as_mut_ptr()) };
    let mut known: Vec<u32> = known.into_iter().filter_map(|capability| u32::try_from(capability).ok()).collect();
    known.sort_unstable();
    (status == nvrtcResult::NVRTC_SUCCESS).then_some(known)
}

fn is_installed() -> bool {
    // SAFETY: loading the library runs its initialisers, and nothing else of it is touched.
    unsafe { sys::is_culib_present() }
}

/// Loads a library for the rest of the process; whether it is there.
fn keep_loaded(path: &Path) -> bool {
    // SAFETY: loading NVRTC runs its initialisers, and nothing else of it is touched.
    unsafe { libloading::Library::new(path) }.map(std::mem::forget).is_ok()
}

/// Where toolkits are installed that are on no search path.
pub(super) fn usual_folders() -> Vec<PathBuf> {
    let named = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let usual = ["/usr/local/cuda", "/opt/cuda"].into_iter().map(PathBuf::from);
    named.chain(usual).map(|toolkit| toolkit.join("lib64")).collect()
}
