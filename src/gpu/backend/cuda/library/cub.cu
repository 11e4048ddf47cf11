// CUB's device-wide algorithms, which are host functions, as one C function. `own` is the algorithm's scratch memory;
// if it is null, the function only sets `bytes` to the size needed. ROUTINE and ELEMENT select one algorithm, so that
// each compiles in seconds.
#include <cstdint>
#include <cub/cub.cuh>

#define SUM 1
#define SCAN 2
#define SORT 3
#define SORT_PAIRS 4
#define COUNT 5

extern "C" int shaderbench_call(void *own, size_t *bytes, const void *input, void *output, uint64_t n,
                                cudaStream_t stream) {
  [[maybe_unused]] const ELEMENT *const from = static_cast<const ELEMENT *>(input);
  [[maybe_unused]] ELEMENT *const to = static_cast<ELEMENT *>(output);
#if ROUTINE == SUM
  return cub::DeviceReduce::Sum(own, *bytes, from, to, n, stream);
#elif ROUTINE == SCAN
  return cub::DeviceScan::InclusiveSum(own, *bytes, from, to, n, stream);
#elif ROUTINE == SORT
  return cub::DeviceRadixSort::SortKeys(own, *bytes, from, to, n, 0, 32, stream);
#elif ROUTINE == SORT_PAIRS
  return cub::DeviceRadixSort::SortPairs(own, *bytes, from, to, from + n, to + n, n, 0, 32, stream);
#elif ROUTINE == COUNT
  return cub::DeviceHistogram::HistogramEven(own, *bytes, static_cast<const uint8_t *>(input),
                                             static_cast<unsigned *>(output), 257, 0, 256, static_cast<int>(n), stream);
#endif
}
