// Loads from random positions of a buffer, eight per invocation, each independent of the others. For gather.cu.
//   glslangValidator --target-env vulkan1.1 scripts/reference/gather.comp -o gather.spv
#version 450
layout(local_size_x = 256) in;
// Words to load from, a power of two, less one.
layout(constant_id = 0) const uint MASK = 0;
layout(set = 0, binding = 0) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };

uint position(uint x) {
    x *= 2654435761u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    return x & MASK;
}

void main() {
    const uint i = gl_WorkGroupID.x * 256 + gl_LocalInvocationIndex;
    uint sum = 0;
    for (uint k = 0; k < 8; k++) {
        sum += from[position(8 * i + k)];
    }
    to[i] = sum;
}
