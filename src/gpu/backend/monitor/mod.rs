//! Clocks, temperature, power, energy and throttling of a card: from NVIDIA's management library (NVML), loaded at run
//! time, or on Linux from the files of other cards' drivers. Without either, only the canary watches the clock.

#[cfg(target_os = "linux")]
mod hwmon;
#[cfg(target_os = "linux")]
mod link;
mod numa;
#[cfg(feature = "nvml")]
mod nvml;
mod state;

pub(crate) use numa::OnNode;
pub use state::Monitor;

use record::suite::PcieLink;

/// The current PCI Express link and the best that card and slot support, of the card with this PCI address, else with
/// this UUID. Drivers may lower the link of an idle card.
#[must_use]
pub fn pcie(pci_address: Option<&str>, uuid: Option<&str>) -> Option<[PcieLink; 2]> {
    if pci_address.is_none() && uuid.is_none() {
        return None;
    }
    #[cfg(feature = "nvml")]
    if let Some(links) = nvml::Card::find(pci_address, uuid).and_then(|card| card.pcie()) {
        return Some(links);
    }
    #[cfg(target_os = "linux")]
    if let Some(links) = pci_address.and_then(link::pcie) {
        return Some(links);
    }
    None
}

/// [`pcie`] for display: `5 x16`, or `1 x16 now, 5 x16 at most`.
pub(super) fn pcie_text(pci_address: Option<&str>, uuid: Option<&str>) -> Option<String> {
    let [now, most] = pcie(pci_address, uuid)?;
    Some(if now == most { most.to_string() } else { format!("{now} now, {most} at most") })
}

/// The monitor of the card with this PCI address (`0000:1b:00.0`), else of the card with this UUID (`GPU-…`).
#[must_use]
pub fn find(pci_address: Option<&str>, uuid: Option<&str>) -> Option<Box<dyn Monitor>> {
    if pci_address.is_none() && uuid.is_none() {
        return None;
    }
    #[cfg(feature = "nvml")]
    if let Some(card) = nvml::Card::find(pci_address, uuid) {
        return Some(Box::new(card));
    }
    #[cfg(target_os = "linux")]
    if let Some(sensors) = pci_address.and_then(hwmon::Sensors::find) {
        return Some(Box::new(sensors));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unidentified_card_has_no_monitor() {
        assert!(find(None, None).is_none());
        assert!(find(Some("ffff:ff:1f.7"), Some("GPU-00000000-0000-0000-0000-000000000000")).is_none());
    }
}
