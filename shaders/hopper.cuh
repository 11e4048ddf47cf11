// CUDA only: what the kernels for Hopper share, in front of each: boxes of a matrix that the tensor memory accelerator
// copies (cp.async.bulk.tensor), barriers in shared memory that count their bytes, and where factors of wgmma lie.
// No wait is unbounded: a lost copy ends the kernel.

// The instructions of this architecture alone.
#define CAPABILITY 90a

typedef unsigned short half_bits;
typedef unsigned long long u64;

// Columns of a box: rows have 128 bytes, whose 16-byte chunks hardware permutes by the row's number (swizzle).
constexpr u32 CHUNK = 64u;
// Words of a tensor map, which says to the hardware how a matrix lies in memory.
constexpr u32 MAP_WORDS = 32u;

__device__ __forceinline__ u32 shared_address(const void* at) { return static_cast<u32>(__cvta_generic_to_shared(at)); }

// Describes a matrix of f16, `rows` by `columns`, that is copied in boxes of `height` rows by 64 columns. All lanes of a
// warp call it; `place` is 128 bytes of shared memory, and `map` global memory of the block's own.
__device__ __forceinline__ void describe(
    u32* place, u32* map, const half_bits* matrix, u32 rows, u32 columns, u32 height
) {
    const u32 lane = threadIdx.x % 32u, at = shared_address(place);
    place[lane] = 0u;
    __syncwarp();
    if (lane == 0u) {
        asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" : : "r"(at), "l"(matrix) : "memory");
        asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 1;" : : "r"(at) : "memory");
        asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, %1;" : : "r"(at), "r"(CHUNK) : "memory");
        asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 1, %1;" : : "r"(at), "r"(height) : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" : : "r"(at), "r"(columns) : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" : : "r"(at), "r"(rows) : "memory");
        asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" : : "r"(at), "l"(2ull * columns) : "memory");
        asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 0, 1;" : : "r"(at) : "memory");
        asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, 1;" : : "r"(at) : "memory");
        // f16, rows one after the other, a swizzle of 128 bytes, and zero outside of the matrix.
        asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 6;" : : "r"(at) : "memory");
        asm volatile("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0;" : : "r"(at) : "memory");
        asm volatile("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 3;" : : "r"(at) : "memory");
        asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 0;" : : "r"(at) : "memory");
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;"
        : : "l"(map), "r"(at) : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" : : "l"(map) : "memory");
}

// Waits for the end of a barrier's phase of this parity.
__device__ __forceinline__ void wait(u32 barrier, u32 parity) {
    u32 is_over = 0u;
    for (u32 look = 0u; is_over == 0u; look++) {
        asm volatile("{\n.reg .pred over;\nmbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\nselp.u32 %0, 1, 0, over;\n}"
            : "=r"(is_over) : "r"(barrier), "r"(parity) : "memory");
        if (look > 1u << 24u) {
            __trap();
        }
    }
}

__device__ __forceinline__ void prepare(u32 barrier, u32 arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(barrier), "r"(arrivals) : "memory");
}

// The barriers are prepared, for other threads and for copies.
__device__ __forceinline__ void prepared() {
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

__device__ __forceinline__ void expect(u32 barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(barrier), "r"(bytes) : "memory");
}

// Copies the box at (row, column) of a matrix to shared memory of this block.
__device__ __forceinline__ void copy(u32 to, const u32* map, u32 row, u32 column, u32 barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
        : : "r"(to), "l"(map), "r"(column), "r"(row), "r"(barrier) : "memory");
}

// Where a factor lies in shared memory: eight rows of 128 bytes after another, swizzled; `apart` is the distance of chunks
// of 64 columns, where a factor has several.
__device__ __forceinline__ u64 factor(u32 at, u32 apart) {
    return static_cast<u64>(at >> 4u & 0x3fffu) | static_cast<u64>(apart >> 4u) << 16u | 64ull << 32u | 1ull << 62u;
}

// Before the first product of a group: registers and tiles are as the products shall find them.
__device__ __forceinline__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" : : : "memory"); }

__device__ __forceinline__ void end_products() { asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory"); }

// Waits until at most so many groups of products are not computed.
template <u32 GROUPS> __device__ __forceinline__ void computed() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(GROUPS) : "memory");
}

// Eight sums, as operands.
#define SUMS(i) "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), \
    "+f"(sums[i + 4]), "+f"(sums[i + 5]), "+f"(sums[i + 6]), "+f"(sums[i + 7])

#line 1
