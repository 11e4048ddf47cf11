//! NVIDIA cards through NVML.

use nvml_wrapper::Nvml;
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};

use super::state::{Monitor, Reading, Throttle};

/// A card that NVML lists.
pub(super) struct Card {
    library: Nvml,
    index: u32,
}

impl Card {
    pub(super) fn find(pci_address: Option<&str>, uuid: Option<&str>) -> Option<Self> {
        let library = Nvml::init().ok()?;
        let at_address = pci_address.and_then(|address| library.device_by_pci_bus_id(address).ok());
        let device = at_address.or_else(|| library.device_by_uuid(uuid?).ok())?;
        let index = device.index().ok()?;
        Some(Self { library, index })
    }
}

impl Monitor for Card {
    fn read(&mut self) -> Reading {
        let Ok(device) = self.library.device_by_index(self.index) else { return Reading::default() };
        let reasons = device.current_throttle_reasons().unwrap_or(ThrottleReasons::NONE);
        Reading {
            sm_mhz: device.clock_info(Clock::SM).ok(),
            memory_mhz: device.clock_info(Clock::Memory).ok(),
            celsius: device.temperature(TemperatureSensor::Gpu).ok(),
            watts: device.power_usage().ok().map(|milliwatts| f64::from(milliwatts) / 1e3),
            throttling: throttling(reasons),
        }
    }

    fn joules(&mut self) -> Option<f64> {
        let device = self.library.device_by_index(self.index).ok()?;
        device.total_energy_consumption().ok().map(|millijoules| millijoules as f64 / 1e3)
    }

    fn watts(&mut self) -> Option<f64> {
        let device = self.library.device_by_index(self.index).ok()?;
        device.power_usage().ok().map(|milliwatts| f64::from(milliwatts) / 1e3)
    }

    fn max_sm_mhz(&self) -> Option<u32> {
        self.library.device_by_index(self.index).ok()?.max_clock_info(Clock::SM).ok()
    }
}

fn throttling(reasons: ThrottleReasons) -> Vec<Throttle> {
    [
        (ThrottleReasons::GPU_IDLE, Throttle::Idle),
        (ThrottleReasons::APPLICATIONS_CLOCKS_SETTING, Throttle::ApplicationClocks),
        (ThrottleReasons::SW_POWER_CAP, Throttle::PowerCap),
        (ThrottleReasons::HW_SLOWDOWN, Throttle::HardwareSlowdown),
        (ThrottleReasons::SYNC_BOOST, Throttle::SyncBoost),
        (ThrottleReasons::SW_THERMAL_SLOWDOWN, Throttle::SoftwareThermal),
        (ThrottleReasons::HW_THERMAL_SLOWDOWN, Throttle::HardwareThermal),
        (ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN, Throttle::PowerBrake),
        (ThrottleReasons::DISPLAY_CLOCK_SETTING, Throttle::DisplayClocks),
    ]
    .into_iter()
    .filter(|(reason, _)| reasons.contains(*reason))
    .map(|(_, throttle)| throttle)
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nvml_reason_is_reported() {
        assert_eq!(throttling(ThrottleReasons::NONE), Vec::new());
        assert_eq!(throttling(ThrottleReasons::all()).len(), 9);
        let hot = ThrottleReasons::HW_SLOWDOWN | ThrottleReasons::HW_THERMAL_SLOWDOWN;
        assert_eq!(throttling(hot), [Throttle::HardwareSlowdown, Throttle::HardwareThermal]);
    }
}
