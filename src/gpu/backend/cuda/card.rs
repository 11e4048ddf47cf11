//! Properties of a card as NVIDIA's driver reports them, for rows of every API.

use std::sync::OnceLock;

use cudarc::driver::sys::CUdevice_attribute_enum as Attribute;

use super::device::uuid_text;
use super::query;

/// Properties of a card.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// UUID as nvidia-smi writes it; `None` if the driver does not report it.
    pub uuid: Option<String>,
    /// Size of the L2 cache in bytes; `None` if the driver does not report it.
    pub l2_bytes: Option<u64>,
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Nominal highest clock of the multiprocessors, in kHz.
    pub clock_khz: u32,
    /// Peak DRAM bandwidth in GB/s from its highest clock and bus width; `None` if the driver does not report both.
    pub dram_gb_per_s: Option<f64>,
    /// Compute capability, as 10 × major + minor.
    pub capability: u32,
}

/// The card at this PCI address; `None` if the driver is not installed, does not start, or does not list the card.
/// Initialises the driver once, creates no context, and makes no call that an old driver lacks.
#[must_use]
pub fn card(pci_address: &str) -> Option<Card> {
    static CARDS: OnceLock<Vec<([u32; 4], Card)>> = OnceLock::new();
    let wanted = numbers(pci_address)?;
    let cards = CARDS.get_or_init(|| {
        if !query::is_installed() || query::start().is_err() {
            return Vec::new();
        }
        (0..query::count()).filter_map(described).collect()
    });
    cards.iter().find(|(address, _)| *address == wanted).map(|(_, card)| card.clone())
}

fn described(ordinal: i32) -> Option<([u32; 4], Card)> {
    let handle = query::device(ordinal).ok()?;
    let number = |attribute| query::attribute(handle, attribute).and_then(|value| u32::try_from(value).ok());
    let address = [
        number(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)?,
        number(Attribute::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)?,
        number(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)?,
        0,
    ];
    let l2_bytes = number(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE).filter(|bytes| *bytes > 0);
    let major = number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let card = Card {
        uuid: query::uuid(handle).map(uuid_text),
        l2_bytes: l2_bytes.map(u64::from),
        multiprocessors: number(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        clock_khz: number(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
        dram_gb_per_s: query::dram_gb_per_s(handle),
        capability: 10 * major + number(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    };
    Some((address, card))
}

/// Domain, bus, device and function of an address such as `0000:1b:00.0`.
fn numbers(pci_address: &str) -> Option<[u32; 4]> {
    let parts: Vec<u32> =
        pci_address.split([':', '.']).map(|part| u32::from_str_radix(part, 16).ok()).collect::<Option<_>>()?;
    parts.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_compared_as_numbers() {
        assert_eq!(numbers("0000:1b:00.0"), Some([0, 0x1b, 0, 0]));
        assert_eq!(numbers("00000000:1B:00.0"), numbers("0000:1b:00.0"));
        assert_eq!((numbers("1b:00.0"), numbers("")), (None, None));
    }

    #[test]
    fn an_unknown_card_has_no_figure() {
        assert_eq!(card("ffff:ff:1f.7"), None);
        assert_eq!(card("no address"), None);
    }
}
