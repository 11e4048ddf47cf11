use std::fmt;

/// An API that runs kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Api {
    /// Vulkan.
    Vulkan,
    /// Apple's Metal.
    Metal,
    /// Microsoft's DirectX 12.
    Dx12,
    /// OpenGL and OpenGL ES.
    Gl,
    /// A browser's WebGPU.
    WebGpu,
    /// NVIDIA's CUDA.
    Cuda,
}

impl Api {
    /// Every API.
    pub const ALL: [Self; 6] = [Self::Vulkan, Self::Metal, Self::Dx12, Self::Gl, Self::WebGpu, Self::Cuda];

    /// The name on the command line, in the CSV and in file names.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vulkan => "vulkan",
            Self::Metal => "metal",
            Self::Dx12 => "dx12",
            Self::Gl => "gl",
            Self::WebGpu => "webgpu",
            Self::Cuda => "cuda",
        }
    }

    /// The name in prose.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Vulkan => "Vulkan",
            Self::Metal => "Metal",
            Self::Dx12 => "DirectX",
            Self::Gl => "OpenGL",
            Self::WebGpu => "WebGPU",
            Self::Cuda => "CUDA",
        }
    }

    /// The API of this [`Api::name`].
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|api| api.name() == name)
    }
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found_again() {
        for api in Api::ALL {
            assert_eq!(Api::named(api.name()), Some(api));
            assert!(api.title().eq_ignore_ascii_case(api.name()) || matches!(api, Api::Dx12 | Api::Gl), "{api}");
        }
        assert_eq!(Api::named("Vulkan"), None);
    }
}
