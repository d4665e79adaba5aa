# Asynchronous uploads from pageable memory.
# SPDX-License-Identifier: Apache-2.0
import sys
import numpy as np
import cupy as cp
import cupyx
twin = len(sys.argv) > 1
host = cupyx.empty_pinned(1 << 18, dtype=np.float32) if twin else np.empty(1 << 18, dtype=np.float32)
d = cp.empty(1 << 18, dtype=cp.float32)
s = cp.cuda.Stream(non_blocking=True)
total = 0
for step in range(20):
    host[:] = np.arange(1 << 18, dtype=np.float32) + step
    d.set(host, stream=s)  # ADVICE: pageable-async
    s.synchronize()
    total += float(d[step])
print(total)
