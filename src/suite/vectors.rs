//! Vectorised loops, for oracles over hundreds of millions of elements.

/// Compiles a function a second time for AVX2, which generic x86-64 builds do not use, and calls that version where the
/// CPU has it. Functions that it calls must be inlined for that.
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

pub(crate) use vectorised;
