// Twin of nbody_steps.wgsl.

struct Motion { float dt, softening; u32 count; };

constexpr u32 WG = 64;

__device__ float3 pull(float4 own, float4 other, float softening) {
    float3 way = make_float3(other.x - own.x, other.y - own.y, other.z - own.z);
    float inverse = rsqrtf(way.x * way.x + way.y * way.y + way.z * way.z + softening);
    float force = other.w * inverse * inverse * inverse;
    return make_float3(way.x * force, way.y * force, way.z * force);
}

__device__ void advance(u32 index, float4 own, float3 force, float4* after, float4* velocities, float dt) {
    float4 velocity = velocities[index];
    velocity.x += dt * force.x;
    velocity.y += dt * force.y;
    velocity.z += dt * force.z;
    velocities[index] = velocity;
    after[index] = make_float4(own.x + dt * velocity.x, own.y + dt * velocity.y, own.z + dt * velocity.z, own.w);
}

extern "C" __global__ void __launch_bounds__(64)
naive(const float4* before, float4* after, float4* velocities, const Motion motion) {
    u32 index = blockIdx.x * WG + threadIdx.x;
    if (index >= motion.count) {
        return;
    }
    float4 own = before[index];
    float3 force = make_float3(0, 0, 0);
    for (u32 k = 0; k < motion.count; k++) {
        float3 one = pull(own, before[k], motion.softening);
        force.x += one.x;
        force.y += one.y;
        force.z += one.z;
    }
    advance(index, own, force, after, velocities, motion.dt);
}

extern "C" __global__ void __launch_bounds__(64)
tiled(const float4* before, float4* after, float4* velocities, const Motion motion) {
    __shared__ float4 tile[WG];
    u32 index = blockIdx.x * WG + threadIdx.x;
    float4 own = before[min(index, motion.count - 1)];
    float3 force = make_float3(0, 0, 0);
    for (u32 first = 0; first < motion.count; first += WG) {
        tile[threadIdx.x] = before[min(first + threadIdx.x, motion.count - 1)];
        __syncthreads();
        for (u32 k = 0; k < min(WG, motion.count - first); k++) {
            float3 one = pull(own, tile[k], motion.softening);
            force.x += one.x;
            force.y += one.y;
            force.z += one.z;
        }
        __syncthreads();
    }
    if (index < motion.count) {
        advance(index, own, force, after, velocities, motion.dt);
    }
}
