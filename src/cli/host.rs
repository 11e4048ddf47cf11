//! The host's operating system and CPU, as reports name them.

/// Its name and version.
pub(super) fn operating_system() -> String {
    sysinfo::System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned())
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
