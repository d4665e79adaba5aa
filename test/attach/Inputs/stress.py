# Calls from many threads while garbage is collected, modules are imported, functions come and go; then the interpreter
# ends while threads still call.
# SPDX-License-Identifier: Apache-2.0
"""stress.py CALLS THREADS: the last line printed is the number of calls made before the end began. A line that ends with
#= N makes N of each hundred."""
import ctypes
import gc
import importlib
import itertools
import sys
import threading

from driver import context, cu

CALLS, THREADS = int(sys.argv[1]), int(sys.argv[2])
MODULES = ("colorsys", "fractions", "statistics", "calendar", "textwrap", "tabnanny", "pprint", "cmd", "wave", "bdb")
query = cu.cuStreamQuery
sys.setswitchinterval(1e-4)
done = threading.Event()


class Knot:
    """Garbage that only the collector finds, and that calls when it goes."""

    def __init__(self, counter):
        self.itself, self.counter = self, counter

    def __del__(self):
        query(None)
        next(self.counter)


def deep(depth):
    if depth == 0:
        return query(None)  #= 20
    return deep(depth - 1)


def generated(count):
    for _ in range(count):
        yield query(None)  #= 30


def made(count):
    scope = {"query": query, "count": count}
    exec(compile("def f():\n    for _ in range(count):\n        query(None)\nf()\n", "<made>", "exec"), scope)


def work(calls, knots):
    cu.cuCtxSetCurrent(context)
    for _ in range(calls // 100):
        for _ in range(20):
            query(None)  #= 20
        for _ in range(20):
            deep(7)
        for _ in generated(30):
            pass
        made(29)
        Knot(knots)
    query(None)


def collect():
    while not done.is_set():
        gc.collect()


def load():
    for name in itertools.cycle(MODULES):
        if done.is_set():
            return
        sys.modules.pop(name, None)
        importlib.import_module(name)


def forever():
    cu.cuCtxSetCurrent(context)
    while True:
        deep(3)


beside = [threading.Thread(target=f) for f in (collect, load)]
knots = [itertools.count() for _ in range(THREADS)]
threads = [threading.Thread(target=work, args=(CALLS // THREADS, k)) for k in knots]
for thread in beside + threads:
    thread.start()
for thread in threads:
    thread.join()
done.set()
for thread in beside:
    thread.join()
gc.collect()
print(sum(CALLS // THREADS // 100 * 99 + 1 + next(k) for k in knots), flush=True)
if "end" in sys.argv:
    for _ in range(THREADS):
        threading.Thread(target=forever, daemon=True).start()
