// Memory that Vulkan and CUDA share, and times by CUDA's events, for the programs beside this file.
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>

#include "vulkan.hpp"

constexpr size_t MIB = 1 << 20, BIG = 1024 * MIB;
// Commands of a sample.
constexpr int REPEATS = 4;
constexpr VkExternalMemoryHandleTypeFlagBits FILE_HANDLE = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;

static inline void cuda(CUresult status, const char* what) {
    const char* text = "";
    if (status != CUDA_SUCCESS) {
        cuGetErrorString(status, &text);
        fprintf(stderr, "CUDA: %s: %s\n", what, text);
        exit(1);
    }
}

static inline double cuda_median(const std::function<void()>& command) {
    cudaEvent_t start, end;
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    std::vector<double> samples;
    for (int sample = 0; sample < SAMPLES; sample++) {
        cudaEventRecord(start);
        for (int i = 0; i < REPEATS; i++) {
            command();
        }
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms = 0;
        cudaEventElapsedTime(&ms, start, end);
        samples.push_back(ms / REPEATS / 1e3);
    }
    if (const cudaError_t error = cudaGetLastError()) {
        fprintf(stderr, "CUDA: a kernel or a copy: %s\n", cudaGetErrorString(error));
        exit(1);
    }
    std::sort(samples.begin(), samples.end());
    return samples[SAMPLES / 2];
}

// The CUDA device that is this one.
static inline CUdevice same_device(const Gpu& gpu) {
    VkPhysicalDeviceIDProperties identity{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    properties.pNext = &identity;
    vkGetPhysicalDeviceProperties2(gpu.physical, &properties);
    cuda(cuInit(0), "cuInit");
    int count = 0;
    cuda(cuDeviceGetCount(&count), "cuDeviceGetCount");
    for (int i = 0; i < count; i++) {
        CUdevice device;
        CUuuid uuid;
        cuda(cuDeviceGet(&device, i), "cuDeviceGet");
        cuda(cuDeviceGetUuid(&uuid, device), "cuDeviceGetUuid");
        if (!memcmp(uuid.bytes, identity.deviceUUID, sizeof uuid.bytes)) {
            cudaSetDevice(i);
            cudaFree(nullptr);
            return device;
        }
    }
    fail("no CUDA device is the first Vulkan device");
}

// Memory of Vulkan, for CUDA, too.
static inline CUdeviceptr to_cuda(const Gpu& gpu, const Buffer& exported, size_t bytes) {
    VkMemoryGetFdInfoKHR get{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
    get.memory = exported.memory;
    get.handleType = FILE_HANDLE;
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC taken{};
    taken.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    taken.size = exported.allocated;
    const auto get_file = (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(gpu.device, "vkGetMemoryFdKHR");
    vulkan(get_file(gpu.device, &get, &taken.handle.fd), "vkGetMemoryFdKHR");
    CUexternalMemory external;
    cuda(cuImportExternalMemory(&external, &taken), "cuImportExternalMemory");
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC part{};
    part.size = bytes;
    CUdeviceptr pointer;
    cuda(cuExternalMemoryGetMappedBuffer(&pointer, external, &part), "cuExternalMemoryGetMappedBuffer");
    return pointer;
}

// Memory of Vulkan that CUDA may use.
static inline Buffer exported_buffer(const Gpu& gpu, size_t bytes) {
    VkExternalMemoryBufferCreateInfo of_buffer{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
    VkExportMemoryAllocateInfo of_memory{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
    of_buffer.handleTypes = of_memory.handleTypes = FILE_HANDLE;
    return gpu.local(bytes, &of_buffer, &of_memory);
}

struct Shared {
    Buffer buffer;
    CUdeviceptr pointer;
};

// Memory of CUDA that Vulkan uses, too.
static inline Shared imported_buffer(const Gpu& gpu, CUdevice device, size_t bytes) {
    CUmemAllocationProp kind{};
    kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    kind.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    kind.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    const CUmemAccessDesc access{kind.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle allocation;
    Shared made{};
    VkExternalMemoryBufferCreateInfo of_buffer{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
    of_buffer.handleTypes = FILE_HANDLE;
    VkImportMemoryFdInfoKHR importing{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR};
    importing.handleType = FILE_HANDLE;
    cuda(cuMemCreate(&allocation, bytes, &kind, 0), "cuMemCreate");
    cuda(cuMemAddressReserve(&made.pointer, bytes, 0, 0, 0), "cuMemAddressReserve");
    cuda(cuMemMap(made.pointer, bytes, 0, allocation, 0), "cuMemMap");
    cuda(cuMemSetAccess(made.pointer, bytes, &access, 1), "cuMemSetAccess");
    cuda(cuMemExportToShareableHandle(&importing.fd, allocation, kind.requestedHandleTypes, 0), "cuMemExport…");
    made.buffer = gpu.local(bytes, &of_buffer, &importing);
    return made;
}
