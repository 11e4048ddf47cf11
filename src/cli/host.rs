//! The host's operating system and CPU, as reports name them.

/// The host name; empty if unknown.
pub(super) fn name() -> String {
    sysinfo::System::host_name().unwrap_or_default()
}

pub(super) fn operating_system() -> String {
    sysinfo::System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned())
}

/// A warning for a laptop on battery; `None` if no battery is discharging, and always on macOS.
pub(super) fn battery_note() -> Option<&'static str> {
    is_on_battery().then_some(
        "running on battery, which lowers the clocks of most laptops: connect the charger for comparable times",
    )
}

#[cfg(windows)]
fn is_on_battery() -> bool {
    use windows::Win32::System::Power::{GetSystemPowerStatus, SYSTEM_POWER_STATUS};
    let mut status = SYSTEM_POWER_STATUS { ACLineStatus: u8::MAX, ..Default::default() };
    #[expect(unsafe_code, reason = "Windows has no safe call for the power status")]
    // SAFETY: the call writes one structure, which outlives the call.
    let read = unsafe { GetSystemPowerStatus(&raw mut status) };
    read.is_ok() && status.ACLineStatus == 0
}

#[cfg(not(windows))]
fn is_on_battery() -> bool {
    is_discharging(std::path::Path::new("/sys/class/power_supply"))
}

/// Whether a battery of the computer is discharging, according to sysfs. The battery of a mouse has the scope `Device`.
#[cfg(any(not(windows), test))]
fn is_discharging(supplies: &std::path::Path) -> bool {
    let Ok(entries) = std::fs::read_dir(supplies) else { return false };
    entries.flatten().any(|entry| {
        let text = |name| std::fs::read_to_string(entry.path().join(name)).unwrap_or_default();
        text("type").trim() == "Battery" && text("scope").trim() != "Device" && text("status").trim() == "Discharging"
    })
}

/// Name of the CPU and its number of threads.
pub(super) fn processor() -> String {
    let brand = sysinfo::System::new().ok().and_then(|mut system| {
        system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
        Some(system.cpus().first()?.brand().trim().to_owned())
    });
    let brand = brand.filter(|brand| !brand.is_empty()).unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{brand} ({threads} threads)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_discharging_battery_of_the_computer_is_noted() {
        let folder = tempfile::tempdir().expect("a folder");
        let supply = |name: &str, files: &[(&str, &str)]| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(&path).expect("a folder");
            files.iter().for_each(|(file, text)| std::fs::write(path.join(file), text).expect("a file"));
        };
        assert!(!is_discharging(&folder.path().join("none")));
        supply("AC", &[("type", "Mains\n"), ("online", "0\n")]);
        supply("mouse", &[("type", "Battery\n"), ("scope", "Device\n"), ("status", "Discharging\n")]);
        supply("BAT0", &[("type", "Battery\n"), ("status", "Charging\n")]);
        assert!(!is_discharging(folder.path()));
        supply("BAT0", &[("status", "Discharging\n")]);
        assert!(is_discharging(folder.path()));
    }
}
