//! The host's operating system and CPU, as reports name them.

/// Its name in the network; empty if unknown.
pub(super) fn name() -> String {
    sysinfo::System::host_name().unwrap_or_default()
}

/// Name and version of its operating system.
pub(super) fn operating_system() -> String {
    sysinfo::System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned())
}

/// What to know of a laptop before its times are believed; `None` where no battery is discharging.
pub(super) fn battery_note() -> Option<&'static str> {
    let batteries = starship_battery::Manager::new().and_then(|manager| manager.batteries()).ok()?;
    note(batteries.flatten().map(|battery| battery.state()))
}

fn note(mut states: impl Iterator<Item = starship_battery::State>) -> Option<&'static str> {
    states.any(|state| state == starship_battery::State::Discharging).then_some(
        "on battery: most laptops then lower their clocks; connect the charger for times that other runs reach",
    )
}

/// Its name and number of threads.
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
    use starship_battery::State;

    #[test]
    fn a_discharging_battery_is_noted_and_others_are_not() {
        assert_eq!(note([].into_iter()), None);
        assert_eq!(note([State::Full, State::Charging, State::Unknown, State::Empty].into_iter()), None);
        let text = note([State::Charging, State::Discharging].into_iter());
        assert!(text.is_some_and(|text| text.starts_with("on battery: ")));
    }
}
