//! Compiles CUDA ports with NVRTC, or else uses the PTX embedded in the program.

use super::device::{CudaDevice, cuda_version};
use super::nvrtc::Compiler;
use super::ptx::{EMBEDDED, PtxArchive, cannot_run};
use crate::shader::{compute_capability, twin};
use record::error::{Error, Result};

/// `off` disables NVRTC, to test the embedded PTX.
const VARIABLE: &str = "SHADERBENCH_NVRTC";

pub(super) struct Image {
    /// A cubin, or PTX that ends with a zero byte.
    pub(super) code: Vec<u8>,
    /// Names of its kernels, in the order of the dispatches' indices.
    pub(super) names: Vec<String>,
}

impl Image {
    /// Compiles a program with these kernels. Fails with [`Error::Shader`] and the compiler's log.
    pub(super) fn of(compiler: &Compiler, program: &str, target: &str, entries: &[String]) -> Result<Self> {
        let asked = twin::expressions(program, entries);
        let compiled = compiler.compile_named(program, target, &asked)?;
        let name = |entry: &String| {
            let place = asked.iter().position(|name| name == entry);
            place.map_or_else(|| entry.clone(), |place| compiled.names[place].clone())
        };
        Ok(Self { names: entries.iter().map(name).collect(), code: compiled.image })
    }
}

/// The code of CUDA ports for one device.
pub(super) enum Twins {
    /// Compiled when needed.
    Nvrtc {
        compiler: Compiler,
        /// The device's architecture, or the nearest older one.
        target: String,
        /// The device's compute capability, as 10 × major + minor.
        capability: u32,
    },
    /// Compiled when this program was built. The driver compiles the PTX for the card.
    Ptx {
        archive: PtxArchive,
        /// The device's compute capability, as 10 × major + minor.
        capability: u32,
    },
}

impl Twins {
    /// NVRTC, if it compiles for `found`, else the PTX in this program. Fails with [`Error::NoDevice`] if NVRTC is
    /// missing or does not match driver and device, and there is no PTX.
    pub(super) fn of(found: &CudaDevice) -> Result<Self> {
        match nvrtc(found) {
            Ok(twins) => Ok(twins),
            Err(refused) => with_ptx(EMBEDDED, found.capability, found.version, refused),
        }
    }

    /// The name of the compiler, for [`crate::backend::Device::driver`].
    pub(super) fn name(&self) -> String {
        match self {
            Self::Nvrtc { compiler, .. } => {
                let (major, minor) = compiler.version();
                format!("NVRTC {major}.{minor}")
            }
            Self::Ptx { archive, .. } => {
                let (major, minor) = archive.version();
                let range = archive.capabilities();
                let range =
                    range.map_or_else(String::new, |(low, high)| format!(" for compute_{low} to compute_{high}"));
                format!("PTX of NVRTC {major}.{minor}{range}")
            }
        }
    }

    /// A program's cubin, or PTX that ends with a zero byte, with the names of its kernels `entries`. Fails with
    /// [`Error::Shader`] and the compiler's log; [`Error::Unsupported`] if the device is too old for the program's
    /// instructions, or if there is no PTX for the program.
    pub(super) fn image(&self, program: &str, entries: &[String]) -> Result<Image> {
        let (Self::Nvrtc { capability, .. } | Self::Ptx { capability, .. }) = self;
        let needs = compute_capability::needed(program);
        if let Some(needs) = needs.filter(|needs| !needs.is_met(*capability)) {
            return Err(cannot_run(needs.least, *capability));
        }
        match self {
            Self::Nvrtc { compiler, target, .. } if needs.is_some_and(|needs| needs.is_alone) => {
                Image::of(compiler, program, &format!("{target}a"), entries)
            }
            Self::Nvrtc { compiler, target, .. } => Image::of(compiler, program, target, entries),
            Self::Ptx { archive, capability } => {
                Ok(Image { code: archive.find(program, *capability)?.to_vec(), names: entries.to_vec() })
            }
        }
    }
}

/// Checks that there is NVRTC or embedded PTX.
///
/// # Errors
/// [`Error::NoDevice`] with what to install.
pub fn check_compiler() -> Result<()> {
    if EMBEDDED.is_some() { Ok(()) } else { installed().map(drop) }
}

fn installed() -> Result<Compiler> {
    if std::env::var_os(VARIABLE).is_some_and(|value| value == "off") {
        return Err(Error::NoDevice(format!("{VARIABLE}=off disables NVRTC, but this program was built without PTX")));
    }
    Compiler::find(&[])
}

fn nvrtc(found: &CudaDevice) -> Result<Twins> {
    let compiler = installed()?;
    let target = compiler.target(found.capability)?;
    let (major, minor) = compiler.version();
    if i64::from(major) > i64::from(found.version / 1000) {
        return Err(Error::NoDevice(format!(
            "NVRTC {major}.{minor} needs a driver for CUDA {major}, but NVIDIA's driver supports {}: update the \
             driver, or install the matching NVRTC",
            cuda_version(found.version)
        )));
    }
    Ok(Twins::Nvrtc { compiler, target, capability: found.capability })
}

/// The PTX in `embedded` for a device and driver; the error `refused` of NVRTC if there is none.
fn with_ptx(embedded: Option<&[u8]>, capability: u32, driver: i32, refused: Error) -> Result<Twins> {
    let Some(file) = embedded else { return Err(refused) };
    let archive = PtxArchive::read(file).map_err(|error| Error::NoDevice(error.to_string()))?;
    let (major, minor) = archive.version();
    // The driver compiles PTX of its own CUDA version and older ones.
    if i64::from(driver) < 1000 * i64::from(major) + 10 * i64::from(minor) {
        return Err(Error::NoDevice(format!(
            "the CUDA kernels (PTX) in this program need a driver for CUDA {major}.{minor}, but NVIDIA's driver \
             supports {}: update the driver",
            cuda_version(driver)
        )));
    }
    Ok(Twins::Ptx { archive, capability })
}

#[cfg(test)]
mod tests {
    use super::super::ptx::Ptx;
    use super::*;

    #[test]
    fn ptx_stands_in_for_nvrtc_and_is_named() {
        let refused = || Error::NoDevice("NVRTC is missing".to_owned());
        let texts = |low: u32| vec![Ptx { capability: low, text: b"low\0".to_vec() }];
        let file = PtxArchive::write((12, 8), &[("a", texts(50)), ("b", texts(80))]).expect("a file");
        let refusal = |embedded: Option<&[u8]>, driver: i32| match with_ptx(embedded, 75, driver, refused()) {
            Ok(_) => panic!("accepted"),
            Err(error) => error.to_string(),
        };
        assert_eq!(refusal(None, 13_000), "NVRTC is missing");
        assert!(refusal(Some(&file[1..]), 13_000).contains("damaged"));
        assert!(refusal(Some(&file), 12_070).contains("need a driver for CUDA 12.8"));

        let Ok(twins) = with_ptx(Some(&file), 75, 12_080, refused()) else { panic!("refused") };
        assert_eq!(twins.name(), "PTX of NVRTC 12.8 for compute_50 to compute_80");
        assert_eq!(twins.image("a", &[]).expect("found").code, b"low\0");
        for absent in ["b", "c"] {
            assert!(twins.image(absent, &[]).err().expect("absent").is_skip());
        }
    }
}
