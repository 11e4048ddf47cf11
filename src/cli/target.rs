//! Devices to run on: wgpu's adapters and CUDA's devices in one list.

use clap::builder::{PossibleValuesParser, TypedValueParser};

use gpu::backend::wgpu::{APIS, Adapter, Timeouts, WgpuBackend, adapters};
use gpu::backend::{Backend, Device};
use record::error::{Result, usage};
use record::suite::Api;

/// The APIs of this build.
pub(super) fn apis() -> Vec<Api> {
    APIS.iter().map(|(api, _)| *api).chain(cfg!(feature = "cuda").then_some(Api::Cuda)).collect()
}

/// The value of `--backend`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Through {
    One(Api),
    /// Every API of a card.
    All,
}

impl Through {
    pub(super) fn parser() -> impl TypedValueParser<Value = Self> {
        let names = apis().into_iter().map(Api::name).chain(["all"]);
        PossibleValuesParser::new(names).map(|name| Api::named(&name).map_or(Self::All, Self::One))
    }
}

/// A device as seen through one API, not opened yet.
pub(super) enum Target {
    Wgpu(Adapter),
    #[cfg(feature = "cuda")]
    Cuda(gpu::backend::cuda::CudaDevice),
}

impl Target {
    pub(super) const fn device(&self) -> &Device {
        match self {
            Self::Wgpu(adapter) => &adapter.device,
            #[cfg(feature = "cuda")]
            Self::Cuda(found) => &found.device,
        }
    }

    pub(super) async fn open(self) -> Result<Box<dyn Backend>> {
        Ok(match self {
            Self::Wgpu(adapter) => Box::new(WgpuBackend::open(adapter, Timeouts::DEFAULT).await?),
            #[cfg(feature = "cuda")]
            Self::Cuda(found) => Box::new(gpu::backend::cuda::CudaBackend::open(found, Timeouts::DEFAULT.idle)?),
        })
    }
}

/// The devices for a value of `--backend`: with `cuda`, CUDA's devices, with CUDA's numbers; with `all`, wgpu's
/// adapters, then CUDA's devices; otherwise wgpu's adapters.
pub(super) fn targets(backend: Option<Through>) -> Result<Vec<Target>> {
    if backend == Some(Through::One(Api::Cuda)) {
        return cuda();
    }
    check_variable(std::env::var("WGPU_BACKEND").ok().as_deref())?;
    let mut found: Vec<Target> = pollster::block_on(adapters(None)).into_iter().map(Target::Wgpu).collect();
    if backend == Some(Through::All) {
        found.extend(cuda_ready());
    }
    Ok(found)
}

/// API names that wgpu accepts in `WGPU_BACKEND`. wgpu ignores unknown names.
const NAMES: [&str; 9] = ["vulkan", "vk", "metal", "mtl", "dx12", "d3d12", "gl", "gles", "opengl"];

/// Whether the variable `WGPU_BACKEND` is unset, empty, or a list of known names.
fn check_variable(value: Option<&str>) -> Result<()> {
    let names = value.unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty());
    let unknown = names.map(str::to_lowercase).find(|name| !NAMES.contains(&name.as_str()));
    unknown.map_or(Ok(()), |name| {
        let known = NAMES.join(", ");
        Err(usage!("WGPU_BACKEND names the unknown API '{name}': use one of {known}, or unset the variable"))
    })
}

/// CUDA's devices; none without NVRTC or PTX, with a message if there are devices.
#[cfg(feature = "cuda")]
fn cuda_ready() -> Vec<Target> {
    let found = cuda().unwrap_or_default();
    match gpu::backend::cuda::check_compiler() {
        Err(error) if !found.is_empty() => {
            super::output::say(&format!("CUDA is skipped: {error}"));
            Vec::new()
        }
        _ => found,
    }
}

#[cfg(not(feature = "cuda"))]
const fn cuda_ready() -> Vec<Target> {
    Vec::new()
}

#[cfg(feature = "cuda")]
pub(super) fn cuda() -> Result<Vec<Target>> {
    Ok(gpu::backend::cuda::devices()?.into_iter().map(Target::Cuda).collect())
}

#[cfg(not(feature = "cuda"))]
pub(super) fn cuda() -> Result<Vec<Target>> {
    Err(record::error::Error::NoDevice("this program was built without the cargo feature `cuda`".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_is_unset_empty_or_a_list_of_known_names() {
        for value in [None, Some(""), Some(" "), Some("vulkan"), Some("VK, gl"), Some(",")] {
            assert!(check_variable(value).is_ok(), "{value:?}");
        }
        let error = check_variable(Some("vulkan,foo")).expect_err("unknown").to_string();
        assert!(error.starts_with("WGPU_BACKEND names the unknown API 'foo': use one of vulkan, vk"), "{error}");
    }
}
