// The kernel tensor_int8.wgsl on tensor cores: products of 16×32 by 32×16 signed bytes, added in 32-bit integers, by
// cooperative matrices of Vulkan. tensor_int8.spv is what glslang 13.1 makes of it:
// `glslangValidator --target-env vulkan1.3 tensor_int8.comp -o tensor_int8.spv`. wgpu passes it to the driver as it is.
#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#pragma use_vulkan_memory_model
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer Input { uint words[]; };
layout(set = 0, binding = 1) buffer Output { int sums[]; };

const uint ROUNDS = 4096;

#define A coopmat<int8_t, gl_ScopeSubgroup, 16, 32, gl_MatrixUseA>
#define B coopmat<int8_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB>
#define C coopmat<int, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>

void main() {
    // Subgroups of 32: each has tiles of its own, of 128 words, and stores 256 sums.
    const uint set = gl_GlobalInvocationID.x / 32;
    const uint at = (set & 31) * 128;
    A a0;
    A a1;
    B b0;
    B b1;
    B b2;
    B b3;
    coopMatLoad(a0, words, at, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(a1, words, at + 128, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b0, words, at + 256, 8, gl_CooperativeMatrixLayoutColumnMajor);
    coopMatLoad(b1, words, at + 384, 8, gl_CooperativeMatrixLayoutColumnMajor);
    coopMatLoad(b2, words, at + 512, 8, gl_CooperativeMatrixLayoutColumnMajor);
    coopMatLoad(b3, words, at + 640, 8, gl_CooperativeMatrixLayoutColumnMajor);
    C x00 = C(0);
    C x01 = C(0);
    C x02 = C(0);
    C x03 = C(0);
    C x10 = C(0);
    C x11 = C(0);
    C x12 = C(0);
    C x13 = C(0);
    for (uint k = 0; k < ROUNDS; k++) {
        x00 = coopMatMulAdd(a0, b0, x00);
        x01 = coopMatMulAdd(a0, b1, x01);
        x02 = coopMatMulAdd(a0, b2, x02);
        x03 = coopMatMulAdd(a0, b3, x03);
        x10 = coopMatMulAdd(a1, b0, x10);
        x11 = coopMatMulAdd(a1, b1, x11);
        x12 = coopMatMulAdd(a1, b2, x12);
        x13 = coopMatMulAdd(a1, b3, x13);
    }
    coopMatStore(((x00 + x01) + (x02 + x03)) + ((x10 + x11) + (x12 + x13)), sums, 256 * set, 16,
                 gl_CooperativeMatrixLayoutRowMajor);
}
