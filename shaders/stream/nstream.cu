// Twin of nstream.wgsl: the same code.

struct Sizes { u32 elements, scalar; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ a, const T* __restrict__ b, const T* __restrict__ c, T* __restrict__ out,
       const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    if (i < sizes.elements) {
        out[i] = a[i] + b[i] + __uint_as_float(sizes.scalar) * c[i];
    }
}
