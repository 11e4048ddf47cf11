#version 450
#extension GL_KHR_shader_subgroup_basic : enable
layout(local_size_x_id = 3) in;
layout(constant_id = 3) const uint SIZE = 32;
layout(push_constant) uniform P { uint base; uint step; } p;
layout(set = 2, binding = 1) readonly buffer A { uint a[]; };
layout(set = 0, binding = 5) writeonly buffer B { uint b[]; };
void main() { uint i = gl_GlobalInvocationID.x; uint lo, hi; umulExtended(a[i], p.step, hi, lo); b[i] = p.base + hi + SIZE; }
