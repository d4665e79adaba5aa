# The same small weights in each step.
# SPDX-License-Identifier: Apache-2.0
import sys
import numpy as np
import cupy as cp
twin = len(sys.argv) > 1
weights = np.arange(1 << 12, dtype=np.float32)
x = cp.ones(1 << 12, dtype=cp.float32)
for step in range(40):
    if not twin or step == 0:
        w = cp.array(weights)  # ADVICE: reupload
    x = x * 0.5 + w
print(float(x.sum()))
