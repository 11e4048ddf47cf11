//! The HLSL compiler on DirectX 12. wgpu does not report which compiler it uses, so this program chooses one and
//! queries Windows for its version and for the device's shader model.

use std::path::{Path, PathBuf};

use crate::backend::compiler::{Compiler, HlslCompiler};

/// DXC, which loads `dxil.dll` from the same folder.
const DXC_FILE: &str = "dxcompiler.dll";

#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// For wgpu.
    pub(super) choice: wgpu::Dx12Compiler,
    compiler: Compiler,
    /// The file that is loaded; `None` if DXC is built into this program.
    file: Option<PathBuf>,
}

/// Version of the DXC that the feature `static-dxc` builds in, as far as wgpu states it: shader model 6.7.
const BUILT_IN: [u32; 4] = [1, 7, 0, 0];

/// The compilers to try, in order: the one in `WGPU_DX12_COMPILER`, or else the built-in DXC, DXC next to the program,
/// FXC. Devices without shader model 6 need FXC.
pub(super) fn candidates() -> Vec<Candidate> {
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent).map(|folder| folder.join(DXC_FILE));
    choose(wgpu::Dx12Compiler::from_env(), HAS_BUILT_IN, beside.filter(|file| file.is_file()))
}

const HAS_BUILT_IN: bool =
    cfg!(all(feature = "static-dxc", windows, target_env = "msvc", not(target_arch = "aarch64")));

fn choose(named: Option<wgpu::Dx12Compiler>, has_built_in: bool, beside: Option<PathBuf>) -> Vec<Candidate> {
    let fxc = || Candidate {
        choice: wgpu::Dx12Compiler::Fxc,
        compiler: Compiler::Fxc,
        file: Some(PathBuf::from("d3dcompiler_47.dll")),
    };
    let built_in = || Candidate { choice: wgpu::Dx12Compiler::StaticDxc, compiler: Compiler::Dxc, file: None };
    let loaded = |file: PathBuf| Candidate {
        choice: wgpu::Dx12Compiler::DynamicDxc { dxc_path: file.to_string_lossy().into_owned() },
        compiler: Compiler::Dxc,
        file: Some(file),
    };
    match named {
        Some(wgpu::Dx12Compiler::Fxc) => vec![fxc()],
        Some(wgpu::Dx12Compiler::DynamicDxc { dxc_path }) => vec![loaded(beside.unwrap_or_else(|| dxc_path.into()))],
        // wgpu panics if StaticDxc is not built in.
        Some(wgpu::Dx12Compiler::StaticDxc) if has_built_in => vec![built_in()],
        Some(wgpu::Dx12Compiler::StaticDxc | wgpu::Dx12Compiler::Auto) | None => {
            has_built_in.then(built_in).into_iter().chain(beside.map(loaded)).chain([fxc()]).collect()
        }
    }
}

impl Candidate {
    /// This compiler with its version and the shader model on `adapter`, which was found with it.
    pub(super) fn on(&self, adapter: &wgpu::Adapter) -> HlslCompiler {
        let version = self.file.as_deref().map_or(Some(BUILT_IN), system::file_version);
        HlslCompiler::new(self.compiler, version.unwrap_or_default(), system::shader_model(adapter))
    }
}

/// Whether Wine translates the adapter's Direct3D to Vulkan.
pub(super) fn is_translated(adapter: &wgpu::Adapter) -> bool {
    adapter.get_info().backend == wgpu::Backend::Dx12 && system::is_wine()
}

#[cfg(not(windows))]
mod system {
    //! Stubs: there is no DirectX 12 here.

    use std::path::Path;

    use crate::backend::compiler::Model;

    pub(super) const fn file_version(_file: &Path) -> Option<[u32; 4]> {
        None
    }

    pub(super) const fn shader_model(_adapter: &wgpu::Adapter) -> Option<Model> {
        None
    }

    pub(super) const fn is_wine() -> bool {
        false
    }
}

#[cfg(windows)]
mod system {
    //! Calls to Windows.
    #![expect(unsafe_code, reason = "Windows' functions are unsafe to call")]

    use std::ffi::c_void;
    use std::path::Path;
    use std::ptr::null_mut;

    use windows::Win32::Graphics::Direct3D12 as d3d12;
    use windows::Win32::Storage::FileSystem::{
        GetFileVersionInfoSizeW, GetFileVersionInfoW, VS_FIXEDFILEINFO, VerQueryValueW,
    };
    use windows::Win32::System::LibraryLoader::{GetModuleHandleW, GetProcAddress};
    use windows::core::{GUID, HRESULT, HSTRING, Interface, s, w};

    use crate::backend::compiler::Model;

    /// The version in the file's resources. A name without a folder is looked up like a library.
    pub(super) fn file_version(file: &Path) -> Option<[u32; 4]> {
        let name = HSTRING::from(file);
        // SAFETY: `name` ends with a zero, and `data` has the number of bytes that Windows requested.
        let data = unsafe {
            let mut data = vec![0_u8; GetFileVersionInfoSizeW(&name, None) as usize];
            GetFileVersionInfoW(&name, None, u32::try_from(data.len()).ok()?, data.as_mut_ptr().cast()).ok()?;
            data
        };
        let (mut found, mut size) = (null_mut::<c_void>(), 0);
        // SAFETY: `data` is the block that `GetFileVersionInfoW` filled, and outlives `found`, which points into it. A
        // root block of at least its size is a VS_FIXEDFILEINFO, possibly unaligned.
        let info = unsafe {
            let has_root = VerQueryValueW(data.as_ptr().cast(), w!("\\"), &raw mut found, &raw mut size).as_bool();
            (has_root && size as usize >= size_of::<VS_FIXEDFILEINFO>())
                .then(|| found.cast::<VS_FIXEDFILEINFO>().read_unaligned())?
        };
        let halves = |word: u32| [word >> 16, word & 0xffff];
        let ([major, minor], [build, revision]) = (halves(info.dwFileVersionMS), halves(info.dwFileVersionLS));
        Some([major, minor, build, revision])
    }

    /// Whether this Windows is Wine: only its `ntdll.dll` has this function.
    pub(super) fn is_wine() -> bool {
        // SAFETY: both names end with a zero, every process has the library, and the function is not called.
        unsafe {
            GetModuleHandleW(w!("ntdll.dll")).is_ok_and(|ntdll| GetProcAddress(ntdll, s!("wine_get_version")).is_some())
        }
    }

    type CreateDevice = unsafe extern "system" fn(*mut c_void, i32, *const GUID, *mut *mut c_void) -> HRESULT;

    /// Direct3D's feature level 11.0, the lowest that wgpu supports.
    const LEVEL_11_0: i32 = 0xb000;

    /// The highest shader model of the adapter. wgpu queries it too, but does not expose it.
    pub(super) fn shader_model(adapter: &wgpu::Adapter) -> Option<Model> {
        // SAFETY: the guard is dropped here, and its adapter is only read.
        let dx12 = unsafe { adapter.as_hal::<wgpu::hal::api::Dx12>() }?;
        // SAFETY: wgpu has loaded the library, whose function has this signature; the adapter is alive while `dx12` is;
        // the function returns an interface of the requested type, which `from_raw` then owns.
        let device = unsafe {
            let library = GetModuleHandleW(w!("d3d12.dll")).ok()?;
            let create = GetProcAddress(library, s!("D3D12CreateDevice"))?;
            let create: CreateDevice = std::mem::transmute(create);
            let mut device = null_mut();
            create(dx12.raw_adapter().as_raw(), LEVEL_11_0, &d3d12::ID3D12Device::IID, &raw mut device).ok().ok()?;
            d3d12::ID3D12Device::from_raw(device)
        };
        // Older versions of Windows reject queries for a model that they do not know.
        (0x60..=0x69).rev().find_map(|asked| {
            let mut data =
                d3d12::D3D12_FEATURE_DATA_SHADER_MODEL { HighestShaderModel: d3d12::D3D_SHADER_MODEL(asked) };
            let size = u32::try_from(size_of_val(&data)).ok()?;
            // SAFETY: `data` is the structure of this feature, and `size` its size.
            unsafe { device.CheckFeatureSupport(d3d12::D3D12_FEATURE_SHADER_MODEL, (&raw mut data).cast(), size) }
                .ok()?;
            let model = u32::try_from(data.HighestShaderModel.0).ok()?;
            Some((model >> 4, model & 0xf))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(named: Option<&str>, has_built_in: bool, beside: Option<&str>) -> Vec<String> {
        let named = named.map(|name| name.parse().expect("a compiler"));
        let text = |one: Candidate| match (one.choice, one.compiler) {
            (wgpu::Dx12Compiler::Fxc, Compiler::Fxc) => "FXC".to_owned(),
            (wgpu::Dx12Compiler::StaticDxc, Compiler::Dxc) => "built in".to_owned(),
            (wgpu::Dx12Compiler::DynamicDxc { dxc_path }, Compiler::Dxc) => dxc_path,
            other => panic!("{other:?}"),
        };
        choose(named, has_built_in, beside.map(PathBuf::from)).into_iter().map(text).collect()
    }

    #[test]
    fn dxc_in_the_program_comes_before_that_beside_it_and_fxc_is_the_last() {
        assert_eq!(chosen(None, true, Some("C:/here/dxcompiler.dll")), ["built in", "C:/here/dxcompiler.dll", "FXC"]);
        assert_eq!(chosen(None, false, Some("C:/here/dxcompiler.dll")), ["C:/here/dxcompiler.dll", "FXC"]);
        assert_eq!(chosen(None, false, None), ["FXC"]);
        assert_eq!(chosen(Some("auto"), false, None), ["FXC"]);
    }

    #[test]
    fn the_environment_names_the_only_compiler() {
        assert_eq!(chosen(Some("fxc"), true, Some("C:/here/dxcompiler.dll")), ["FXC"]);
        assert_eq!(chosen(Some("dxc"), true, None), ["dxcompiler.dll"]);
        assert_eq!(chosen(Some("dxc"), true, Some("C:/here/dxcompiler.dll")), ["C:/here/dxcompiler.dll"]);
        assert_eq!(chosen(Some("staticdxc"), true, None), ["built in"]);
        assert_eq!(chosen(Some("staticdxc"), false, None), ["FXC"], "wgpu panics for want of it");
    }
}
