// Matrix products by VK_NV_cooperative_matrix2, for docs/research/2026-11-25-limits.md: f16 with sums of f32, in workgroups and tiles of
// many shapes. Elements at 3000 positions of each result are compared with exact ones.
//   g++ -O2 scripts/reference/workgroup_matrices.cpp -lvulkan && ./a.out matrices.spv
// Needs Vulkan's headers of 1.3.300 or later, and matrices.spv of workgroup_matrices.comp. Takes the first Vulkan device.
#include "vulkan.hpp"

constexpr uint32_t LARGEST = 8192;
constexpr int POSITIONS = 3000;

struct Shape {
    uint32_t invocations, rows, columns, depth;
};

constexpr Shape SHAPES[] = {
    {128, 64, 64, 32},   {128, 128, 64, 32},  {128, 128, 96, 32},  {128, 128, 128, 16}, {128, 128, 128, 32},
    {128, 128, 128, 64}, {128, 128, 192, 32}, {128, 192, 128, 32}, {128, 128, 256, 32}, {64, 64, 64, 32},
    {64, 128, 64, 32},   {256, 128, 128, 32}, {256, 128, 128, 64}, {256, 128, 256, 16}, {256, 128, 256, 32},
    {256, 128, 256, 64}, {256, 256, 128, 32}, {256, 192, 192, 32}, {256, 256, 256, 32},
};

// Whole numbers from −3 to 3: their products add up exactly in f32.
static int element(uint32_t index, uint32_t stream) {
    uint32_t x = (index ^ stream) * 2654435761u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    return (int)((x >> 16) % 7) - 3;
}

static uint16_t half(int value) {
    constexpr uint16_t halves[] = {0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200};
    return halves[value + 3];
}

int main(int count, char** arguments) {
    const char* path = count > 1 ? arguments[1] : "matrices.spv";
    Gpu gpu;
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV second{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV};
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR first{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
                                                       &second};
    VkPhysicalDeviceVulkan12Features version_12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &first};
    VkPhysicalDeviceVulkan11Features version_11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &version_12};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &version_11};
    vkGetPhysicalDeviceFeatures2(gpu.physical, &features);
    if (!second.cooperativeMatrixWorkgroupScope || !second.cooperativeMatrixTensorAddressing) {
        fail("the device has no matrices of a workgroup (VK_NV_cooperative_matrix2)");
    }
    gpu.open({"VK_KHR_cooperative_matrix", "VK_NV_cooperative_matrix2"}, &features);
    Family& family = gpu.families[0];
    constexpr size_t ALL = (size_t)LARGEST * LARGEST;
    const Buffer a = gpu.local(ALL * 2), b = gpu.local(ALL * 2), c = gpu.local(ALL * 4), staging = gpu.host(ALL * 4);
    const Buffer sizes = gpu.host(16);
    uint16_t* halves = gpu.map<uint16_t>(staging);
    const float* result = (float*)halves;
    uint32_t* size = gpu.map<uint32_t>(sizes);
    const auto copy = [&](const Buffer& from, const Buffer& to, size_t bytes) {
        gpu.once(family, 1, [&](VkCommandBuffer commands) {
            const VkBufferCopy region{0, 0, bytes};
            vkCmdCopyBuffer(commands, from.buffer, to.buffer, 1, &region);
        });
    };
    for (uint32_t stream : {1, 2}) {
        for (uint32_t i = 0; i < ALL; i++) {
            halves[i] = half(element(i, stream << 28));
        }
        copy(staging, stream == 1 ? a : b, ALL * 2);
    }
    for (const Shape& shape : SHAPES) {
        // A size that no tile divides, read with bounds, and two of whole tiles.
        for (uint32_t side : {1000u, 4096u, LARGEST}) {
            const auto tiles = [&](uint32_t tile) { return (side + tile - 1) / tile; };
            const uint32_t is_clamped = side % shape.rows || side % shape.columns || side % shape.depth;
            const Kernel kernel = gpu.kernel(
                path, {shape.invocations, shape.rows, shape.columns, shape.depth, is_clamped}, {a, b, c, sizes});
            size[0] = size[1] = size[2] = side;
            const auto launch = [&](VkCommandBuffer commands) {
                gpu.launch(commands, kernel, tiles(shape.columns), tiles(shape.rows));
            };
            gpu.once(family, 1, [&](VkCommandBuffer commands) {
                vkCmdFillBuffer(commands, c.buffer, 0, VK_WHOLE_SIZE, 0x7fc00000); // NaN
            });
            gpu.once(family, 1, launch);
            copy(c, staging, (size_t)side * side * 4);
            int wrong = 0;
            for (uint32_t number = 0; number < POSITIONS; number++) {
                // Some in the last rows and columns.
                const uint32_t y = number % 10 == 0 ? side - 1 - number % 7 : number * 2654435761u % side;
                const uint32_t x = number % 15 == 0 ? side - 1 - number % 11 : number * 2246822519u % side;
                int sum = 0;
                for (uint32_t p = 0; p < side; p++) {
                    sum += element(y * side + p, 1u << 28) * element(p * side + x, 2u << 28);
                }
                wrong += result[(size_t)y * side + x] != (float)sum;
            }
            if (wrong) {
                printf("WRONG: %d of %d elements of %u³ by %u invocations, %u×%u, %u deep\n", wrong, POSITIONS, side,
                       shape.invocations, shape.rows, shape.columns, shape.depth);
                return 1;
            }
            const double seconds = gpu.median(family, side < LARGEST ? 16 : 4, launch);
            printf("%u³ by %u invocations, %u×%u elements, %u deep%s: %.1f µs, %.1f TFLOP/s\n", side, shape.invocations,
                   shape.rows, shape.columns, shape.depth, is_clamped ? ", with bounds" : "", seconds * 1e6,
                   2.0 * side * side * side / seconds / 1e12);
            fflush(stdout);
        }
    }
}
