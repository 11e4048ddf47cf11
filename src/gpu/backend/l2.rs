//! The size of a device's L2 cache, where a driver reports it.

use crate::backend::Device;
use record::suite::DeviceType;

/// Size of the device's L2 cache in bytes. For NVIDIA's cards, CUDA's driver reports it by PCI address, whatever the
/// API; `None` for other devices and without CUDA. The first such call initialises that driver, without a context.
#[must_use]
pub fn l2_bytes(device: &Device) -> Option<u64> {
    let is_nvidia = device.vendor == "NVIDIA" && device.kind != DeviceType::Software;
    by_driver(device.pci_address.as_deref().filter(|_| is_nvidia)?)
}

#[cfg(feature = "cuda")]
fn by_driver(pci_address: &str) -> Option<u64> {
    super::cuda::card(pci_address)?.l2_bytes
}

#[cfg(not(feature = "cuda"))]
const fn by_driver(_: &str) -> Option<u64> {
    None
}
