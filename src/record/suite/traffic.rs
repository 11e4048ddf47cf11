/// Bytes of a sector, the unit in which GPUs move memory.
const SECTOR: u64 = 32;

/// Invocations of the subgroup that the models assume.
pub const SUBGROUP: u64 = 32;

/// Bytes of one access of a subgroup of 32 (or a mean): distinct bytes requested, and those of their 32-byte sectors.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Traffic {
    /// Distinct bytes requested.
    pub asked: f64,
    /// Bytes of the sectors.
    pub moved: f64,
}

impl Traffic {
    /// The traffic of accesses of `width` bytes at each of the addresses.
    #[must_use]
    pub fn of(addresses: &[u64], width: u64) -> Self {
        let distinct = |mut values: Vec<u64>| {
            values.sort_unstable();
            values.dedup();
            values.len() as f64
        };
        let bytes: Vec<u64> =
            addresses.iter().flat_map(|first| (0..width).map(|byte| first.wrapping_add(byte))).collect();
        let sectors = bytes.iter().map(|byte| byte / SECTOR).collect();
        Self { asked: distinct(bytes), moved: distinct(sectors) * SECTOR as f64 }
    }

    /// The degree of coalescing: bytes requested over bytes moved. 1 for aligned neighbours, 4/32 if all read one word.
    #[must_use]
    pub fn degree(self) -> f64 {
        self.asked / self.moved
    }

    /// The mean over several accesses; zero if there are none.
    #[must_use]
    pub fn mean(accesses: &[Self]) -> Self {
        let mean = |figure: fn(&Self) -> f64| accesses.iter().map(figure).sum::<f64>() / accesses.len().max(1) as f64;
        Self { asked: mean(|access| access.asked), moved: mean(|access| access.moved) }
    }

    /// The less coalesced of the two.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        if other.degree() < self.degree() { other } else { self }
    }
}
