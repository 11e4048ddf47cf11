// What a dispatch costs the host through Vulkan without wgpu, to compare the family host_cost with: encode, submit and
// wait of 1 to 1000 dispatches, with a barrier between them and without, in nanoseconds per dispatch.
//   g++ -O2 scripts/reference/host_cost.cpp -lvulkan && ./a.out host_cost.spv
// Needs host_cost.spv of host_cost.comp. Takes the first Vulkan device.
#include <chrono>

#include "vulkan.hpp"

using Clock = std::chrono::steady_clock;

static double ns(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double, std::nano>(to - from).count();
}

int main(int count, char** arguments) {
    if (count != 2) {
        fail("usage: a.out host_cost.spv");
    }
    Gpu gpu;
    gpu.open({}, nullptr);
    const Buffer words = gpu.buffer(256, [&](uint32_t allowed) {
        return gpu.memory_type(allowed, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0);
    });
    volatile uint32_t* mapped = gpu.map<uint32_t>(words);
    const Kernel kernel = gpu.kernel(arguments[1], {}, {words});
    Family* family = &gpu.families.front();
    for (Family& other : gpu.families) {
        if (other.flags & VK_QUEUE_COMPUTE_BIT) {
            family = &other;
            break;
        }
    }
    VkFenceCreateInfo fence_info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    vulkan(vkCreateFence(gpu.device, &fence_info, nullptr, &fence), "vkCreateFence");
    printf("%10s %8s %10s %10s %10s %10s\n", "dispatches", "barrier", "encode", "submit", "wait", "all");
    for (int is_ordered = 1; is_ordered >= 0; is_ordered--) {
        for (int dispatches : {1, 10, 100, 1000}) {
            std::vector<double> parts[4];
            for (int sample = 0; sample < 2 * SAMPLES; sample++) {
                mapped[0] = 7;
                const auto start = Clock::now();
                VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
                begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
                vulkan(vkBeginCommandBuffer(family->commands, &begin), "vkBeginCommandBuffer");
                vkCmdBindPipeline(family->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
                for (int i = 0; i < dispatches; i++) {
                    vkCmdBindDescriptorSets(family->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout, 0, 1,
                                            &kernel.set, 0, nullptr);
                    vkCmdDispatch(family->commands, 1, 1, 1);
                    if (is_ordered) {
                        VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
                        barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
                        barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                                VK_ACCESS_HOST_READ_BIT;
                        vkCmdPipelineBarrier(family->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                                             &barrier, 0, nullptr, 0, nullptr);
                    }
                }
                vulkan(vkEndCommandBuffer(family->commands), "vkEndCommandBuffer");
                const auto encoded = Clock::now();
                VkSubmitInfo submission{VK_STRUCTURE_TYPE_SUBMIT_INFO};
                submission.commandBufferCount = 1;
                submission.pCommandBuffers = &family->commands;
                vulkan(vkQueueSubmit(family->queue, 1, &submission, fence), "vkQueueSubmit");
                const auto submitted = Clock::now();
                vulkan(vkWaitForFences(gpu.device, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
                const auto done = Clock::now();
                vulkan(vkResetFences(gpu.device, 1, &fence), "vkResetFences");
                uint32_t right = 7;
                for (int i = 0; i < dispatches; i++) {
                    right = right * 5 + 1;
                }
                // Without barriers dispatches may overlap, and their result is undefined.
                if (is_ordered && mapped[0] != right) {
                    fail("a dispatch is missing");
                }
                const double times[] = {ns(start, encoded), ns(encoded, submitted), ns(submitted, done),
                                        ns(start, done)};
                for (int part = 0; part < 4; part++) {
                    parts[part].push_back(times[part] / dispatches);
                }
            }
            printf("%10d %8s", dispatches, is_ordered ? "yes" : "no");
            for (std::vector<double>& part : parts) {
                std::sort(part.begin(), part.end());
                printf(" %10.0f", part[part.size() / 2]);
            }
            printf("\n");
        }
    }
}
