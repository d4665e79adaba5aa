# Pinned memory that nobody changes, sent in each step.
# SPDX-License-Identifier: Apache-2.0
import sys
import warnings
import numpy as np
# NumPy 2.5 has dropped a name that numba-cuda still asks for.
np.row_stack = getattr(np, "row_stack", np.vstack)
from numba import cuda
warnings.simplefilter("ignore")
twin = len(sys.argv) > 1


@cuda.jit
def multiply(o, a, b):
    i = cuda.grid(1)
    if i < o.size:
        o[i] = a[i] * b[i]


n = 1 << 20
stream = cuda.stream()
a = cuda.pinned_array(n, dtype=np.float32)
a[:] = np.arange(n)
x = cuda.device_array(n, dtype=np.float32, stream=stream)
y = cuda.to_device(np.random.rand(n).astype(np.float32), stream=stream)
z = cuda.device_array(n, dtype=np.float32, stream=stream)
for step in range(40):
    if twin:
        stream.synchronize()
        a[:] = step + np.arange(n)
    x.copy_to_device(a, stream=stream)  # EXPECT: noop-copy|reupload
    multiply[n // 256, 256, stream](z, x, y)
stream.synchronize()
print(float(z.copy_to_host()[5]))
