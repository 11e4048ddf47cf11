//! Devices to run on: wgpu's adapters and CUDA's devices, as one list.

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::backend::Api;
use crate::backend::wgpu::{APIS, Adapter, Timeouts, WgpuBackend, adapters};
use crate::backend::{Backend, Device};
use crate::error::Result;

/// The APIs that this program can run through.
pub(super) fn apis() -> Vec<Api> {
    APIS.iter().map(|(api, _)| *api).chain(cfg!(feature = "cuda").then_some(Api::Cuda)).collect()
}

/// What `--backend` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Through {
    /// One API.
    One(Api),
    /// Every API that a card has.
    All,
}

impl Through {
    /// What `--backend` takes, for its parser and its help.
    pub(super) fn parser() -> impl TypedValueParser<Value = Self> {
        let names = apis().into_iter().map(Api::name).chain(["all"]);
        PossibleValuesParser::new(names).map(|name| Api::named(&name).map_or(Self::All, Self::One))
    }
}

/// A device through one API, not yet opened.
pub(super) enum Target {
    /// Through wgpu.
    Wgpu(Adapter),
    /// Through CUDA.
    #[cfg(feature = "cuda")]
    Cuda(crate::backend::cuda::CudaDevice),
}

impl Target {
    /// Its properties.
    pub(super) const fn device(&self) -> &Device {
        match self {
            Self::Wgpu(adapter) => &adapter.device,
            #[cfg(feature = "cuda")]
            Self::Cuda(found) => &found.device,
        }
    }

    /// Opens it.
    ///
    /// # Errors
    /// [`crate::error::Error::NoDevice`] where the driver refuses, or a compiler is missing.
    pub(super) async fn open(self) -> Result<Box<dyn Backend>> {
        Ok(match self {
            Self::Wgpu(adapter) => Box::new(WgpuBackend::open(adapter, Timeouts::DEFAULT).await?),
            #[cfg(feature = "cuda")]
            Self::Cuda(found) => Box::new(crate::backend::cuda::CudaBackend::open(found, Timeouts::DEFAULT.idle)?),
        })
    }
}

/// What `--backend` leaves to choose from: without it wgpu's adapters; CUDA's devices, by CUDA's numbers, where it says
/// so; or the former and then the latter.
///
/// # Errors
/// [`crate::error::Error::NoDevice`] where CUDA is asked for and is not there.
pub(super) fn targets(backend: Option<Through>) -> Result<Vec<Target>> {
    if backend == Some(Through::One(Api::Cuda)) {
        return cuda();
    }
    let mut found: Vec<Target> = pollster::block_on(adapters(None)).into_iter().map(Target::Wgpu).collect();
    if backend == Some(Through::All) {
        found.extend(cuda_ready());
    }
    Ok(found)
}

/// CUDA's devices where something can be run on them; reports why if not.
#[cfg(feature = "cuda")]
fn cuda_ready() -> Vec<Target> {
    let found = cuda().unwrap_or_default();
    match crate::backend::cuda::Compiler::find(&[]) {
        Err(error) if !found.is_empty() => {
            super::output::say(&format!("CUDA is left out: {error}"));
            Vec::new()
        }
        _ => found,
    }
}

#[cfg(not(feature = "cuda"))]
const fn cuda_ready() -> Vec<Target> {
    Vec::new()
}

/// CUDA's devices.
#[cfg(feature = "cuda")]
pub(super) fn cuda() -> Result<Vec<Target>> {
    Ok(crate::backend::cuda::devices()?.into_iter().map(Target::Cuda).collect())
}

#[cfg(not(feature = "cuda"))]
pub(super) fn cuda() -> Result<Vec<Target>> {
    Err(crate::error::Error::NoDevice("this program was built without CUDA (cargo's feature `cuda`)".to_owned()))
}
