# Uploads as array libraries make them: the bytes go through pinned memory, which is used again, into
# a piece of a pool, another one each time. By the argument: waste, or one of its silent twins.
# SPDX-License-Identifier: Apache-2.0
import ctypes
import json
import os
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "site-packages"))
if sys.argv[1] == "judged":  # PROFILE
    audit = json.load(open(sys.argv[2]))["coverage"]["audit"]
    sys.exit(0 if audit["judged_bytes"] >= 0.9 * audit["transfer_bytes"] else str(audit))
from driver import cu
from staging import LARGEST, Library

what, library = sys.argv[1], Library(cu, *sys.argv[2:])
COUNT = 1 << 15
weights = (ctypes.c_float * COUNT)(*range(COUNT))
others = (ctypes.c_float * COUNT)(*range(7, COUNT + 7))


def repeated():
    for step in range(9):
        w = library.asarray(weights)  # REPEATED
        library.work(w)
        library.synchronize()


def reused(change=0):
    """The kernel that uses the piece writes it; the next step's weights go to the same pieces."""
    for step in range(40):
        library.used = step % 2 * LARGEST
        weights[step] += change
        w = library.asarray(weights)  # REUSED
        library.change(w)
        library.poll_event()


def reused_changing():
    reused(change=1)


def few():
    for step in range(9):
        w = library.asarray(others if step % 3 else weights)  # FEW
        library.work(w)


def direct():
    for step in range(9):
        w = library.copied(weights)  # DIRECT
        library.work(w)


def second():
    """Another line has sent them before, into a piece that it keeps."""
    library.asarray(weights)
    for step in range(9):
        w = library.asarray(weights)  # SECOND
        library.work(w)


def late():
    for i in range(150):  # more than are remembered
        library.asarray((ctypes.c_int * 256)(*range(i, i + 256)))
    for step in range(9):
        w = library.asarray(weights)  # LATE
        library.work(w)


def changing():
    for step in range(9):
        weights[step] += 1
        w = library.asarray(weights)
        library.work(w)


def once():
    w = library.asarray(weights)
    for step in range(9):
        library.work(w)


def equal():
    ones = (ctypes.c_float * COUNT)(*([1.0] * COUNT))
    for step in range(9):
        w = library.asarray(ones)
        library.work(w)


def made():
    for step in range(9):
        w = library.zeros(4 * COUNT)
        library.work(w)
        w = library.empty(4 * COUNT)
        library.fill(w, 4 * COUNT)
        library.work(w)


def many():
    batches = [(ctypes.c_float * COUNT)(*range(i, COUNT + i)) for i in range(12)]
    for epoch in range(3):
        for batch in batches:
            w = library.asarray(batch)
            library.work(w)


def from_device():
    for step in range(9):
        weights[step] += 1
        source = library.asarray(weights)
        w = library.through_pinned(4 * COUNT, step, source)
        library.work(w)


def from_function():
    for step in range(9):
        w = library.through_pinned(4 * COUNT, step)
        library.work(w)


def beside():
    """Host functions that nobody waits for, in a stream of their own, as JAX frees what was used."""
    freed = library.stream_beside()
    for step in range(9):
        w = library.asarray(weights)  # BESIDE
        library.work(w)
        library.call(freed, lambda: None)


def by_flag():
    """A host function in the copies' stream says that all is done: no call of CUDA's does."""
    for step in range(9):
        w = library.asarray(weights)  # BY FLAG
        library.work(w)
        done = threading.Event()
        library.call(library.stream, done.set)
        done.wait()


def changed(step):
    weights[step] += 1
    return library.asarray(weights)


def round_trip():
    for step in range(9):
        x = changed(step)
        library.change(x)
        h = library.get(x, 4 * COUNT)
        y = library.asarray(h)  # BACK
        library.work(y)


def round_trip_by(wait):
    for step in range(9):
        x = changed(step)
        library.change(x)
        h = library.get(x, 4 * COUNT, wait)
        y = library.asarray(h)  # WAITED
        library.work(y)


def round_trip_by_event():
    round_trip_by(library.wait_for_event)


def round_trip_by_event_query():
    round_trip_by(library.poll_event)


def round_trip_by_stream_query():
    round_trip_by(library.poll_stream)


def round_trip_copied():
    for step in range(9):
        x = changed(step)
        library.change(x)
        h = library.get(x, 4 * COUNT)
        y = library.copied(h)  # COPIED
        library.work(y)


def offloaded():
    """Layers that leave the device and come back at once, in each step the same."""
    layers = [changed(step) for step in range(3)]
    for layer in layers:
        library.change(layer)
    for step in range(6):
        for i in range(3):
            h = library.get(layers[i], 4 * COUNT)
            layers[i] = library.asarray(h)  # OFFLOADED


def host_changes():
    for step in range(9):
        x = changed(step)
        library.change(x)
        h = library.get(x, 4 * COUNT)
        h[step] = b"\x42"
        y = library.asarray(h)
        library.work(y)


def kernel_between():
    """What was saved comes back after a kernel that may have changed it."""
    for step in range(9):
        x = changed(step)
        h = library.get(x, 4 * COUNT)
        library.work(x)
        y = library.asarray(h)
        library.work(y)


def zeros_back():
    for step in range(9):
        x = library.zeros(4 * COUNT)
        library.change(x)
        h = library.get(x, 4 * COUNT)
        y = library.asarray(h)
        library.work(y)


def brought_back():
    for step in range(9):
        weights[step] += 1
        x = library.copied(weights)
        library.work(x)
        library.get_blocking(x, weights)  # BROUGHT
        library.work(x)


{f.__name__: f for f in (repeated, reused, reused_changing, few, direct, second, late, changing, once, equal, made, many, from_device, from_function, beside, by_flag, round_trip, round_trip_by_event, round_trip_by_event_query, round_trip_by_stream_query, round_trip_copied, offloaded, host_changes, kernel_between, zeros_back, brought_back)}[what]()
library.close()
