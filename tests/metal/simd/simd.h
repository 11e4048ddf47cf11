// Vectors have global names too: naga writes `uint2` for its counters of loops and `packed_uchar4` for packed products.
#pragma once
using metal::uint2, metal::uint3, metal::uint4, metal::int2, metal::int3, metal::int4;
using metal::float2, metal::float3, metal::float4, metal::half2, metal::half3, metal::half4;
using metal::packed_uchar4, metal::packed_char4, metal::packed_float3, metal::packed_uint3;
