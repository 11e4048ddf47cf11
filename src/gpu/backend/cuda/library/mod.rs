//! NVIDIA's libraries, as references for the suite's kernels. Each is loaded when a job first calls it.

mod cub;
mod cublas;
mod cublas_lt;
mod cudnn;
mod cufft;
mod cusparse;
mod loaded;

use std::rc::Rc;

use super::context::Context;
use super::memory::Memory;
use crate::job::{Routine, Scalar};
use cub::Cub;
use cublas::Blas;
use cublas_lt::BlasLt;
use cudnn::Dnn;
use cufft::Fft;
use cusparse::Sparse;
use record::error::Result;

pub(super) use loaded::Call;

/// The open libraries of a context.
#[derive(Default)]
pub(super) struct Libraries {
    blas: Option<Rc<Blas>>,
    blas_lt: Option<Rc<BlasLt>>,
    cub: Cub,
    dnn: Option<Rc<Dnn>>,
    fft: Option<Rc<Fft>>,
    sparse: Option<Rc<Sparse>>,
}

impl Libraries {
    /// Binds a routine to buffers; the first has elements of type `scalar`, the last ones are written. Plans and
    /// workspaces are made here, so that a call only issues work. `context` must be current. Fails with
    /// `Error::Unsupported` if the library or one of its functions is missing, or if it has no such routine.
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
            Routine::MultiplyByColumns { m, n, k } => {
                opened(&mut self.blas_lt, || BlasLt::open(context))?.bind([m, n, k], scalar, buffers)?
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
                cudnn::bind(&opened(&mut self.dnn, || Dnn::open(context))?, routine, scalar, buffers)?
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

/// The library, opened at the first call.
fn opened<T>(known: &mut Option<Rc<T>>, open: impl FnOnce() -> Result<Rc<T>>) -> Result<Rc<T>> {
    match known {
        Some(library) => Ok(Rc::clone(library)),
        None => Ok(Rc::clone(known.insert(open()?))),
    }
}
