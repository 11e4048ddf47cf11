// Twin of layer_norm.wgsl.

struct Shape { u32 columns; float epsilon; };

constexpr u32 WG = 128;

extern "C" __global__ void __launch_bounds__(128)
kernel(const float* x, const float* gain, const float* bias, float* y, const Shape shape) {
    __shared__ float2 sums[WG];
    u32 first = blockIdx.x * shape.columns;
    float2 sum = make_float2(0, 0);
    for (u32 k = threadIdx.x; k < shape.columns; k += WG) {
        float value = x[first + k];
        sum.x += value;
        sum.y += value * value;
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (u32 apart = WG / 2; apart > 0; apart /= 2) {
        if (threadIdx.x < apart) {
            sums[threadIdx.x].x += sums[threadIdx.x + apart].x;
            sums[threadIdx.x].y += sums[threadIdx.x + apart].y;
        }
        __syncthreads();
    }
    float mean = sums[0].x / float(shape.columns);
    float variance = sums[0].y / float(shape.columns) - mean * mean;
    float scale = rsqrtf(variance + shape.epsilon);
    for (u32 k = threadIdx.x; k < shape.columns; k += WG) {
        y[first + k] = (x[first + k] - mean) * scale * gain[k] + bias[k];
    }
}
