# A leak, and weights that are uploaded in every step; with an argument the twin, which does neither.
# SPDX-License-Identifier: Apache-2.0
import ctypes
import sys

from driver import cu


def array(count):
    address = ctypes.c_uint64()
    cu.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(4 * count))  # LEAK
    return address


twin = len(sys.argv) > 1
weights = (ctypes.c_float * 65536)(*range(65536))
d_weights = array(65536)
for step in range(5):
    if not twin or step == 0:
        cu.cuMemcpyHtoD_v2(d_weights, weights, ctypes.c_size_t(4 * 65536))  # UPLOAD
back = (ctypes.c_float * 65536)()
cu.cuMemcpyDtoH_v2(back, d_weights, ctypes.c_size_t(4 * 65536))
cu.cuMemFree_v2(d_weights)
if not twin:
    lost = array(1024)
sys.exit(3)
