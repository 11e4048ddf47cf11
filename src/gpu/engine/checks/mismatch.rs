//! The first wrong element of an output, as text.

use crate::job::{Job, Step};
use record::suite::Scalar;

/// The first wrong element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mismatch {
    /// Index in the output, in scalars.
    pub index: u64,
    /// The kernel's value.
    pub got: f64,
    /// The oracle's value.
    pub want: f64,
    /// The type of both.
    pub scalar: Scalar,
    /// Name of the output, if the job has several.
    pub of: Option<&'static str>,
    /// Which half of a 64-bit number it is.
    pub half: Option<&'static str>,
    /// Whether the element still holds the poison from before the launch.
    pub is_unwritten: bool,
    /// The dispatch that should have written it.
    pub dispatched: Option<Grid>,
}

/// The workgroups of a dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Workgroups along x, y and z.
    pub groups: [u32; 3],
    /// Invocations of each along x, y and z.
    pub workgroup: [u32; 3],
}

impl Grid {
    /// The only dispatch of a job; `None` if it has several, or the device computes its workgroups.
    pub(super) fn of(job: &Job) -> Option<Self> {
        let mut dispatches = job.steps.iter().filter_map(|step| match step {
            Step::Dispatch(own) => Some(own),
            _ => None,
        });
        let (Some(own), None) = (dispatches.next(), dispatches.next()) else { return None };
        let entry = job.kernel.interface.entries.get(own.entry)?;
        own.indirect.is_none().then_some(Self { groups: own.groups, workgroup: entry.workgroup_size })
    }
}

impl std::fmt::Display for Grid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { groups: [x, y, z], workgroup } = self;
        let sides = 1 + workgroup.iter().rposition(|side| *side > 1).unwrap_or(0);
        let workgroup = workgroup[..sides].iter().map(u32::to_string).collect::<Vec<_>>().join("×");
        write!(f, "dispatched {x}×{y}×{z} workgroups of {workgroup}")
    }
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(of) = self.of {
            write!(f, "{of}: ")?;
        }
        if self.is_unwritten {
            write!(f, "element {} was never written", self.index)?;
            return self.dispatched.map_or(Ok(()), |grid| write!(f, "; {grid}"));
        }
        let [got, want] = [self.got, self.want].map(|value| text(self.scalar, value));
        write!(f, "element {} is {got}, must be {want}", self.index)?;
        self.half.map_or(Ok(()), |half| write!(f, ", in its {half} 32 bits"))
    }
}

/// A value with all its digits, at most 17, as short as possible; a NaN with its bits, to recognise poison.
pub(super) fn text(scalar: Scalar, value: f64) -> String {
    if value.is_nan() {
        let mut bytes = [0; 8];
        let bytes = &mut bytes[..scalar.bytes()];
        scalar.encode(&[value], bytes);
        let bits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
        return format!("NaN (0x{bits})");
    }
    let decimal = value.to_string();
    if decimal.len() <= 20 { decimal } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNWRITTEN: Mismatch = Mismatch {
        index: 3,
        got: 0.0,
        want: 0.5,
        scalar: Scalar::F32,
        of: None,
        half: None,
        is_unwritten: true,
        dispatched: Some(Grid { groups: [32, 1, 1], workgroup: [16, 16, 1] }),
    };

    #[test]
    fn a_mismatch_has_few_digits() {
        for (got, text) in [
            (f64::from(f32::MAX), "3.4028234663852886e38"),
            (f64::MAX, "1.7976931348623157e308"),
            (1e-40, "1e-40"),
            (-f64::MIN_POSITIVE, "-2.2250738585072014e-308"),
            (0.1, "0.1"),
            (-7.0, "-7"),
            (4_294_967_295.0, "4294967295"),
            (f64::INFINITY, "inf"),
            (f64::from_bits(0x7ff8_0000_0000_0001), "NaN (0x7ff8000000000001)"),
        ] {
            let mismatch = Mismatch { got, scalar: Scalar::F64, ..UNWRITTEN };
            let mismatch = Mismatch { is_unwritten: false, ..mismatch };
            assert_eq!(mismatch.to_string(), format!("element 3 is {text}, must be 0.5"));
        }
        assert_eq!(UNWRITTEN.to_string(), "element 3 was never written; dispatched 32×1×1 workgroups of 16×16");
    }
}
