# Threads that Python did not make come and go, and call out of callbacks, while one collects garbage. Without a lock of
# the interpreter each has instructions of its own, which go with it.
# SPDX-License-Identifier: Apache-2.0
"""A line that ends with #= N makes N calls in each of 4 times 48 threads."""
import ctypes
import gc
import threading

from driver import context, cu

ROUNDS, THREADS = 4, 48
query, libc = cu.cuStreamQuery, ctypes.CDLL(None)
cu.cuCtxSynchronize()
for _ in range(2000):  # Python compares its frames with what was read
    pass
done = threading.Event()


def several():
    for _ in range(3):
        query(None)  #= 3
    for _ in range(5):
        query(None)  #= 5


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
def begin(_):
    cu.cuCtxSetCurrent(context)
    several()
    query(None)  #= 1
    return 0


def collect():
    while not done.is_set():
        gc.collect()


beside = threading.Thread(target=collect)
beside.start()
for _ in range(ROUNDS):
    threads = [ctypes.c_ulong() for _ in range(THREADS)]
    for thread in threads:
        assert libc.pthread_create(ctypes.byref(thread), None, begin, None) == 0
    for thread in threads:
        libc.pthread_join(thread, None)
done.set()
beside.join()
