#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430) buffer Words { uint at[]; };
layout(push_constant) uniform P { Words words; } p;
layout(set = 0, binding = 0) writeonly buffer B { uint b[]; };
void main() { b[gl_GlobalInvocationID.x] = p.words.at[gl_GlobalInvocationID.x]; }
