# zeros() in a loop out of a pool that is never given back.
# SPDX-License-Identifier: Apache-2.0
import ctypes
import sys

from driver import cu

pool = ctypes.CDLL(sys.argv[1])
pool.segment.restype = ctypes.c_uint64
memory = ctypes.c_uint64(pool.segment(ctypes.c_size_t(1 << 20)))
back = (ctypes.c_char * 4096)()


def zeros():
    cu.cuMemsetD8_v2(memory, 0, ctypes.c_size_t(1 << 20))
    return memory


for step in range(10):
    x = zeros()
cu.cuMemcpyDtoH_v2(back, x, ctypes.c_size_t(4096))
