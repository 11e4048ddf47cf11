//! The card's own word on clocks, heat and power: NVIDIA's management library (NVML), loaded when the tool runs. Where it is not there, or
//! knows nothing of the card, nobody misses it: the canary then decides alone.

use serde::{Deserialize, Serialize};

/// A card's state at one moment; what it does not tell is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Clock of its multiprocessors, in MHz.
    pub sm_mhz: Option<u32>,
    /// Clock of its memory, in MHz.
    pub memory_mhz: Option<u32>,
    /// Temperature of the chip, in °C.
    pub celsius: Option<u32>,
    /// Power that the card draws, in watts.
    pub watts: Option<f64>,
    /// What keeps its clocks from being higher.
    pub throttling: Vec<Throttle>,
}

/// Why a card's clocks are not higher, as NVML tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Throttle {
    /// Nothing runs.
    Idle,
    /// The clocks that its user set.
    ApplicationClocks,
    /// The power limit, kept to by software.
    PowerCap,
    /// Hardware halves the clocks at least: heat, power or power brake.
    HardwareSlowdown,
    /// Another card of its group runs at this clock.
    SyncBoost,
    /// Too warm, as software sees it: the chip or the memory.
    SoftwareThermal,
    /// Too warm: hardware halves the clocks at least.
    HardwareThermal,
    /// The power supply brakes: hardware halves the clocks at least.
    PowerBrake,
    /// The clocks that a display asks for.
    DisplayClocks,
}

impl Throttle {
    /// The fault that a case was measured under, in words, where it is one.
    ///
    /// Heat, the power brake and hardware's slowdown are faults of the moment: the same card, cool and well fed, is faster, and a time taken
    /// under them belongs to no other run. The power limit is not: under heavy arithmetic a card works against it as long as it lives, and
    /// measuring again would find it there again; whether it moves the clocks over a case is the canary's to see. Neither are clocks that
    /// somebody chose, nor idling, which is how cards are read between cases.
    #[must_use]
    pub const fn fault(self) -> Option<&'static str> {
        match self {
            Self::HardwareSlowdown => Some("slowed down by its hardware"),
            Self::SoftwareThermal | Self::HardwareThermal => Some("too warm"),
            Self::PowerBrake => Some("braked by its power supply"),
            Self::Idle | Self::ApplicationClocks | Self::PowerCap | Self::SyncBoost | Self::DisplayClocks => None,
        }
    }
}

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

    use super::{Monitor, Reading, Throttle};

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
