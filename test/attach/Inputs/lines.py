# Uploads from every kind of frame. A line that ends with #= N makes N of them.
# SPDX-License-Identifier: Apache-2.0
import ctypes
import gc
import os
import sys
import threading

from driver import context, cu

BYTES = ctypes.c_size_t(4096)
host = (ctypes.c_char * 4096)()
memory = ctypes.c_uint64()
cu.cuMemAlloc_v2(ctypes.byref(memory), BYTES)
upload = cu.cuMemcpyHtoD_v2

for i in range(2000):  # Python compares its frames with what was read, and compiles nothing anew
    pass


def plain():
    upload(memory, host, BYTES)  #= 3


def raises():
    try:
        upload(memory, host, BYTES)  #= 3
        raise ValueError
    except ValueError:
        upload(memory, host, BYTES)  #= 3
    finally:
        upload(memory, host, BYTES)  #= 3


def generator():
    for _ in range(2):
        upload(memory, host, BYTES)  #= 6
        yield
    upload(memory, host, BYTES)  #= 3


def handed_on():
    upload(memory, host, BYTES)  #= 3
    yield
    cu.cuCtxSetCurrent(context)  # another thread's
    upload(memory, host, BYTES)  #= 3
    yield


async def awaited():
    upload(memory, host, BYTES)  #= 3


async def awaits():
    await awaited()


def tracer(frame, event, argument):
    return tracer


def traced():
    upload(memory, host, BYTES)  #= 3


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
def compare(a, b):
    upload(memory, host, BYTES)  #= 3
    return 0


def several_lines():
    upload(
        memory,
        host,
        BYTES)
    return [upload(memory, host, BYTES) for _ in range(2)]  #= 6


class Finalised:
    def __del__(self, upload=upload, memory=memory, host=host, size=BYTES):  # what the module holds may be gone
        upload(memory, host, size)  #= 4


def once():
    plain()
    raises()
    for _ in generator():
        pass
    steps = handed_on()
    next(steps)
    other = threading.Thread(target=next, args=(steps,))
    other.start()
    other.join()
    try:
        awaits().send(None)
    except StopIteration:
        pass
    sys.settrace(tracer)
    traced()
    sys.settrace(None)
    pair = (ctypes.c_int * 2)(1, 2)
    ctypes.CDLL(None).qsort(pair, ctypes.c_size_t(2), ctypes.c_size_t(4), compare)
    several_lines()
    Finalised()
    (lambda: upload(memory, host, BYTES))()  #= 3
    eval("upload(memory, host, BYTES)")


def thread():
    cu.cuCtxSetCurrent(context)
    once()
    # A thread that collects while others call.
    for _ in range(20):
        gc.collect()


threads = [threading.Thread(target=thread) for _ in range(2)]
for one in threads:
    one.start()
once()
for one in threads:
    one.join()

child = os.fork()
if child == 0:
    cu.cuMemcpyHtoD_v2(memory, host, BYTES)  # an error there: CUDA does not survive a fork
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0

for name in [f"made_{i}" for i in range(200)]:  # code objects that come and go at the same address
    space = {"upload": upload, "memory": memory, "host": host, "BYTES": BYTES}
    exec(compile(f"def {name}():\n    upload(memory, host, BYTES)\n", f"/made/{name}.py", "exec"), space)
    space[name]()
    del space

source = "def thousand():\n" + "    upload(memory, host, BYTES)\n" * 1000
exec(compile(source, "/thousand.py", "exec"), globals())
thousand()

at_exit = Finalised()  # its upload comes while the interpreter ends
print("done")
