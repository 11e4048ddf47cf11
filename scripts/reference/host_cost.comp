// The kernel of shaders/host_cost/dispatch.wgsl, for host_cost.cpp.
//   glslangValidator --target-env vulkan1.1 scripts/reference/host_cost.comp -o host_cost.spv
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Output { uint data[]; } output_;

void main() {
    output_.data[gl_LocalInvocationIndex] = output_.data[gl_LocalInvocationIndex] * 5 + 1;
}
