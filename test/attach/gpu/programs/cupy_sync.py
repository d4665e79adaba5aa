# A synchronisation right behind one.
# SPDX-License-Identifier: Apache-2.0
import sys
import cupy as cp
twin = len(sys.argv) > 1
x = cp.arange(1 << 18, dtype=cp.float32)
for step in range(30):
    x = x * 0.5 + step
    total = float(x.sum())
    if not twin:
        cp.cuda.Device().synchronize()  # ADVICE: needless-sync
print(total)
