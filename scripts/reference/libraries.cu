// The figures of NVIDIA's own libraries on this device, with which scripts/against-libraries.sh compares the suite.
// Prints one line "name value unit" per measurement: medians over repetitions, timed by CUDA events. A part that fails
// prints its error to stderr, and the next one runs. WITHOUT_CUFFT and WITHOUT_CUSPARSE leave a library out.
#include <cublas_v2.h>
#ifndef WITHOUT_CUFFT
#include <cufft.h>
#endif
#ifndef WITHOUT_CUSPARSE
#include <cusparse.h>
#endif
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cub/cub.cuh>
#include <cuda_fp16.h>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>
#define CK(x)                                                                                                          \
  do {                                                                                                                 \
    auto e = (x);                                                                                                      \
    if (e != 0)                                                                                                        \
      throw std::runtime_error("error " + std::to_string((int)e) + " at line " + std::to_string(__LINE__));            \
  } while (0)

static double median_ms(int reps, const std::function<void()> &f) {
  cudaEvent_t a, b;
  CK(cudaEventCreate(&a));
  CK(cudaEventCreate(&b));
  for (int i = 0; i < 3; i++)
    f();
  CK(cudaGetLastError());
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
  CK(cudaGetLastError());
  CK(cudaEventDestroy(a));
  CK(cudaEventDestroy(b));
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
// Two f16 of 1 to 1.98 per word.
__global__ void halves(unsigned *p, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    p[i] = 0x3c003c00u | ((unsigned)i * 2654435761u & 0x03f003f0u);
}
// The banded matrix of the family spmv: 16 nonzeros in each row, around the diagonal.
__global__ void band(int *starts, int *columns, float *values, int rows) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < 16ull * rows;
       i += (size_t)gridDim.x * blockDim.x) {
    columns[i] = (int)((i / 16 + i % 16 + rows - 8) % rows);
    values[i] = (float)(i * 2654435761u >> 20 & 255) / 128.f - 1.f;
    if (i <= (size_t)rows)
      starts[i] = 16 * (int)i;
  }
}
__global__ void empty() {}

// Device memory of a part, freed at its end.
template <class T> struct Memory {
  T *at = nullptr;
  explicit Memory(size_t count) { CK(cudaMalloc(&at, count * sizeof(T))); }
  Memory(const Memory &) = delete;
  ~Memory() { cudaFree(at); }
  operator T *() const { return at; }
};

// Runs a part. What failed in it does not end the others, unless the device is lost.
static void part(const char *name, const std::function<void()> &f) {
  try {
    f();
    CK(cudaDeviceSynchronize());
  } catch (const std::exception &e) {
    fprintf(stderr, "failed: %s: %s\n", name, e.what());
    cudaGetLastError();
  }
}

static const size_t n = size_t(1) << 28; // 1 GiB of f32
static float *x, *y, *z;
static cublasHandle_t hb;
static float one = 1, zero = 0;
static char s[80];


static void copies() {
  double ms = median_ms(30, [&] { cudaMemcpyAsync(y, x, n * 4, cudaMemcpyDeviceToDevice); });
  row("memcpy_d2d_1GiB", 2.0 * n * 4 / ms / 1e6, "GB/s");
  ms = median_ms(30, [&] { cudaMemsetAsync(y, 0, n * 4); });
  row("memset_1GiB", 1.0 * n * 4 / ms / 1e6, "GB/s");
  ms = median_ms(30, [&] { cudaMemcpyAsync(y, x, n * 2, cudaMemcpyDeviceToDevice); });
  row("memcpy_d2d_512MiB", 2.0 * n * 2 / ms / 1e6, "GB/s");
  fill<<<4096, 256>>>(y, n);
  for (size_t d : {1024, 4096, 8192, 16384}) {
    ms = median_ms(30, [&] { cudaMemcpyAsync(y, x, d * d * 4, cudaMemcpyDeviceToDevice); });
    snprintf(s, 80, "memcpy_d2d_%zu_square_f32", d);
    row(s, 2.0 * d * d * 4.0 / ms / 1e6, "GB/s");
  }
}

static void textures() {
  const size_t d = 4096;
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned>();
  CK(cudaMallocArray(&array, &format, d, d));
  double ms =
      median_ms(30, [&] { cudaMemcpy2DToArrayAsync(array, 0, 0, x, d * 4, d * 4, d, cudaMemcpyDeviceToDevice); });
  row("memcpy_to_array_4096_square", 2.0 * d * d * 4 / ms / 1e6, "GB/s");
  ms = median_ms(30, [&] { cudaMemcpy2DFromArrayAsync(y, d * 4, array, 0, 0, d * 4, d, cudaMemcpyDeviceToDevice); });
  row("memcpy_from_array_4096_square", 2.0 * d * d * 4 / ms / 1e6, "GB/s");
  CK(cudaFreeArray(array));
}

static void sums() {
  size_t bytes = 0;
  CK(cub::DeviceReduce::Sum(nullptr, bytes, x, z, n));
  Memory<char> own(bytes);
  for (size_t m : {size_t(1) << 20, size_t(1) << 24, size_t(1) << 26, n}) {
    double ms = median_ms(50, [&] { cub::DeviceReduce::Sum(own.at, bytes, x, z, m); });
    snprintf(s, 80, "cub_reduce_sum_f32_%zu", m);
    row(s, m * 4.0 / ms / 1e6, "GB/s");
    snprintf(s, 80, "cub_reduce_sum_f32_%zu_time", m);
    row(s, ms * 1e3, "us");
  }
}

static void scan() {
  size_t bytes = 0;
  CK(cub::DeviceScan::InclusiveSum(nullptr, bytes, x, y, n));
  Memory<char> own(bytes);
  double ms = median_ms(30, [&] { cub::DeviceScan::InclusiveSum(own.at, bytes, x, y, n); });
  row("cub_scan_inclusive_f32_2^28", 2.0 * n * 4 / ms / 1e6, "GB/s");
}

static void histograms() {
  Memory<int> counts(256);
  size_t bytes = 0;
  const auto count = [&](void *own, const float *from, size_t m) {
    return cub::DeviceHistogram::HistogramEven(own, bytes, (const unsigned char *)from, counts.at, 257, 0, 256, (int)m);
  };
  CK(count(nullptr, x, n));
  Memory<char> own(bytes);
  double ms = median_ms(30, [&] { count(own.at, x, n / 2); });
  row("cub_histogram256_u8", n / 2 / ms / 1e6, "GB/s");
  // The bytes of the floats above are often equal. These are as random as the suite's.
  scatter<<<4096, 256>>>((unsigned *)y, n / 4);
  ms = median_ms(30, [&] { count(own.at, y, n); });
  row("cub_histogram256_random_u8", n / ms / 1e6, "GB/s");
}

static void sorts() {
  Memory<unsigned> values(n), sorted(n);
  unsigned *keys = (unsigned *)y, *out = (unsigned *)z;
  scatter<<<4096, 256>>>(keys, n);
  scatter<<<4096, 256>>>(values, n);
  for (size_t m : {size_t(1) << 20, size_t(1) << 24, n}) {
    size_t bytes = 0, more = 0;
    CK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, out, m));
    CK(cub::DeviceRadixSort::SortPairs(nullptr, more, keys, out, values.at, sorted.at, m));
    Memory<char> own(std::max(bytes, more));
    double ms = median_ms(20, [&] { cub::DeviceRadixSort::SortKeys(own.at, bytes, keys, out, m); });
    snprintf(s, 80, "cub_radix_sort_keys_%zu", m);
    row(s, m / ms / 1e6, "Gkeys/s");
    ms = median_ms(20, [&] { cub::DeviceRadixSort::SortPairs(own.at, more, keys, out, values.at, sorted.at, m); });
    snprintf(s, 80, "cub_radix_sort_pairs_%zu", m);
    row(s, m / ms / 1e6, "Gpairs/s");
  }
}

static void transposes() {
  double done = 1, dzero = 0;
  for (int d : {1024, 4096, 8192, 16384}) {
    double ms = median_ms(30, [&] { cublasSgeam(hb, CUBLAS_OP_T, CUBLAS_OP_N, d, d, &one, x, d, &zero, x, d, y, d); });
    snprintf(s, 80, "cublas_transpose_f32_%d", d);
    row(s, 2.0 * d * d * 4.0 / ms / 1e6, "GB/s");
  }
  double ms = median_ms(30, [&] {
    cublasDgeam(hb, CUBLAS_OP_T, CUBLAS_OP_N, 8192, 8192, &done, (double *)x, 8192, &dzero, (double *)x, 8192,
                (double *)y, 8192);
  });
  row("cublas_transpose_f64_8192", 2.0 * 8192 * 8192 * 8.0 / ms / 1e6, "GB/s");
}

static void products() {
  fill<<<4096, 256>>>(y, n);
  for (int d : {1024, 2048, 4096, 8192}) {
    const auto product = [&] { cublasSgemm(hb, CUBLAS_OP_N, CUBLAS_OP_N, d, d, d, &one, x, d, y, d, &zero, z, d); };
    CK(cublasSetMathMode(hb, CUBLAS_PEDANTIC_MATH));
    snprintf(s, 80, "cublas_sgemm_fp32_%d", d);
    row(s, 2.0 * d * d * d / median_ms(10, product) / 1e9, "TFLOP/s");
    CK(cublasSetMathMode(hb, CUBLAS_TF32_TENSOR_OP_MATH));
    snprintf(s, 80, "cublas_sgemm_tf32_%d", d);
    row(s, 2.0 * d * d * d / median_ms(10, product) / 1e9, "TFLOP/s");
  }
  CK(cublasSetMathMode(hb, CUBLAS_DEFAULT_MATH));
  for (int d : {4096, 8192}) {
    double ms = median_ms(20, [&] {
      cublasGemmEx(hb, CUBLAS_OP_N, CUBLAS_OP_N, d, d, d, &one, x, CUDA_R_16F, d, y, CUDA_R_16F, d, &zero, z,
                   CUDA_R_32F, d, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    });
    snprintf(s, 80, "cublas_gemm_f16_f32_%d", d);
    row(s, 2.0 * d * d * d / ms / 1e9, "TFLOP/s");
  }
}

// y = W x with 1 GiB of weights in rows. cuBLAS's matrices lie in columns: its W is transposed.
static void vectors() {
  const int k = 16384, m = 16384, mh = 32768;
  CK(cublasSetMathMode(hb, CUBLAS_DEFAULT_MATH));
  fill<<<4096, 256>>>(x, n);
  double ms = median_ms(30, [&] { cublasSgemv(hb, CUBLAS_OP_T, k, m, &one, x, k, z, 1, &zero, y, 1); });
  row("cublas_sgemv_16384x16384", 4.0 * m * k / ms / 1e6, "GB/s");
  halves<<<4096, 256>>>((unsigned *)x, n);
  halves<<<4096, 256>>>((unsigned *)z, k);
  // The faster of the two types of y.
  double best = INFINITY;
  for (cudaDataType type : {CUDA_R_16F, CUDA_R_32F}) {
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    ms = median_ms(30, [&] {
      status = cublasGemmEx(hb, CUBLAS_OP_T, CUBLAS_OP_N, mh, 1, k, &one, x, CUDA_R_16F, k, z, CUDA_R_16F, k, &zero, y,
                            type, mh, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    });
    CK(status);
    best = std::min(best, ms);
  }
  row("cublas_gemv_f16_32768x16384", 2.0 * mh * k / best / 1e6, "GB/s");
}

#ifndef WITHOUT_CUFFT
static void transforms() {
  const size_t points = size_t(1) << 25; // 256 MiB of complex f32
  fill<<<4096, 256>>>(x, n);
  for (int length : {256, 1024, 4096}) {
    cufftHandle plan;
    CK(cufftPlan1d(&plan, length, CUFFT_C2C, (int)(points / length)));
    cufftResult result = CUFFT_SUCCESS;
    double ms = median_ms(
        30, [&] { result = cufftExecC2C(plan, (cufftComplex *)x, (cufftComplex *)y, CUFFT_FORWARD); });
    CK(result);
    snprintf(s, 80, "cufft_c2c_%zux%d", points / length, length);
    row(s, 2.0 * points * 8 / ms / 1e6, "GB/s");
    CK(cufftDestroy(plan));
  }
}
#endif

#ifndef WITHOUT_CUSPARSE
static void sparse() {
  const int rows = 1 << 22, nonzeros = 16 * rows;
  Memory<int> starts(rows + 1), columns(nonzeros);
  Memory<float> values(nonzeros);
  band<<<4096, 256>>>(starts, columns, values, rows);
  fill<<<4096, 256>>>(x, rows);
  cusparseHandle_t handle;
  CK(cusparseCreate(&handle));
  cusparseSpMatDescr_t matrix;
  cusparseDnVecDescr_t from, to;
  CK(cusparseCreateCsr(&matrix, rows, rows, nonzeros, starts.at, columns.at, values.at, CUSPARSE_INDEX_32I,
                       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  CK(cusparseCreateDnVec(&from, rows, x, CUDA_R_32F));
  CK(cusparseCreateDnVec(&to, rows, y, CUDA_R_32F));
  double best = INFINITY;
  for (cusparseSpMVAlg_t way : {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}) {
    size_t bytes = 0;
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    CK(cusparseSpMV_bufferSize(handle, plain, &one, matrix, from, &zero, to, CUDA_R_32F, way, &bytes));
    Memory<char> own(std::max(bytes, size_t(1)));
    CK(cusparseSpMV_preprocess(handle, plain, &one, matrix, from, &zero, to, CUDA_R_32F, way, own.at));
    cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
    double ms = median_ms(30, [&] {
      status = cusparseSpMV(handle, plain, &one, matrix, from, &zero, to, CUDA_R_32F, way, own.at);
    });
    CK(status);
    best = std::min(best, ms);
  }
  // Each nonzero and its column, three words per row, and the end: the bytes that the suite counts.
  row("cusparse_spmv_banded_4194304", (8.0 * nonzeros + 4.0 * (3.0 * rows + 1)) / best / 1e6, "GB/s");
  CK(cusparseDestroyDnVec(from));
  CK(cusparseDestroyDnVec(to));
  CK(cusparseDestroySpMat(matrix));
  CK(cusparseDestroy(handle));
}
#endif

static void host() {
  std::vector<char> page(256 << 20, 1);
  char *pin;
  CK(cudaMallocHost(&pin, 256 << 20));
  const double b = 256 << 20;
  const auto copied = [&](const char *name, void *to, const void *from, cudaMemcpyKind kind, bool is_pinned) {
    double ms = median_ms(10, [&] {
      if (is_pinned)
        cudaMemcpyAsync(to, from, 256 << 20, kind);
      else
        cudaMemcpy(to, from, 256 << 20, kind);
    });
    row(name, b / ms / 1e6, "GB/s");
  };
  copied("h2d_pageable", x, page.data(), cudaMemcpyHostToDevice, false);
  copied("h2d_pinned", x, pin, cudaMemcpyHostToDevice, true);
  copied("d2h_pageable", page.data(), x, cudaMemcpyDeviceToHost, false);
  copied("d2h_pinned", pin, x, cudaMemcpyDeviceToHost, true);
  CK(cudaFreeHost(pin));
}

static void launches() {
  row("empty_launch_event", median_ms(200, [&] { empty<<<1, 1>>>(); }) * 1e3, "us");
  const auto hundred = [&] {
    for (int i = 0; i < 100; i++)
      empty<<<1, 1>>>();
  };
  row("empty_launch_x100_each", median_ms(50, hundred) * 10, "us");
}

int main() {
  try {
    for (float **buffer : {&x, &y, &z}) {
      CK(cudaMalloc(buffer, n * 4));
      fill<<<4096, 256>>>(*buffer, n);
    }
    CK(cudaDeviceSynchronize());
    CK(cublasCreate(&hb));
  } catch (const std::exception &e) {
    fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  part("copies", copies);
  part("CUB reduce", sums);
  part("CUB scan", scan);
  part("CUB histogram", histograms);
  part("cuBLAS geam", transposes);
  part("cuBLAS gemm", products);
  part("launches", launches);
  part("copies between host and device", host);
  part("copies of arrays", textures);
  part("cuBLAS gemv", vectors);
  part("CUB radix sort", sorts);
#ifndef WITHOUT_CUFFT
  part("cuFFT", transforms);
#endif
#ifndef WITHOUT_CUSPARSE
  part("cuSPARSE", sparse);
#endif
}
