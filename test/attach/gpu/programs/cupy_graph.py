# A captured upload whose pinned source never changes.
# SPDX-License-Identifier: Apache-2.0
import sys
import numpy as np
import cupy as cp
import cupyx
twin = len(sys.argv) > 1
n = 1 << 18
source = 'extern "C" __global__ void add(float *o, const float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] += a[i]; }'
add = cp.RawKernel(source, "add")
h = cupyx.zeros_pinned(n, dtype=np.float32)
h[:] = np.arange(n)
d, out = cp.empty(n, dtype=np.float32), cp.zeros(n, dtype=np.float32)
add((n // 256,), (256,), (out, d, n))
cp.cuda.Device().synchronize()
stream = cp.cuda.Stream(non_blocking=True)
with stream:
    stream.begin_capture()
    cp.cuda.runtime.memcpyAsync(d.data.ptr, h.ctypes.data, h.nbytes, 1, stream.ptr)  # EXPECT: reupload|noop-copy
    add((n // 256,), (256,), (out, d, n))
    graph = stream.end_capture()
    for step in range(50):
        if twin:
            stream.synchronize()
            h[:] = step
        graph.launch()
stream.synchronize()
print(float(out[1]))
