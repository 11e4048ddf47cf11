// Twin of broadcast_uniform.wgsl: the uniform buffer is constant memory.

struct Sizes { u32 n; };

__constant__ vec4<T> x[1];

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ y, T* __restrict__ z, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    if (i < sizes.n) {
        z[i] = x[0].x + y[i];
    }
}
