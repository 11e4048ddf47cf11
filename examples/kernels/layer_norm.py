"""The right output of layer_norm.wgsl, in 64 bits: reads and writes .npy files in the folder that it is given."""

import os
import sys

import numpy

folder = sys.argv[1]
rows, columns = (int(os.environ["SHADERBENCH_" + side]) for side in ("ROWS", "COLUMNS"))
x, gain, bias = (numpy.load(os.path.join(folder, name + ".npy")) for name in ("x", "gain", "bias"))
x = x.reshape(rows, columns)
mean, variance = x.mean(axis=1, keepdims=True), x.var(axis=1, keepdims=True)
numpy.save(os.path.join(folder, "right.npy"), ((x - mean) / numpy.sqrt(variance + 1e-5) * gain + bias).reshape(-1))
