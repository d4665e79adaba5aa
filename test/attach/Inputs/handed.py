# Uploads that a library's thread makes for lines of Python: they are those lines', told by the bytes.
# SPDX-License-Identifier: Apache-2.0
import ctypes
import json
import os
import sys
import time

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "site-packages"))
COUNT = 1 << 15


def array(first):
    return (ctypes.c_float * COUNT)(*range(first, COUNT + first))


def repeated(library):
    weights = array(0)
    for step in range(9):
        w = library.device_put(weights)  # REPEATED


def changing(library):
    for step in range(9):
        w = library.device_put(array(step))  # CHANGING


def lines(library):
    weights, ones, twos = array(5), (ctypes.c_float * COUNT)(*([1.0] * COUNT)), array(7)
    for step in range(4):
        a = library.device_put(weights)  # A
        b = library.device_put(ones)  # B
        library.device_put(twos, asks=False)  # nobody's


def back(library):
    """What the device made itself, here: part of an array."""
    for step in range(9):
        library.device_put(array(1000 * step))
        h = library.device_get(COUNT // 2, COUNT // 4)
        x = library.device_put(h)  # BACK


def changed(library):
    """The arrays that were brought are gone, and new ones may lie where they lay."""
    for step in range(9):
        library.device_put(array(1000 * step))
        h = library.device_get(COUNT // 2, COUNT // 4)
        h = (ctypes.c_float * len(h))(*(value + 0.5 for value in h))
        x = library.device_put(h)


def in_place(library):
    for step in range(9):
        library.device_put(array(1000 * step))
        h = library.device_get(COUNT // 2, COUNT // 4)
        h[COUNT // 5] = 0.5
        x = library.device_put(h)


def kept(library):
    """The device's own went on meanwhile."""
    for step in range(9):
        library.device_put(array(1000 * step))
        h = library.device_get(COUNT // 2, COUNT // 4)
        library.device_put(array(1000 * step + 500))
        x = library.device_put(h)


def brought(library, *which):
    """Where the machine is busy, the stream needs a moment to say that what it brought is there."""
    data = library.device_get(*which)
    time.sleep(0.002)
    return data


def results(library):
    """Other ones in each step, large and small."""
    for step in range(100):
        library.device_put(array(step))
        output = brought(library, COUNT // 2, 0)
        loss = brought(library, 4, 100)
        assert output[5] == step + 5 and loss[0] == step + 100


def flag(library):
    """A small result that stays as it is: who asks for it wants to know."""
    library.device_put(array(0))
    for step in range(30):
        assert brought(library, 4, 100)[0] == 100


def again(library):
    library.device_put(array(0))
    for step in range(9):
        assert brought(library, COUNT // 2, 0)[7] == 7


def check(profile):
    text = open(__file__).read().splitlines()
    line = {mark: i + 1 for i, t in enumerate(text) for mark in ("A", "B") if t.endswith(f"# {mark}")}
    sites = [s for s in json.load(open(profile))["sites"] if s["callee"].startswith("cuMemcpyHtoD") and s["calls"]]
    found = sorted((s["line"], s["variable"], s["calls"], s["callee"]) for s in sites)
    via = "cuMemcpyHtoDAsync via handing.Library.device_put"
    expected = [(0, "", 4, "cuMemcpyHtoDAsync"), (line["A"], "a", 4, via), (line["B"], "b", 4, via)]
    assert found == expected, found


if sys.argv[1] == "check":
    check(sys.argv[2])
else:
    from driver import cu
    from handing import Library

    {f.__name__: f for f in (repeated, changing, lines, back, changed, in_place, kept, results, flag, again)}[sys.argv[1]](Library(cu, sys.argv[2]))
