# Copies to and from variables of a module, whose place the driver told. By the argument: waste, or one of its silent twins.
# SPDX-License-Identifier: Apache-2.0
import ctypes
import json
import sys

if sys.argv[1] == "judged":  # PROFILE
    coverage = json.load(open(sys.argv[2]))["coverage"]
    audit = coverage["audit"]
    good = coverage["foreign_operations"] == 0 and audit["judged_bytes"] >= 0.9 * audit["transfer_bytes"]
    sys.exit(0 if good else str(coverage))
from driver import cu

COUNT = 16384
PTX = b"""
.version 7.0
.target sm_75
.address_size 64
.visible .const .align 4 .b8 coefficients[4096];
.visible .global .align 4 .f32 table[16384];
.visible .global .align 8 .u64 target;
.visible .entry use()
{
  .reg .f32 %f; ld.global.f32 %f, [table]; ret;
}
.visible .entry step()
{
  .reg .u64 %p; .reg .u32 %v;
  ld.global.u64 %p, [target]; cvta.to.global.u64 %p, %p;
  ld.global.u32 %v, [%p]; add.u32 %v, %v, 1; st.global.u32 [%p], %v;
  ret;
}
"""
Size, Pointer = ctypes.c_size_t, ctypes.c_uint64


@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
def STEP(grid, block, arguments):
    """What the simulated device runs for `step`: it changes the memory that the variable points to."""
    ctypes.c_uint32.from_address(Pointer.from_address(place("target").value).value).value += 1


def define_kernels():
    if hasattr(cu, "gpuinstr_simulator_define_kernel"):
        nothing = ctypes.cast(ctypes.CDLL(None).abs, ctypes.c_void_p)
        cu.gpuinstr_simulator_define_kernel(None, b"use", nothing, 0, None)
        cu.gpuinstr_simulator_define_kernel(None, b"step", STEP, 0, None)


module, stream = ctypes.c_void_p(), ctypes.c_void_p()
define_kernels()


def load():
    assert cu.cuModuleLoadData(ctypes.byref(module), PTX) == 0


def place(name, get=cu.cuModuleGetGlobal_v2, owner=module):
    at, size = Pointer(), Size()
    assert get(ctypes.byref(at), ctypes.byref(size), owner, name.encode()) == 0
    return at


def launch(name):
    function = ctypes.c_void_p()
    assert cu.cuModuleGetFunction(ctypes.byref(function), module, name.encode()) == 0
    assert cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, None, None) == 0


def allocated(bytes):
    memory = Pointer()
    assert cu.cuMemAlloc_v2(ctypes.byref(memory), Size(bytes)) == 0
    return memory


def pinned(bytes):
    memory = ctypes.c_void_p()
    assert cu.cuMemHostAlloc(ctypes.byref(memory), Size(bytes), 0) == 0
    return memory


values = (ctypes.c_float * COUNT)(*range(COUNT))
BYTES = Size(4 * COUNT)


def repeated():
    table = place("table")
    for step in range(6):
        assert cu.cuMemcpyHtoD_v2(table, values, BYTES) == 0  # REPEATED


def between(change=0):
    """Any kernel of the module may write it."""
    table = place("table")
    for step in range(6):
        values[step] += change
        assert cu.cuMemcpyHtoD_v2(table, values, BYTES) == 0  # BETWEEN
        launch("use")


def of_async(change=0, fill=None):
    """Out of pageable memory, asynchronously: the device is not asked about it either."""
    coefficients = place("coefficients")
    if fill is not None:
        values[:] = [fill] * COUNT
    for step in range(12):
        values[step] += change
        assert cu.cuMemcpyHtoDAsync_v2(coefficients, values, Size(4096), None) == 0  # ASYNC
        launch("use")


def of_async_changing():
    of_async(1)


def of_async_reset():
    """Equal elements are what a counter is reset to."""
    of_async(0, 0.0)


def changing():
    between(1)


def constant():
    coefficients = place("coefficients")
    for step in range(6):
        assert cu.cuMemcpyHtoD_v2(coefficients, values, Size(4096)) == 0  # CONSTANT
        launch("use")


def by_place_alone():
    """As cudart asks, which does not want the size."""
    table, (at, library) = Pointer(), (Pointer(), ctypes.c_void_p())
    assert cu.cuLibraryLoadData(ctypes.byref(library), PTX, None, None, 0, None, None, 0) == 0
    for step in range(4):
        assert cu.cuModuleGetGlobal_v2(ctypes.byref(table), None, module, b"table") == 0
        assert cu.cuMemcpyHtoD_v2(Pointer(table.value + 4096), values, Size(4096)) == 0
        assert cu.cuLibraryGetGlobal(ctypes.byref(at), None, library, b"coefficients") == 0
        assert cu.cuMemcpyHtoD_v2(at, values, Size(4096)) == 0
    assert cu.cuLibraryUnload(library) == 0


def by_library(change=0):
    library, back = ctypes.c_void_p(), (ctypes.c_float * COUNT)()
    assert cu.cuLibraryLoadData(ctypes.byref(library), PTX, None, None, 0, None, None, 0) == 0
    table = place("table", cu.cuLibraryGetGlobal, library)
    for step in range(6):
        values[step] += change
        assert cu.cuMemcpyHtoD_v2(table, values, BYTES) == 0  # BY LIBRARY
        if change:
            assert cu.cuMemcpyDtoH_v2(back, table, BYTES) == 0
    assert cu.cuLibraryUnload(library) == 0


def by_library_changing():
    by_library(1)


def in_stream(change=0):
    """Out of pinned memory: the device is not asked about it."""
    table, source = place("table"), pinned(4 * COUNT)
    for step in range(6):
        values[step] += change
        ctypes.memmove(source, values, 4 * COUNT)
        assert cu.cuMemcpyHtoDAsync_v2(table, source, BYTES, stream) == 0  # IN STREAM
        launch("use")
        assert cu.cuStreamSynchronize(stream) == 0
    cu.cuMemFreeHost(source)


def in_stream_changing():
    in_stream(1)


def downloads():
    """Results that a kernel leaves in a variable: other ones each time."""
    table, back = place("table"), (ctypes.c_float * COUNT)()
    for step in range(6):
        values[step] += 1
        assert cu.cuMemcpyHtoD_v2(table, values, BYTES) == 0
        launch("use")
        assert cu.cuMemcpyDtoH_v2(back, table, BYTES) == 0
        assert back[step] == values[step]


def pointed(waste=False):
    """A kernel without arguments writes what the variable points to: the flag has to be reset."""
    flag, zero = allocated(4096), (ctypes.c_char * 4096)()
    assert cu.cuMemcpyHtoD_v2(place("target"), ctypes.byref(flag), Size(8)) == 0
    for step in range(8):
        assert cu.cuMemcpyHtoD_v2(flag, zero, Size(4096)) == 0  # POINTED
        if not waste and step % 4 == 0:
            launch("step")
    back = (ctypes.c_char * 4096)()
    assert cu.cuMemcpyDtoH_v2(back, flag, Size(4096)) == 0
    assert cu.cuMemFree_v2(flag) == 0


def pointed_twin():
    pointed(True)


def reloaded():
    """The variable of a module that was unloaded and loaded again holds its first value."""
    for step in range(4):
        table = place("table")
        assert cu.cuMemcpyHtoD_v2(table, values, BYTES) == 0
        launch("use")
        assert cu.cuCtxSynchronize() == 0
        assert cu.cuModuleUnload(module) == 0
        load()


cu.cuStreamCreate(ctypes.byref(stream), 0)
load()
{f.__name__: f for f in (repeated, between, changing, constant, of_async, of_async_changing, of_async_reset, by_place_alone, by_library, by_library_changing, in_stream, in_stream_changing, downloads, pointed, pointed_twin, reloaded)}[sys.argv[1]]()
assert cu.cuStreamDestroy_v2(stream) == 0
