"""Times of three CUDA twins by Triton's do_bench, which clears 256 MB before each launch: to compare --cache cold with.

  for k in stream/triad softmax/online transpose/tiled; do
    shaderbench show $k --lang cuda --prelude > ${k#*/}.cu
    nvcc -std=c++17 -arch=native -cubin ${k#*/}.cu
  done
  python3 scripts/reference/do_bench.py
  shaderbench run stream/triad --backend cuda --cache both --size 2^20,2^22,2^24 (and so on)

Needs PyTorch and Triton. Prints the median of each in microseconds.
"""

import ctypes
import struct

import torch
from triton.testing import do_bench

cuda = ctypes.CDLL("libcuda.so.1")


def check(status):
    if status != 0:
        raise SystemExit(f"CUDA error {status}")


def launcher(name, grid, block, buffers, words):
    """A function that launches the kernel of a cubin on PyTorch's stream, with these buffers and a struct of words."""
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    check(cuda.cuModuleLoad(ctypes.byref(module), f"{name}.cubin".encode()))
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"kernel"))
    sizes = ctypes.create_string_buffer(struct.pack(f"{len(words)}I", *words))
    pointers = [ctypes.c_void_p(buffer.data_ptr()) for buffer in buffers]
    places = [ctypes.cast(ctypes.byref(pointer), ctypes.c_void_p) for pointer in pointers]
    places.append(ctypes.cast(sizes, ctypes.c_void_p))
    arguments = (ctypes.c_void_p * len(places))(*places)

    def launch():
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        check(cuda.cuLaunchKernel(function, *grid, *block, 0, stream, arguments, None))

    launch.kept = (pointers, sizes, buffers)
    return launch


def floats(count):
    return torch.rand(count, device="cuda")


torch.cuda.init()
floats(1)
cases = []
for n in (1 << 20, 1 << 22, 1 << 24):
    buffers = [floats(n), floats(n), floats(n)]
    elements = n // 4
    words = (elements, struct.unpack("I", struct.pack("f", 0.5))[0])
    cases.append((f"stream/triad vec4<f32> {n}", launcher("triad", (elements // 256, 1, 1), (256, 1, 1), buffers, words), None))
for rows, columns in ((2048, 1024), (8192, 1024)):
    buffers = [floats(rows * columns), floats(rows * columns)]
    expected = torch.softmax(buffers[0].view(rows, columns), 1).flatten()
    launch = launcher("online", (rows, 1, 1), (256, 1, 1), buffers, (rows, columns))
    cases.append((f"softmax/online {rows}x{columns}", launch, (buffers[1], expected)))
for side in (1024, 2048):
    buffers = [floats(side * side), floats(side * side)]
    expected = buffers[0].view(side, side).t().contiguous().flatten()
    launch = launcher("tiled", (side // 32, side // 32, 1), (32, 8, 1), buffers, (side, side))
    cases.append((f"transpose/tiled {side}x{side}", launch, (buffers[1], expected)))
for name, launch, answer in cases:
    launch()
    if answer is not None:
        torch.testing.assert_close(*answer)
    cold = do_bench(launch, warmup=100, rep=400, return_mode="median")
    print(f"{name:32} {1000 * cold:8.2f} us")
