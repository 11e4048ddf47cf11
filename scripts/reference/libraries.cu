// The figures of NVIDIA's own libraries on this device, with which scripts/against-libraries.sh compares the suite.
// Prints one line "name value unit" per measurement: medians over repetitions, timed by CUDA events.
#include <cublas_v2.h>
#include <cub/cub.cuh>
#include <cuda_fp16.h>
#include <cstdio>
#include <vector>
#include <algorithm>
#include <functional>
#define CK(x)                                                                                                          \
  do {                                                                                                                 \
    auto e = (x);                                                                                                      \
    if (e != 0) {                                                                                                      \
      printf("error %d at line %d\n", (int)e, __LINE__);                                                               \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static double median_ms(int reps, const std::function<void()> &f) {
  cudaEvent_t a, b;
  CK(cudaEventCreate(&a));
  CK(cudaEventCreate(&b));
  for (int i = 0; i < 3; i++)
    f();
  CK(cudaDeviceSynchronize());
  std::vector<float> t;
  for (int i = 0; i < reps; i++) {
    CK(cudaEventRecord(a));
    f();
    CK(cudaEventRecord(b));
    CK(cudaEventSynchronize(b));
    float ms;
    CK(cudaEventElapsedTime(&ms, a, b));
    t.push_back(ms);
  }
  std::sort(t.begin(), t.end());
  return t[t.size() / 2];
}
static void row(const char *n, double v, const char *u) {
  printf("%-34s %12.3f %s\n", n, v, u);
  fflush(stdout);
}
__global__ void fill(float *p, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    p[i] = (float)((i * 2654435761u) >> 20 & 1023) / 1024.f;
}
__global__ void scatter(unsigned *p, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
    unsigned x = (unsigned)i * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28) + 4)) ^ x) * 277803737u;
    p[i] = (x >> 22) ^ x;
  }
}
__global__ void empty() {}

int main() {
  const size_t n = size_t(1) << 28; // 1 GiB of f32
  float *x, *y, *z;
  CK(cudaMalloc(&x, n * 4));
  CK(cudaMalloc(&y, n * 4));
  CK(cudaMalloc(&z, n * 4));
  fill<<<4096, 256>>>(x, n);
  fill<<<4096, 256>>>(y, n);
  fill<<<4096, 256>>>(z, n);
  CK(cudaDeviceSynchronize());
  double ms = median_ms(30, [&] { cudaMemcpyAsync(y, x, n * 4, cudaMemcpyDeviceToDevice); });
  row("memcpy_d2d_1GiB", 2.0 * n * 4 / ms / 1e6, "GB/s");
  ms = median_ms(30, [&] { cudaMemsetAsync(y, 0, n * 4); });
  row("memset_1GiB", 1.0 * n * 4 / ms / 1e6, "GB/s");
  fill<<<4096, 256>>>(y, n);
  void *tmp = nullptr;
  size_t tb = 0;
  cub::DeviceReduce::Sum(tmp, tb, x, z, n);
  CK(cudaMalloc(&tmp, tb));
  for (size_t m : {size_t(1) << 20, size_t(1) << 24, size_t(1) << 26, n}) {
    ms = median_ms(50, [&] { cub::DeviceReduce::Sum(tmp, tb, x, z, m); });
    char s[64];
    snprintf(s, 64, "cub_reduce_sum_f32_%zu", m);
    row(s, m * 4.0 / ms / 1e6, "GB/s");
    snprintf(s, 64, "cub_reduce_sum_f32_%zu_time", m);
    row(s, ms * 1e3, "us");
  }
  { // inclusive scan
    void *t2 = nullptr;
    size_t b2 = 0;
    cub::DeviceScan::InclusiveSum(t2, b2, x, y, n);
    CK(cudaMalloc(&t2, b2));
    ms = median_ms(30, [&] { cub::DeviceScan::InclusiveSum(t2, b2, x, y, n); });
    row("cub_scan_inclusive_f32_2^28", 2.0 * n * 4 / ms / 1e6, "GB/s");
    CK(cudaFree(t2));
    unsigned *h;
    CK(cudaMalloc(&h, 256 * 4));
    void *t3 = nullptr;
    size_t b3 = 0;
    cub::DeviceHistogram::HistogramEven(t3, b3, (unsigned char *)x, (int *)h, 257, 0, 256, (int)(n / 2));
    CK(cudaMalloc(&t3, b3));
    ms = median_ms(30, [&] {
      cub::DeviceHistogram::HistogramEven(t3, b3, (unsigned char *)x, (int *)h, 257, 0, 256, (int)(n / 2));
    });
    row("cub_histogram256_u8", n / 2 / ms / 1e6, "GB/s");
    // The bytes of the floats above are often equal. These are as random as the suite's.
    scatter<<<4096, 256>>>((unsigned *)y, n / 4);
    ms = median_ms(
        30, [&] { cub::DeviceHistogram::HistogramEven(t3, b3, (unsigned char *)y, (int *)h, 257, 0, 256, (int)n); });
    row("cub_histogram256_random_u8", n / ms / 1e6, "GB/s");
  }
  cublasHandle_t hb;
  CK(cublasCreate(&hb));
  float one = 1, zero = 0;
  double done = 1, dzero = 0;
  for (int d : {1024, 4096, 8192, 16384}) {
    ms = median_ms(30, [&] { cublasSgeam(hb, CUBLAS_OP_T, CUBLAS_OP_N, d, d, &one, x, d, &zero, x, d, y, d); });
    char s[64];
    snprintf(s, 64, "cublas_transpose_f32_%d", d);
    row(s, 2.0 * d * d * 4.0 / ms / 1e6, "GB/s");
    ms = median_ms(30, [&] { cudaMemcpyAsync(y, x, size_t(d) * d * 4, cudaMemcpyDeviceToDevice); });
    snprintf(s, 64, "memcpy_d2d_%d_square_f32", d);
    row(s, 2.0 * d * d * 4.0 / ms / 1e6, "GB/s");
  }
  ms = median_ms(30, [&] {
    cublasDgeam(hb, CUBLAS_OP_T, CUBLAS_OP_N, 8192, 8192, &done, (double *)x, 8192, &dzero, (double *)x, 8192,
                (double *)y, 8192);
  });
  row("cublas_transpose_f64_8192", 2.0 * 8192 * 8192 * 8.0 / ms / 1e6, "GB/s");
  for (int d : {1024, 2048, 4096, 8192}) {
    char s[64];
    CK(cublasSetMathMode(hb, CUBLAS_PEDANTIC_MATH));
    ms = median_ms(10, [&] { cublasSgemm(hb, CUBLAS_OP_N, CUBLAS_OP_N, d, d, d, &one, x, d, y, d, &zero, z, d); });
    snprintf(s, 64, "cublas_sgemm_fp32_%d", d);
    row(s, 2.0 * d * d * d / ms / 1e9, "TFLOP/s");
    CK(cublasSetMathMode(hb, CUBLAS_TF32_TENSOR_OP_MATH));
    ms = median_ms(10, [&] { cublasSgemm(hb, CUBLAS_OP_N, CUBLAS_OP_N, d, d, d, &one, x, d, y, d, &zero, z, d); });
    snprintf(s, 64, "cublas_sgemm_tf32_%d", d);
    row(s, 2.0 * d * d * d / ms / 1e9, "TFLOP/s");
  }
  for (int d : {4096, 8192}) {
    ms = median_ms(20, [&] {
      cublasGemmEx(hb, CUBLAS_OP_N, CUBLAS_OP_N, d, d, d, &one, x, CUDA_R_16F, d, y, CUDA_R_16F, d, &zero, z,
                   CUDA_R_32F, d, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    });
    char s[64];
    snprintf(s, 64, "cublas_gemm_f16_f32_%d", d);
    row(s, 2.0 * d * d * d / ms / 1e9, "TFLOP/s");
  }
  std::vector<char> page(256 << 20);
  char *pin;
  CK(cudaMallocHost(&pin, 256 << 20));
  std::fill(page.begin(), page.end(), 1);
  const double b = 256 << 20;
  row("h2d_pageable", b / median_ms(10, [&] { cudaMemcpy(x, page.data(), 256 << 20, cudaMemcpyHostToDevice); }) / 1e6,
      "GB/s");
  row("h2d_pinned", b / median_ms(10, [&] { cudaMemcpyAsync(x, pin, 256 << 20, cudaMemcpyHostToDevice); }) / 1e6,
      "GB/s");
  row("d2h_pageable", b / median_ms(10, [&] { cudaMemcpy(page.data(), x, 256 << 20, cudaMemcpyDeviceToHost); }) / 1e6,
      "GB/s");
  row("d2h_pinned", b / median_ms(10, [&] { cudaMemcpyAsync(pin, x, 256 << 20, cudaMemcpyDeviceToHost); }) / 1e6,
      "GB/s");
  row("empty_launch_event", median_ms(200, [&] { empty<<<1, 1>>>(); }) * 1e3, "us");
  row("empty_launch_x100_each",
      median_ms(50,
                [&] {
                  for (int i = 0; i < 100; i++)
                    empty<<<1, 1>>>();
                }) *
          10,
      "us");
}
