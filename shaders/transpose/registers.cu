// Twin of registers.wgsl: element by element, CUDA reads and writes the arrays as scalars; WGSL selects vector
// components.

struct Sizes { u32 rows, columns; };

constexpr u32 TILE = 64u;

extern "C" __global__ void __launch_bounds__(256)
kernel(const vec4<T>* __restrict__ input, vec4<T>* __restrict__ output, const Sizes sizes) {
    const u32 t = threadIdx.x;
    // Blocks of neighbouring threads: 4 along the rows by 8 along the columns; 4 by 2 of these make the tile.
    const u32 x = blockIdx.x * TILE + (t / 32u % 4u * 4u + t % 4u) * 4u;
    const u32 y = blockIdx.y * TILE + (t / 128u * 8u + t % 32u / 4u) * 4u;
    if (x + 4u <= sizes.columns && y + 4u <= sizes.rows && (sizes.columns | sizes.rows) % 4u == 0u) {
        const u32 pitch = sizes.columns / 4u;
        const u32 from = y * pitch + x / 4u;
        const vec4<T> a = input[from];
        const vec4<T> b = input[from + pitch];
        const vec4<T> c = input[from + 2u * pitch];
        const vec4<T> d = input[from + 3u * pitch];
        const u32 height = sizes.rows / 4u;
        const u32 to = x * height + y / 4u;
        output[to] = {a.x, b.x, c.x, d.x};
        output[to + height] = {a.y, b.y, c.y, d.y};
        output[to + 2u * height] = {a.z, b.z, c.z, d.z};
        output[to + 3u * height] = {a.w, b.w, c.w, d.w};
        return;
    }
    const T* from = reinterpret_cast<const T*>(input);
    T* to = reinterpret_cast<T*>(output);
    for (u32 row = y; row < min(y + 4u, sizes.rows); row++) {
        for (u32 column = x; column < min(x + 4u, sizes.columns); column++) {
            to[column * sizes.rows + row] = from[row * sizes.columns + column];
        }
    }
}
