# The same weights in each step.
# SPDX-License-Identifier: Apache-2.0
# CLEAN
import sys
import numpy as np
import cupy as cp
twin = len(sys.argv) > 1
weights = np.arange(1 << 18, dtype=np.float32)
x = cp.ones(1 << 18, dtype=cp.float32)
for step in range(12):
    if not twin or step == 0:
        w = cp.asarray(weights)  # EXPECT: reupload
    x = x * 0.5 + w
print(float(x.sum()))
