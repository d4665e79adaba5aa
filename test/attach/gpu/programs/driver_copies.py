# The driver's functions by cuda.bindings: a leak, and copies of what is there already.
# SPDX-License-Identifier: Apache-2.0
import sys
import numpy as np
from cuda.bindings import driver as cu
twin = len(sys.argv) > 1
cu.cuInit(0)
device = cu.cuDeviceGet(0)[1]
cu.cuCtxSetCurrent(cu.cuDevicePrimaryCtxRetain(device)[1])
n = 1 << 20
a = cu.cuMemAlloc(n)[1]
b = cu.cuMemAlloc(n)[1]  # EXPECT: leak
host, back = np.arange(n // 4, dtype=np.float32), np.empty(n // 4, dtype=np.float32)
for step in range(40):
    if twin:
        host[0] = step
    cu.cuMemcpyHtoD(a, host.ctypes.data, n)  # EXPECT: noop-copy|reupload
    cu.cuMemcpyDtoD(b, a, n)  # EXPECT: noop-copy
    cu.cuMemcpyDtoH(back.ctypes.data, b, 4096)  # EXPECT: noop-copy
cu.cuMemFree(a)
if twin:
    cu.cuMemFree(b)
print(float(back.sum()))
