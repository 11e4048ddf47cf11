//! The errors that a kernel's declared arithmetic may make on inputs with full significands.

use super::interface::Interface;
use super::oracle::Oracle;
use super::shape::Shape;

/// The error that a kernel's arithmetic may make on inputs with full significands.
#[derive(Clone, Copy)]
pub enum Bound {
    /// Its tolerance, computed for these inputs; none if it has no tolerance: it moves values and computes nothing.
    Tolerance,
    /// A result is a sum of terms, each of which is rounded at most so many times on its way to the result.
    Roundings(fn(&Shape, &Interface) -> u64),
    /// The same where results differ in the number of roundings.
    RoundingsOfEach(fn(&Shape, &Interface) -> Oracle),
}
