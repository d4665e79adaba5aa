# What .get() brought goes back.
# SPDX-License-Identifier: Apache-2.0
import sys
import cupy as cp
twin = len(sys.argv) > 1
x = cp.arange(1 << 18, dtype=cp.float32)
for step in range(12):
    x = x * 1.5 + step
    h = x.get()
    if twin:
        h = h + 1
    y = cp.asarray(h)  # EXPECT: roundtrip
    x = y * 0.5
print(float(x.sum()))
