//! CUB: sums, scans, sorts and histograms. Its device-wide algorithms are C++ host functions, which NVRTC cannot
//! compile: nvcc from the CUDA toolkit compiles them into a library, one routine and type at a time.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::ptr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::loaded::{Call, Loaded, check_lengths};
use crate::backend::activity;
use crate::backend::cuda::context::Context;
use crate::backend::cuda::memory::Memory;
use crate::backend::cuda::toolkit::usual_folders;
use crate::job::{Routine, Scalar};
use record::error::{Error, Result, one_line};

const SOURCE: &str = include_str!("cub.cu");

/// nvcc counts as hung if it takes longer for a routine.
const LONGEST: Duration = Duration::from_secs(180);

/// `cudaError_t`.
const ALLOC_FAILED: c_int = 2;

/// The function of `cub.cu`.
type Function = unsafe extern "C" fn(*mut c_void, *mut usize, *const c_void, *mut c_void, u64, *mut c_void) -> c_int;

/// The compiled routines, by their name in `cub.cu` and element type.
#[derive(Default)]
pub(super) struct Cub {
    known: HashMap<(&'static str, Scalar), Result<Rc<Loaded>, String>>,
}

impl Cub {
    /// A routine from the first buffer to the second. The context must be current. Fails with [`Error::Unsupported`] if
    /// nvcc is missing or cannot compile the routine.
    pub(super) fn bind(
        &mut self,
        context: &Rc<Context>,
        routine: Routine,
        scalar: Scalar,
        buffers: &[Rc<Memory>],
    ) -> Result<Call> {
        let size = scalar.bytes() as u64;
        let (name, n, lengths) = match routine {
            Routine::Sum { n } => ("SUM", n, [n.saturating_mul(size), size]),
            Routine::Scan { n } => ("SCAN", n, [n.saturating_mul(size); 2]),
            Routine::Sort { n, has_values: false } => ("SORT", n, [n.saturating_mul(4); 2]),
            Routine::Sort { n, has_values: true } => ("SORT_PAIRS", n, [n.saturating_mul(8); 2]),
            Routine::CountBytes { n } if n < 1 << 31 => ("COUNT", n, [n, 4 * 256]),
            _ => return Err(Error::Unsupported("CUB has no routine for this operation and size".to_owned())),
        };
        let [input, output] = check_lengths(buffers, lengths)?;
        let compiled = self.known.entry((name, scalar)).or_insert_with(|| compiled(name, scalar));
        let library = Rc::clone(compiled.as_ref().map_err(|why| Error::Unsupported(why.clone()))?);
        // SAFETY: the type is that of the function in `cub.cu`, and the call below keeps the library.
        let function = unsafe { library.symbol::<Function>("shaderbench_call")? };
        let context = Rc::clone(context);
        let run = move |own: *mut c_void, bytes: &mut usize| {
            let (from, to) = (input.address() as *const c_void, output.address() as *mut c_void);
            // SAFETY: the lengths are checked above, and this closure keeps the buffers; `own` is null or has the size
            // that the function asked for.
            let status = unsafe { function(own, bytes, from, to, n, context.stream()) };
            library.check("the routine", status)
        };
        let mut bytes = 0;
        run(ptr::null_mut(), &mut bytes)?;
        let scratch = Memory::new(buffers[0].context(), (bytes as u64).max(4).next_multiple_of(4))?;
        Ok(Box::new(move || run(scratch.address() as *mut c_void, &mut bytes.clone())))
    }
}

/// Compiles and loads a routine, or returns the reason why that fails.
fn compiled(name: &'static str, scalar: Scalar) -> Result<Rc<Loaded>, String> {
    let _compiling = activity::compiling();
    let type_of = match scalar {
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        _ => "unsigned",
    };
    let folder = tempfile::tempdir().map_err(|error| format!("cannot create a temporary folder for CUB: {error}"))?;
    let (source, library) = (folder.path().join("cub.cu"), folder.path().join("libshaderbench_cub.so"));
    let written = |error| format!("cannot write CUB's source file: {error}");
    std::fs::write(&source, SOURCE).map_err(written)?;
    // To a file, because a long list of errors would fill a pipe and block nvcc.
    let errors = folder.path().join("errors.txt");
    let open = || std::fs::File::create(&errors);
    open().map_err(written)?;
    let by_path = usual_folders().into_iter().filter_map(|folder| Some(folder.parent()?.join("bin/nvcc")));
    let started = std::iter::once(PathBuf::from("nvcc")).chain(by_path).find_map(|nvcc| {
        let mut command = Command::new(nvcc);
        command.args(["-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler", "-fPIC"]);
        command
            .args([&format!("-DROUTINE={name}"), &format!("-DELEMENT={type_of}")])
            .arg("-o")
            .arg(&library)
            .arg(&source);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(open().ok()?).spawn().ok()
    });
    let Some(mut nvcc) = started else {
        return Err("nvcc, which compiles CUB, was not found: install the CUDA toolkit".to_owned());
    };
    let start = Instant::now();
    while nvcc.try_wait().is_ok_and(|status| status.is_none()) {
        if start.elapsed() > LONGEST {
            let _ = (nvcc.kill(), nvcc.wait());
            return Err(format!("nvcc did not compile CUB's routine within {} s", LONGEST.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let status = nvcc.wait().map_err(|error| format!("cannot run nvcc for CUB: {error}"))?;
    if !status.success() {
        let text = String::from_utf8_lossy(&std::fs::read(&errors).unwrap_or_default()).into_owned();
        let first =
            text.lines().find(|line| line.contains("error")).or_else(|| text.lines().next()).unwrap_or_default();
        return Err(format!("nvcc cannot compile CUB's routine: {}", one_line(first)));
    }
    // SAFETY: the library is compiled from `cub.cu`: loading it registers its kernels, which has no preconditions.
    let loaded =
        unsafe { libloading::Library::new(&library) }.map_err(|error| format!("cannot load CUB's routine: {error}"))?;
    Ok(Rc::new(Loaded { library: loaded, title: "CUB", no_memory: ALLOC_FAILED }))
}
