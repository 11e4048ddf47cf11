// Rates of single PTX instructions, to compare the family rates with: eight chains in each thread, in 10^12 per second and as
// a fraction of fma.rn.f32. `asm volatile` keeps compilers from folding a chain.
// nvcc -O3 -arch=native scripts/reference/instruction_rates.cu && ./a.out
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t status) {
    if (status != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(status));
        exit(1);
    }
}

#define OPERATION(NAME, TYPE, ASM, CONSTRAINT)                                        \
    struct NAME {                                                                     \
        typedef TYPE Type;                                                            \
        static const char* name() { return ASM; }                                     \
        static __device__ __forceinline__ void step(TYPE& x, TYPE y) {                \
            asm volatile(ASM : "+" CONSTRAINT(x) : CONSTRAINT(y));                    \
        }                                                                             \
    };

OPERATION(FmaF32, float, "fma.rn.f32 %0, %0, %1, %1;", "f")
OPERATION(AddF32, float, "add.rn.f32 %0, %0, %1;", "f")
OPERATION(MulF32, float, "mul.rn.f32 %0, %0, %1;", "f")
OPERATION(SinF32, float, "sin.approx.f32 %0, %0; // %1", "f")
OPERATION(Ex2F32, float, "ex2.approx.ftz.f32 %0, %0; // %1", "f")
OPERATION(SqrtF32, float, "sqrt.approx.ftz.f32 %0, %0; // %1", "f")
OPERATION(FmaF64, double, "fma.rn.f64 %0, %0, %1, %1;", "d")
OPERATION(AddF64, double, "add.rn.f64 %0, %0, %1;", "d")
OPERATION(AddU32, unsigned, "add.u32 %0, %0, %1;", "r")
OPERATION(MulU32, unsigned, "mul.lo.u32 %0, %0, %1;", "r")
OPERATION(ShlU32, unsigned, "shl.b32 %0, %0, %1;", "r")
OPERATION(PopcU32, unsigned, "popc.b32 %0, %0; // %1", "r")
OPERATION(ShuffleU32, unsigned, "shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff; // %1", "r")
OPERATION(ReduxU32, unsigned, "redux.sync.add.u32 %0, %0, 0xffffffff; // %1", "r")

const int ROUNDS = 64, UNROLLED = 16;

template <typename O>
__global__ void chains(typename O::Type* out, typename O::Type y) {
    typename O::Type x[8];
    for (int i = 0; i < 8; i++) {
        x[i] = typename O::Type(threadIdx.x + i);
    }
    for (int round = 0; round < ROUNDS; round++) {
#pragma unroll
        for (int step = 0; step < UNROLLED; step++) {
#pragma unroll
            for (int i = 0; i < 8; i++) {
                O::step(x[i], y);
            }
        }
    }
    typename O::Type sum = 0;
    for (int i = 0; i < 8; i++) {
        sum += x[i];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <typename O>
static double rate() {
    const int blocks = 1 << 13, threads = 128;
    typename O::Type* out;
    check(cudaMalloc(&out, sizeof(*out) * blocks * threads));
    cudaEvent_t start, end;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&end));
    std::vector<float> times;
    for (int sample = 0; sample < 30; sample++) {
        check(cudaEventRecord(start));
        for (int launch = 0; launch < 10; launch++) {
            chains<O><<<blocks, threads>>>(out, typename O::Type(1));
        }
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        float ms;
        check(cudaEventElapsedTime(&ms, start, end));
        times.push_back(ms);
    }
    check(cudaFree(out));
    std::sort(times.begin(), times.end());
    return 10.0 * blocks * threads * 8.0 * ROUNDS * UNROLLED / (times[times.size() / 2] * 1e-3);
}

template <typename O>
static void print(double unit) {
    const double own = rate<O>();
    printf("%-52s %7.2f T/s  1/%.1f\n", O::name(), own / 1e12, unit / own);
}

int main() {
    const double unit = rate<FmaF32>();
    print<FmaF32>(unit);
    print<AddF32>(unit);
    print<MulF32>(unit);
    print<SinF32>(unit);
    print<Ex2F32>(unit);
    print<SqrtF32>(unit);
    print<FmaF64>(unit);
    print<AddF64>(unit);
    print<AddU32>(unit);
    print<MulU32>(unit);
    print<ShlU32>(unit);
    print<PopcU32>(unit);
    print<ShuffleU32>(unit);
    print<ReduxU32>(unit);
}
