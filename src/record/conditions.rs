//! What the card itself told of its state around a case.

use serde::{Deserialize, Serialize};

/// A card's state at one moment; what it does not tell is `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Clock of its multiprocessors, in MHz.
    pub sm_mhz: Option<u32>,
    /// Clock of its memory, in MHz.
    pub memory_mhz: Option<u32>,
    /// Temperature of the chip, in °C.
    pub celsius: Option<u32>,
    /// Power that the card draws, in watts.
    pub watts: Option<f64>,
    /// What keeps its clocks from being higher.
    pub throttling: Vec<Throttle>,
}

/// The states around a case: before its canary, and after the one that follows its last sample.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// Before the case, after whatever idling came before it.
    pub before: Reading,
    /// After it, while the card is still warm.
    pub after: Reading,
}

/// Why a card's clocks are not higher, as NVML tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Throttle {
    /// Nothing runs.
    Idle,
    /// The clocks that its user set.
    ApplicationClocks,
    /// The power limit, kept to by software.
    PowerCap,
    /// Hardware halves the clocks at least: heat, power or power brake.
    HardwareSlowdown,
    /// Another card of its group runs at this clock.
    SyncBoost,
    /// Too warm, as software sees it: the chip or the memory.
    SoftwareThermal,
    /// Too warm: hardware halves the clocks at least.
    HardwareThermal,
    /// The power supply brakes: hardware halves the clocks at least.
    PowerBrake,
    /// The clocks that a display asks for.
    DisplayClocks,
}

impl Throttle {
    /// The fault that a case was measured under, in words, where it is one.
    ///
    /// Heat, the power brake and hardware's slowdown are faults of the moment: the same card, cool and well fed, is faster, and a time taken
    /// under them belongs to no other run. The power limit is not: under heavy arithmetic a card works against it as long as it lives, and
    /// measuring again would find it there again; whether it moves the clocks over a case is the canary's to see. Neither are clocks that
    /// somebody chose, nor idling, which is how cards are read between cases.
    #[must_use]
    pub const fn fault(self) -> Option<&'static str> {
        match self {
            Self::HardwareSlowdown => Some("slowed down by its hardware"),
            Self::SoftwareThermal | Self::HardwareThermal => Some("too warm"),
            Self::PowerBrake => Some("braked by its power supply"),
            Self::Idle | Self::ApplicationClocks | Self::PowerCap | Self::SyncBoost | Self::DisplayClocks => None,
        }
    }
}

impl Conditions {
    /// Why a case that was measured under them must be measured again: `the card was too warm, braked by its power supply`; `None` where
    /// nothing was wrong with the card after it.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        // What hardware does about heat it reports twice, as its slowdown and by its cause.
        let mut faults: Vec<&str> = Vec::new();
        for fault in self.after.throttling.iter().filter_map(|throttle| throttle.fault()) {
            if !faults.contains(&fault) {
                faults.push(fault);
            }
        }
        (!faults.is_empty()).then(|| format!("the card was {}", faults.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(throttling: &[Throttle]) -> Conditions {
        Conditions { after: Reading { throttling: throttling.to_vec(), ..Reading::default() }, ..Conditions::default() }
    }

    #[test]
    fn heat_and_brakes_are_faults_and_a_power_limit_is_none() {
        use Throttle::*;
        assert_eq!(after(&[Idle, ApplicationClocks, PowerCap, SyncBoost, DisplayClocks]).fault(), None);
        let hot = after(&[PowerCap, HardwareThermal, SoftwareThermal, PowerBrake]).fault();
        assert_eq!(hot.as_deref(), Some("the card was too warm, braked by its power supply"));
        assert_eq!(after(&[HardwareSlowdown]).fault().as_deref(), Some("the card was slowed down by its hardware"));
    }

    #[test]
    fn only_the_state_after_a_case_counts() {
        let conditions = Conditions { before: after(&[Throttle::HardwareThermal]).after, ..Conditions::default() };
        assert_eq!(conditions.fault(), None);
    }

    #[test]
    fn json_has_figures_with_units_in_their_names() {
        let reading = Reading {
            sm_mhz: Some(1980),
            watts: Some(412.5),
            throttling: vec![Throttle::PowerCap],
            ..Reading::default()
        };
        let json = serde_json::to_value(&reading).expect("plain data");
        let want = serde_json::json!({
            "sm_mhz": 1980, "memory_mhz": null, "celsius": null, "watts": 412.5, "throttling": ["power_cap"]
        });
        assert_eq!(json, want);
        assert_eq!(serde_json::from_value::<Reading>(json).expect("its own"), reading);
    }
}
