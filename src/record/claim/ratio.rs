use super::device_rows::{DeviceRows, Named};
use super::facts::Facts;
use crate::{byte_rate, time};

/// A ratio of the figures of two kernels: a factor if its interval excludes 1; otherwise the kernels are called alike if
/// the intervals of both figures are within ±5 %.
#[derive(Debug, Clone, Copy)]
pub struct Ratio {
    /// Name of the claim and of its value.
    pub name: &'static str,
    /// The sentence's subject and the kernel beside it, at the same type (f32 if possible) and the largest common size.
    pub kernels: [Named<'static>; 2],
    /// What is compared.
    pub by: By,
    /// The sentence. `{}` is the ratio: `2.31× as fast as`; `{size}` and `{dtype}` are those of the rows.
    pub says: &'static str,
}

/// A figure of two kernels, and the word for it.
#[derive(Debug, Clone, Copy)]
pub enum By {
    /// Bytes per second: `as fast as`.
    Bytes,
    /// Speed, from the times of the same work: `as fast as`.
    Speed,
    /// Time: `as long as`.
    Duration,
}

impl Ratio {
    pub(super) fn state(&self, rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
        let [own, other] = rows.together(self.kernels).ok()?;
        let ratio = match self.by {
            By::Bytes => facts.speed(self.name, byte_rate(own)?, byte_rate(other)?)?,
            By::Speed => facts.speed(self.name, time(other)?, time(own)?)?,
            By::Duration => facts.duration(self.name, time(own)?, time(other)?)?,
        };
        let says = self.says.replace("{size}", &own.short_size()).replace("{dtype}", own.dtype_name());
        Some(says.replace("{}", &ratio))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;
    use crate::suite::{Dtype, Extent};

    #[test]
    fn the_largest_common_size_of_f32_is_compared() {
        let row = |benchmark: &str, n, dtype, rate| Record {
            family: "stream".to_owned(),
            dtype: Some(dtype),
            n: Some(Extent::Linear(n)),
            ..crate::claim::pick::tests::row(benchmark, rate, 0.001)
        };
        let rows = [
            row("copy", 1 << 20, Dtype::F32, 200.0),
            row("mul", 1 << 20, Dtype::F32, 100.0),
            row("copy", 1 << 21, Dtype::F64, 300.0),
            row("mul", 1 << 21, Dtype::F64, 100.0),
            row("copy", 1 << 22, Dtype::F32, 200.0),
        ];
        let rows = DeviceRows::new(&rows.iter().collect::<Vec<_>>());
        let stated = |other: &'static str, by, says| {
            let kernels = [("stream/copy", super::super::NONE), (other, super::super::NONE)];
            Ratio { name: "copy", kernels, by, says }.state(&rows, &mut Facts::default())
        };
        let speed = stated("stream/mul", By::Speed, "At {size} {dtype}, copy is {} mul.");
        assert_eq!(speed.as_deref(), Some("At 2^20 f32, copy is 2.00× as fast as mul."));
        let time = stated("stream/mul", By::Duration, "copy takes {} mul.");
        assert_eq!(time.as_deref(), Some("copy takes 0.500× as long as mul."));
        assert_eq!(stated("stream/add", By::Bytes, "copy is {} add."), None);
    }
}
