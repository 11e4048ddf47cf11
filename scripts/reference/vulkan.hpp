// What the programs beside this file need of Vulkan: a device, buffers, kernels, and times by the device's clock. Errors
// end the program with a sentence.
#pragma once
#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

// The median of this many samples is printed.
constexpr int SAMPLES = 15;

[[noreturn]] static inline void fail(const char* what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static inline void vulkan(VkResult result, const char* what) {
    if (result != VK_SUCCESS) {
        fprintf(stderr, "Vulkan: %s: error %d\n", what, result);
        exit(1);
    }
}

// A family of queues, and one of its queues.
struct Family {
    uint32_t index;
    VkQueueFlags flags;
    VkQueue queue;
    VkCommandBuffer commands;
    VkQueryPool times;
};

struct Buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    size_t allocated;
};

// A kernel with its buffers.
struct Kernel {
    VkPipeline pipeline;
    VkPipelineLayout layout;
    VkDescriptorSet set;
};

struct Gpu {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    VkDevice device;
    std::vector<Family> families;

    // The first device.
    Gpu() {
        VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
        application.apiVersion = VK_API_VERSION_1_3;
        VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
        info.pApplicationInfo = &application;
        vulkan(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
        uint32_t one = 1;
        vkEnumeratePhysicalDevices(instance, &one, &physical);
        if (!one) {
            fail("no Vulkan device");
        }
        vkGetPhysicalDeviceProperties(physical, &properties);
        vkGetPhysicalDeviceMemoryProperties(physical, &memory);
        printf("%s\n", properties.deviceName);
    }

    // Opens it with these extensions and features, and one queue of each family that copies and has a clock.
    void open(std::vector<const char*> extensions, const void* features) {
        uint32_t count = 16;
        VkQueueFamilyProperties listed[16];
        vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, listed);
        std::vector<VkDeviceQueueCreateInfo> queues;
        const float priority = 1;
        for (uint32_t i = 0; i < count; i++) {
            const VkQueueFlags known = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
            if (listed[i].timestampValidBits && (listed[i].queueFlags & known)) {
                VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
                queue.queueFamilyIndex = i;
                queue.queueCount = 1;
                queue.pQueuePriorities = &priority;
                queues.push_back(queue);
                families.push_back(Family{i, listed[i].queueFlags});
            }
        }
        VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
        info.pNext = features;
        info.queueCreateInfoCount = queues.size();
        info.pQueueCreateInfos = queues.data();
        info.enabledExtensionCount = extensions.size();
        info.ppEnabledExtensionNames = extensions.data();
        vulkan(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
        for (Family& family : families) {
            vkGetDeviceQueue(device, family.index, 0, &family.queue);
            VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
            pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
            pool.queueFamilyIndex = family.index;
            VkCommandPool made;
            vulkan(vkCreateCommandPool(device, &pool, nullptr, &made), "vkCreateCommandPool");
            VkCommandBufferAllocateInfo commands{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
            commands.commandPool = made;
            commands.commandBufferCount = 1;
            vulkan(vkAllocateCommandBuffers(device, &commands, &family.commands), "vkAllocateCommandBuffers");
            VkQueryPoolCreateInfo times{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
            times.queryType = VK_QUERY_TYPE_TIMESTAMP;
            times.queryCount = 2;
            vulkan(vkCreateQueryPool(device, &times, nullptr, &family.times), "vkCreateQueryPool");
        }
    }

    // The first type of memory with these properties and without those.
    uint32_t memory_type(uint32_t allowed, VkMemoryPropertyFlags with, VkMemoryPropertyFlags without) const {
        for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
            const VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
            if ((allowed >> i & 1) && (flags & with) == with && !(flags & without)) {
                return i;
            }
        }
        fail("the device has no memory of a type that this needs");
    }

    // A buffer in the memory that `place` chooses among the allowed types, made with these additions to the structures
    // of the buffer and of its memory.
    Buffer buffer(size_t bytes, const std::function<uint32_t(uint32_t)>& place, const void* of_buffer = nullptr,
                  const void* of_memory = nullptr) const {
        VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
        info.pNext = of_buffer;
        info.size = bytes;
        info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                     VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
        Buffer made{};
        vulkan(vkCreateBuffer(device, &info, nullptr, &made.buffer), "vkCreateBuffer");
        VkMemoryRequirements needs;
        vkGetBufferMemoryRequirements(device, made.buffer, &needs);
        VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
        allocation.pNext = of_memory;
        allocation.allocationSize = made.allocated = needs.size;
        allocation.memoryTypeIndex = place(needs.memoryTypeBits);
        vulkan(vkAllocateMemory(device, &allocation, nullptr, &made.memory), "vkAllocateMemory");
        vulkan(vkBindBufferMemory(device, made.buffer, made.memory, 0), "vkBindBufferMemory");
        return made;
    }

    void free(const Buffer& buffer) const {
        vkDestroyBuffer(device, buffer.buffer, nullptr);
        vkFreeMemory(device, buffer.memory, nullptr);
    }

    // A buffer in the device's own memory.
    Buffer local(size_t bytes, const void* of_buffer = nullptr, const void* of_memory = nullptr) const {
        const auto place = [this](uint32_t allowed) {
            return memory_type(allowed, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
        };
        return buffer(bytes, place, of_buffer, of_memory);
    }

    // A buffer in the host's memory that the host may read.
    Buffer host(size_t bytes, const void* of_buffer = nullptr, const void* of_memory = nullptr) const {
        const auto place = [this](uint32_t allowed) {
            return memory_type(allowed, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                               VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
        };
        return buffer(bytes, place, of_buffer, of_memory);
    }

    template <typename T> T* map(const Buffer& buffer) const {
        void* mapped;
        vulkan(vkMapMemory(device, buffer.memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
        return (T*)mapped;
    }

    // The kernel `main` of a SPIR-V file with these values of its first specialization constants, and storage buffers at
    // its first bindings.
    Kernel kernel(const char* path, const std::vector<uint32_t>& constants, const std::vector<Buffer>& buffers) const {
        std::vector<uint32_t> words;
        FILE* file = fopen(path, "rb");
        for (uint32_t word; file && fread(&word, 4, 1, file);) {
            words.push_back(word);
        }
        if (words.empty()) {
            fprintf(stderr, "cannot read '%s': compile it with glslangValidator first\n", path);
            exit(1);
        }
        fclose(file);
        VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
        code.codeSize = words.size() * 4;
        code.pCode = words.data();
        VkShaderModule module;
        vulkan(vkCreateShaderModule(device, &code, nullptr, &module), "vkCreateShaderModule");
        std::vector<VkDescriptorSetLayoutBinding> bindings;
        for (uint32_t i = 0; i < buffers.size(); i++) {
            bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT});
        }
        VkDescriptorSetLayoutCreateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        set.bindingCount = bindings.size();
        set.pBindings = bindings.data();
        VkDescriptorSetLayout set_layout;
        vulkan(vkCreateDescriptorSetLayout(device, &set, nullptr, &set_layout), "vkCreateDescriptorSetLayout");
        VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
        layout.setLayoutCount = 1;
        layout.pSetLayouts = &set_layout;
        Kernel made{};
        vulkan(vkCreatePipelineLayout(device, &layout, nullptr, &made.layout), "vkCreatePipelineLayout");
        std::vector<VkSpecializationMapEntry> entries;
        for (uint32_t i = 0; i < constants.size(); i++) {
            entries.push_back({i, i * 4, 4});
        }
        const VkSpecializationInfo values{(uint32_t)entries.size(), entries.data(), constants.size() * 4,
                                          constants.data()};
        VkComputePipelineCreateInfo pipeline{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        pipeline.stage.module = module;
        pipeline.stage.pName = "main";
        pipeline.stage.pSpecializationInfo = &values;
        pipeline.layout = made.layout;
        vulkan(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipeline, nullptr, &made.pipeline),
               "vkCreateComputePipelines");
        const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, (uint32_t)buffers.size()};
        VkDescriptorPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
        pool_info.maxSets = pool_info.poolSizeCount = 1;
        pool_info.pPoolSizes = &size;
        VkDescriptorPool pool;
        vulkan(vkCreateDescriptorPool(device, &pool_info, nullptr, &pool), "vkCreateDescriptorPool");
        VkDescriptorSetAllocateInfo allocation{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
        allocation.descriptorPool = pool;
        allocation.descriptorSetCount = 1;
        allocation.pSetLayouts = &set_layout;
        vulkan(vkAllocateDescriptorSets(device, &allocation, &made.set), "vkAllocateDescriptorSets");
        for (uint32_t i = 0; i < buffers.size(); i++) {
            const VkDescriptorBufferInfo whole{buffers[i].buffer, 0, VK_WHOLE_SIZE};
            VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
            write.dstSet = made.set;
            write.dstBinding = i;
            write.descriptorCount = 1;
            write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
            write.pBufferInfo = &whole;
            vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
        }
        return made;
    }

    static void launch(VkCommandBuffer commands, const Kernel& kernel, uint32_t width, uint32_t height) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout, 0, 1, &kernel.set, 0, nullptr);
        vkCmdDispatch(commands, width, height, 1);
    }

    // The time of a command in seconds, each after the one before.
    double once(Family& family, int repeats, const std::function<void(VkCommandBuffer)>& command) const {
        VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        vulkan(vkBeginCommandBuffer(family.commands, &begin), "vkBeginCommandBuffer");
        vkCmdResetQueryPool(family.commands, family.times, 0, 2);
        vkCmdWriteTimestamp(family.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, family.times, 0);
        for (int i = 0; i < repeats; i++) {
            command(family.commands);
            VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
            barrier.srcAccessMask = barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
            vkCmdPipelineBarrier(family.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
        }
        vkCmdWriteTimestamp(family.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, family.times, 1);
        vulkan(vkEndCommandBuffer(family.commands), "vkEndCommandBuffer");
        VkSubmitInfo submission{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        submission.commandBufferCount = 1;
        submission.pCommandBuffers = &family.commands;
        vulkan(vkQueueSubmit(family.queue, 1, &submission, VK_NULL_HANDLE), "vkQueueSubmit");
        vulkan(vkQueueWaitIdle(family.queue), "vkQueueWaitIdle");
        uint64_t ticks[2];
        vulkan(vkGetQueryPoolResults(device, family.times, 0, 2, sizeof ticks, ticks, 8, VK_QUERY_RESULT_64_BIT),
               "vkGetQueryPoolResults");
        return (ticks[1] - ticks[0]) * (double)properties.limits.timestampPeriod / repeats / 1e9;
    }

    // The median of `SAMPLES` such times.
    double median(Family& family, int repeats, const std::function<void(VkCommandBuffer)>& command) const {
        std::vector<double> samples;
        for (int i = 0; i < SAMPLES; i++) {
            samples.push_back(once(family, repeats, command));
        }
        std::sort(samples.begin(), samples.end());
        return samples[SAMPLES / 2];
    }
};
