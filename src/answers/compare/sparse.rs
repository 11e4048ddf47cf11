//! Values by index, most of which may be missing: a case is on few of a thousand sides.

/// Values by index, in ascending order.
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse<T>(Vec<(usize, T)>);

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Sparse<T> {
    /// The value at an index, if there is one.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&T> {
        let at = self.0.binary_search_by_key(&index, |(index, _)| *index).ok()?;
        self.0.get(at).map(|(_, value)| value)
    }

    /// The values with their indices.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        self.0.iter().map(|(index, value)| (*index, value))
    }

    /// The values in order.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, value)| value)
    }

    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        let at = self.0.binary_search_by_key(&index, |(index, _)| *index).ok()?;
        self.0.get_mut(at).map(|(_, value)| value)
    }

    /// Adds a value; its index must be above all others.
    pub(super) fn push(&mut self, index: usize, value: T) {
        self.0.push((index, value));
    }

    pub(super) fn retain(&mut self, is_kept: impl Fn(usize) -> bool) {
        self.0.retain(|(index, _)| is_kept(*index));
    }

    /// Renumbers the indices; their order must not change.
    pub(super) fn renumber(&mut self, number: impl Fn(usize) -> usize) {
        self.0.iter_mut().for_each(|(index, _)| *index = number(*index));
    }
}

impl<T> FromIterator<(usize, T)> for Sparse<T> {
    fn from_iter<I: IntoIterator<Item = (usize, T)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}
