// Stores to 1 GiB, for vulkan_memory.cu: sixteen equal bytes per invocation, or bytes that cannot be compressed.
//   glslangValidator --target-env vulkan1.1 scripts/reference/fill.comp -o fill.spv
#version 450
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool IS_RANDOM = false;
layout(set = 0, binding = 0) writeonly buffer Output { uvec4 data[]; } output_;

void main() {
    const uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256 + gl_LocalInvocationIndex;
    if (IS_RANDOM) {
        uint x = i * 2654435761u;
        x ^= x >> 13;
        x *= 0x85ebca6bu;
        x ^= x >> 16;
        output_.data[i] = uvec4(x, x * 3 + 1, x * 5 + 7, x * 11 + 3);
    } else {
        output_.data[i] = uvec4(i & 1023);
    }
}
