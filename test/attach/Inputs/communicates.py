# The same upload in every step, and the same copy on the device, while a library that communicates is loaded, or also at work.
# SPDX-License-Identifier: Apache-2.0
import ctypes
import sys

from driver import cu

library = ctypes.CDLL(sys.argv[1])
library.segment.restype = ctypes.c_uint64
if len(sys.argv) > 2:
    library.segment(ctypes.c_size_t(1 << 20))
weights = (ctypes.c_float * 65536)(*range(65536))
d_weights, d_copy = ctypes.c_uint64(), ctypes.c_uint64()
for array in d_weights, d_copy:
    cu.cuMemAlloc_v2(ctypes.byref(array), ctypes.c_size_t(4 * 65536))
for step in range(5):
    cu.cuMemcpyHtoD_v2(d_weights, weights, ctypes.c_size_t(4 * 65536))
    cu.cuMemcpyDtoD_v2(d_copy, d_weights, ctypes.c_size_t(4 * 65536))
back = (ctypes.c_float * 65536)()
cu.cuMemcpyDtoH_v2(back, d_copy, ctypes.c_size_t(4 * 65536))
for array in d_weights, d_copy:
    cu.cuMemFree_v2(array)
