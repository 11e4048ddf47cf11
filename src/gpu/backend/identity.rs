//! The name of a device's card.

use crate::backend::Device;
use record::suite::DeviceType;

/// The UUID of a device's card, else its PCI address; empty if no driver reports either. For NVIDIA's cards, CUDA's
/// driver reports the UUID by PCI address, so rows of all APIs name a card alike. The first such call initialises that
/// driver, without a context.
#[must_use]
pub fn card_name(device: &Device) -> String {
    let is_nvidia = device.vendor == "NVIDIA" && device.kind != DeviceType::Software;
    let by_driver = || by_driver(device.pci_address.as_deref().filter(|_| is_nvidia)?);
    device.uuid.clone().or_else(by_driver).or_else(|| device.pci_address.clone()).unwrap_or_default()
}

#[cfg(feature = "cuda")]
fn by_driver(pci_address: &str) -> Option<String> {
    super::cuda::card(pci_address)?.uuid
}

#[cfg(not(feature = "cuda"))]
const fn by_driver(_: &str) -> Option<String> {
    None
}
