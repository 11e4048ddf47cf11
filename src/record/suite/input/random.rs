/// 32 random bits for an index: the "lowbias32" integer hash (Wellons, *Prospecting for Hash Functions*), with the high
/// word mixed in. The key enters twice. At the start alone, two streams would often hold the same values in another
/// order, with the same sum; after the first multiplication alone, signs would stay correlated.
#[inline]
pub(in crate::suite) const fn hash(index: u64, key: u32) -> u32 {
    mixed(index as u32 ^ salt((index >> 32) as u32, key), key)
}

#[inline(always)]
pub(super) const fn salt(high: u32, key: u32) -> u32 {
    high.wrapping_mul(0x9e37_79b9) ^ 0x5eed_c0de ^ key
}

/// The random bits of indices `stride` apart, starting at `first`.
#[inline(always)]
pub(in crate::suite) fn hashes(first: u64, stride: u64, key: u32, randoms: &mut [u32]) {
    let high = first >> 32;
    if (first + stride * randoms.len() as u64) >> 32 == high {
        // The constants stay outside the loop, and 32 bits suffice inside.
        let (mut low, stride, salt) = (first as u32, stride as u32, salt(high as u32, key));
        for random in randoms {
            *random = mixed(low ^ salt, key);
            low = low.wrapping_add(stride);
        }
    } else {
        (0..).zip(randoms).for_each(|(number, random)| *random = hash(first + number * stride, key));
    }
}

/// The key of a stream: distinct for the first 2^32 streams, and 0, which changes nothing, for stream 0.
pub(in crate::suite) const fn key(stream: u64) -> u32 {
    mixed(stream as u32 ^ ((stream >> 32) as u32).wrapping_mul(0x9e37_79b9), 0)
}

#[inline(always)]
pub(super) const fn mixed(mut x: u32, key: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d) ^ key;
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}
