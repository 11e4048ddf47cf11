// A kernel in GLSL, compiled with `glslangValidator -V saxpy.comp -o saxpy.spv` for
// `shaderbench bench saxpy.spv`.
#version 450
layout(local_size_x = 128) in;
layout(constant_id = 0) const uint ROUNDS = 1;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
layout(set = 0, binding = 2) uniform Factors { float factor; uint count; };
layout(set = 0, binding = 3) writeonly buffer Z { float z[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= count) return;
    float sum = y[i];
    for (uint k = 0; k < ROUNDS; k++) sum += factor * x[i];
    z[i] = sum;
}
