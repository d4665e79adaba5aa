# A table that is uploaded into a variable of the module in each step.
# SPDX-License-Identifier: Apache-2.0
# CLEAN
import sys
import numpy as np
import cupy as cp
twin = len(sys.argv) > 1
SOURCE = """
__constant__ float weights[4096];
extern "C" __global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = x[i] * 0.5f + weights[i % 4096];
}
"""
module = cp.RawModule(code=SOURCE)
scale = module.get_function("scale")
weights = cp.ndarray(4096, cp.float32, module.get_global("weights"))
values = np.linspace(0, 1, 4096, dtype=np.float32)
n = 1 << 20
x = cp.ones(n, dtype=cp.float32)
for step in range(40):
    if twin:
        values[step] = step
    weights.set(values)  # EXPECT: noop-copy|reupload
    scale((n // 256,), (256,), (x, np.int32(n)))
print(float(x.sum()))
