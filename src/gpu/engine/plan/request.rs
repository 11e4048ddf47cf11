//! What a user asks for: which benchmarks, at which sizes, with which parameters.

use std::collections::BTreeMap;

use record::suite::{Benchmark, Block, Cases, Extent, Family, Profile, Quick, Tag};

/// What a launch finds in the caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(not(target_family = "wasm"), derive(clap::ValueEnum))]
pub enum Caches {
    /// Caches as the previous launch of the same kernel left them.
    #[default]
    Hot,
    /// 256 MiB of other memory is set to zero before each launch, untimed.
    Cold,
    /// Each case is measured both ways.
    Both,
}

/// The user's selection of cases.
#[derive(Debug, Clone)]
pub struct Request {
    /// Families, benchmarks (`transpose/tiled`), globs or parts of names; empty = everything.
    pub filters: Vec<String>,
    /// Only families with one of these tags; empty = all.
    pub tags: Vec<Tag>,
    /// Which sizes and parameters to run.
    pub profile: Profile,
    /// Sizes that replace the profile's; empty = the profile's.
    pub sizes: Vec<Extent>,
    /// Parameters to set for each kernel that has them. A name may have several values.
    pub params: Vec<(String, f64)>,
    /// What launches find in the caches.
    pub caches: Caches,
    /// Sources that replace the suite's, by `family/benchmark`.
    pub sources: BTreeMap<String, Source>,
    /// A family that is not the suite's, in place of all of the suite's. The filters do not apply to it.
    pub own: Option<&'static Family>,
    /// Whether to plan smaller sizes in reserve: the declared ones, and [`Benchmark::small`]. A run with a time limit
    /// uses one if the device lacks memory or time for the profile's size.
    pub has_reserves: bool,
}

impl Request {
    /// The cases of a profile that match `filters`, as the suite declares them.
    #[must_use]
    pub const fn new(filters: Vec<String>, profile: Profile) -> Self {
        Self {
            filters,
            tags: Vec::new(),
            profile,
            sizes: Vec::new(),
            params: Vec::new(),
            caches: Caches::Hot,
            sources: BTreeMap::new(),
            own: None,
            has_reserves: false,
        }
    }

    /// Whether the user names the benchmarks, so that each has cases in every profile.
    pub(in crate::engine) fn is_named(&self) -> bool {
        self.own.is_some() || !self.filters.is_empty()
    }
}

/// Source code that replaces a kernel of the suite. Its WGSL runs with all run-time checks, unless it is
/// [trusted](Source::trust).
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// WGSL; `None` keeps the suite's.
    pub wgsl: Option<String>,
    /// CUDA; `None` keeps the suite's twin. CUDA has no run-time checks.
    pub cuda: Option<String>,
    pub(crate) is_trusted: bool,
}

impl Source {
    /// Lets the WGSL run without run-time checks, as the suite's own does.
    ///
    /// # Safety
    /// At every shape that is planned, the WGSL keeps the promise of [`Case::trust`](record::suite::Case::trust).
    #[expect(unsafe_code, reason = "a promise about the kernel that the compiler cannot check")]
    pub const unsafe fn trust(&mut self) {
        self.is_trusted = true;
    }
}

pub(in crate::engine) fn blocks(
    benchmark: &'static Benchmark,
    profile: Profile,
    is_named: bool,
) -> Vec<Block<'static>> {
    match (profile, benchmark.quick) {
        (Profile::Quick, []) if is_named => vec![benchmark.representative()],
        (Profile::Quick, quick) => quick.iter().map(Quick::block).collect(),
        _ => benchmark.cases.iter().filter(|block| block.from <= profile).map(Cases::block).collect(),
    }
}
