//! The card's own word on clocks, heat and power: NVIDIA's management library (NVML), loaded when the tool runs. Where it is not there, or
//! knows nothing of the card, nobody misses it: the canary then decides alone.

use crate::record::Reading;

/// What can tell a card's state.
pub trait Monitor {
    /// The state now. Takes up to some milliseconds, in which the device must not be measured.
    fn read(&mut self) -> Reading;
}

/// The monitor of the card at a PCI address (`0000:1b:00.0`) or, where that is not told, of a UUID (`GPU-…`); `None` where none can be had.
#[must_use]
pub fn find(pci_address: Option<&str>, uuid: Option<&str>) -> Option<Box<dyn Monitor>> {
    if pci_address.is_none() && uuid.is_none() {
        return None;
    }
    #[cfg(feature = "nvml")]
    return nvml::Card::find(pci_address, uuid).map(|card| Box::new(card) as Box<dyn Monitor>);
    #[cfg(not(feature = "nvml"))]
    None
}

#[cfg(feature = "nvml")]
mod nvml {
    use nvml_wrapper::Nvml;
    use nvml_wrapper::bitmasks::device::ThrottleReasons;
    use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};

    use super::{Monitor, Reading};
    use crate::record::Throttle;

    /// A card that NVML knows.
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
        fn every_reason_that_nvml_has_is_told() {
            assert_eq!(throttling(ThrottleReasons::NONE), Vec::new());
            assert_eq!(throttling(ThrottleReasons::all()).len(), 9);
            let hot = ThrottleReasons::HW_SLOWDOWN | ThrottleReasons::HW_THERMAL_SLOWDOWN;
            assert_eq!(throttling(hot), [Throttle::HardwareSlowdown, Throttle::HardwareThermal]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_that_nobody_can_name_has_no_monitor() {
        assert!(find(None, None).is_none());
        // No card is there, whether NVML is or not.
        assert!(find(Some("ffff:ff:1f.7"), Some("GPU-00000000-0000-0000-0000-000000000000")).is_none());
    }
}
