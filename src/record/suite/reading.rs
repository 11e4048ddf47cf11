use serde::{Deserialize, Serialize};

/// A card's state at one moment; `None` for what the card does not report.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Clock of the streaming multiprocessors, in MHz.
    pub sm_mhz: Option<u32>,
    /// Clock of the DRAM, in MHz.
    pub memory_mhz: Option<u32>,
    /// Temperature of the chip, in °C.
    pub celsius: Option<u32>,
    /// Power draw, in watts.
    pub watts: Option<f64>,
    /// Reasons that limit the clocks.
    pub throttling: Vec<Throttle>,
}

/// A reason that limits a card's clocks, as NVML defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Throttle {
    /// Nothing runs.
    Idle,
    /// The clocks that the user set.
    ApplicationClocks,
    /// The power limit, enforced by software.
    PowerCap,
    /// Hardware cuts the clocks to a half or less: temperature, power or power brake.
    HardwareSlowdown,
    /// The clock of another card in its sync-boost group.
    SyncBoost,
    /// Temperature of the chip or the DRAM, enforced by software.
    SoftwareThermal,
    /// Temperature: hardware cuts the clocks to a half or less.
    HardwareThermal,
    /// Power brake of the power supply: hardware cuts the clocks to a half or less.
    PowerBrake,
    /// The clocks that a display needs.
    DisplayClocks,
}

impl Throttle {
    /// The fault that a case was measured under, in words; `None` for reasons that are no fault. Temperature, power
    /// brake and hardware slowdown are temporary: the same card is faster once they end, so such times cannot be
    /// compared with other runs. The power limit is permanent under heavy arithmetic, and a second measurement would
    /// meet it again; the canary detects whether it changes the clock during a case. Clocks set by the user, and idling
    /// between cases, are no faults.
    #[must_use]
    pub const fn fault(self) -> Option<&'static str> {
        match self {
            Self::HardwareSlowdown => Some("throttled by its hardware"),
            Self::SoftwareThermal | Self::HardwareThermal => Some("too warm"),
            Self::PowerBrake => Some("throttled by its power supply"),
            Self::Idle | Self::ApplicationClocks | Self::PowerCap | Self::SyncBoost | Self::DisplayClocks => None,
        }
    }
}
