use super::interface::Interface;
use super::oracle::Oracle;
use super::shape::Shape;

/// The error that a kernel's arithmetic may make on inputs with full significands.
#[derive(Clone, Copy)]
pub enum Bound {
    /// The kernel's tolerance for these inputs. Without a tolerance, no error: it only moves values.
    Tolerance,
    /// A result is a sum of terms, each rounded at most this many times on its way to the result.
    Roundings(fn(&Shape, &Interface) -> u64),
    /// [`Self::Roundings`] with a number for each result.
    RoundingsOfEach(fn(&Shape, &Interface) -> Oracle),
}
