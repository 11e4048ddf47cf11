//! Cards with sensor files of the Linux kernel (`hwmon`): AMD's and Intel's. Units are those of the [kernel's
//! interface](https://docs.kernel.org/hwmon/sysfs-interface.html).

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::state::Monitor;
use record::suite::Reading;

/// A card that is busy for less than this, in percent, is not in use.
const LEAST_USE: f64 = 10.0;

pub(super) struct Sensors {
    folder: PathBuf,
}

impl Sensors {
    /// The sensors of the card with this PCI address (`0000:1b:00.0`); `None` if its driver has none.
    pub(super) fn find(pci_address: &str) -> Option<Self> {
        // The address becomes a part of a path.
        let is_address = pci_address.chars().all(|c| c.is_ascii_hexdigit() || matches!(c, ':' | '.'));
        is_address.then(|| Self::below(&Path::new("/sys/bus/pci/devices").join(pci_address)))?
    }

    fn below(device: &Path) -> Option<Self> {
        let mut folders: Vec<PathBuf> =
            fs::read_dir(device.join("hwmon")).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        folders.sort();
        // A card may have several folders, only one with its power.
        let sensors = folders.into_iter().map(|folder| Self { folder });
        sensors.max_by_key(|sensors| usize::from(sensors.power().is_some()) + usize::from(sensors.energy().is_some()))
    }

    /// The number in the first of these files that holds one.
    fn number(&self, names: &[&str]) -> Option<f64> {
        names.iter().find_map(|name| fs::read_to_string(self.folder.join(name)).ok()?.trim().parse().ok())
    }

    /// Watts. AMD's older chips report a mean, newer ones the current power.
    fn power(&self) -> Option<f64> {
        Some(self.number(&["power1_average", "power1_input"])? / 1e6)
    }

    fn energy(&self) -> Option<f64> {
        Some(self.number(&["energy1_input"])? / 1e6)
    }
}

impl Monitor for Sensors {
    fn read(&mut self) -> Reading {
        let whole = |value: f64| (value / 1e6).round() as u32;
        Reading {
            sm_mhz: self.number(&["freq1_input"]).map(whole),
            memory_mhz: self.number(&["freq2_input"]).map(whole),
            celsius: self.number(&["temp1_input"]).map(|thousandths| (thousandths / 1e3).round() as u32),
            watts: self.power(),
            throttling: Vec::new(),
        }
    }

    /// Valid only before this process has used the card: AMD's driver reports no processes.
    fn users(&mut self, _: SystemTime) -> Option<usize> {
        let busy = self.number(&["device/gpu_busy_percent"])?;
        Some(usize::from(busy >= LEAST_USE))
    }

    fn joules(&mut self) -> Option<f64> {
        self.energy()
    }

    fn watts(&mut self) -> Option<f64> {
        self.power()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device's folder with these files in `hwmon/hwmonN`.
    fn device(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let device = std::env::temp_dir().join(format!("shaderbench-hwmon-{}-{name}", std::process::id()));
        for (file, text) in files {
            let path = device.join("hwmon").join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        device
    }

    #[test]
    fn readings_have_the_units_of_the_kernel() {
        let files = [
            ("hwmon3/power1_average", "171000000\n"),
            ("hwmon3/freq1_input", "2100000000\n"),
            ("hwmon3/freq2_input", "1000000000\n"),
            ("hwmon3/temp1_input", "56000\n"),
            ("hwmon1/temp1_input", "20000\n"),
        ];
        let folder = device("amd", &files);
        let mut card = Sensors::below(&folder).expect("sensors");
        let reading = card.read();
        assert_eq!((reading.sm_mhz, reading.memory_mhz, reading.celsius), (Some(2100), Some(1000), Some(56)));
        assert_eq!((card.watts(), card.joules()), (Some(171.0), None));
        fs::remove_dir_all(folder).expect("the folder");
        let folder = device("intel", &[("hwmon2/energy1_input", "9100500000\n"), ("hwmon2/power1_max", "1\n")]);
        let mut card = Sensors::below(&folder).expect("sensors");
        assert_eq!((card.watts(), card.joules()), (None, Some(9100.5)));
        fs::write(folder.join("hwmon/hwmon2/energy1_input"), "busy").expect("a file");
        assert_eq!(card.joules(), None);
        fs::remove_dir_all(folder).expect("the folder");
    }

    #[test]
    fn a_card_without_sensors_and_a_path_have_none() {
        assert!(Sensors::find("ffff:ff:1f.7").is_none());
        assert!(Sensors::find("../../../tmp").is_none());
    }
}
