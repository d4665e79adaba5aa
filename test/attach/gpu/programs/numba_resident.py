# A lookup table as a host array among arguments that stay on the device: it goes there and back with each launch.
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
def look_up(out, table):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = out[i] * 0.5 + table[i % table.size]


n = 1 << 18
table = np.linspace(0, 1, n // 4).astype(np.float32)
out = cuda.to_device(np.ones(n, dtype=np.float32))
used = cuda.to_device(table) if twin else table
for step in range(20):
    look_up[n // 256, 256](out, used)  # EXPECT: reupload|roundtrip
print(float(out.copy_to_host().sum()))
