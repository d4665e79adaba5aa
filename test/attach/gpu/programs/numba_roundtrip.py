# What copy_to_host() brought goes back into another array.
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
def advance(y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = y[i] * 0.999 + i


n = 1 << 18
d = cuda.to_device(np.arange(n, dtype=np.float32))
for step in range(30):
    advance[n // 256, 256](d)
    h = d.copy_to_host()
    if twin:
        h += 1
    d = cuda.to_device(h)  # EXPECT: roundtrip
print(float(d.copy_to_host().sum()))
