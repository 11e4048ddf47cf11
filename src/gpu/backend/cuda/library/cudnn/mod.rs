//! cuDNN: attention, by the graph API of version 9. The library's heuristics choose an engine that fuses the described
//! graph of operations, and a plan of this engine is made for the card.

mod api;
mod attention;
mod descriptor;
mod graph;
mod names;

use std::ffi::c_void;
use std::rc::Rc;

use super::loaded::{Call, check_lengths};
use crate::backend::cuda::memory::Memory;
use crate::job::{Routine, Scalar};
pub(super) use api::Dnn;
use attention::Attention;
use record::error::{Error, Result};

/// First version whose engines accept -∞ as the score of a masked key. Earlier versions get the lowest f32.
const TAKES_INFINITY: usize = 91_000;

/// Binds a routine to buffers of `scalar`s; the last buffer is the result. The context must be current. Fails with
/// [`Error::Unsupported`] if the library has no engine for it.
pub(super) fn bind(dnn: &Rc<Dnn>, routine: Routine, scalar: Scalar, buffers: &[Rc<Memory>]) -> Result<Call> {
    let (Routine::Attention { heads, length, width, is_causal }, Scalar::F16) = (routine, scalar) else {
        return Err(Error::Unsupported(format!("the suite does not call cuDNN for this routine in {}", scalar.name())));
    };
    let bytes = heads.saturating_mul(length).saturating_mul(width).saturating_mul(scalar.bytes() as u64);
    let kept = check_lengths(buffers, [bytes; 4])?;
    let planned = attention::graph(dnn, Attention { heads, length, width, is_causal })?.planned()?;

    let hidden = if dnn.version < TAKES_INFINITY { f32::MIN } else { f32::NEG_INFINITY };
    let values: Rc<[f32]> = Rc::new([1.0 / (width as f32).sqrt(), hidden]);
    let workspace = Memory::new(kept[0].context(), planned.bytes.next_multiple_of(4))?;
    let mut tensors: Vec<*mut c_void> = kept.iter().map(|memory| memory.address() as *mut c_void).collect();
    let of_host = if is_causal { &values[..] } else { &values[..1] };
    tensors.extend(of_host.iter().map(|value| std::ptr::from_ref(value).cast_mut().cast::<c_void>()));
    let pack = planned.bind(&tensors, workspace.address() as *mut c_void)?;
    Ok(Box::new(move || {
        let _ = (&kept, &values, &workspace);
        // SAFETY: the pack has the addresses of all tensors of `attention::graph`: of buffers whose lengths are checked
        // above, and of numbers that the library only reads. This closure keeps them and the workspace; dropping it
        // frees memory through the driver, which waits for the work.
        unsafe { planned.run(&pack) }
    }))
}
