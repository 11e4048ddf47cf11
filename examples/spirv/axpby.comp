#version 450
// a x + b y, with both factors and the length as push constants.

layout(local_size_x = 64) in;

layout(push_constant) uniform Factors {
    uint count;
    float a;
    float b;
} factors;

layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) readonly buffer Y { float y[]; };
layout(set = 0, binding = 2) writeonly buffer Z { float z[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < factors.count) {
        z[i] = factors.a * x[i] + factors.b * y[i];
    }
}
