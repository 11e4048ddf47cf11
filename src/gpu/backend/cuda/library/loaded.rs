//! Code shared by the libraries.

use std::path::PathBuf;
use std::rc::Rc;

use crate::backend::cuda::memory::Memory;
use crate::backend::cuda::toolkit::usual_folders;
use record::error::{Error, Result};

/// A routine bound to its buffers: each call adds it to the context's stream.
pub(in crate::backend::cuda) type Call = Box<dyn Fn() -> Result<()>>;

pub(super) struct Loaded {
    pub(super) library: libloading::Library,
    pub(super) title: &'static str,
    /// The library's status when out of memory.
    pub(super) no_memory: i32,
}

impl Loaded {
    /// Loads the first of these files found on the system's search path or in a usual folder of the CUDA toolkit. Fails
    /// with [`Error::Unsupported`] if there is none: `advice` states what to install.
    pub(super) fn find((title, no_memory): (&'static str, i32), names: &[&str], advice: &str) -> Result<Self> {
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

    /// A function of the library, valid while the library is loaded.
    ///
    /// # Safety
    /// `F` is the function's type. Every user of the copy keeps `self`.
    pub(super) unsafe fn symbol<F: Copy>(&self, name: &str) -> Result<F> {
        // SAFETY: the caller guarantees the type.
        let found = unsafe { self.library.get::<F>(name) };
        let title = self.title;
        found.map(|symbol| *symbol).map_err(|_| Error::Unsupported(format!("the installed {title} lacks {name}")))
    }

    /// Turns a status into a result; 0 is success. The stream reports errors of the device later.
    pub(super) fn check(&self, operation: &str, status: i32) -> Result<()> {
        match status {
            0 => Ok(()),
            status if status == self.no_memory => {
                Err(Error::OutOfMemory(format!("{operation} failed in {}: status {status}", self.title)))
            }
            status => Err(Error::Validation(format!("{operation} failed in {}: status {status}", self.title))),
        }
    }
}

/// Fails if a buffer is shorter than the routine needs, in bytes.
pub(super) fn check_lengths<const COUNT: usize>(
    buffers: &[Rc<Memory>],
    bytes: [u64; COUNT],
) -> Result<[Rc<Memory>; COUNT]> {
    let fits = buffers.len() == COUNT && buffers.iter().zip(bytes).all(|(buffer, bytes)| buffer.bytes() >= bytes);
    let fault =
        || Error::Validation("the library's routine needs another number of buffers, or larger ones".to_owned());
    if fits { buffers.to_vec().try_into().map_err(|_| fault()) } else { Err(fault()) }
}

/// Advice for libraries of the CUDA toolkit.
pub(super) const TOOLKIT: &str = "install the CUDA toolkit";
