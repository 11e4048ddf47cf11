// `tensor` with 8-bit integer inputs and 32-bit integer accumulation, for Vulkan. naga has no type for 8-bit integers.
// Pattern: memory is read only at the start: two tiles of A and four of B (stored by columns), all of ±1. The tiles are
// packed into words of workgroup memory, from which 8-bit cooperative matrices can be loaded without 8-bit storage.
// Sums are exact.
// Work: 2 · 32 · 8 · ROUNDS operations for each of n scalars, 256 scalars per subgroup.
// Summary: the chains of tensor with signed 8-bit inputs, accumulated in 32-bit integers
// Look for: Expect twice the rate of tensor, since inputs have half the bytes. The ratio to dot4 is the gain over
// packed dot products.
// Limits: The issue rate of the integer matrix instruction.

// tensor_int8.spv is what glslang 16.5 makes of it:
// glslangValidator --target-env vulkan1.3 tensor_int8.comp -o tensor_int8.spv

#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#pragma use_vulkan_memory_model

const uint WG = 128;
layout(local_size_x = 128) in;
layout(constant_id = 0) const uint ROUNDS = 512;

layout(set = 0, binding = 0) readonly buffer Input { float data[]; } input_;
layout(set = 0, binding = 1) buffer Output { int data[]; } output_;
layout(set = 0, binding = 2) uniform Sizes { uint elements; } sizes;

// Depth of a product, and vectors of 16 bytes in a row of a tile and in a tile.
const uint DEPTH = 32, ROW = DEPTH / 16, TILE = 16 * ROW;
// Sets of chains of a workgroup, one per 32 invocations. Each starts a tile after the one before.
const uint SETS = WG / 32, TILES = SETS - 1 + 6;
// Vectors, because a matrix must start at a multiple of 16 bytes.
shared uvec4 tiles[TILES * TILE];

// Four factors as bytes of a word.
uint packed(uint from) {
    uint bytes = 0;
    for (uint j = 0; j < 4; j++) {
        bytes |= (uint(int(input_.data[from + j])) & 0xff) << 8 * j;
    }
    return bytes;
}

#define A coopmat<int8_t, gl_ScopeSubgroup, 16, DEPTH, gl_MatrixUseA>
#define B coopmat<int8_t, gl_ScopeSubgroup, DEPTH, 16, gl_MatrixUseB>
#define C coopmat<int, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>

void main() {
    const uint first = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * SETS;
    const uint from = (first & 31) * 16 * DEPTH;
    for (uint word = gl_LocalInvocationIndex; word < TILES * TILE * 4; word += WG) {
        tiles[word / 4][word % 4] = packed(from + 4 * word);
    }
    barrier();
    // Subgroups of 32 have one set each. Larger ones compute several in turn; of smaller ones, some have none.
    for (uint own = gl_SubgroupID; own < SETS; own += gl_NumSubgroups) {
        A a0, a1;
        B b0, b1, b2, b3;
        coopMatLoad(a0, tiles, TILE * own, ROW, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(a1, tiles, TILE * (own + 1), ROW, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(b0, tiles, TILE * (own + 2), ROW, gl_CooperativeMatrixLayoutColumnMajor);
        coopMatLoad(b1, tiles, TILE * (own + 3), ROW, gl_CooperativeMatrixLayoutColumnMajor);
        coopMatLoad(b2, tiles, TILE * (own + 4), ROW, gl_CooperativeMatrixLayoutColumnMajor);
        coopMatLoad(b3, tiles, TILE * (own + 5), ROW, gl_CooperativeMatrixLayoutColumnMajor);
        C x00 = C(0), x01 = C(0), x02 = C(0), x03 = C(0);
        C x10 = C(0), x11 = C(0), x12 = C(0), x13 = C(0);
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
        const C sum = ((x00 + x01) + (x02 + x03)) + ((x10 + x11) + (x12 + x13));
        const uint to = 256 * (first + own);
        if (to < sizes.elements) {
            coopMatStore(sum, output_.data, to, 16, gl_CooperativeMatrixLayoutRowMajor);
        }
    }
}
