use std::fmt;

/// A PCI Express link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PcieLink {
    /// Generation, at least 1.
    pub generation: u32,
    /// Lanes.
    pub width: u32,
}

impl PcieLink {
    /// Gigatransfers per second of a lane, by generation.
    const RATES: [f64; 6] = [2.5, 5.0, 8.0, 16.0, 32.0, 64.0];

    /// The link with this rate per lane, in gigatransfers per second; `None` for other rates than the standard's.
    #[must_use]
    pub fn at(gt_per_s: f64, width: u32) -> Option<Self> {
        let index = Self::RATES.iter().position(|rate| *rate == gt_per_s)?;
        (width > 0).then_some(Self { generation: index as u32 + 1, width })
    }

    /// Nominal rate of one direction in GB/s: without the line code (8b/10b, then 128b/130b, then flits of 242 in 256
    /// bytes), but with packet headers. From the PCI Express base specification.
    #[must_use]
    pub fn gb_per_s(self) -> Option<f64> {
        let code = match self.generation {
            1 | 2 => 8.0 / 10.0,
            3..=5 => 128.0 / 130.0,
            _ => 242.0 / 256.0,
        };
        let rate = Self::RATES.get(usize::try_from(self.generation).ok()?.checked_sub(1)?)?;
        Some(rate * code * f64::from(self.width) / 8.0)
    }
}

impl fmt::Display for PcieLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x{}", self.generation, self.width)
    }
}

impl std::str::FromStr for PcieLink {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let link = text.split_once(" x").and_then(|(generation, width)| {
            Some(Self { generation: generation.parse().ok()?, width: width.parse().ok()? })
        });
        link.ok_or_else(|| format!("'{text}' is not a PCI Express link: give generation and lanes, for example 5 x16"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_have_the_nominal_rates_of_their_generation() {
        let rate = |text: &str| text.parse::<PcieLink>().expect("a link").gb_per_s().map(|rate| (rate * 10.0).round());
        assert_eq!((rate("5 x16"), rate("4 x8"), rate("1 x1")), (Some(630.0), Some(158.0), Some(3.0)));
        assert_eq!((rate("9 x16"), rate("0 x16")), (None, None));
        assert_eq!(PcieLink::at(32.0, 16).map(|link| link.to_string()).as_deref(), Some("5 x16"));
        assert_eq!((PcieLink::at(32.0, 0), PcieLink::at(3.0, 16)), (None, None));
        assert!("x16".parse::<PcieLink>().is_err());
    }
}
