//! The settings of a run: what its rows share, and its limits.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

use super::arguments::Arguments;
use crate::BUILD;
use crate::cli::host::{self, operating_system, processor};
use gpu::backend::Device;
use gpu::engine::{Epochs, Settings};
use record::error::{Error, Result};
use record::suite::Profile;

/// Random seeds are below this: one for each different input, too many for a kernel to know all answers.
const SEEDS: u64 = 1 << 32;

/// Maximum number of epochs that measure a case's energy.
const ENERGY_EPOCHS: usize = 3;

pub(super) fn settings(
    arguments: &Arguments,
    profile: Profile,
    time: Option<Duration>,
    devices: &[Device],
) -> Result<Settings> {
    let mut settings = Settings::new(profile, date(now()?), operating_system(), processor());
    BUILD.clone_into(&mut settings.tool_version);
    settings.host = arguments.host.clone().unwrap_or_else(host::name);
    settings.is_anonymous = arguments.anonymous;
    settings.time = time;
    settings.energy_epochs = if arguments.energy { ENERGY_EPOCHS } else { 0 };
    settings.seed = arguments.seed.unwrap_or_else(|| entropy() % SEEDS);
    settings.secret = entropy();
    let mut apis: Vec<&str> = devices.iter().map(|device| device.api.name()).collect();
    apis.sort_unstable();
    apis.dedup();
    settings.apis = apis.join("+");
    if let Some(epochs) = arguments.epochs {
        settings.epochs = Epochs { least: epochs.into(), most: epochs.into(), target: 0.0 };
    }
    Ok(settings)
}

pub(super) fn now() -> Result<jiff::Timestamp> {
    timestamp(SystemTime::now())
}

fn timestamp(time: SystemTime) -> Result<jiff::Timestamp> {
    let fault = |_| Error::NoDevice("the system clock is outside the years -9999 to 9999: set the clock".to_owned());
    jiff::Timestamp::try_from(time).map_err(fault)
}

/// A time in the format of rows.
pub(super) fn date(time: jiff::Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn entropy() -> u64 {
    // The standard library's only source. Successive keys of a thread are consecutive, but the hash hides this.
    RandomState::new().hash_one(std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_no_report_can_name_is_an_error() {
        let year = Duration::from_secs(31_557_600);
        assert_eq!(timestamp(SystemTime::UNIX_EPOCH).map(date).expect("1970"), "1970-01-01T00:00:00Z");
        let fault = timestamp(SystemTime::UNIX_EPOCH + 8030 * year).expect_err("after 9999");
        assert_eq!((fault.exit_code(), fault.to_string().lines().count()), (1, 1), "{fault}");
    }
}
