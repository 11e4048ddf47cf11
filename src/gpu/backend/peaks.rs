//! Upper bounds for a device by the number and clock of its units: no measurement exceeds them.

use super::monitor::Monitor;
use crate::backend::Device;
use record::suite::{DeviceType, Limit, Scalar};

/// Upper bounds for the rates of a device's units.
#[derive(Debug, Clone, PartialEq)]
pub struct Peaks {
    unit: Unit,
    count: u32,
    ghz: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// An NVIDIA streaming multiprocessor, up to compute capability 12.
    Multiprocessor,
    /// A hardware thread of the CPU that a software device runs on.
    Thread,
}

impl Peaks {
    /// Upper bound in operations or bytes per nanosecond; `None` if unknown.
    ///
    /// Multiply-adds per SM and cycle: 128 in f32 or u32, 64 in f64, 256 in f16; on tensor cores 4096 with 16-bit
    /// factors, half as many with wider and twice as many with narrower ones. Shared memory: 128 bytes per SM and
    /// cycle. These are the highest of all compute capabilities up to 12 (*CUDA C++ Programming Guide*, arithmetic
    /// instructions; tensor cores: NVIDIA's data sheets). A CPU's thread has at most two 512-bit vector units.
    #[must_use]
    pub fn rate(&self, limit: Limit, scalar: Scalar) -> Option<f64> {
        let per_cycle = match (self.unit, limit, scalar) {
            (Unit::Multiprocessor, Limit::Fma, Scalar::F32 | Scalar::U32) => 256.0,
            (Unit::Multiprocessor, Limit::Fma, Scalar::F64) => 128.0,
            (Unit::Multiprocessor, Limit::Fma, Scalar::F16) => 512.0,
            (Unit::Multiprocessor, Limit::TensorTf32, _) => 4096.0,
            (Unit::Multiprocessor, Limit::Tensor | Limit::TensorBf16, _) => 8192.0,
            (Unit::Multiprocessor, Limit::TensorFp8 | Limit::TensorInt8, _) => 16384.0,
            (Unit::Multiprocessor, Limit::Workgroup, _) => 128.0,
            (Unit::Thread, Limit::Fma, Scalar::F32 | Scalar::U32) => 64.0,
            (Unit::Thread, Limit::Fma, Scalar::F64) => 32.0,
            (Unit::Thread, Limit::Fma, Scalar::F16) => 128.0,
            _ => return None,
        };
        Some(f64::from(self.count) * self.ghz * per_cycle)
    }

    /// The number of units and their clock, for display.
    #[must_use]
    pub fn units(&self) -> String {
        let unit = match self.unit {
            Unit::Multiprocessor => "SMs",
            Unit::Thread => "CPU threads",
        };
        format!("{} {unit} at {:.2} GHz", self.count, self.ghz)
    }

    /// The peaks of `count` CPU threads, at a clock that no CPU reaches.
    #[must_use]
    pub const fn of_threads(count: u32) -> Self {
        Self { unit: Unit::Thread, count, ghz: 7.0 }
    }

    /// The peaks of `count` multiprocessors at this clock; `None` for compute capabilities (10 × major + minor) newer
    /// than the figures of [`Peaks::rate`].
    #[must_use]
    pub fn of_multiprocessors(count: u32, ghz: f64, capability: u32) -> Option<Self> {
        (capability < 130 && count > 0 && ghz > 0.0).then_some(Self { unit: Unit::Multiprocessor, count, ghz })
    }
}

/// The peaks of a device; `None` if the number or clock of its units is unknown. `monitor` is the card's.
#[must_use]
pub fn peaks(device: &Device, monitor: Option<&dyn Monitor>) -> Option<Peaks> {
    match (device.kind, device.pci_address.as_deref()) {
        (DeviceType::Software, _) => threads().map(Peaks::of_threads),
        (_, Some(address)) if device.vendor == "NVIDIA" => of_card(address, monitor),
        _ => None,
    }
}

/// Peak DRAM bandwidth in GB/s by the driver's figures: two transfers per cycle of the highest memory clock, times the
/// bus width. `None` for devices other than NVIDIA's cards with their own memory, and without CUDA.
///
/// ```text
/// H100 SXM: 2 × 2.619 GHz × 5120 bit / 8 = 3352 GB/s
/// ```
#[must_use]
pub fn dram_peak(device: &Device) -> Option<f64> {
    let is_card = device.vendor == "NVIDIA" && device.kind == DeviceType::Discrete;
    dram_of_card(device.pci_address.as_deref().filter(|_| is_card)?)
}

#[cfg(feature = "cuda")]
fn dram_of_card(address: &str) -> Option<f64> {
    super::cuda::card(address)?.dram_gb_per_s
}

#[cfg(not(feature = "cuda"))]
const fn dram_of_card(_: &str) -> Option<f64> {
    None
}

/// Hardware threads of the whole machine: a container's quota does not limit short bursts.
#[cfg(not(target_family = "wasm"))]
fn threads() -> Option<u32> {
    let mut system = sysinfo::System::new().ok()?;
    system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
    u32::try_from(system.cpus().len()).ok().filter(|count| *count > 0)
}

#[cfg(target_family = "wasm")]
const fn threads() -> Option<u32> {
    None
}

/// The peaks of NVIDIA's card at this PCI address. CUDA reports the nominal clock, which some cards exceed: without
/// NVML, which reports the highest, 1.5 times the nominal clock is assumed.
#[cfg(feature = "cuda")]
fn of_card(address: &str, monitor: Option<&dyn Monitor>) -> Option<Peaks> {
    let card = super::cuda::card(address)?;
    let nominal = f64::from(card.clock_khz) / 1e6;
    let highest = monitor.and_then(Monitor::max_sm_mhz).map(|mhz| f64::from(mhz) / 1e3);
    let ghz = highest.map_or(1.5 * nominal, |highest| highest.max(nominal));
    Peaks::of_multiprocessors(card.multiprocessors, ghz, card.capability)
}

#[cfg(not(feature = "cuda"))]
const fn of_card(_: &str, _: Option<&dyn Monitor>) -> Option<Peaks> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NVIDIA's data sheets, in operations per nanosecond: H100 SXM (132 SMs at 1.83 GHz under tensor loads, 1.98 GHz
    /// at most) and A100 (108 SMs at 1.41 GHz).
    #[test]
    fn no_data_sheet_is_above_the_peaks_and_some_are_at_them() {
        let h100 = Peaks::of_multiprocessors(132, 1.98, 90).expect("known");
        let a100 = Peaks::of_multiprocessors(108, 1.41, 80).expect("known");
        for (peaks, limit, scalar, sheet, is_exact) in [
            (&h100, Limit::Fma, Scalar::F32, 66_900.0, true),
            (&h100, Limit::Fma, Scalar::F64, 33_500.0, true),
            (&h100, Limit::Fma, Scalar::F16, 133_800.0, true),
            (&h100, Limit::Tensor, Scalar::F16, 989_400.0, false),
            (&h100, Limit::TensorTf32, Scalar::F32, 494_700.0, false),
            (&h100, Limit::TensorFp8, Scalar::F32, 1_978_900.0, false),
            (&h100, Limit::TensorInt8, Scalar::U32, 1_978_900.0, false),
            (&a100, Limit::Fma, Scalar::F32, 19_500.0, false),
            (&a100, Limit::Fma, Scalar::F64, 9_700.0, false),
            (&a100, Limit::Fma, Scalar::F16, 78_000.0, true),
            (&a100, Limit::Tensor, Scalar::F16, 312_000.0, false),
        ] {
            let ratio = peaks.rate(limit, scalar).expect("a bound") / sheet;
            assert!(ratio > 0.995 && (ratio < 1.005 || !is_exact), "{limit:?} {scalar:?}: {ratio}");
        }
        assert_eq!(h100.rate(Limit::Read, Scalar::F32), None);
        assert_eq!(Peaks::of_multiprocessors(132, 1.98, 130), None);
        assert_eq!(h100.units(), "132 SMs at 1.98 GHz");
    }

    #[test]
    fn a_thread_has_two_vector_units() {
        let peaks = Peaks::of_threads(2);
        assert_eq!(peaks.rate(Limit::Fma, Scalar::F32), Some(896.0));
        assert_eq!(peaks.rate(Limit::Workgroup, Scalar::F32), None);
        assert!(threads().is_some_and(|count| count > 0));
    }
}
