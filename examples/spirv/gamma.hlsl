// Brightness raised to a power, in HLSL. Each t, u or b register is a separate binding.

struct Curve { float exponent; uint count; };

[[vk::binding(0)]] StructuredBuffer<float> brightness : register(t0);
[[vk::binding(1)]] RWStructuredBuffer<float> shown : register(u0);
[[vk::binding(2)]] ConstantBuffer<Curve> curve : register(b0);

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    if (id.x < curve.count) {
        shown[id.x] = pow(brightness[id.x], curve.exponent);
    }
}
