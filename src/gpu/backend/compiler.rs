//! The compiler of a DirectX 12 device's kernels.

use std::fmt;

/// Microsoft's HLSL compilers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Compiler {
    /// FXC, a part of Windows: shader model 5.1 only.
    Fxc,
    /// DXC: shader model 6.0 and later.
    Dxc,
}

/// A shader model, such as (6, 6).
pub type Model = (u32, u32);

/// An HLSL compiler and the shader model that it compiles for the device.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct HlslCompiler {
    /// FXC or DXC.
    pub compiler: Compiler,
    /// Version; empty if the compiler's file has none.
    pub version: String,
    /// The highest shader model that both compiler and device support; `None` if the device does not report its own.
    pub model: Option<Model>,
}

impl HlslCompiler {
    /// The compiler of this version on a device with the shader model `device`. Like wgpu, derives DXC's highest model
    /// from its version: 1.6 supports 6.6.
    #[must_use]
    pub fn new(compiler: Compiler, version: [u32; 4], device: Option<Model>) -> Self {
        let highest = match (compiler, version) {
            (Compiler::Fxc, _) => (5, 1),
            (Compiler::Dxc, [1, minor, ..]) => (6, minor.min(9)),
            (Compiler::Dxc, [0, ..]) => (6, 0),
            (Compiler::Dxc, _) => (6, 9),
        };
        let model = if compiler == Compiler::Fxc { Some(highest) } else { device.map(|own| own.min(highest)) };
        let version = if version == [0; 4] { String::new() } else { version.map(|part| part.to_string()).join(".") };
        Self { compiler, version, model }
    }

    /// The reason not to compile a kernel that zeroes this many bytes of workgroup memory.
    ///
    /// FXC turns naga's `array = (T[N])0` into N stores. Its time grows with N² and with the number of accesses to the
    /// array. A compiler in this process cannot be stopped, so such a compilation must not start.
    #[must_use]
    pub fn slow_zeroing(&self, bytes: u32) -> Option<String> {
        (self.compiler == Compiler::Fxc && bytes > LARGEST_ZEROED).then(|| {
            format!(
                "FXC would take minutes to compile this kernel, since it zeroes {} words of workgroup memory one by \
                 one. Use DXC: put dxcompiler.dll and dxil.dll next to the program",
                bytes / 4
            )
        })
    }
}

/// Most bytes of workgroup memory that FXC zeroes in less than a minute of compilation, in every kernel of the suite
/// with that many: `scripts/windows.sh` compiles them and prints the longest times.
const LARGEST_ZEROED: u32 = 8448;

impl fmt::Display for HlslCompiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.compiler {
            Compiler::Fxc => "FXC",
            Compiler::Dxc => "DXC",
        })?;
        if !self.version.is_empty() {
            write!(f, " {}", self.version)?;
        }
        match self.model {
            Some((major, minor)) => write!(f, ", shader model {major}.{minor}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_the_highest_that_compiler_and_device_have() {
        let text = |compiler, version, device| HlslCompiler::new(compiler, version, device).to_string();
        let dxc = [1, 7, 2308, 7];
        assert_eq!(text(Compiler::Dxc, dxc, Some((6, 6))), "DXC 1.7.2308.7, shader model 6.6");
        assert_eq!(text(Compiler::Dxc, dxc, Some((6, 8))), "DXC 1.7.2308.7, shader model 6.7");
        assert_eq!(text(Compiler::Dxc, [2, 0, 0, 0], Some((6, 8))), "DXC 2.0.0.0, shader model 6.8");
        assert_eq!(text(Compiler::Dxc, [0; 4], Some((6, 8))), "DXC, shader model 6.0");
        assert_eq!(text(Compiler::Dxc, dxc, None), "DXC 1.7.2308.7");
        assert_eq!(text(Compiler::Fxc, [10, 0, 26100, 1], Some((6, 8))), "FXC 10.0.26100.1, shader model 5.1");
    }
}
