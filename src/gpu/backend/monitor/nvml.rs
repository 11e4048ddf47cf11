//! NVIDIA cards through NVML, the management library of their driver. Functions and numbers are from [NVIDIA's
//! reference](https://docs.nvidia.com/deploy/nvml-api/).
#![expect(unsafe_code, reason = "a library that is loaded at run time has no safe functions")]

use std::collections::BTreeSet;
use std::ffi::{CString, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::time::{SystemTime, UNIX_EPOCH};

use libloading::Library;

use super::state::Monitor;
use record::suite::{PcieLink, Reading, Throttle};

pub(super) struct Card {
    library: Library,
    /// `nvmlDevice_t`, valid until `nvmlShutdown`.
    handle: usize,
}

const FILE: &str = if cfg!(windows) { "nvml.dll" } else { "libnvidia-ml.so.1" };

type Status = c_int;
const SUCCESS: Status = 0;

const CLOCK_SM: c_uint = 1;
const CLOCK_MEMORY: c_uint = 2;
const TEMPERATURE_GPU: c_uint = 0;

impl Card {
    pub(super) fn find(pci_address: Option<&str>, uuid: Option<&str>) -> Option<Self> {
        // SAFETY: NVML's initialisers have no preconditions.
        let library = unsafe { Library::new(FILE) }.ok()?;
        // SAFETY: the type is that of NVIDIA's header.
        let status = unsafe { library.get::<unsafe extern "C" fn() -> Status>(b"nvmlInit_v2").ok()?() };
        let mut card = (status == SUCCESS).then_some(Self { library, handle: 0 })?;
        let by_address = pci_address.and_then(|address| card.handle(b"nvmlDeviceGetHandleByPciBusId_v2", address));
        card.handle = by_address.or_else(|| card.handle(b"nvmlDeviceGetHandleByUUID", uuid?))?;
        Some(card)
    }

    /// The handle that `function` finds for an address or a UUID.
    fn handle(&self, function: &[u8], text: &str) -> Option<usize> {
        type Find = unsafe extern "C" fn(*const c_char, *mut *mut c_void) -> Status;
        let (text, mut handle) = (CString::new(text).ok()?, std::ptr::null_mut());
        // SAFETY: the type is that of NVIDIA's header; text and handle outlive the call.
        let status = unsafe { self.library.get::<Find>(function).ok()?(text.as_ptr(), &raw mut handle) };
        (status == SUCCESS).then_some(handle as usize)
    }

    /// A number that `function` returns for the card.
    fn number<T: Default>(&self, function: &[u8]) -> Option<T> {
        type Get<T> = unsafe extern "C" fn(*mut c_void, *mut T) -> Status;
        let mut number = T::default();
        // SAFETY: callers take `T` from NVIDIA's header; the handle is valid while the library is initialised.
        let status = unsafe { self.library.get::<Get<T>>(function).ok()?(self.handle as *mut c_void, &raw mut number) };
        (status == SUCCESS).then_some(number)
    }

    /// A number that `function` returns for a clock or a sensor of the card.
    fn number_of(&self, function: &[u8], of: c_uint) -> Option<u32> {
        type Get = unsafe extern "C" fn(*mut c_void, c_uint, *mut c_uint) -> Status;
        let mut number = 0;
        // SAFETY: all these functions have this type; the handle is valid while the library is initialised.
        let status =
            unsafe { self.library.get::<Get>(function).ok()?(self.handle as *mut c_void, of, &raw mut number) };
        (status == SUCCESS).then_some(number)
    }
}

impl Card {
    /// The current PCI Express link, and the best that card and slot support.
    pub(super) fn pcie(&self) -> Option<[PcieLink; 2]> {
        let link = |generation: &[u8], width: &[u8]| {
            let (generation, width): (c_uint, c_uint) = (self.number(generation)?, self.number(width)?);
            (generation > 0 && width > 0).then_some(PcieLink { generation, width })
        };
        Some([
            link(b"nvmlDeviceGetCurrPcieLinkGeneration", b"nvmlDeviceGetCurrPcieLinkWidth")?,
            link(b"nvmlDeviceGetMaxPcieLinkGeneration", b"nvmlDeviceGetMaxPcieLinkWidth")?,
        ])
    }
}

/// `nvmlProcessUtilizationSample_t`; shares in percent.
#[repr(C)]
#[derive(Clone, Default)]
struct ProcessSample {
    pid: c_uint,
    time: c_ulonglong,
    cores: c_uint,
    memory: c_uint,
    encoder: c_uint,
    decoder: c_uint,
}

/// A process that uses the cores less than this, in percent, does not disturb a measurement.
const LEAST_USE: c_uint = 10;

impl Card {
    /// The samples of processes after `since`, in microseconds since 1970.
    fn samples(&self, since: c_ulonglong) -> Option<Vec<ProcessSample>> {
        type Get = unsafe extern "C" fn(*mut c_void, *mut ProcessSample, *mut c_uint, c_ulonglong) -> Status;
        // SAFETY: the type is that of NVIDIA's header.
        let get = unsafe { self.library.get::<Get>(b"nvmlDeviceGetProcessUtilization").ok()? };
        let (handle, mut count) = (self.handle as *mut c_void, 0);
        // SAFETY: without a buffer for samples, the call writes only their number.
        unsafe { get(handle, std::ptr::null_mut(), &raw mut count, since) };
        let mut samples = vec![ProcessSample::default(); count as usize];
        // SAFETY: there is room for `count` samples.
        let status = unsafe { get(handle, samples.as_mut_ptr(), &raw mut count, since) };
        // On failure, no process used the card.
        samples.truncate(if status == SUCCESS { count as usize } else { 0 });
        Some(samples)
    }
}

impl Drop for Card {
    fn drop(&mut self) {
        // SAFETY: the type is that of NVIDIA's header. NVML counts its users, and the handle is not used again.
        if let Ok(shutdown) = unsafe { self.library.get::<unsafe extern "C" fn() -> Status>(b"nvmlShutdown") } {
            // SAFETY: see above.
            unsafe { shutdown() };
        }
    }
}

impl Monitor for Card {
    fn read(&mut self) -> Reading {
        Reading {
            sm_mhz: self.number_of(b"nvmlDeviceGetClockInfo", CLOCK_SM),
            memory_mhz: self.number_of(b"nvmlDeviceGetClockInfo", CLOCK_MEMORY),
            celsius: self.number_of(b"nvmlDeviceGetTemperature", TEMPERATURE_GPU),
            watts: self.watts(),
            throttling: throttling(self.number(b"nvmlDeviceGetCurrentClocksThrottleReasons").unwrap_or_default()),
        }
    }

    fn joules(&mut self) -> Option<f64> {
        let millijoules: c_ulonglong = self.number(b"nvmlDeviceGetTotalEnergyConsumption")?;
        Some(millijoules as f64 / 1e3)
    }

    fn watts(&mut self) -> Option<f64> {
        let milliwatts: c_uint = self.number(b"nvmlDeviceGetPowerUsage")?;
        Some(f64::from(milliwatts) / 1e3)
    }

    fn users(&mut self, since: SystemTime) -> Option<usize> {
        let since = c_ulonglong::try_from(since.duration_since(UNIX_EPOCH).ok()?.as_micros()).ok()?;
        let samples = self.samples(since)?;
        let busy = samples.iter().filter(|sample| sample.cores >= LEAST_USE && sample.time > since);
        Some(busy.map(|sample| sample.pid).collect::<BTreeSet<_>>().len())
    }

    fn max_sm_mhz(&self) -> Option<u32> {
        self.number_of(b"nvmlDeviceGetMaxClockInfo", CLOCK_SM)
    }
}

/// The throttle reasons whose bits are set.
fn throttling(reasons: c_ulonglong) -> Vec<Throttle> {
    [
        Throttle::Idle,
        Throttle::ApplicationClocks,
        Throttle::PowerCap,
        Throttle::HardwareSlowdown,
        Throttle::SyncBoost,
        Throttle::SoftwareThermal,
        Throttle::HardwareThermal,
        Throttle::PowerBrake,
        Throttle::DisplayClocks,
    ]
    .into_iter()
    .enumerate()
    .filter(|(bit, _)| reasons >> bit & 1 == 1)
    .map(|(_, throttle)| throttle)
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nvml_reason_is_reported() {
        assert_eq!(throttling(0), Vec::new());
        assert_eq!(throttling(0x1ff).len(), 9);
        assert_eq!(throttling(0x48), [Throttle::HardwareSlowdown, Throttle::HardwareThermal]);
        assert_eq!(throttling(0x100), [Throttle::DisplayClocks]);
    }
}
