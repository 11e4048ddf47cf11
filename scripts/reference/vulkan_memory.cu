// What stops fills and copies through Vulkan, for docs/research/2026-11-25-limits.md: the rates of Vulkan's own commands on each family of
// queues, of copies out of the host's memory, and of equal stores by CUDA and by Vulkan, each to memory of either API.
//   glslangValidator --target-env vulkan1.1 scripts/reference/fill.comp -o fill.spv
//   nvcc -O3 -arch=native scripts/reference/vulkan_memory.cu -lcuda -lvulkan && ./a.out fill.spv
// Needs Vulkan's headers (libvulkan-dev). Takes the first Vulkan device, and the CUDA device with its UUID.
#include "shared_memory.cuh"

constexpr size_t BUS = 256 * MIB;
constexpr uint32_t SIDE = 4096;
constexpr VkExternalMemoryHandleTypeFlagBits POINTER = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

static void print(const char* api, const char* what, const char* where, double bytes, double seconds) {
    printf("%-8s %-40s %-40s %7.1f GB/s\n", api, what, where, bytes / seconds / 1e9);
    fflush(stdout);
}

// Memory of this process, for Vulkan, too.
static Buffer to_vulkan(const Gpu& gpu, void* pointer, size_t bytes) {
    VkMemoryHostPointerPropertiesEXT properties{VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    const auto ask = (PFN_vkGetMemoryHostPointerPropertiesEXT)vkGetDeviceProcAddr(
        gpu.device, "vkGetMemoryHostPointerPropertiesEXT");
    vulkan(ask(gpu.device, POINTER, pointer, &properties), "vkGetMemoryHostPointerPropertiesEXT");
    VkExternalMemoryBufferCreateInfo of_buffer{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
    of_buffer.handleTypes = POINTER;
    VkImportMemoryHostPointerInfoEXT of_memory{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT};
    of_memory.handleType = POINTER;
    of_memory.pHostPointer = pointer;
    const auto place = [&](uint32_t) { return gpu.memory_type(properties.memoryTypeBits, 0, 0); };
    return gpu.buffer(bytes, place, &of_buffer, &of_memory);
}

static std::function<void(VkCommandBuffer)> copy(const Buffer& from, const Buffer& to, size_t bytes) {
    return [=](VkCommandBuffer commands) {
        const VkBufferCopy region{0, 0, bytes};
        vkCmdCopyBuffer(commands, from.buffer, to.buffer, 1, &region);
    };
}

static std::function<void(VkCommandBuffer)> fill_command(const Buffer& to) {
    return [=](VkCommandBuffer commands) { vkCmdFillBuffer(commands, to.buffer, 0, BIG, 7); };
}

// Copies over the bus, between the device's memory and every kind of the host's.
static void measure_bus(const Gpu& gpu, Family& family) {
    const Buffer local = gpu.local(BUS);
    void* local_of_cuda;
    cudaMalloc(&local_of_cuda, BUS);
    const auto by_vulkan = [&](const Buffer& host, const char* where) {
        print("Vulkan", "host to device, 256 MiB", where, BUS, gpu.median(family, REPEATS, copy(host, local, BUS)));
        print("Vulkan", "device to host, 256 MiB", where, BUS, gpu.median(family, REPEATS, copy(local, host, BUS)));
    };
    const auto by_cuda = [&](void* host, const char* where) {
        const auto there = [&] { cudaMemcpyAsync(local_of_cuda, host, BUS, cudaMemcpyDefault, 0); };
        const auto back = [&] { cudaMemcpyAsync(host, local_of_cuda, BUS, cudaMemcpyDefault, 0); };
        print("CUDA", "host to device, 256 MiB", where, BUS, cuda_median(there));
        print("CUDA", "device to host, 256 MiB", where, BUS, cuda_median(back));
    };
    for (uint32_t type = 0; type < gpu.memory.memoryTypeCount; type++) {
        const VkMemoryPropertyFlags flags = gpu.memory.memoryTypes[type].propertyFlags;
        // Memory of the device that the host may write to is no copy over the bus.
        if ((flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) && !(flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)) {
            const bool is_cached = flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
            const Buffer host = gpu.buffer(BUS, [type](uint32_t) { return type; });
            by_vulkan(host, is_cached ? "Vulkan's memory, cached" : "Vulkan's memory, not cached");
        }
    }
    VkExternalMemoryBufferCreateInfo of_buffer{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
    VkExportMemoryAllocateInfo of_memory{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
    of_buffer.handleTypes = of_memory.handleTypes = FILE_HANDLE;
    const Buffer exported = gpu.host(BUS, &of_buffer, &of_memory);
    by_vulkan(exported, "Vulkan's memory, shared");
    by_cuda((void*)to_cuda(gpu, exported, BUS), "Vulkan's memory, shared");
    void *pinned, *paged = nullptr;
    cudaMallocHost(&pinned, BUS);
    by_vulkan(to_vulkan(gpu, pinned, BUS), "cudaMallocHost");
    by_cuda(pinned, "cudaMallocHost");
    if (posix_memalign(&paged, 2 * MIB, BUS)) {
        fail("out of memory");
    }
    memset(paged, 1, BUS);
    by_vulkan(to_vulkan(gpu, paged, BUS), "malloc");
    cudaHostRegister(paged, BUS, cudaHostRegisterDefault);
    by_cuda(paged, "malloc, cudaHostRegister");
}

static VkImage make_image(const Gpu& gpu) {
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R32_SFLOAT;
    info.extent = {SIDE, SIDE, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
    VkImage image;
    vulkan(vkCreateImage(gpu.device, &info, nullptr, &image), "vkCreateImage");
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(gpu.device, image, &needs);
    VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocation.allocationSize = needs.size;
    allocation.memoryTypeIndex = gpu.memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0);
    VkDeviceMemory own;
    vulkan(vkAllocateMemory(gpu.device, &allocation, nullptr, &own), "vkAllocateMemory");
    vulkan(vkBindImageMemory(gpu.device, image, own, 0), "vkBindImageMemory");
    return image;
}

// Vulkan's own commands on a family of queues.
static void measure_family(const Gpu& gpu, Family& family) {
    char name[64];
    const auto has = [&](VkQueueFlags flag, const char* what) { return family.flags & flag ? what : ""; };
    snprintf(name, sizeof name, "queue family %u:%s%s%s%s%s", family.index, has(VK_QUEUE_GRAPHICS_BIT, " graphics"),
             has(VK_QUEUE_COMPUTE_BIT, " compute"), has(VK_QUEUE_TRANSFER_BIT, " transfer"),
             has(VK_QUEUE_VIDEO_DECODE_BIT_KHR, " video"), has(VK_QUEUE_OPTICAL_FLOW_BIT_NV, " flow"));
    const Buffer host = gpu.host(BUS), one = gpu.local(BIG), other = gpu.local(BIG);
    const auto time = [&](const char* what, double bytes, const std::function<void(VkCommandBuffer)>& command) {
        print("Vulkan", what, name, bytes, gpu.median(family, REPEATS, command));
    };
    time("host to device, 256 MiB", BUS, copy(host, one, BUS));
    time("device to host, 256 MiB", BUS, copy(one, host, BUS));
    time("device to device, 1 GiB, both ways", 2.0 * BIG, copy(one, other, BIG));
    time("vkCmdFillBuffer, 1 GiB", BIG, fill_command(one));
    const VkImage image = make_image(gpu);
    gpu.once(family, 1, [&](VkCommandBuffer commands) {
        VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
        barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
        barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
        barrier.image = image;
        barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                             nullptr, 0, nullptr, 1, &barrier);
    });
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageExtent = {SIDE, SIDE, 1};
    const double moved = 2.0 * SIDE * SIDE * 4;
    time("buffer to image, 64 MiB, both ways", moved, [&](VkCommandBuffer commands) {
        vkCmdCopyBufferToImage(commands, one.buffer, image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    });
    time("image to buffer, 64 MiB, both ways", moved, [&](VkCommandBuffer commands) {
        vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_GENERAL, one.buffer, 1, &region);
    });
    for (const Buffer& buffer : {host, one, other}) {
        gpu.free(buffer);
    }
}

// The same stores as those of fill.comp.
__global__ void fill(uint4* output, bool is_random) {
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (is_random) {
        unsigned x = i * 2654435761u;
        x ^= x >> 13;
        x *= 0x85ebca6bu;
        x ^= x >> 16;
        output[i] = make_uint4(x, x * 3 + 1, x * 5 + 7, x * 11 + 3);
    } else {
        output[i] = make_uint4(i & 1023, i & 1023, i & 1023, i & 1023);
    }
}

// Stores to 1 GiB of memory that either API or both can use.
static void measure_fill(const Gpu& gpu, Family& family, const char* path, const char* where, const Buffer* buffer,
                         void* pointer) {
    constexpr uint32_t GROUPS = BIG / 16 / 256, WIDTH = 4096;
    for (const bool is_random : {false, true}) {
        const char* what = is_random ? "kernel, random bytes" : "kernel, sixteen equal bytes";
        if (buffer) {
            const Kernel kernel = gpu.kernel(path, {is_random}, {*buffer});
            const auto launch = [&](VkCommandBuffer commands) { gpu.launch(commands, kernel, WIDTH, GROUPS / WIDTH); };
            print("Vulkan", what, where, BIG, gpu.median(family, REPEATS, launch));
            const auto without_barriers = [&](VkCommandBuffer commands) {
                for (int i = 0; i < REPEATS; i++) {
                    launch(commands);
                }
            };
            const double all = gpu.median(family, 1, without_barriers);
            print("Vulkan", "the same without barriers", where, BIG, all / REPEATS);
        }
        if (pointer) {
            const auto launch = [&] { fill<<<GROUPS, 256>>>((uint4*)pointer, is_random); };
            print("CUDA", what, where, BIG, cuda_median(launch));
        }
    }
    if (buffer) {
        print("Vulkan", "vkCmdFillBuffer", where, BIG, gpu.median(family, REPEATS, fill_command(*buffer)));
    }
    if (pointer) {
        print("CUDA", "cudaMemset", where, BIG, cuda_median([&] { cudaMemsetAsync(pointer, 7, BIG, 0); }));
    }
}

int main(int count, char** arguments) {
    const char* path = count > 1 ? arguments[1] : "fill.spv";
    Gpu gpu;
    const CUdevice same = same_device(gpu);
    gpu.open({"VK_KHR_external_memory_fd", "VK_EXT_external_memory_host"}, nullptr);
    for (Family& family : gpu.families) {
        measure_family(gpu, family);
    }
    Family& first = gpu.families[0];
    measure_bus(gpu, first);
    const Buffer plain = gpu.local(BIG);
    measure_fill(gpu, first, path, "Vulkan's memory", &plain, nullptr);
    const Buffer exported = exported_buffer(gpu, BIG);
    measure_fill(gpu, first, path, "Vulkan's memory, shared", &exported, (void*)to_cuda(gpu, exported, BIG));
    const Shared imported = imported_buffer(gpu, same, BIG);
    measure_fill(gpu, first, path, "CUDA's memory, shared", &imported.buffer, (void*)imported.pointer);
    void* own;
    cudaMalloc(&own, BIG);
    measure_fill(gpu, first, path, "CUDA's memory", nullptr, own);
}
