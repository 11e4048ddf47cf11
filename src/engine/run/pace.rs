//! Runs on several cards in step: where they meet.

use std::fmt::Debug;

use crate::suite::Case;

/// A point of a run at which it meets the others. Every run reaches its points in ascending order, and equal runs reach
/// the same ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Point {
    /// Number of the pass, counted from 0.
    pub pass: u64,
    /// Position of the case in the order of the pass.
    pub rank: u64,
    /// Position of the API.
    pub turn: u64,
    /// Number of the meeting within the epoch.
    pub phase: u64,
}

/// How the runs at a point go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Way {
    /// All at once.
    Together,
    /// One by one: the next one once the one before is at a later point.
    InTurn,
}

/// The other runs.
pub trait Pace: Debug + Send + Sync {
    /// Tells them that this run is at a point, in front of an epoch of `case` or within it.
    fn arrive(&self, point: Point, way: Way, case: &Case);
    /// Whether the run may go on: `None` if not yet, else whether all others are in step with it.
    fn released(&self) -> Option<bool>;
    /// Waits until the run may go on, and returns what [`Pace::released`] then does.
    fn wait(&self) -> bool;
}
