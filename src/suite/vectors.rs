//! Loops over vectors, for oracles that walk hundreds of millions of elements.

/// Declares a function that is compiled a second time for the wide vectors (AVX2) that x86 processors of the last ten years have, which builds
/// for processors in general leave idle; it runs so where the processor has them. Functions that it calls must be inlined for that.
macro_rules! vectorised {
    ($(#[$meta:meta])* $visibility:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block) => {
        $(#[$meta])*
        $visibility fn $name($($argument: $type),*) {
            #[inline(always)]
            fn as_it_is($($argument: $type),*) $body

            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                #[target_feature(enable = "avx2")]
                fn by_wide_vectors($($argument: $type),*) {
                    as_it_is($($argument),*);
                }
                #[expect(unsafe_code, reason = "the compiler does not know what the processor has")]
                // SAFETY: it has what the function is compiled for.
                return unsafe { by_wide_vectors($($argument),*) };
            }
            as_it_is($($argument),*);
        }
    };
}

pub(crate) use vectorised;
