// Compares stores to compressible memory with stores to plain memory, for docs/research/2026-11-25-limits.md: fills 1 GiB of each with data
// that can be compressed (sixteen equal bytes) and with data that cannot.
// nvcc -O3 -arch=native scripts/reference/compressible.cu -lcuda && ./a.out
#include <cuda.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr size_t BYTES = 1ull << 30;
constexpr unsigned FOURS = BYTES / 16;

static void check(CUresult status, const char* what) {
    const char* text = "";
    if (status != CUDA_SUCCESS) {
        cuGetErrorString(status, &text);
        fprintf(stderr, "%s: %s\n", what, text);
        exit(1);
    }
}

__global__ void equal_lanes(uint4* output, unsigned base) {
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    const unsigned x = base + (i & 1023);
    output[i] = make_uint4(x, x, x, x);
}

__global__ void random_bytes(uint4* output, unsigned base) {
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    unsigned x = (i + base) * 2654435761u;
    x ^= x >> 13;
    x *= 0x85ebca6bu;
    x ^= x >> 16;
    output[i] = make_uint4(x, x * 3 + 1, x * 5 + 7, x * 11 + 3);
}

template <typename Fill>
static void report(const char* memory, const char* what, Fill fill) {
    cudaEvent_t start, end;
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    std::vector<float> times;
    for (int i = 0; i < 30; i++) {
        cudaEventRecord(start);
        for (int j = 0; j < 4; j++) {
            fill(i);
        }
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float ms = 0;
        cudaEventElapsedTime(&ms, start, end);
        times.push_back(ms / 4);
    }
    std::sort(times.begin(), times.end());
    printf("%-24s %-12s %.0f GB/s\n", memory, what, BYTES / times[15] / 1e6);
}

int main() {
    cudaFree(nullptr);
    for (int compression : {CU_MEM_ALLOCATION_COMP_NONE, CU_MEM_ALLOCATION_COMP_GENERIC}) {
        CUmemAllocationProp wanted = {}, got = {};
        wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        wanted.allocFlags.compressionType = compression;
        CUmemGenericAllocationHandle memory;
        check(cuMemCreate(&memory, BYTES, &wanted, 0), "cuMemCreate");
        check(cuMemGetAllocationPropertiesFromHandle(&got, memory), "cuMemGetAllocationPropertiesFromHandle");
        CUdeviceptr at;
        check(cuMemAddressReserve(&at, BYTES, 0, 0, 0), "cuMemAddressReserve");
        check(cuMemMap(at, BYTES, 0, memory, 0), "cuMemMap");
        CUmemAccessDesc access = {wanted.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
        check(cuMemSetAccess(at, BYTES, &access, 1), "cuMemSetAccess");
        const char* name = got.allocFlags.compressionType == CU_MEM_ALLOCATION_COMP_GENERIC ? "compressible" : "plain";
        uint4* output = reinterpret_cast<uint4*>(at);
        report(name, "equal lanes", [=](int i) { equal_lanes<<<FOURS / 256, 256>>>(output, i); });
        report(name, "random bytes", [=](int i) { random_bytes<<<FOURS / 256, 256>>>(output, i); });
        report(name, "memset", [=](int i) { cudaMemsetAsync(output, i, BYTES); });
    }
}
