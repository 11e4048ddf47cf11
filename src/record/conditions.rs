use serde::{Deserialize, Serialize};

use crate::suite::Reading;

/// Readings around a case: before the canary that precedes it, and after the canary that follows it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// Before the case, possibly after idle time.
    pub before: Reading,
    /// After the case, while the device is still warm.
    pub after: Reading,
}

impl Conditions {
    /// Why the case must be measured again, if so: `the card was too warm and throttled by its power supply`.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        // Thermal throttling is reported twice: as a hardware slowdown and by its cause.
        let mut faults: Vec<&str> = Vec::new();
        for fault in self.after.throttling.iter().filter_map(|throttle| throttle.fault()) {
            if !faults.contains(&fault) {
                faults.push(fault);
            }
        }
        (!faults.is_empty()).then(|| format!("the card was {}", faults.join(" and ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Throttle;

    fn after(throttling: &[Throttle]) -> Conditions {
        Conditions { after: Reading { throttling: throttling.to_vec(), ..Reading::default() }, ..Conditions::default() }
    }

    #[test]
    fn heat_and_power_brakes_are_faults_and_a_power_limit_is_not() {
        use Throttle::*;
        assert_eq!(after(&[Idle, ApplicationClocks, PowerCap, SyncBoost, DisplayClocks]).fault(), None);
        let hot = after(&[PowerCap, HardwareThermal, SoftwareThermal, PowerBrake]).fault();
        assert_eq!(hot.as_deref(), Some("the card was too warm and throttled by its power supply"));
        assert_eq!(after(&[HardwareSlowdown]).fault().as_deref(), Some("the card was throttled by its hardware"));
    }

    #[test]
    fn only_the_reading_after_a_case_counts() {
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
