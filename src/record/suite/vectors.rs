//! Vectorised loops, for oracles over hundreds of millions of elements.

/// Compiles a function once more for AVX2, which generic x86-64 builds do not use, and calls that version if the CPU
/// has AVX2. Functions that it calls must be inlined.
#[macro_export]
macro_rules! vectorised {
    ($(#[$meta:meta])* $visibility:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block) => {
        $(#[$meta])*
        $visibility fn $name($($argument: $type),*) {
            #[inline(always)]
            fn generic($($argument: $type),*) $body

            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                #[target_feature(enable = "avx2")]
                fn avx2($($argument: $type),*) {
                    generic($($argument),*);
                }
                #[expect(unsafe_code, reason = "calls a function with a target feature that is only known at run time")]
                // SAFETY: the check above found AVX2, the only target feature of the function.
                return unsafe { avx2($($argument),*) };
            }
            generic($($argument),*);
        }
    };
}

pub use vectorised;

vectorised! {
    /// Whole numbers below 2^32 as words: the low bits of 2^52 plus the number. The saturating `as` does not vectorise.
    pub fn words_of(values: &[f64], words: &mut [u32]) {
        for (word, value) in words.iter_mut().zip(values) {
            *word = (value + f64::from(1 << 26) * f64::from(1 << 26)).to_bits() as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn whole_numbers_of_32_bits_become_words() {
        let wanted: Vec<u32> = (0..32).flat_map(|bit| [1 << bit, u32::MAX >> bit, 0x5eed_c0de >> bit]).collect();
        let (values, mut words): (Vec<f64>, _) = (wanted.iter().map(|word| f64::from(*word)).collect(), vec![7; 96]);
        super::words_of(&values, &mut words);
        assert_eq!(words, wanted);
    }
}
