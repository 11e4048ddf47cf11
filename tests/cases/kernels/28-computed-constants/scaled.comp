#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint SCALE = 2;
const uint TWICE = SCALE * 2;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer B { uint b[]; };
void main() { uint i = gl_GlobalInvocationID.x; b[i] = a[i] * TWICE + SCALE; }
