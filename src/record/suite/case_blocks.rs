use super::params::Params;
use super::profile::Profile;
use super::shape::{Dtype, Extent};

/// Types, sizes and sets of parameters that are combined.
pub type Block<'a> = (&'a [Dtype], &'a [Extent], &'a [Params]);

/// A block of a benchmark's cases: every type at every size with every set of parameters.
pub struct Cases {
    /// The shortest profile that runs them.
    pub from: Profile,
    /// Element types.
    pub dtypes: &'static [Dtype],
    /// Sizes.
    pub extents: &'static [Extent],
    /// Sets of parameters.
    pub params: &'static [Params],
}

impl Cases {
    /// Cases of the profile `standard`, and of those after it.
    #[must_use]
    pub const fn standard(dtypes: &'static [Dtype], extents: &'static [Extent], params: &'static [Params]) -> Self {
        Self { from: Profile::Standard, dtypes, extents, params }
    }

    /// Cases of the profile `standard`: the sizes of the representative block, and then all.
    #[must_use]
    pub const fn pair(
        dtypes: &'static [Dtype],
        first: &'static [Extent],
        all: &'static [Extent],
        params: &'static [Params],
    ) -> [Self; 2] {
        [Self::standard(dtypes, first, params), Self::standard(dtypes, all, params)]
    }

    /// Cases of the profile `thorough` alone.
    #[must_use]
    pub const fn thorough(dtypes: &'static [Dtype], extents: &'static [Extent], params: &'static [Params]) -> Self {
        Self { from: Profile::Thorough, dtypes, extents, params }
    }

    /// The block without its profile.
    #[must_use]
    pub const fn block(&self) -> Block<'static> {
        (self.dtypes, self.extents, self.params)
    }
}

/// Cases of the profile `quick`: every type with every set of parameters, at one size.
pub struct Quick {
    /// Element types.
    pub dtypes: &'static [Dtype],
    /// The size.
    pub extent: Extent,
    /// Sets of parameters.
    pub params: &'static [Params],
}

impl Quick {
    /// Every type with every set of parameters at one size.
    #[must_use]
    pub const fn at(dtypes: &'static [Dtype], extent: Extent, params: &'static [Params]) -> Self {
        Self { dtypes, extent, params }
    }

    /// The block with a list of one size.
    #[must_use]
    pub const fn block(&'static self) -> Block<'static> {
        (self.dtypes, std::slice::from_ref(&self.extent), self.params)
    }
}
