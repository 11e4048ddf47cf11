//! PCI Express links by the files of the [Linux kernel](https://docs.kernel.org/PCI/sysfs-pci.html).

use std::fs;
use std::path::Path;

use crate::suite::PcieLink;

/// The present link of the card with this PCI address (`0000:1b:00.0`), and the best that it can have.
pub(super) fn pcie(pci_address: &str) -> Option<[PcieLink; 2]> {
    // The address becomes a part of a path.
    let is_address = pci_address.chars().all(|c| c.is_ascii_hexdigit() || matches!(c, ':' | '.'));
    is_address.then(|| below(&Path::new("/sys/bus/pci/devices").join(pci_address)))?
}

fn below(device: &Path) -> Option<[PcieLink; 2]> {
    let first = |file: String| fs::read_to_string(device.join(file)).ok()?.split_whitespace().next()?.parse().ok();
    let link = |which: &str| {
        let (speed, width): (f64, f64) = (first(format!("{which}_link_speed"))?, first(format!("{which}_link_width"))?);
        PcieLink::at(speed, width as u32)
    };
    Some([link("current")?, link("max")?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_from_the_files_of_the_kernel() {
        let device = std::env::temp_dir().join(format!("shaderbench-link-{}", std::process::id()));
        fs::create_dir_all(&device).expect("a folder");
        let files = [
            ("current_link_speed", "2.5 GT/s PCIe\n"),
            ("current_link_width", "16\n"),
            ("max_link_speed", "32.0 GT/s PCIe\n"),
        ];
        for (file, text) in files {
            fs::write(device.join(file), text).expect("a file");
        }
        assert_eq!(below(&device), None);
        fs::write(device.join("max_link_width"), "16\n").expect("a file");
        assert_eq!(
            below(&device).map(|links| links.map(|link| link.to_string())),
            Some(["1 x16", "5 x16"].map(String::from))
        );
        fs::remove_dir_all(device).expect("the folder");
        assert_eq!(pcie("../../../tmp"), None);
    }
}
