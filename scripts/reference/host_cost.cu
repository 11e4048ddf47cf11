// What a launch costs the host through CUDA, to compare the family host_cost with: launch and wait of 1 to 1000 launches,
// by calls and as a graph, in nanoseconds per launch.
// nvcc -O3 -arch=native scripts/reference/host_cost.cu && ./a.out
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t status, const char* what) {
    if (status != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
        exit(1);
    }
}

__global__ void next(unsigned* words) { words[threadIdx.x] = words[threadIdx.x] * 5 + 1; }

int main() {
    using Clock = std::chrono::steady_clock;
    unsigned* words;
    cudaStream_t stream;
    check(cudaMalloc(&words, 256), "cudaMalloc");
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    printf("%8s %6s %10s %10s %10s\n", "launches", "graph", "launch", "wait", "all");
    for (int is_graph = 0; is_graph < 2; is_graph++) {
        for (int launches : {1, 10, 100, 1000}) {
            const auto launch_all = [&] {
                for (int i = 0; i < launches; i++) {
                    next<<<1, 64, 0, stream>>>(words);
                }
            };
            cudaGraph_t graph;
            cudaGraphExec_t ready;
            if (is_graph) {
                check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
                launch_all();
                check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
                check(cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
                check(cudaGraphUpload(ready, stream), "cudaGraphUpload");
            }
            std::vector<double> parts[3];
            for (int sample = 0; sample < 200; sample++) {
                const unsigned first = 7;
                check(cudaMemcpy(words, &first, 4, cudaMemcpyHostToDevice), "cudaMemcpy");
                check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
                const auto start = Clock::now();
                if (is_graph) {
                    check(cudaGraphLaunch(ready, stream), "cudaGraphLaunch");
                } else {
                    launch_all();
                }
                const auto launched = Clock::now();
                check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
                const auto done = Clock::now();
                unsigned right = first, got;
                for (int i = 0; i < launches; i++) {
                    right = right * 5 + 1;
                }
                check(cudaMemcpy(&got, words, 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
                if (got != right) {
                    fprintf(stderr, "a launch is missing\n");
                    return 1;
                }
                const std::chrono::duration<double, std::nano> times[] = {launched - start, done - launched,
                                                                          done - start};
                for (int part = 0; part < 3; part++) {
                    parts[part].push_back(times[part].count() / launches);
                }
            }
            printf("%8d %6s", launches, is_graph ? "yes" : "no");
            for (std::vector<double>& part : parts) {
                std::sort(part.begin(), part.end());
                printf(" %10.0f", part[part.size() / 2]);
            }
            printf("\n");
            if (is_graph) {
                check(cudaGraphExecDestroy(ready), "cudaGraphExecDestroy");
                check(cudaGraphDestroy(graph), "cudaGraphDestroy");
            }
        }
    }
}
