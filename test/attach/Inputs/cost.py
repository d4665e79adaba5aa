# What a call takes from Python by ctypes: nanoseconds of each kind, the least of several rounds.
# SPDX-License-Identifier: Apache-2.0
import ctypes
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "site-packages"))
from deep import under
from driver import cu

CALLS = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
ONLY = sys.argv[2] if len(sys.argv) > 2 else ""
KERNELS = 16


module = ctypes.c_void_p()
ptx = ".version 8.0\n.target sm_90\n.address_size 64\n" + "".join(f".visible .entry p{i}()\n{{ ret; }}\n" for i in range(KERNELS))
cu.cuModuleLoadData(ctypes.byref(module), ptx.encode())
nothing = ctypes.cast(ctypes.CDLL(None).abs, ctypes.c_void_p)  # takes whatever it is given
kernels = []
for i in range(KERNELS):
    name, sizes = f"p{i}".encode(), (ctypes.c_size_t * 3)(8, 8, 8)
    cu.gpuinstr_simulator_define_kernel(None, name, nothing, 3, sizes)
    function = ctypes.c_void_p()
    assert cu.cuModuleGetFunction(ctypes.byref(function), module, name) == 0
    kernels.append(function)
buffers = [ctypes.c_uint64() for _ in range(3)]
for buffer in buffers:
    cu.cuMemAlloc_v2(ctypes.byref(buffer), ctypes.c_size_t(1 << 16))
arguments = (ctypes.c_void_p * 3)(*(ctypes.addressof(b) for b in buffers))
stream = ctypes.c_void_p()
cu.cuStreamCreate(ctypes.byref(stream), 0)
host = (ctypes.c_char * 4096)()
launch_kernel, copy_up, query_stream = cu.cuLaunchKernel, cu.cuMemcpyHtoD_v2, cu.cuStreamQuery
BYTES = ctypes.c_size_t(4096)


def launch(i):
    launch_kernel(kernels[0], 1, 1, 1, 1, 1, 1, 0, stream, arguments, None)


def in_turn(i):
    launch_kernel(kernels[i % KERNELS], 1, 1, 1, 1, 1, 1, 0, stream, arguments, None)


def copy(i):
    host[0] = i & 127
    copy_up(buffers[0], host, BYTES)


def query(i):
    query_stream(stream)


def rounds(name, call):
    least = 1e9
    count = CALLS // 200 + 1  # rounds of a millisecond or less: on a busy machine some are not disturbed
    for _ in range(200):
        begin = time.perf_counter_ns()
        for i in range(count):
            call(i)
        least = min(least, (time.perf_counter_ns() - begin) / count)
    print(f"{name}\t{least:.0f}")


def below(i):
    under(20, launch_kernel, (kernels[0], 1, 1, 1, 1, 1, 1, 0, stream, arguments, None))


for name, call in (
    ("launch", launch),
    ("launch, 16 kernels in turn", in_turn),
    ("launch below 20 frames of a library", below),
    ("copy of 4 kB to the device", copy),
    ("stream query", query),
):
    if ONLY in ("", name):
        rounds(name, call)
