# Many calls: what is held before and behind them, references and memory.
# SPDX-License-Identifier: Apache-2.0
"""lasting.py CALLS: prints the growth of resident memory in kB; fails where a reference was taken or lost."""
import ctypes
import sys

from driver import cu

query, rounds = cu.cuStreamQuery, 10


def called(count):
    for _ in range(count):
        query(None)


def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def references():
    code = called.__code__
    return [sys.getrefcount(o) for o in (called, code, code.co_filename, code.co_name, sys._getframe(0).f_code)]


before, held = None, []
for i in range(rounds):
    called(int(sys.argv[1]) // rounds)
    held.append(references())
    if i == 0:
        before = resident()
held = held[2:]  # without a lock the interpreter counts otherwise until it knows the code
assert held == [held[0]] * len(held), held
print(resident() - before)
