//! NVIDIA's libraries, with which the suite's kernels are compared: each is loaded when a job first calls it, and has a file
//! here.

mod cub;
mod cublas;
mod cufft;
mod cusparse;

use std::path::PathBuf;
use std::rc::Rc;

use super::context::Context;
use super::memory::Memory;
use super::toolkit::usual_folders;
use crate::error::{Error, Result};
use crate::job::{Routine, Scalar};
use cub::Cub;
use cublas::Blas;
use cufft::Fft;
use cusparse::Sparse;

/// A routine bound to its buffers: each call adds it to the context's stream.
pub(super) type Call = Box<dyn Fn() -> Result<()>>;

/// The libraries of a context that are open.
#[derive(Default)]
pub(super) struct Libraries {
    blas: Option<Rc<Blas>>,
    cub: Cub,
    fft: Option<Rc<Fft>>,
    sparse: Option<Rc<Sparse>>,
}

impl Libraries {
    /// Binds a routine to buffers, the first of which has elements of this type; the last ones are written. Plans and
    /// memory of the library's own are made here, so that a call only issues work. `context` must be current.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the library or one of its functions is missing, or it has no such routine.
    pub(super) fn bind(
        &mut self,
        context: &Rc<Context>,
        routine: Routine,
        scalar: Scalar,
        buffers: &[Rc<Memory>],
    ) -> Result<Call> {
        context.check_open()?;
        let call = match routine {
            Routine::Multiply { .. } | Routine::MultiplyVector { .. } | Routine::Transpose { .. } => {
                opened(&mut self.blas, || Blas::open(context))?.bind(routine, scalar, buffers)?
            }
            Routine::Transform { count, points } => {
                opened(&mut self.fft, || Fft::open(context))?.bind(count, points, buffers)?
            }
            Routine::MultiplySparse { rows, nonzeros } => {
                opened(&mut self.sparse, || Sparse::open(context))?.bind(rows, nonzeros, buffers)?
            }
            Routine::Sum { .. } | Routine::Scan { .. } | Routine::Sort { .. } | Routine::CountBytes { .. } => {
                self.cub.bind(context, routine, scalar, buffers)?
            }
            Routine::Attention { .. } => {
                return Err(Error::Unsupported("cuDNN is not called yet".to_owned()));
            }
        };
        let context = Rc::clone(context);
        Ok(Box::new(move || {
            context.check_open()?;
            call()?;
            context.count_operation()
        }))
    }
}

/// The library, which is opened at the first call.
fn opened<T>(known: &mut Option<Rc<T>>, open: impl FnOnce() -> Result<Rc<T>>) -> Result<Rc<T>> {
    match known {
        Some(library) => Ok(Rc::clone(library)),
        None => Ok(Rc::clone(known.insert(open()?))),
    }
}

/// A library that is loaded.
struct Loaded {
    library: libloading::Library,
    title: &'static str,
    /// Its status when memory is short.
    no_memory: i32,
}

impl Loaded {
    /// Loads the first of these files that is on the system's search path, or in a usual folder of the CUDA toolkit.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if there is none: `advice` says what to install.
    fn find((title, no_memory): (&'static str, i32), names: &[&str], advice: &str) -> Result<Self> {
        let by_path = usual_folders().into_iter().flat_map(|folder| names.iter().map(move |name| folder.join(name)));
        let mut paths = names.iter().map(PathBuf::from).chain(by_path);
        // SAFETY: loading one of NVIDIA's libraries runs its initialisers, which have no preconditions.
        match paths.find_map(|path| unsafe { libloading::Library::new(path) }.ok()) {
            Some(library) => Ok(Self { library, title, no_memory }),
            None => {
                let name = names.last().unwrap_or(&"");
                Err(Error::Unsupported(format!("{title} was not found ({name}): {advice}")))
            }
        }
    }

    /// A function of the library, valid while it is loaded.
    ///
    /// # Safety
    /// `F` is the function's type. Every user of the copy keeps `self`.
    unsafe fn symbol<F: Copy>(&self, name: &str) -> Result<F> {
        // SAFETY: the caller promises the type.
        let found = unsafe { self.library.get::<F>(name) };
        let title = self.title;
        found.map(|symbol| *symbol).map_err(|_| Error::Unsupported(format!("the installed {title} lacks {name}")))
    }

    /// A status of the library as a result, of which 0 is success. The stream reports errors of the device later.
    fn check(&self, operation: &str, status: i32) -> Result<()> {
        match status {
            0 => Ok(()),
            status if status == self.no_memory => {
                Err(Error::OutOfMemory(format!("{operation} by {}: status {status}", self.title)))
            }
            status => Err(Error::Validation(format!("{operation} by {}: status {status}", self.title))),
        }
    }
}

/// Refuses buffers that are shorter than a routine needs, in bytes.
fn check_lengths<const COUNT: usize>(buffers: &[Rc<Memory>], bytes: [u64; COUNT]) -> Result<[Rc<Memory>; COUNT]> {
    let fits = buffers.len() == COUNT && buffers.iter().zip(bytes).all(|(buffer, bytes)| buffer.bytes() >= bytes);
    let fault = || Error::Validation("a library's routine needs other buffers".to_owned());
    if fits { buffers.to_vec().try_into().map_err(|_| fault()) } else { Err(fault()) }
}

/// The toolkit has it.
const TOOLKIT: &str = "install the CUDA toolkit";
