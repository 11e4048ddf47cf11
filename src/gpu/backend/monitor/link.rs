//! PCI Express links from the files of the [Linux kernel](https://docs.kernel.org/PCI/sysfs-pci.html).

use std::fs;
use std::path::Path;

use record::suite::PcieLink;

/// The current link of the card with this PCI address (`0000:1b:00.0`), and the best that it supports.
pub(super) fn pcie(pci_address: &str) -> Option<[PcieLink; 2]> {
    // The address becomes a part of a path.
    let is_address = pci_address.chars().all(|c| c.is_ascii_hexdigit() || matches!(c, ':' | '.'));
    // A device's folder lies in that of the bridge above it.
    let device = is_address.then(|| fs::canonicalize(Path::new("/sys/bus/pci/devices").join(pci_address)).ok())??;
    of(edge(&device))
}

/// The card's end of the link into the host. On some cards (AMD since Navi, Intel Arc) the GPU is behind a switch of
/// the card, whose inner links differ in width or speed. The switch has the GPU's vendor and is no root port.
fn edge(device: &Path) -> &Path {
    let vendor = |device: &Path| fs::read_to_string(device.join("vendor")).ok();
    let (own, mut edge) = (vendor(device), device);
    while let Some(above) = edge.parent()
        && own.is_some()
        && vendor(above) == own
        // The folder above a root port is no device.
        && above.parent().is_some_and(|host| vendor(host).is_some())
    {
        edge = above;
    }
    edge
}

/// The current link of a device to the bridge above it, and the best.
fn of(device: &Path) -> Option<[PcieLink; 2]> {
    let first = |file: String| fs::read_to_string(device.join(file)).ok()?.split_whitespace().next()?.parse().ok();
    let link = |which: &str| {
        let (speed, width): (f64, f64) = (first(format!("{which}_link_speed"))?, first(format!("{which}_link_width"))?);
        PcieLink::at(speed, width as u32)
    };
    Some([link("current")?, link("max")?])
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            Self(std::env::temp_dir().join(format!("shaderbench-link-{name}-{}", std::process::id())))
        }

        fn device(&self, path: &str, files: &[(&str, &str)]) -> PathBuf {
            let device = self.0.join(path);
            fs::create_dir_all(&device).expect("a folder");
            files.iter().for_each(|(file, text)| fs::write(device.join(file), text).expect("a file"));
            device
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).expect("the folder");
        }
    }

    fn text(device: &Path) -> Option<[String; 2]> {
        of(device).map(|links| links.map(|link| link.to_string()))
    }

    #[test]
    fn links_are_read_from_the_files_of_the_kernel() {
        let folder = Folder::new("files");
        let files = [
            ("current_link_speed", "2.5 GT/s PCIe\n"),
            ("current_link_width", "16\n"),
            ("max_link_speed", "32.0 GT/s PCIe\n"),
        ];
        let device = folder.device("", &files);
        assert_eq!(text(&device), None);
        folder.device("", &[("max_link_width", "16\n")]);
        assert_eq!(text(&device), Some(["1 x16", "5 x16"].map(String::from)));
        assert_eq!(pcie("../../../tmp"), None);
    }

    /// Root port, the card's switch with its two ports, and the GPU, each in the folder of the one above it.
    #[test]
    fn the_link_of_a_card_is_that_above_its_own_switch() {
        const AMD: &str = "0x1002\n";
        const INTEL: &str = "0x8086\n";
        const OTHER: &str = "0x1022\n";
        const BROADCOM: &str = "0x1000\n";
        let links = |device: &Path| text(edge(device)).expect("a link");
        let at = |vendor, speed, width| {
            [
                ("vendor", vendor),
                ("current_link_speed", speed),
                ("current_link_width", width),
                ("max_link_speed", speed),
                ("max_link_width", width),
            ]
        };
        // Navi below a root port of the CPU's vendor, and Arc below one of its own vendor: the inner link is 1 x1.
        for (root, own) in [(OTHER, AMD), (INTEL, INTEL)] {
            let folder = Folder::new(&format!("switch-{}", own.trim()));
            let port = "pci0000:00/0000:00:01.1";
            folder.device(port, &at(root, "32.0 GT/s PCIe\n", "1\n"));
            folder.device(&format!("{port}/0000:01:00.0"), &at(own, "16.0 GT/s PCIe\n", "8\n"));
            folder.device(&format!("{port}/0000:01:00.0/0000:02:00.0"), &at(own, "5.0 GT/s PCIe\n", "4\n"));
            let gpu = format!("{port}/0000:01:00.0/0000:02:00.0/0000:03:00.0");
            let gpu = folder.device(&gpu, &at(own, "2.5 GT/s PCIe\n", "1\n"));
            assert_eq!(links(&gpu), ["4 x8", "4 x8"], "{own}");
        }
        // A card without a switch, below a switch of the host and below a root port of its own vendor.
        for (path, vendors) in [
            ("0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.0", &[INTEL, BROADCOM, BROADCOM, INTEL][..]),
            ("0000:00:01.0/0000:01:00.0", &[INTEL, INTEL]),
        ] {
            let folder = Folder::new(&format!("plain-{}", vendors.len()));
            let mut below = "pci0000:00".to_owned();
            let mut device = PathBuf::new();
            for (address, vendor) in path.split('/').zip(vendors) {
                below = format!("{below}/{address}");
                let is_card = below.ends_with(path);
                let speed = if is_card { "8.0 GT/s PCIe\n" } else { "2.5 GT/s PCIe\n" };
                device = folder.device(&below, &at(vendor, speed, "16\n"));
            }
            assert_eq!(links(&device), ["3 x16", "3 x16"], "{path}");
        }
    }
}
