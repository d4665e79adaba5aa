# Host arrays as arguments: three uploads and three downloads a launch.
# SPDX-License-Identifier: Apache-2.0
# CLEAN
import sys
import warnings
import numpy as np
# NumPy 2.5 has dropped a name that numba-cuda still asks for.
np.row_stack = getattr(np, "row_stack", np.vstack)
from numba import cuda
warnings.simplefilter("ignore")
twin = len(sys.argv) > 1


@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


n = 1 << 18
a, b, c = np.arange(n, dtype=np.float32), np.arange(n, dtype=np.float32) * 2, np.zeros(n, dtype=np.float32)
x, y, z = (cuda.to_device(v) for v in (a, b, c)) if twin else (a, b, c)
for step in range(12):
    add[n // 256, 256](x, y, z)  # EXPECT: reupload|roundtrip
if twin:
    c = z.copy_to_host()
print(float(c.sum()))
