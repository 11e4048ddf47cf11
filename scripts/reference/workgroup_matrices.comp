// C = A·B of f16 matrices with sums of f32, row by row, by the matrices of a whole workgroup of
// VK_NV_cooperative_matrix2: the driver chooses how their elements get to the tensor cores. For workgroup_matrices.cpp.
//   glslangValidator --target-env vulkan1.3 scripts/reference/workgroup_matrices.comp -o matrices.spv   (glslang 16)
#version 450
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#pragma use_vulkan_memory_model

layout(local_size_x_id = 0) in;
// Elements of C of a workgroup, and the depth of a round. CLAMP is 1 to read zeros outside of the matrices, 0 where they
// consist of whole tiles.
layout(constant_id = 1) const uint ROWS = 128;
layout(constant_id = 2) const uint COLUMNS = 128;
layout(constant_id = 3) const uint DEPTH = 32;
layout(constant_id = 4) const uint CLAMP = 0;

layout(set = 0, binding = 0) readonly buffer A { float16_t a[]; };
layout(set = 0, binding = 1) readonly buffer B { float16_t b[]; };
layout(set = 0, binding = 2) writeonly buffer C { float c[]; };
layout(set = 0, binding = 3) readonly buffer Sizes { uint m, n, k; } sizes;

const uint BAND = 8;

void main() {
    // Workgroups are numbered in bands of 8 rows, as in matmul/cooperative.
    const uint number = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    const uint band = number / (BAND * gl_NumWorkGroups.x) * BAND;
    const uint height = min(BAND, gl_NumWorkGroups.y - band);
    const uint rest = number - band * gl_NumWorkGroups.x;
    const uint row = (band + rest % height) * ROWS, column = rest / height * COLUMNS;
    tensorLayoutNV<2, CLAMP> of_a = createTensorLayoutNV(2, CLAMP), of_b = createTensorLayoutNV(2, CLAMP);
    tensorLayoutNV<2, 1> of_c = createTensorLayoutNV(2, 1);
    of_a = setTensorLayoutDimensionNV(of_a, sizes.m, sizes.k);
    of_b = setTensorLayoutDimensionNV(of_b, sizes.k, sizes.n);
    of_c = setTensorLayoutDimensionNV(of_c, sizes.m, sizes.n);
    if (CLAMP == 0) {
        // Rows start at multiples of 16 bytes, so that the driver can load vectors.
        of_a = setTensorLayoutStrideNV(of_a, sizes.k & ~7u, 1);
        of_b = setTensorLayoutStrideNV(of_b, sizes.n & ~7u, 1);
    }
    coopmat<float, gl_ScopeWorkgroup, ROWS, COLUMNS, gl_MatrixUseAccumulator> sum =
        coopmat<float, gl_ScopeWorkgroup, ROWS, COLUMNS, gl_MatrixUseAccumulator>(0.0);
    for (uint p = 0; p < sizes.k; p += DEPTH) {
        coopmat<float16_t, gl_ScopeWorkgroup, ROWS, DEPTH, gl_MatrixUseA> x;
        coopmat<float16_t, gl_ScopeWorkgroup, DEPTH, COLUMNS, gl_MatrixUseB> y;
        coopMatLoadTensorNV(x, a, 0, sliceTensorLayoutNV(of_a, row, ROWS, p, DEPTH));
        coopMatLoadTensorNV(y, b, 0, sliceTensorLayoutNV(of_b, p, DEPTH, column, COLUMNS));
        sum = coopMatMulAdd(x, y, sum);
    }
    coopMatStoreTensorNV(sum, c, 0, sliceTensorLayoutNV(of_c, row, ROWS, column, COLUMNS));
}
