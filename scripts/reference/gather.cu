// Loads from random positions by Vulkan and by CUDA, each from memory of either API, for docs/research/2026-11-25-portable-cost.md.
//   glslangValidator --target-env vulkan1.1 scripts/reference/gather.comp -o gather.spv
//   nvcc -O3 -arch=native scripts/reference/gather.cu -lcuda -lvulkan && ./a.out gather.spv
// Needs Vulkan's headers (libvulkan-dev). Takes the first Vulkan device, and the CUDA device with its UUID.
#include "shared_memory.cuh"

constexpr uint32_t GROUPS = 1 << 14, LOADS = 8 * 256 * GROUPS;

// The same loads as those of gather.comp.
__device__ uint32_t position(uint32_t x, uint32_t mask) {
    x *= 2654435761u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    return x & mask;
}

__global__ void gather(const uint32_t* __restrict__ from, uint32_t* __restrict__ to, uint32_t mask) {
    const uint32_t i = blockIdx.x * 256 + threadIdx.x;
    uint32_t sum = 0;
    for (uint32_t k = 0; k < 8; k++) {
        sum += from[position(8 * i + k, mask)];
    }
    to[i] = sum;
}

static void measure(const Gpu& gpu, Family& family, const char* path, const char* where, size_t bytes,
                    const Buffer* buffer, void* pointer) {
    const uint32_t mask = bytes / 4 - 1;
    const auto print = [&](const char* api, double seconds) {
        printf("%-7s loads from %4zu MiB of %-26s %7.1f G/s\n", api, bytes >> 20, where, LOADS / seconds / 1e9);
        fflush(stdout);
    };
    if (buffer) {
        const Buffer to = gpu.local(LOADS / 2);
        const Kernel kernel = gpu.kernel(path, {mask}, {*buffer, to});
        print("Vulkan", gpu.median(family, REPEATS, [&](VkCommandBuffer commands) {
            gpu.launch(commands, kernel, GROUPS, 1);
        }));
        gpu.free(to);
    }
    if (pointer) {
        uint32_t* to;
        cudaMalloc(&to, LOADS / 2);
        print("CUDA", cuda_median([&] { gather<<<GROUPS, 256>>>((const uint32_t*)pointer, to, mask); }));
        cudaFree(to);
    }
}

int main(int count, char** arguments) {
    const char* path = count > 1 ? arguments[1] : "gather.spv";
    Gpu gpu;
    const CUdevice same = same_device(gpu);
    gpu.open({"VK_KHR_external_memory_fd"}, nullptr);
    Family& family = gpu.families[0];
    const Buffer plain = gpu.local(BIG), exported = exported_buffer(gpu, BIG);
    void* const exported_pointer = (void*)to_cuda(gpu, exported, BIG);
    const Shared imported = imported_buffer(gpu, same, BIG);
    void* own;
    cudaMalloc(&own, BIG);
    for (size_t bytes : {4 * MIB, 8 * MIB, 16 * MIB, 32 * MIB, 64 * MIB, 256 * MIB, 1024 * MIB}) {
        measure(gpu, family, path, "Vulkan's memory", bytes, &plain, nullptr);
        measure(gpu, family, path, "Vulkan's memory, shared", bytes, &exported, exported_pointer);
        measure(gpu, family, path, "CUDA's memory, shared", bytes, &imported.buffer, (void*)imported.pointer);
        measure(gpu, family, path, "CUDA's memory", bytes, nullptr, own);
    }
}
